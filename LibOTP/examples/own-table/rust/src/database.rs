//! What the program needs of a database. Use your own client library instead: this one calls libpq and libsqlite3, so
//! that the example needs no other crate. What C gets a pointer to lives through the call, and what C returns is copied
//! before it is released.

use std::error::Error;
use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_int};
use std::ptr::{null, null_mut};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

pub trait Database {
    /// The only column of the only row.
    fn bytes(&self, statement: &str, id: i64) -> Result<Vec<u8>>;
    /// How many rows an update has changed, durably.
    fn change(&self, statement: &str, new: &[u8], id: i64, old: &[u8]) -> Result<usize>;
}

/// A connection to PostgreSQL or, if `place` is a path, SQLite: for one thread at a time.
pub fn open(place: &str) -> Result<Box<dyn Database>> {
    if place.contains("host=") {
        Ok(Box::new(PostgreSql::open(place)?))
    } else {
        Ok(Box::new(Sqlite::open(place)?))
    }
}

/// A copy of a text that C owns.
unsafe fn copied(text: *const c_char) -> String {
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

/// A copy of bytes that C owns.
unsafe fn bytes(first: *const c_void, count: c_int) -> Vec<u8> {
    if count == 0 {
        return Vec::new();
    }
    std::slice::from_raw_parts(first.cast(), count as usize).to_vec()
}

// ---- PostgreSQL -----------------------------------------------------------------------------------------------------

#[link(name = "pq")]
extern "C" {
    fn PQconnectdb(connection_string: *const c_char) -> *mut c_void;
    fn PQfinish(connection: *mut c_void);
    fn PQerrorMessage(connection: *const c_void) -> *const c_char;
    fn PQexecParams(
        connection: *mut c_void, statement: *const c_char, count: c_int, types: *const u32,
        values: *const *const c_char, lengths: *const c_int, formats: *const c_int, result_format: c_int,
    ) -> *mut c_void;
    fn PQresultStatus(result: *const c_void) -> c_int;
    fn PQntuples(result: *const c_void) -> c_int;
    fn PQgetvalue(result: *const c_void, row: c_int, column: c_int) -> *const c_char;
    fn PQgetlength(result: *const c_void, row: c_int, column: c_int) -> c_int;
    fn PQcmdTuples(result: *mut c_void) -> *const c_char;
    fn PQclear(result: *mut c_void);
}

const PGRES_COMMAND_OK: c_int = 1;
const PGRES_TUPLES_OK: c_int = 2;

struct PostgreSql(*mut c_void);

struct PostgreSqlResult(*mut c_void);

impl Drop for PostgreSql {
    fn drop(&mut self) {
        unsafe { PQfinish(self.0) }
    }
}

impl Drop for PostgreSqlResult {
    fn drop(&mut self) {
        unsafe { PQclear(self.0) }
    }
}

impl PostgreSql {
    fn open(connection_string: &str) -> Result<Self> {
        let connection_string = CString::new(connection_string)?;
        // If this fails, so does each statement.
        Ok(Self(unsafe { PQconnectdb(connection_string.as_ptr()) }))
    }

    /// Runs a statement with bytes and texts for its parameters; a text ends with a NUL.
    fn run(&self, statement: &str, values: &[(&[u8], bool)]) -> Result<PostgreSqlResult> {
        let statement = CString::new(statement)?;
        let pointers: Vec<*const c_char> = values.iter().map(|(value, _)| value.as_ptr().cast()).collect();
        let lengths: Vec<c_int> = values.iter().map(|(value, _)| value.len() as c_int).collect();
        let formats: Vec<c_int> = values.iter().map(|(_, is_binary)| c_int::from(*is_binary)).collect();
        let (count, values) = (values.len() as c_int, pointers.as_ptr());
        let (lengths, formats) = (lengths.as_ptr(), formats.as_ptr());
        unsafe {
            let found = PQexecParams(self.0, statement.as_ptr(), count, null(), values, lengths, formats, 1);
            let result = PostgreSqlResult(found);
            match PQresultStatus(result.0) {
                PGRES_COMMAND_OK | PGRES_TUPLES_OK => Ok(result),
                _ => Err(copied(PQerrorMessage(self.0)).into()),
            }
        }
    }
}

impl Database for PostgreSql {
    fn bytes(&self, statement: &str, id: i64) -> Result<Vec<u8>> {
        let result = self.run(statement, &[(format!("{id}\0").as_bytes(), false)])?;
        unsafe {
            if PQntuples(result.0) != 1 {
                return Err("there is no such user".into());
            }
            Ok(bytes(PQgetvalue(result.0, 0, 0).cast(), PQgetlength(result.0, 0, 0)))
        }
    }

    fn change(&self, statement: &str, new: &[u8], id: i64, old: &[u8]) -> Result<usize> {
        let result = self.run(statement, &[(new, true), (format!("{id}\0").as_bytes(), false), (old, true)])?;
        Ok(unsafe { copied(PQcmdTuples(result.0)) }.parse()?)
    }
}

// ---- SQLite ---------------------------------------------------------------------------------------------------------

#[link(name = "sqlite3")]
extern "C" {
    fn sqlite3_open(path: *const c_char, database: *mut *mut c_void) -> c_int;
    fn sqlite3_close(database: *mut c_void) -> c_int;
    fn sqlite3_busy_timeout(database: *mut c_void, milliseconds: c_int) -> c_int;
    fn sqlite3_errmsg(database: *mut c_void) -> *const c_char;
    fn sqlite3_prepare_v2(
        database: *mut c_void, text: *const c_char, length: c_int, statement: *mut *mut c_void,
        rest: *mut *const c_char,
    ) -> c_int;
    fn sqlite3_bind_blob(
        statement: *mut c_void, place: c_int, bytes: *const c_void, length: c_int, release: *const c_void,
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

struct Sqlite(*mut c_void);

struct SqliteStatement(*mut c_void);

impl Drop for Sqlite {
    fn drop(&mut self) {
        unsafe { sqlite3_close(self.0) };
    }
}

impl Drop for SqliteStatement {
    fn drop(&mut self) {
        unsafe { sqlite3_finalize(self.0) };
    }
}

impl Sqlite {
    fn open(path: &str) -> Result<Self> {
        let (path, mut database) = (CString::new(path)?, null_mut());
        let status = unsafe { sqlite3_open(path.as_ptr(), &mut database) };
        let database = Self(database);
        database.check(status == SQLITE_OK)?;
        database.check(unsafe { sqlite3_busy_timeout(database.0, 60_000) } == SQLITE_OK)?;
        database.check(unsafe { sqlite3_step(database.prepare("PRAGMA synchronous = EXTRA")?.0) } == SQLITE_DONE)?;
        Ok(database)
    }

    fn check(&self, is_right: bool) -> Result<()> {
        if is_right {
            return Ok(());
        }
        Err(unsafe { copied(sqlite3_errmsg(self.0)) }.into())
    }

    fn prepare(&self, text: &str) -> Result<SqliteStatement> {
        let mut statement = null_mut();
        let (first, length) = (text.as_ptr().cast(), text.len() as c_int);
        let status = unsafe { sqlite3_prepare_v2(self.0, first, length, &mut statement, null_mut()) };
        let statement = SqliteStatement(statement);
        self.check(status == SQLITE_OK)?;
        Ok(statement)
    }

    fn bind(&self, statement: &SqliteStatement, place: c_int, bytes: &[u8]) -> Result<()> {
        let (first, length) = (bytes.as_ptr().cast(), bytes.len() as c_int);
        // Without a function that releases them, the bytes must live until the statement ends.
        self.check(unsafe { sqlite3_bind_blob(statement.0, place, first, length, null()) } == SQLITE_OK)
    }
}

impl Database for Sqlite {
    fn bytes(&self, statement: &str, id: i64) -> Result<Vec<u8>> {
        let statement = self.prepare(statement)?;
        unsafe {
            self.check(sqlite3_bind_int64(statement.0, 1, id) == SQLITE_OK)?;
            match sqlite3_step(statement.0) {
                SQLITE_ROW => Ok(bytes(sqlite3_column_blob(statement.0, 0), sqlite3_column_bytes(statement.0, 0))),
                SQLITE_DONE => Err("there is no such user".into()),
                _ => Err(copied(sqlite3_errmsg(self.0)).into()),
            }
        }
    }

    fn change(&self, statement: &str, new: &[u8], id: i64, old: &[u8]) -> Result<usize> {
        let statement = self.prepare(statement)?;
        self.bind(&statement, 1, new)?;
        self.check(unsafe { sqlite3_bind_int64(statement.0, 2, id) } == SQLITE_OK)?;
        self.bind(&statement, 3, old)?;
        self.check(unsafe { sqlite3_step(statement.0) } == SQLITE_DONE)?;
        Ok(unsafe { sqlite3_changes(self.0) } as usize)
    }
}
