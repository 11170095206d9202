//! One-time passwords for servers: HOTP (RFC 4226) and TOTP (RFC 6238) codes, their verification over a window of
//! steps, base32 secrets, `otpauth://` URIs, and records, with which a server keeps a user's factor in one column of
//! its own table. A safe interface to the C library libotp.
//!
//! ```
//! use otp::{Algorithm, Key, Totp, Verification, Window};
//!
//! let key = Key::from_base32(Algorithm::Sha1, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")?;
//! let found = key.verify_totp("287082", 59, Totp::default(), Window::default())?;
//! assert_eq!(found, Verification::Accepted { step: 1, offset: 0 });
//!
//! // Store the step, and accept nothing up to it again.
//! let window = Window { after: Some(1), ..Window::default() };
//! assert_eq!(key.verify_totp("287082", 59, Totp::default(), window)?, Verification::Replayed);
//! # Ok::<(), otp::Error>(())
//! ```
//!
//! A server that keeps more than a counter for each user is better off with records: see [`Keyring`].
//!
//! **Threads.** Every function can be called from any number of threads, with the same [`Key`] or [`Keyring`] too.
//!
//! **Fork.** A process that forks calls [`self_test`] when it starts, before there are threads. Then it may fork while
//! other threads use keyrings and records; otp.h says what else to mind.
//!
//! **Exit.** A program that ends while threads are using the library first calls [`keep_libcrypto_at_exit`].
//!
//! **Secrets.** A key or keyring is wiped when it is dropped, and so are [`Secret`] and [`SecretText`]; wiping other
//! copies is up to the caller. No `Debug` output and no error contains a secret or a record.
//!
//! **Timing.** Neither time nor memory accesses depend on a secret's bytes, an expected code, the digits of a submitted
//! one, or which step matched. They may depend on lengths, on parameters, and on whether a text is a well-formed code.

#![deny(missing_docs, unsafe_code, unsafe_op_in_unsafe_fn)]

mod batch;
mod error;
mod ffi;
mod key;
mod keyring;
mod record;
mod secret;
mod time;
mod uri;

pub mod base32;

pub use batch::{verify_batch, Request};
pub use error::TextError;
pub use ffi::sys::values::{Policy, Totp, Window};
pub use ffi::sys::{keep_libcrypto_at_exit, self_test, version, Algorithm, Backend, Cause, Error, Reason, RecordKind};
pub use key::{read_typed, Key, Verification};
pub use keyring::{replace_under, Keyring, NamedKey};
pub use record::{Answer, Details, Diagnosis, Enrollment, Explanation, Factor, Outcome};
pub use secret::{generate_secret, Secret, SecretText};
pub use time::UnixTime;
pub use uri::{KeyUri, ReadOptions, UriKind};

/// What the library found on this machine.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LibraryInfo {
    /// The library's version.
    pub version: String,
    /// The loaded libcrypto, such as "OpenSSL 3.0.19 27 Jan 2026".
    pub openssl: String,
    /// The CPU features that matter to HMAC, such as "avx2,sha_ni".
    pub cpu_features: String,
    /// The widest instruction set that is used, such as "avx512".
    pub instruction_set: String,
    /// The backend that is used by default, or "" if there is none.
    pub backend: String,
}

/// Describes the library, and what it found on this machine. Runs the known-answer tests that have not run yet.
pub fn info() -> Result<LibraryInfo, Error> {
    let found = ffi::sys::info()?;
    Ok(LibraryInfo {
        version: ffi::text(&found.version),
        openssl: ffi::text(&found.openssl),
        cpu_features: ffi::text(&found.cpu_features),
        instruction_set: ffi::text(&found.instruction_set),
        backend: ffi::text(&found.backend),
    })
}
