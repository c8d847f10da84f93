//! A directory beside the one of the host, which nobody but the test may change.

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
        let now = snapshot(self.path());
        for (path, before) in &self.before {
            let after = now.get(path).unwrap_or_else(|| panic!("{} is gone", path.display()));
            assert!(before == after, "{} is changed", path.display());
        }
        let added: Vec<_> = now.keys().filter(|path| !self.before.contains_key(*path)).collect();
        assert!(added.is_empty(), "put in: {added:?}");
    }
}

fn snapshot(root: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut seen = BTreeMap::new();
    let mut paths = vec![root.to_owned()];
    while let Some(path) = paths.pop() {
        let data = fs::symlink_metadata(&path).expect("known");
        let content = if data.is_file() { fs::read(&path).expect("read") } else { Vec::new() };
        if data.is_dir() {
            paths.extend(fs::read_dir(&path).expect("listed").map(|entry| entry.expect("read").path()));
        }
        let changed = (data.mtime(), data.mtime_nsec());
        seen.insert(path, (data.mode(), data.uid(), data.gid(), changed, data.ino(), content));
    }
    seen
}
