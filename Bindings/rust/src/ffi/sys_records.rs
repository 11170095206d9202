//! What otp.h declares for keyrings and records.

use super::sys::{Keyring, Status};
use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::{mem::size_of, ptr::null};

#[repr(C)]
pub struct NamedKey {
    pub size: usize,
    pub name: *const c_char,
    pub name_len: usize,
    pub key: *const u8,
    pub key_len: usize,
}

impl NamedKey {
    pub const INIT: Self = Self { size: size_of::<Self>(), name: null(), name_len: 0, key: null(), key_len: 0 };
}

#[repr(C)]
pub struct Policy {
    pub size: usize,
    pub adjacent_intervals: c_uint,
    pub drift_limit: c_uint,
    pub resynchronization_steps: c_uint,
    pub look_ahead: c_uint,
    pub resynchronization_look_ahead: c_uint,
    pub failures_until_lock: c_uint,
    pub lock_seconds: i64,
    pub first_delayed_failure: c_uint,
    pub initial_delay_seconds: i64,
}

#[repr(C)]
pub struct Answer {
    pub size: usize,
    pub kind: c_uint,
    pub status: Status,
    pub reason: c_uint,
    pub changed: c_int,
    pub step: u64,
    pub drift: i64,
    pub has_until: c_int,
    pub until: i64,
}

impl Answer {
    pub const INIT: Self = Self {
        size: size_of::<Self>(),
        kind: 0,
        status: 0,
        reason: 0,
        changed: 0,
        step: 0,
        drift: 0,
        has_until: 0,
        until: 0,
    };
}

#[repr(C)]
pub struct Enrollment {
    pub size: usize,
    pub r#type: c_uint,
    pub hash: c_uint,
    pub digits: c_uint,
    pub period: i64,
    pub t0: i64,
    pub counter: u64,
    pub secret: *const u8,
    pub secret_len: usize,
    pub is_confirmed: c_int,
    pub has_after: c_int,
    pub after: u64,
}

impl Enrollment {
    pub const INIT: Self = Self {
        size: size_of::<Self>(),
        r#type: 1,
        hash: 1,
        digits: 6,
        period: 30,
        t0: 0,
        counter: 0,
        secret: null(),
        secret_len: 0,
        is_confirmed: 0,
        has_after: 0,
        after: 0,
    };
}

#[repr(C)]
pub struct Diagnosis {
    pub size: usize,
    pub found: c_int,
    pub hash: c_uint,
    pub digits: c_uint,
    pub period: i64,
    pub clock_offset: i64,
    pub counter_offset: i64,
}

impl Diagnosis {
    pub const INIT: Self =
        Self { size: size_of::<Self>(), found: 0, hash: 1, digits: 0, period: 0, clock_offset: 0, counter_offset: 0 };
}

#[repr(C)]
pub struct Details {
    pub size: usize,
    pub kind: c_uint,
    pub is_pending: c_int,
    pub hash: c_uint,
    pub digits: c_uint,
    pub period: i64,
    pub t0: i64,
    pub has_weak_secret: c_int,
    pub has_last_accepted: c_int,
    pub last_accepted: u64,
    pub drift: i64,
    pub failures: u64,
    pub acceptances: u64,
    pub enrollment_time: i64,
    pub has_last_attempt: c_int,
    pub last_attempt_time: i64,
    pub unused_codes: u32,
    pub key_name: [c_char; 33],
}

impl Details {
    pub const INIT: Self = Self {
        size: size_of::<Self>(),
        kind: 0,
        is_pending: 0,
        hash: 0,
        digits: 0,
        period: 0,
        t0: 0,
        has_weak_secret: 0,
        has_last_accepted: 0,
        last_accepted: 0,
        drift: 0,
        failures: 0,
        acceptances: 0,
        enrollment_time: 0,
        has_last_attempt: 0,
        last_attempt_time: 0,
        unused_codes: 0,
        key_name: [0; 33],
    };
}

pub const RECORD_MAX: usize = 1536;
pub const RECOVERY_CODE_LENGTH: usize = 29;

#[rustfmt::skip]
extern "C" {
    pub fn otp_keyring_create(keys: *const NamedKey, count: usize, out: *mut *mut Keyring) -> Status;
    pub fn otp_keyring_open(path: *const c_char, out: *mut *mut Keyring) -> Status;
    pub fn otp_keyring_create_unsealed(out: *mut *mut Keyring) -> Status;
    pub fn otp_keyring_destroy(keyring: *mut Keyring);
    pub fn otp_record_enroll(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, enrollment: *const Enrollment,
        previous: *const u8, previous_len: usize, now: i64, out: *mut u8, out_len: *mut usize,
    ) -> Status;
    pub fn otp_record_recovery_codes(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, count: usize, now: i64,
        codes: *mut c_char, codes_len: usize, out: *mut u8, out_len: *mut usize,
    ) -> Status;
    pub fn otp_record_uri(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, record: *const u8, record_len: usize,
        issuer: *const c_char, issuer_len: usize, account: *const c_char, account_len: usize, out: *mut c_char,
        out_len: *mut usize,
    ) -> Status;
    pub fn otp_record_confirm(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, record: *const u8, record_len: usize,
        typed: *const c_char, typed_len: usize, now: i64, policy: *const Policy, out: *mut u8, out_len: *mut usize,
        answer: *mut Answer,
    ) -> Status;
    pub fn otp_record_verify(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, record: *const u8, record_len: usize,
        typed: *const c_char, typed_len: usize, now: i64, policy: *const Policy, out: *mut u8, out_len: *mut usize,
        answer: *mut Answer,
    ) -> Status;
    pub fn otp_record_resynchronize(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, record: *const u8, record_len: usize,
        codes: *const *const c_char, count: usize, now: i64, policy: *const Policy, out: *mut u8,
        out_len: *mut usize, answer: *mut Answer,
    ) -> Status;
    pub fn otp_record_diagnose(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, record: *const u8, record_len: usize,
        typed: *const c_char, typed_len: usize, now: i64, out: *mut Diagnosis,
    ) -> Status;
    pub fn otp_record_unlock(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, record: *const u8, record_len: usize,
        now: i64, out: *mut u8, out_len: *mut usize,
    ) -> Status;
    pub fn otp_record_spend(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, record: *const u8, record_len: usize,
        until: i64, policy: *const Policy, out: *mut u8, out_len: *mut usize,
    ) -> Status;
    pub fn otp_record_reseal(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, record: *const u8, record_len: usize,
        out: *mut u8, out_len: *mut usize,
    ) -> Status;
    pub fn otp_record_info(
        keyring: *const Keyring, subject: *const c_void, subject_len: usize, record: *const u8, record_len: usize,
        out: *mut Details,
    ) -> Status;
}
