//! Keyrings and records.

mod errors;
mod life;

use otp::*;

/// The secret of RFC 4226 and of RFC 6238, Appendix B.
const SECRET: &[u8] = b"12345678901234567890";
const START: i64 = 1_700_000_000;
const USER: &str = "user 42";

fn keyring() -> Keyring {
    Keyring::new(&[NamedKey { name: "2026-11", key: &[7; 32] }]).unwrap()
}

fn confirmed(keyring: &Keyring, factor: Factor) -> Vec<u8> {
    let enrollment = Enrollment { factor, secret: Some(SECRET), is_confirmed: true, ..Enrollment::default() };
    keyring.enroll(USER, &enrollment, START).unwrap()
}

fn code_at(time: i64) -> String {
    Key::new(Algorithm::Sha1, SECRET).unwrap().totp(time, Totp::default()).unwrap()
}
