//! The declarations of otp.h, member by member and function by function. `layout` compares them with the header.

use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::{mem::size_of, ptr::null};

/// An `otp_status`. C's enumerations have no negative values here, so they are unsigned.
pub type Status = c_uint;

/// An `otp_key`.
#[repr(C)]
pub struct Key {
    _private: [u8; 0],
}

/// An `otp_keyring`.
#[repr(C)]
pub struct Keyring {
    _private: [u8; 0],
}

#[repr(C)]
pub struct TotpParams {
    pub size: usize,
    pub digits: c_uint,
    pub period: i64,
    pub t0: i64,
}

#[repr(C)]
pub struct Window {
    pub size: usize,
    pub behind: c_uint,
    pub ahead: c_uint,
    pub has_after: c_int,
    pub after: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Match {
    pub size: usize,
    pub result: c_uint,
    pub status: Status,
    pub step: u64,
    pub offset: i64,
}

impl Match {
    pub const INIT: Self = Self { size: size_of::<Self>(), result: 0, status: 0, step: 0, offset: 0 };
}

#[repr(C)]
pub struct Request {
    pub size: usize,
    pub r#type: c_uint,
    pub key: *const Key,
    pub code: *const c_char,
    pub code_len: usize,
    pub unix_time: i64,
    pub params: *const TotpParams,
    pub window: *const Window,
    pub counter: u64,
    pub digits: c_uint,
    pub look_ahead: c_uint,
}

impl Request {
    pub const INIT: Self = Self {
        size: size_of::<Self>(),
        r#type: 0,
        key: null(),
        code: null(),
        code_len: 0,
        unix_time: 0,
        params: null(),
        window: null(),
        counter: 0,
        digits: 0,
        look_ahead: 0,
    };
}

#[repr(C)]
pub struct ErrorInfo {
    pub size: usize,
    pub part: *const c_char,
    pub position: usize,
}

impl ErrorInfo {
    pub const INIT: Self = Self { size: size_of::<Self>(), part: null(), position: usize::MAX };
}

#[repr(C)]
pub struct Uri {
    pub size: usize,
    pub r#type: c_uint,
    pub hash: c_uint,
    pub digits: c_uint,
    pub period: i64,
    pub counter: u64,
    pub secret: *const u8,
    pub secret_len: usize,
    pub account: *const c_char,
    pub account_len: usize,
    pub issuer: *const c_char,
    pub issuer_len: usize,
    pub label_issuer: *const c_char,
    pub label_issuer_len: usize,
}

impl Uri {
    pub const INIT: Self = Self {
        size: size_of::<Self>(),
        r#type: 1,
        hash: 1,
        digits: 6,
        period: 30,
        counter: 0,
        secret: null(),
        secret_len: 0,
        account: null(),
        account_len: 0,
        issuer: null(),
        issuer_len: 0,
        label_issuer: null(),
        label_issuer_len: 0,
    };
}

#[repr(C)]
pub struct LibraryInfo {
    pub size: usize,
    pub version: [c_char; 32],
    pub openssl: [c_char; 96],
    pub cpu_features: [c_char; 128],
    pub instruction_set: [c_char; 32],
    pub backend: [c_char; 32],
    pub lanes: c_uint,
    pub midstate: c_uint,
    pub evp: c_uint,
}

impl LibraryInfo {
    pub const INIT: Self = Self {
        size: size_of::<Self>(),
        version: [0; 32],
        openssl: [0; 96],
        cpu_features: [0; 128],
        instruction_set: [0; 32],
        backend: [0; 32],
        lanes: 0,
        midstate: 0,
        evp: 0,
    };
}

pub const BASE32_PADDING: c_uint = 1;
pub const BASE32_STRICT: c_uint = 2;
pub const URI_WRITE_DEFAULTS: c_uint = 1;
pub const URI_PLUS_IS_SPACE: c_uint = 2;
pub const URI_MISSING_COUNTER_IS_ZERO: c_uint = 4;
pub const URI_STRICT_BASE32: c_uint = 8;
pub const URI_MAX: usize = 2048;
pub const URI_MEMORY: usize = 4096;

extern "C" {
    pub fn otp_status_string(status: Status) -> *const c_char;
    pub fn otp_key_create_with_backend(
        backend: c_uint,
        hash: c_uint,
        secret: *const u8,
        secret_len: usize,
        out: *mut *mut Key,
    ) -> Status;
    pub fn otp_key_create_base32(hash: c_uint, text: *const c_char, text_len: usize, out: *mut *mut Key) -> Status;
    pub fn otp_key_destroy(key: *mut Key);
    pub fn otp_hotp(key: *const Key, counter: u64, digits: c_uint, out: *mut c_char) -> Status;
    pub fn otp_totp(key: *const Key, unix_time: i64, params: *const TotpParams, out: *mut c_char) -> Status;
    pub fn otp_code_read_typed(text: *const c_char, text_len: usize, digits: c_uint, out: *mut c_char) -> Status;
    pub fn otp_totp_verify(
        key: *const Key,
        code: *const c_char,
        code_len: usize,
        unix_time: i64,
        params: *const TotpParams,
        window: *const Window,
        out: *mut Match,
    ) -> Status;
    pub fn otp_totp_verify_secret(
        hash: c_uint,
        secret: *const u8,
        secret_len: usize,
        code: *const c_char,
        code_len: usize,
        unix_time: i64,
        params: *const TotpParams,
        window: *const Window,
        out: *mut Match,
    ) -> Status;
    pub fn otp_hotp_verify(
        key: *const Key,
        code: *const c_char,
        code_len: usize,
        counter: u64,
        digits: c_uint,
        look_ahead: c_uint,
        out: *mut Match,
    ) -> Status;
    pub fn otp_hotp_resynchronize(
        key: *const Key,
        codes: *const *const c_char,
        count: usize,
        counter: u64,
        digits: c_uint,
        look_ahead: c_uint,
        out: *mut Match,
    ) -> Status;
    pub fn otp_verify_batch(requests: *const Request, count: usize, results: *mut Match) -> Status;
    pub fn otp_secret_generate(hash: c_uint, out: *mut u8, len: *mut usize) -> Status;
    pub fn otp_base32_encode(
        bytes: *const u8,
        len: usize,
        flags: c_uint,
        out: *mut c_char,
        out_len: *mut usize,
    ) -> Status;
    pub fn otp_base32_decode(
        text: *const c_char,
        text_len: usize,
        flags: c_uint,
        out: *mut u8,
        out_len: *mut usize,
        error: *mut ErrorInfo,
    ) -> Status;
    pub fn otp_uri_build(
        uri: *const Uri,
        flags: c_uint,
        out: *mut c_char,
        out_len: *mut usize,
        error: *mut ErrorInfo,
    ) -> Status;
    pub fn otp_uri_parse(
        text: *const c_char,
        text_len: usize,
        flags: c_uint,
        out: *mut Uri,
        memory: *mut c_void,
        memory_len: usize,
        error: *mut ErrorInfo,
    ) -> Status;
    pub fn otp_version() -> *const c_char;
    pub fn otp_info(out: *mut LibraryInfo) -> Status;
    pub fn otp_self_test() -> Status;
    pub fn otp_keep_libcrypto_at_exit() -> Status;
}
