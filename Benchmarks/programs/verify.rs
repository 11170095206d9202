//! As verify.go, by `verify-rust swift-otp`, `totp-rs` or `hmac`.
use hmac::{Hmac, Mac};
use otp::{Algorithm, Key, Totp, Verification, Window};
use std::hint::black_box;
use std::time::Instant;
use subtle::ConstantTimeEq;

const SECRET: &[u8; 20] = b"12345678901234567890";

fn code_of(mut mac: Hmac<sha1::Sha1>, step: u64) -> String {
    mac.update(&step.to_be_bytes());
    let tag = mac.finalize().into_bytes();
    let at = usize::from(tag[19] & 15);
    let value = u32::from_be_bytes([tag[at], tag[at + 1], tag[at + 2], tag[at + 3]]);
    format!("{:06}", (value & 0x7fff_ffff) % 1_000_000)
}

fn verifier(subject: &str) -> Box<dyn Fn(&str, u64) -> bool> {
    match subject {
        "swift-otp" => {
            let key = Key::new(Algorithm::Sha1, SECRET).unwrap();
            Box::new(move |code, now| {
                let found = key.verify_totp(code, now as i64, Totp::default(), Window::default());
                matches!(found, Ok(Verification::Accepted { .. }))
            })
        }
        "totp-rs" => {
            let totp = totp_rs::TOTP::new(totp_rs::Algorithm::SHA1, 6, 1, 30, SECRET.to_vec()).unwrap();
            Box::new(move |code, now| totp.check(code, now))
        }
        _ => {
            let mac = Hmac::new_from_slice(SECRET).unwrap();
            Box::new(move |code, now| {
                let is_right = |step| bool::from(code_of(mac.clone(), step).as_bytes().ct_eq(code.as_bytes()));
                (now / 30 - 1..=now / 30 + 1).fold(false, |found, step| found | is_right(step))
            })
        }
    }
}

fn main() {
    let verify = verifier(&std::env::args().nth(1).unwrap());
    assert!(verify("287082", 59) && verify("287082", 89) && !verify("287082", 119), "a wrong answer");
    let start = Instant::now();
    for call in 0..20_000 {
        black_box(verify(black_box("123456"), 1_700_000_000 + 30 * call));
    }
    println!("{}", start.elapsed().as_nanos() / 20_000);
}
