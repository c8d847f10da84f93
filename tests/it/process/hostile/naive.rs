//! Shows that the harness notices harm: the same programs are played against removals as they must not be.

use std::fs;
use std::path::Path;

use fastrand::Rng;

use super::super::support::LEASE;
use super::fuzz::Site;
use super::programs::program;

/// Always the same programs: whether one of them does harm is no matter of luck.
const SEED: u64 = 18;
const MOST: usize = 200;

/// Lists a directory by its path, whatever is there by now. What it finds is removed without following links.
fn by_path(site: &Site, directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        assert!(site.has(directory), "{} is nothing of the test's", directory.display());
        let _ = match entry.file_type() {
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
            _ => fs::remove_file(entry.path()),
        };
    }
}

/// Knows a link from a directory at the top, and follows those that lie deeper.
fn through_links(site: &Site, directory: &Path) {
    if fs::symlink_metadata(directory).is_ok_and(|data| data.is_dir()) {
        follow(site, directory);
    }
}

fn follow(site: &Site, directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        assert!(site.has(directory), "{} is nothing of the test's", directory.display());
        let path = entry.path();
        if path.is_dir() {
            follow(site, &path);
        }
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
    }
}

/// Follows no link, and takes whatever directory is there for the one that was made.
fn whatever_is_there(site: &Site, directory: &Path) {
    let is_dir = |path: &Path| fs::symlink_metadata(path).is_ok_and(|data| data.is_dir());
    if directory.ancestors().take(3).all(is_dir) {
        assert!(site.has(directory), "{} is nothing of the test's", directory.display());
        let _ = fs::remove_dir_all(directory);
    }
}

/// How many programs are played until one has made it do harm.
async fn programs_until_harm(remove: fn(&Site, &Path)) -> Option<usize> {
    let mut rng = Rng::with_seed(SEED);
    for number in 1..=MOST {
        let script = program(&mut rng);
        let site = Site::new(&script);
        site.scene.start(LEASE).completion().await;
        assert_eq!(site.harm(), None, "the program itself does none:\n{script}");
        remove(&site, &site.scene.directory());
        if let Some(harm) = site.harm() {
            eprintln!("program {number}: {harm}\n{script}");
            return Some(number);
        }
    }
    None
}

#[tokio::test]
async fn a_removal_by_path_is_caught() {
    assert_ne!(programs_until_harm(by_path).await, None);
}

#[tokio::test]
async fn a_removal_that_follows_links_is_caught() {
    assert_ne!(programs_until_harm(through_links).await, None);
}

#[tokio::test]
async fn a_removal_of_another_directory_than_the_one_that_was_made_is_caught() {
    assert_ne!(programs_until_harm(whatever_is_there).await, None);
}
