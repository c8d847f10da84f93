//! A directory that nobody but the test may change: beside the one of the host, or moved into it by a program.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// What there is of a file: kind and mode, owner, group, time of the last change, number, content.
type Seen = (u32, u32, u32, (i64, i64), u64, Vec<u8>);

pub struct Victim {
    folder: TempDir,
    before: BTreeMap<PathBuf, Seen>,
}

impl Victim {
    /// With names that an attempt's directory has, too.
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for directory in ["precious/deep/deeper", "1/output", "output/kept", "result"] {
            fs::create_dir_all(root.join(directory)).expect("made");
        }
        let files = [
            "file",
            "log",
            "input-1.json",
            "lease-1",
            "result.json",
            "shim.log",
            "precious/deep/deeper/file",
            "1/file",
            "output/kept/file",
            "result/result.json",
        ];
        for file in files {
            fs::write(root.join(file), format!("\"the secret of {file}\"")).expect("written");
        }
        fs::write(root.join("large"), vec![b'x'; 200_000]).expect("written");
        change(root);
        let before = snapshot(root);
        Self { folder, before }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A script, with the victim's path for `VICTIM`.
    pub fn script(&self, script: &str) -> String {
        script.replace("VICTIM", self.path().to_str().expect("UTF-8"))
    }

    #[track_caller]
    pub fn is_unharmed(&self) {
        assert_eq!(self.harm(), None);
    }

    /// What was done to it.
    pub fn harm(&self) -> Option<String> {
        self.harm_at(self.path())
    }

    /// The same where a program could have moved it to a place below `root`.
    pub fn harm_below(&self, root: &Path) -> Option<String> {
        let number = self.before.get(Path::new(""))?.4;
        match [self.path(), root].into_iter().find_map(|start| directory_below(start, number)) {
            Some(path) => self.harm_at(&path),
            None => Some(format!("{} is gone", self.path().display())),
        }
    }

    fn harm_at(&self, root: &Path) -> Option<String> {
        let now = snapshot(root);
        let lost = self.before.iter().find_map(|(path, before)| match now.get(path) {
            None => Some(format!("{} is gone", path.display())),
            Some(after) => (before != after).then(|| format!("{} is changed", path.display())),
        });
        let added = now.keys().find(|path| !self.before.contains_key(*path));
        lost.or_else(|| added.map(|path| format!("{} was put in", path.display())))
    }
}

/// By the path below the root.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut seen = BTreeMap::new();
    let mut paths = vec![root.to_owned()];
    while let Some(path) = paths.pop() {
        let Ok(data) = fs::symlink_metadata(&path) else { continue };
        let content = if data.is_file() { fs::read(&path).expect("read") } else { Vec::new() };
        if data.is_dir() {
            paths.extend(fs::read_dir(&path).expect("listed").map(|entry| entry.expect("read").path()));
        }
        let changed = (data.mtime(), data.mtime_nsec());
        let name = path.strip_prefix(root).expect("below").to_owned();
        seen.insert(name, (data.mode(), data.uid(), data.gid(), changed, data.ino(), content));
    }
    seen
}

/// The directory with that number, of those that can be looked into.
fn directory_below(start: &Path, number: u64) -> Option<PathBuf> {
    let mut paths = vec![start.to_owned()];
    while let Some(path) = paths.pop() {
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_dir() && data.ino() == number => return Some(path),
            Ok(data) if data.is_dir() => {
                paths.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            }
            _ => {}
        }
    }
    None
}
