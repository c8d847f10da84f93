//! URLs without the passwords in them.

const HIDDEN: &str = "***";

/// Hides the password before the `@`, and the value of any parameter called so.
pub(super) fn url(text: &str) -> String {
    let (address, query) = match text.split_once('?') {
        Some((address, query)) => (address, Some(query)),
        None => (text, None),
    };
    let mut shown = without_userinfo(address);
    if let Some(query) = query {
        let parameter = |pair: &str| match pair.split_once('=') {
            Some((name, _)) if name.to_lowercase().contains("password") => format!("{name}={HIDDEN}"),
            _ => pair.to_owned(),
        };
        shown = format!("{shown}?{}", query.split('&').map(parameter).collect::<Vec<_>>().join("&"));
    }
    shown
}

fn without_userinfo(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    // A password may contain an @ that nobody escaped.
    let Some((user, host)) = rest.rsplit_once('@') else { return address.to_owned() };
    match user.split_once(':') {
        Some((name, _)) => format!("{scheme}://{name}:{HIDDEN}@{host}"),
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::url;

    #[test]
    fn no_password_is_shown() {
        assert_eq!(url("postgres://me:se@cret@db/app"), "postgres://me:***@db/app");
        assert_eq!(url("postgres://me@db/app?sslmode=require"), "postgres://me@db/app?sslmode=require");
        assert_eq!(url("postgres://db/app?user=me&password=secret"), "postgres://db/app?user=me&password=***");
        assert_eq!(url("sqlite:/var/lib/runlane.db"), "sqlite:/var/lib/runlane.db");
    }
}
