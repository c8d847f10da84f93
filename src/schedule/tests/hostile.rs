//! What somebody might send to do harm is refused, and soon.

use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(stuff::cases(500))]

    #[test]
    fn any_text_is_an_expression_or_is_refused(text in "\\PC{0,60}") {
        prop_assert!(Cron::parse(&text).is_err());
        prop_assert!(Zone::parse(&text).is_err());
    }

    #[test]
    fn any_five_fields_are_an_expression_or_are_refused(text in "([-0-9*/,LW#?a-z]{1,5} ){4}[-0-9*/,LW#?a-z]{1,5}") {
        if let Ok(cron) = Cron::parse(&text) {
            let first = cron.next_from(jiff::civil::date(2026, 1, 1).at(0, 0, 0, 0));
            prop_assert!(first.is_some_and(|time| cron.matches(time)));
        }
    }
}

#[test]
fn what_is_not_documented_is_refused() {
    for bad in [
        ", * * * *",
        "1,,2 * * * *",
        "* , * * *",
        "*/0 * * * *",
        "*/-1 * * * *",
        "*/99999999999999999999 * * * *",
        "99999999999999999999 * * * *",
        "5/10 * * * *",
        "/10 * * * *",
        "*,5 * * * *",
        "* *,5 * * *",
        "? * * * *",
        "* ? * * *",
        "* * * ? *",
        "L * * * *",
        "0 MON * * *",
        "0 0 JAN * *",
        "0 0 * MON *",
        "0 0 * * JAN",
        "0 0 * JANFEB *",
        "1MON * * * *",
        "0 0 * * MONDAY",
        "0 0 * * L",
        "0 0 1 * L",
        "0 0 * * #1",
        "0 0 * * 1#",
        "0 0 * * 1#0",
        "0 0 * * 1#6",
        "0 0 * * 1#-1",
        "0 0 * * 1-5#2",
        "0 0 * * 1-5L",
        "0 0 * * */2#1",
        "0 0 * * 2#3L",
        "0 0 * * 8L",
        "0 0 * * SAT-MON",
        "0 0 5L * *",
        "0 0 L-3 * *",
        "0 0 W * *",
        "0 0 WL * *",
        "0 0 0W * *",
        "0 0 32W * *",
        "0 0 15W5 * *",
        "0 0 15WW * *",
        "0 0 1-15W * *",
        "0 0 ?/2 * *",
        "0 0 ?,1 * *",
        "0 0 13 * +FRI",
        "0 0 * * ſun",
        "٠ ٠ * * *",
        "0 0 * * 1 2026",
        "@",
        "@@daily",
        "@daily 5",
        "@every 5m",
        "+5 * * * *",
        "-5 * * * *",
        "0\u{0} 0 * * *",
        "1.0 * * * *",
    ] {
        assert!(matches!(Cron::parse(bad), Err(InvalidCron::Unreadable(_))), "{bad}: {:?}", Cron::parse(bad));
    }
}

#[test]
fn length_does_no_harm() {
    let list = |count: usize| vec!["59"; count].join(",");
    assert!(Cron::parse(&format!("{} * * * *", list(60))).is_ok());
    for long in
        [format!("{} * * * *", list(100_000)), "*".repeat(1_000_000), "* ".repeat(1_000_000), " ".repeat(1_000_000)]
    {
        assert!(matches!(Cron::parse(&long), Err(InvalidCron::Unreadable(_))));
    }
    assert!(Cron::parse(&format!("{}* * * * *{}", "\t".repeat(10_000), "\u{a0}".repeat(10_000))).is_ok());
}

#[test]
fn a_zone_is_not_a_path() {
    for name in [
        "/etc/passwd",
        "../../../etc/passwd",
        "Europe/../Europe/Berlin",
        "Europe/Berlin/",
        "/usr/share/zoneinfo/UTC",
        "Europe",
        ".",
        "..",
        "Europe/Berlin\0",
        "Europe/Berlin ",
        " UTC",
        "posix/Europe/Berlin",
        "right/Europe/Berlin",
        "tzdata.zi",
        "zone.tab",
        "posixrules",
        "localtime",
        "Etc/Unknown",
        "EST5EDT4,M3.2.0,M11.1.0",
        ":Europe/Berlin",
        "Ｕ\u{ff34}Ｃ",
    ] {
        assert_eq!(Zone::parse(name).map(String::from), Err(UnknownZone(name.into())), "{name}");
    }
    let long = "Europe/".repeat(100_000);
    assert!(Zone::parse(&long).is_err_and(|error| error.to_string().len() < 300));
}
