//! Small recordings written by hand: one that is right and one that is wrong for each promise.

mod admission;
mod endings;
mod leases;
mod story;
mod streams;

use super::Rule;
use story::Story;

fn assert_right(story: &Story) {
    let found: Vec<String> = story.judge().iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{found:#?}");
}

fn assert_breaks(story: &Story, rule: Rule) {
    let found = story.judge();
    assert!(found.iter().any(|violation| violation.rule == rule), "{rule:?} is not among {found:#?}");
}
