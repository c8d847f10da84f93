//! The database file: who may have it open, and how connections to it are set up.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::store::{Result, StoreError};

/// How long to wait for a lock that only a tool beside the server could hold, such as a backup.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// More than there are statements.
const STATEMENTS: usize = 128;

/// A database file that this process alone has open.
pub(super) struct Located {
    pub(super) path: PathBuf,
    pub(super) lock: File,
}

/// Finds the file and takes it for this process. The system lets go of it when the process ends, however it ends.
pub(super) fn take(path: &Path) -> Result<Located> {
    let path = resolve(path)?;
    let mut beside = path.clone().into_os_string();
    beside.push(".lock");
    let lock = private()
        .open(&beside)
        .map_err(|error| not_writable(&path, format!("{}: {error}", Path::new(&beside).display())))?;
    match lock.try_lock() {
        Ok(()) => Ok(Located { path, lock }),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: path.display().to_string() }),
        Err(TryLockError::Error(error)) => Err(not_writable(&path, format!("cannot be locked: {error}"))),
    }
}

/// Makes the file if there is none. SQLite gives the files it keeps beside it the same permissions.
pub(super) fn make(path: &Path) -> Result<()> {
    private().open(path).map(drop).map_err(|error| not_writable(path, error.to_string()))
}

/// Payloads and outputs are nobody else's business.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Says so if everybody on the machine may read the file. Whoever made it so may have had a reason.
pub(super) fn warn_if_open_to_all(path: &Path) {
    #[cfg(unix)]
    if std::fs::metadata(path).is_ok_and(|data| std::os::unix::fs::MetadataExt::mode(&data) & 0o004 != 0) {
        tracing::warn!(path = %path.display(), "every user of this machine can read the database; run chmod 600 on it");
    }
}

/// One name for one file, whichever way it was named, so that there is one lock for it.
pub(super) fn resolve(path: &Path) -> Result<PathBuf> {
    if let Ok(resolved) = path.canonicalize() {
        return Ok(resolved);
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| not_writable(path, "it does not name a file".into()))?;
    match directory.canonicalize() {
        Ok(directory) => Ok(directory.join(name)),
        Err(error) => Err(not_writable(path, format!("its directory {}: {error}", directory.display()))),
    }
}

/// A connection that may write, without any settings yet.
pub(super) fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(|error| refused(path, error))?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    if conn.is_readonly("main")? {
        return Err(not_writable(path, "it is read-only".into()));
    }
    // SQLite looks at the file, and makes its companions beside it, only when it is first read.
    conn.query_row("select count(*) from sqlite_schema", [], |_| Ok(())).map_err(|error| refused(path, error))?;
    Ok(conn)
}

/// Makes a connection the writer's: every commit is on the disk before it is answered.
pub(super) fn set_up_writer(conn: &Connection, path: &Path) -> Result<()> {
    let settings = "
        pragma journal_mode = wal;
        pragma synchronous = full;
        pragma wal_autocheckpoint = 4000;
        pragma journal_size_limit = 67108864;
        pragma cache_size = -16384;
        pragma temp_store = memory;
        begin immediate;
        rollback;";
    conn.execute_batch(settings).map_err(|error| refused(path, error))?;
    set_up(conn)
}

/// Makes a connection a reader's.
pub(super) fn set_up_reader(conn: &Connection, path: &Path) -> Result<()> {
    let settings = "
        pragma query_only = on;
        pragma cache_size = -4096;
        pragma temp_store = memory;";
    conn.execute_batch(settings).map_err(|error| refused(path, error))?;
    set_up(conn)
}

fn set_up(conn: &Connection) -> Result<()> {
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    // Otherwise a statement whose plan might be better with other values is prepared anew for every one of them.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(rusqlite::vtab::array::load_module(conn)?)
}

fn refused(path: &Path, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            not_writable(path, error.to_string())
        }
        _ => StoreError::Database { doing: "opening of the file", source: Box::new(error) },
    }
}

fn not_writable(path: &Path, reason: String) -> StoreError {
    StoreError::NotWritable { path: path.display().to_string(), reason }
}
