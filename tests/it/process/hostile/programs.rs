//! Random hostile programs, as scripts for a shell. Every link they make leads to the victim, and nowhere else; they never
//! write through one themselves. What they move into their own place is the foreign directory.

use fastrand::Rng;

/// What is done within the attempt's directory, while it is where it was. The shell is in it: `.` stays the directory
/// itself wherever it is moved.
const WITHIN: [&str; 20] = [
    "ln -sT VICTIM output/link",
    "ln -sT VICTIM/file output/link-to-file",
    "ln -T VICTIM/large output/hard",
    "mkfifo output/fifo",
    "mkdir -p $(seq -s / 1 60 | sed 's,^,output/,')",
    "mkdir -p $(seq -s / 1 40 | sed 's,^,beside/,')",
    "for i in $(seq 200); do : > output/$i; done",
    "for i in $(seq 600); do : > ./$i; done",
    "mkdir -p output/closed/in; chmod 000 output/closed/in output/closed",
    "mkdir -p closed/in; chmod 000 closed/in closed",
    "mkdir made; ln -sT VICTIM .deep.0",
    "head -c 300000 /dev/zero > output/large",
    "rm -f ./record.jsonl",
    "rm -f ./record.jsonl; mkfifo ./record.jsonl",
    "rm -f ./record.jsonl; ln -sT VICTIM/log ./record.jsonl",
    "rm -f ./lease-*; mkdir -p ./lease-1/in ./lease-2/in",
    "rm -f ./lease-*; ln -sT VICTIM/lease-1 ./lease-1; ln -sT VICTIM/lease-1 ./lease-2",
    "rm -f ./input-1.json; ln -sT VICTIM/input-1.json ./input-1.json",
    "rm -rf ./*",
    "chmod 000 .",
];

/// In the place of files that the worker or the shim use, with and without a file there before.
const FILES: [&str; 5] = ["result.json", "log", "shipped", "shim.log", "made"];
const INSTEAD: [&str; 6] = [
    "ln -sT VICTIM/file ./NAME",
    "ln -sT VICTIM ./NAME",
    "ln -T VICTIM/large ./NAME",
    "mkfifo ./NAME",
    "rm -rf ./NAME; mkdir -p ./NAME/in",
    "rm -rf ./NAME; head -c 3000000 /dev/zero > ./NAME",
];

/// In the place of directories, from the inside to the outside.
const PLACES: [&str; 4] = ["$o", "$d", "$r", "$a"];
const SWAPS: [&str; 5] = [
    "mv -T PLACE PLACE.x; ln -sT VICTIM PLACE",
    "mv -T PLACE PLACE.x; cp -a VICTIM PLACE",
    "mv -T PLACE PLACE.x; mkfifo PLACE",
    "mv -T PLACE PLACE.x; : > PLACE",
    "mv -T PLACE PLACE.x",
];
/// Not in the place of the output, which is the program's own with all that is in it.
const FOREIGN_SWAP: &str = "mv -T PLACE PLACE.x; mv -T FOREIGN PLACE";

/// A script, with `VICTIM` where the victim's path belongs, and `FOREIGN` where that of the foreign directory does.
pub fn program(rng: &mut Rng) -> String {
    let mut steps = vec![
        "o=$RUNLANE_OUTPUT_DIR; d=$(dirname \"$o\"); r=$(dirname \"$d\"); a=$(dirname \"$r\"); cd \"$d\"".to_owned(),
        "echo said; echo > output/ready".to_owned(),
    ];
    for _ in 0..rng.usize(0..4) {
        steps.push(WITHIN[rng.usize(..WITHIN.len())].to_owned());
    }
    for _ in 0..rng.usize(0..3) {
        let name = FILES[rng.usize(..FILES.len())];
        let removal = if rng.bool() { format!("rm -rf ./{name}; ") } else { String::new() };
        steps.push(removal + &INSTEAD[rng.usize(..INSTEAD.len())].replace("NAME", name));
    }
    for place in PLACES {
        if rng.usize(0..3) == 0 {
            let swap = *SWAPS.get(rng.usize(..=SWAPS.len())).unwrap_or(&FOREIGN_SWAP);
            let is_own = place == "$o" && swap == FOREIGN_SWAP;
            steps.push(if is_own { SWAPS[0] } else { swap }.replace("PLACE", place));
        }
    }
    if rng.usize(0..3) == 0 {
        steps.push("exit 1".to_owned());
    }
    steps.join("\n")
}
