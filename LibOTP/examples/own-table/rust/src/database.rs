//! What the program needs of a database. Use your own client library instead: this one calls libsqlite3, so that the
//! example needs no other crate. What C gets a pointer to lives through the call, and what C returns is copied.

use std::error::Error;
use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_int};
use std::ptr::{null, null_mut};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[link(name = "sqlite3")]
extern "C" {
    fn sqlite3_open(path: *const c_char, database: *mut *mut c_void) -> c_int;
    fn sqlite3_close(database: *mut c_void) -> c_int;
    fn sqlite3_busy_timeout(database: *mut c_void, milliseconds: c_int) -> c_int;
    fn sqlite3_errmsg(database: *mut c_void) -> *const c_char;
    fn sqlite3_prepare_v2(
        database: *mut c_void,
        text: *const c_char,
        length: c_int,
        statement: *mut *mut c_void,
        rest: *mut *const c_char,
    ) -> c_int;
    fn sqlite3_bind_blob(
        statement: *mut c_void,
        place: c_int,
        bytes: *const c_void,
        length: c_int,
        release: *const c_void,
    ) -> c_int;
    fn sqlite3_bind_int64(statement: *mut c_void, place: c_int, number: i64) -> c_int;
    fn sqlite3_step(statement: *mut c_void) -> c_int;
    fn sqlite3_column_blob(statement: *mut c_void, column: c_int) -> *const c_void;
    fn sqlite3_column_bytes(statement: *mut c_void, column: c_int) -> c_int;
    fn sqlite3_changes(database: *mut c_void) -> c_int;
    fn sqlite3_finalize(statement: *mut c_void) -> c_int;
}

const SQLITE_OK: c_int = 0;
const SQLITE_ROW: c_int = 100;
const SQLITE_DONE: c_int = 101;

/// A connection to SQLite, for one thread at a time.
pub struct Database(*mut c_void);

struct Statement(*mut c_void);

impl Drop for Database {
    fn drop(&mut self) {
        unsafe { sqlite3_close(self.0) };
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        unsafe { sqlite3_finalize(self.0) };
    }
}

impl Database {
    pub fn open(path: &str) -> Result<Self> {
        let (path, mut database) = (CString::new(path)?, null_mut());
        let status = unsafe { sqlite3_open(path.as_ptr(), &mut database) };
        let database = Self(database);
        database.check(status == SQLITE_OK)?;
        database.check(unsafe { sqlite3_busy_timeout(database.0, 60_000) } == SQLITE_OK)?;
        Ok(database)
    }

    fn check(&self, is_right: bool) -> Result<()> {
        if is_right {
            return Ok(());
        }
        Err(unsafe { CStr::from_ptr(sqlite3_errmsg(self.0)) }.to_string_lossy().into())
    }

    fn prepare(&self, text: &str) -> Result<Statement> {
        let mut statement = null_mut();
        let (first, length) = (text.as_ptr().cast(), text.len() as c_int);
        let status = unsafe { sqlite3_prepare_v2(self.0, first, length, &mut statement, null_mut()) };
        let statement = Statement(statement);
        self.check(status == SQLITE_OK)?;
        Ok(statement)
    }

    fn bind(&self, statement: &Statement, place: c_int, bytes: &[u8]) -> Result<()> {
        let (first, length) = (bytes.as_ptr().cast(), bytes.len() as c_int);
        // Without a function that releases them, the bytes must live until the statement ends.
        self.check(unsafe { sqlite3_bind_blob(statement.0, place, first, length, null()) } == SQLITE_OK)
    }

    /// The only column of the only row.
    pub fn bytes(&self, statement: &str, id: i64) -> Result<Vec<u8>> {
        let statement = self.prepare(statement)?;
        unsafe {
            self.check(sqlite3_bind_int64(statement.0, 1, id) == SQLITE_OK)?;
            match sqlite3_step(statement.0) {
                SQLITE_ROW => {
                    let first = sqlite3_column_blob(statement.0, 0).cast::<u8>();
                    let count = sqlite3_column_bytes(statement.0, 0) as usize;
                    Ok(if count == 0 { vec![] } else { std::slice::from_raw_parts(first, count).to_vec() })
                }
                SQLITE_DONE => Err("there is no such user".into()),
                _ => self.check(false).map(|()| vec![]),
            }
        }
    }

    /// How many rows an update has changed, durably.
    pub fn change(&self, statement: &str, new: &[u8], id: i64, old: &[u8]) -> Result<usize> {
        let statement = self.prepare(statement)?;
        self.bind(&statement, 1, new)?;
        self.check(unsafe { sqlite3_bind_int64(statement.0, 2, id) } == SQLITE_OK)?;
        self.bind(&statement, 3, old)?;
        self.check(unsafe { sqlite3_step(statement.0) } == SQLITE_DONE)?;
        Ok(unsafe { sqlite3_changes(self.0) } as usize)
    }
}
