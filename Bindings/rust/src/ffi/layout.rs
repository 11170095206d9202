//! The declarations agree with the installed header: a C program prints the header's, and this the crate's.

use super::{sys, sys_records as records};
use crate::{Algorithm, Backend, Error, Policy, Totp, Window};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::mem::{align_of_val, size_of_val};
use std::process::Command;

/// Adds, for structures of otp.h with their initial values, to a C program and to what it must print.
macro_rules! structures {
    ($program:ident, $expected:ident: $($name:ident = $init:ident, $value:expr => $($member:ident)+;)+) => {$({
        let value = $value;
        let start = &value as *const _ as usize;
        let name = stringify!($name);
        writeln!($program, "STRUCTURE({name}, {})", stringify!($init)).unwrap();
        writeln!($expected, "{name}: {} bytes, aligned to {}", size_of_val(&value), align_of_val(&value)).unwrap();
        $(
            let member = stringify!($member).trim_start_matches("r#");
            let (place, length) = (&value.$member as *const _ as usize - start, size_of_val(&value.$member));
            writeln!($program, "MEMBER({name}, {member})").unwrap();
            writeln!($expected, "{name}.{member}: {length} bytes at {place}, {:?}", bytes(&value.$member)).unwrap();
        )+
    })+};
}

/// The bytes of a number, pointer or array.
fn bytes<T>(value: &T) -> Vec<u8> {
    // SAFETY: none of them has padding, so every byte is initialized.
    unsafe { std::slice::from_raw_parts((value as *const T).cast(), size_of_val(value)) }.to_vec()
}

const HEAD: &str = r#"
#include <otp.h>
#include <stddef.h>
#include <stdio.h>

#define STRUCTURE(type, init) \
  } \
  { \
    const type value = init; \
    printf("%s: %zu bytes, aligned to %zu\n", #type, sizeof value, _Alignof(type));
#define MEMBER(type, member) \
    printf("%s.%s: %zu bytes at %zu, [", #type, #member, sizeof value.member, offsetof(type, member)); \
    for (size_t i = 0; i < sizeof value.member; i++) \
      printf("%s%u", i == 0 ? "" : ", ", ((const unsigned char *)&value.member)[i]); \
    printf("]\n");
#define VALUE(name) printf("%s: %lld\n", #name, (long long)name);
#define LIBRARY_INFO_INIT {sizeof(otp_library_info)}
#define DETAILS_INIT {sizeof(otp_record_details)}
#define REQUEST_INIT {sizeof(otp_request)}

int main(void) {
  {
"#;

#[test]
fn structures_and_numbers_are_those_of_the_header() {
    let (mut program, mut expected) = (HEAD.to_string(), String::new());
    structures! { program, expected:
        otp_totp_params = OTP_TOTP_PARAMS_INIT, sys::TotpParams::from(Totp::default()) => size digits period t0;
        otp_window = OTP_WINDOW_INIT, sys::Window::from(Window::default()) => size behind ahead has_after after;
        otp_match = OTP_MATCH_INIT, sys::Match::INIT => size result status step offset;
        otp_request = REQUEST_INIT, sys::Request::INIT =>
            size r#type key code code_len unix_time params window counter digits look_ahead;
        otp_error_info = OTP_ERROR_INFO_INIT, sys::ErrorInfo::INIT => size part position;
        otp_uri = OTP_URI_INIT, sys::Uri::INIT =>
            size r#type hash digits period counter secret secret_len account account_len issuer issuer_len label_issuer
            label_issuer_len;
        otp_library_info = LIBRARY_INFO_INIT, sys::LibraryInfo::INIT =>
            size version openssl cpu_features instruction_set backend lanes midstate evp;
        otp_record_policy = OTP_RECORD_POLICY_INIT, records::Policy::from(&Policy::default()) =>
            size adjacent_intervals drift_limit resynchronization_steps look_ahead resynchronization_look_ahead
            failures_until_lock lock_seconds first_delayed_failure initial_delay_seconds;
        otp_record_policy = OTP_RECORD_POLICY_STRICT_INIT, records::Policy::from(&Policy::STRICT) =>
            adjacent_intervals drift_limit resynchronization_steps look_ahead resynchronization_look_ahead
            failures_until_lock lock_seconds first_delayed_failure initial_delay_seconds;
        otp_answer = OTP_ANSWER_INIT, records::Answer::INIT =>
            size kind status reason changed step drift has_until until;
        otp_enrollment = OTP_ENROLLMENT_INIT, records::Enrollment::INIT =>
            size r#type hash digits period t0 counter secret secret_len is_confirmed has_after after;
        otp_diagnosis = OTP_DIAGNOSIS_INIT, records::Diagnosis::INIT =>
            size found hash digits period clock_offset counter_offset;
        otp_record_details = DETAILS_INIT, records::Details::INIT =>
            size kind is_pending hash digits period t0 has_weak_secret has_last_accepted last_accepted drift failures
            acceptances enrollment_time has_last_attempt last_attempt_time unused_codes key_name;
        otp_named_key = OTP_NAMED_KEY_INIT, records::NamedKey::INIT => size name name_len key key_len;
    }
    let mut values: Vec<(String, usize)> =
        Error::NAMED.iter().map(|&(name, number)| (constant(name), number as usize)).collect();
    values.extend(NUMBERS.iter().map(|&(name, number)| (name.to_string(), number)));
    for (name, number) in &values {
        writeln!(program, "VALUE(OTP_{name})").unwrap();
        writeln!(expected, "OTP_{name}: {number}").unwrap();
    }
    program += "}}\n";

    let folder = std::env::temp_dir().join(format!("otp-layout-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("layout.c");
    std::fs::write(&source, program).unwrap();
    let flags = output(Command::new("pkg-config").args(["--cflags", "libotp"]));
    output(Command::new("cc").args(flags.split_whitespace()).arg(&source).arg("-o").arg(folder.join("layout")));
    let found = output(&mut Command::new(folder.join("layout")));
    std::fs::remove_dir_all(&folder).unwrap();
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}

/// The header has no other status and no other function.
#[test]
fn nothing_is_missing() {
    let header = output(Command::new("pkg-config").args(["--variable=includedir", "libotp"]));
    let header = std::fs::read_to_string(format!("{}/otp.h", header.trim())).unwrap();
    let list = &header[header.find("typedef enum otp_status {").unwrap()..header.find("} otp_status;").unwrap()];
    let statuses = list.lines().filter(|line| line.starts_with("  OTP_")).count();
    assert_eq!(statuses, Error::NAMED.len() + 1);

    let named = |text: &str, starts: &[&str]| -> BTreeSet<String> {
        let names = text.lines().filter_map(|line| starts.iter().find_map(|start| line.strip_prefix(start)));
        names.filter_map(|rest| rest.split_once('(')).map(|(name, _)| format!("otp_{name}")).collect()
    };
    let mut declared = named(include_str!("sys.rs"), &["    pub fn otp_"]);
    declared.extend(named(include_str!("sys_records.rs"), &["    pub fn otp_"]));
    // The same as the next one with OTP_BACKEND_STANDARD.
    declared.insert("otp_key_create".into());
    assert_eq!(named(&header, &["otp_status otp_", "void otp_", "const char *otp_"]), declared);
}

/// The numbers that the crate writes without names.
#[rustfmt::skip]
const NUMBERS: &[(&str, usize)] = &[
    ("OK", 0),
    ("SHA1", Algorithm::Sha1 as usize), ("SHA256", Algorithm::Sha256 as usize), ("SHA512", Algorithm::Sha512 as usize),
    ("TOTP", 1), ("HOTP", 2),
    ("BACKEND_STANDARD", Backend::Standard as usize), ("BACKEND_EVP", Backend::Evp as usize),
    ("BACKEND_MIDSTATE", Backend::Midstate as usize), ("BACKEND_LANES", Backend::Lanes as usize),
    ("REJECTED", 0), ("ACCEPTED", 1), ("REPLAYED", 2),
    ("ANSWER_REJECTED", 0), ("ANSWER_ACCEPTED", 1), ("ANSWER_ENROLLED", 2), ("ANSWER_WAIT", 3), ("ANSWER_LOCKED", 4),
    ("REASON_MALFORMED", 1), ("REASON_WRONG", 2), ("REASON_REPLAYED", 3), ("REASON_LATE", 4), ("REASON_EARLY", 5),
    ("REASON_PENDING", 6), ("REASON_CONFIRMED", 7), ("REASON_DISABLED", 8), ("REASON_USED_UP", 9),
    ("RECORD_TOTP", 1), ("RECORD_HOTP", 2), ("RECORD_RECOVERY_CODES", 3),
    ("BASE32_PADDING", sys::BASE32_PADDING as usize), ("BASE32_STRICT", sys::BASE32_STRICT as usize),
    ("URI_WRITE_DEFAULTS", sys::URI_WRITE_DEFAULTS as usize), ("URI_PLUS_IS_SPACE", sys::URI_PLUS_IS_SPACE as usize),
    ("URI_MISSING_COUNTER_IS_ZERO", sys::URI_MISSING_COUNTER_IS_ZERO as usize),
    ("URI_STRICT_BASE32", sys::URI_STRICT_BASE32 as usize),
    ("URI_MAX", sys::URI_MAX), ("URI_MEMORY", sys::URI_MEMORY),
    ("RECORD_MAX", records::RECORD_MAX), ("RECOVERY_CODE_LENGTH", records::RECOVERY_CODE_LENGTH),
];

/// C's name of a variant: `InvalidBase32Length` is `INVALID_BASE32_LENGTH`.
fn constant(name: &str) -> String {
    let mut constant = String::new();
    for (place, letter) in name.char_indices() {
        if place > 0 && letter.is_uppercase() {
            constant.push('_');
        }
        constant.push(letter.to_ascii_uppercase());
    }
    constant
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn wiping_leaves_zeros() {
    let mut bytes = [7; 32];
    super::wipe(&mut bytes);
    assert_eq!(bytes, [0; 32]);
}

/// What a later version of the library may answer is an error, a rejection or a kind of its own, never a success.
#[test]
fn unknown_numbers_are_not_successes() {
    use crate::{Outcome, Reason, Verification};
    assert_eq!(super::check(999), Err(Error::Other(999)));
    assert_eq!(Error::from_status(999).status(), 999);
    assert_eq!(Verification::from(sys::Match { result: 3, ..sys::Match::INIT }), Verification::Rejected);
    let answer = records::Answer { kind: 9, reason: 99, ..records::Answer::INIT }.with(vec![1]);
    assert_eq!((answer.outcome, answer.record), (Outcome::Rejected(Reason::Other(99)), None));
}
