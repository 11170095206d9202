//! Keys, codes, windows and batches, beyond what vectors can express.

use otp::*;
use std::time::{Duration, UNIX_EPOCH};

/// The secret of RFC 4226 and of RFC 6238, Appendix B.
const SECRET: &[u8] = b"12345678901234567890";

fn key() -> Key {
    Key::new(Algorithm::Sha1, SECRET).unwrap()
}

#[test]
fn a_code_is_accepted_once_and_in_its_window_only() {
    let key = key();
    let window = |behind, ahead, after| Window { behind, ahead, after };
    let accepted = |step, offset| Verification::Accepted { step, offset };
    for (code, time, window, expected) in [
        ("287082", 61, window(1, 1, None), accepted(1, -1)),
        ("287082", 29, window(0, 1, None), accepted(1, 1)),
        ("287082", 61, window(0, 0, None), Verification::Rejected),
        ("287082", 61, window(1, 0, Some(0)), accepted(1, -1)),
        ("287082", 61, window(1, 0, Some(1)), Verification::Replayed),
        ("287083", 61, window(1, 0, None), Verification::Rejected),
        ("", 61, window(1, 0, None), Verification::Rejected),
        ("2870820", 61, window(1, 0, None), Verification::Rejected),
        ("28708\0", 61, window(1, 0, None), Verification::Rejected),
    ] {
        let found = key.verify_totp(code, time, Totp::default(), window);
        assert_eq!(found, Ok(expected), "{code} at {time}, {window:?}");
        let found = Key::verify_totp_secret(Algorithm::Sha1, SECRET, code, time, Totp::default(), window);
        assert_eq!(found, Ok(expected), "{code} at {time}, {window:?}, without a key");
    }
}

#[test]
fn two_codes_find_a_token_that_ran_ahead() {
    // RFC 4226, Appendix D: the codes of counters 7, 8 and 9.
    let key = key();
    let (codes, accepted) = (["162583", "399871", "520489"], |step, offset| Verification::Accepted { step, offset });
    assert_eq!(key.resynchronize_hotp(&codes, 0, 6, 10), Ok(accepted(9, 9)));
    assert_eq!(key.resynchronize_hotp(&codes[..2], 7, 6, 0), Ok(accepted(8, 1)));
    assert_eq!(key.resynchronize_hotp(&codes[1..], 0, 6, 7), Ok(Verification::Rejected));
    // C would stop at the NUL.
    assert_eq!(key.resynchronize_hotp(&["399871", "520489\0"], 0, 6, 10), Ok(Verification::Rejected));
    for codes in [&codes[..0], &codes[..1], &["1"; 4]] {
        assert_eq!(key.resynchronize_hotp(codes, 0, 6, 10), Err(Error::InvalidArgument));
    }
    assert_eq!(key.resynchronize_hotp(&codes, 0, 6, 1001), Err(Error::InvalidLookAhead));
}

/// Numbers that are always the same: xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// On eight threads, with the same keys.
#[test]
fn a_batch_answers_as_one_by_one() {
    let mut random = Random(1);
    let algorithms = [Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512];
    let keys: Vec<Key> = (0..500)
        .map(|place| {
            let secret: Vec<u8> = (0..1 + random.below(200)).map(|_| random.below(256) as u8).collect();
            Key::new(algorithms[place % 3], &secret).unwrap()
        })
        .collect();
    let times: Vec<i64> = keys.iter().map(|_| random.below(1 << 40) as i64 + 1000).collect();
    let codes: Vec<String> = keys
        .iter()
        .zip(&times)
        .map(|(key, time)| key.totp(time + (random.below(9) as i64 - 4) * 30, Totp::default()).unwrap())
        .collect();
    let mut requests: Vec<Request<'_>> = Vec::new();
    for (place, key) in keys.iter().enumerate() {
        let (time, code) = (times[place], &codes[place][..if place % 7 == 0 { 5 } else { 6 }]);
        let after = Some((time / 30 - 1) as u64);
        requests.push(match place {
            7 => Request::Hotp { key, code, counter: 0, digits: 6, look_ahead: 1001 },
            _ if place % 5 == 0 => Request::Hotp { key, code, counter: time as u64 / 30, digits: 6, look_ahead: 4 },
            _ => {
                let window = Window { behind: random.below(4) as u32, ahead: random.below(4) as u32, after };
                Request::Totp {
                    key,
                    code,
                    time: if place == 8 { -1 } else { time }.into(),
                    how: Totp::default(),
                    window,
                }
            }
        });
    }
    let expected: Vec<Result<Verification, Error>> = requests
        .iter()
        .map(|request| match *request {
            Request::Totp { key, code, time, how, window } => key.verify_totp(code, time, how, window),
            Request::Hotp { key, code, counter, digits, look_ahead } => {
                key.verify_hotp(code, counter, digits, look_ahead)
            }
        })
        .collect();
    assert_eq!(expected[7..9], [Err(Error::InvalidLookAhead), Err(Error::TimeBeforeT0)]);
    let count = |wanted: fn(&Verification) -> bool| expected.iter().flatten().filter(|found| wanted(found)).count();
    assert!(count(|found| matches!(found, Verification::Accepted { .. })) > 50);
    assert!(count(|found| *found == Verification::Replayed) > 50);
    assert!(count(|found| *found == Verification::Rejected) > 50);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(verify_batch(&requests), Ok(expected.clone())));
        }
    });
    assert_eq!(verify_batch(&[]), Ok(vec![]));
}

#[test]
fn secrets_are_new_and_long_enough() {
    for (algorithm, length) in [(Algorithm::Sha1, 20), (Algorithm::Sha256, 32), (Algorithm::Sha512, 64)] {
        let (first, second) = (generate_secret(algorithm).unwrap(), generate_secret(algorithm).unwrap());
        assert_eq!(first.len(), length);
        assert_ne!(first[..], second[..]);
    }
}

#[test]
fn every_backend_has_the_same_codes() {
    for backend in [Backend::Standard, Backend::Evp, Backend::Midstate, Backend::Lanes] {
        match Key::with_backend(backend, Algorithm::Sha1, SECRET) {
            Ok(key) => assert_eq!(key.hotp(1, 8).unwrap(), "94287082", "{backend:?}"),
            Err(error) => {
                assert!(backend == Backend::Lanes && error == Error::BackendUnavailable, "{backend:?}: {error}");
            }
        }
    }
}

#[test]
fn a_time_is_rounded_down() {
    let half = Duration::from_millis(59_500);
    assert_eq!(UnixTime::from(UNIX_EPOCH + half), UnixTime(59));
    assert_eq!(UnixTime::from(UNIX_EPOCH - half), UnixTime(-60));
    assert_eq!(UnixTime::from(UNIX_EPOCH - Duration::from_secs(60)), UnixTime(-60));
    for seconds in [0, 59, -60, i64::from(i32::MAX) + 1] {
        assert_eq!(UnixTime::from(UnixTime(seconds).to_system_time().unwrap()), UnixTime(seconds));
    }
    // A number that C's long holds is a time on this platform, or none: it never panics.
    for seconds in [i64::MIN, i64::MAX] {
        assert!(UnixTime(seconds).to_system_time().map_or(true, |time| UnixTime::from(time) == UnixTime(seconds)));
    }
}

#[test]
fn a_uri_is_read_as_the_options_say() {
    let hotp = "otpauth://hotp/alice?secret=GEZA";
    assert_eq!(KeyUri::parse(hotp).unwrap_err().part, Some("counter"));
    let options = ReadOptions { missing_counter_is_zero: true, ..ReadOptions::default() };
    assert_eq!(KeyUri::parse_with(hotp, options).unwrap().kind, UriKind::Hotp { counter: 0 });

    let plus = "otpauth://totp/alice?secret=GEZA&issuer=A+B";
    assert_eq!(KeyUri::parse(plus).unwrap().issuer.as_deref(), Some("A+B"));
    let options = ReadOptions { plus_is_space: true, ..ReadOptions::default() };
    assert_eq!(KeyUri::parse_with(plus, options).unwrap().issuer.as_deref(), Some("A B"));

    let options = ReadOptions { strict_base32: true, ..ReadOptions::default() };
    let refused = KeyUri::parse_with(plus, options).unwrap_err();
    assert_eq!((refused.error, refused.part), (Error::InvalidBase32Padding, Some("secret")));

    let mut uri = KeyUri::totp("", "alice", b"12");
    assert_eq!(&*uri.build().unwrap(), "otpauth://totp/alice?secret=GEZA");
    let full = "otpauth://totp/alice?secret=GEZA&algorithm=SHA1&digits=6&period=30";
    assert_eq!(&*uri.build_with_defaults().unwrap(), full);
    uri.account = "a:b".into();
    let refused = uri.build().unwrap_err();
    assert_eq!((Error::from(refused), refused.part), (Error::InvalidAccount, Some("account")));
    assert_eq!(KeyUri::parse("otpauth://totp/a%00?secret=GEZA").unwrap().account, "a\0");
}

#[test]
fn mistakes_are_errors_with_texts() {
    assert_eq!(Key::new(Algorithm::Sha1, b"").unwrap_err(), Error::EmptySecret);
    assert_eq!(Key::from_base32(Algorithm::Sha1, "A").unwrap_err(), Error::InvalidBase32Length);
    let key = key();
    assert_eq!(key.hotp(0, 5), Err(Error::InvalidDigits));
    assert_eq!(key.hotp(0, u32::MAX), Err(Error::InvalidDigits));
    assert_eq!(key.totp(0, Totp { period: 0, ..Totp::default() }), Err(Error::InvalidPeriod));
    assert_eq!(key.totp(-1, Totp::default()), Err(Error::TimeBeforeT0));
    let window = Window { behind: 11, ..Window::default() };
    assert_eq!(key.verify_totp("287082", 59, Totp::default(), window), Err(Error::InvalidWindow));

    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(Error::EmptySecret);
    assert_eq!(error.to_string(), "the secret is empty");
    let refused = KeyUri::parse("otpauth://totp/alice?secret=GE%ZA").unwrap_err();
    assert_eq!(refused.to_string(), format!("{} (secret)", Error::InvalidPercentEncoding));
    let refused = base32::decode("AAA?").unwrap_err();
    assert_eq!(refused.to_string(), format!("{} at byte 3", Error::InvalidBase32Character));
}

#[test]
fn the_library_says_what_it_is() {
    assert_eq!(self_test(), Ok(()));
    let info = info().unwrap();
    assert_eq!(info.version, version());
    assert!(info.openssl.starts_with("OpenSSL 3."), "{}", info.openssl);
    assert!(!info.backend.is_empty());
    // It is in use by now.
    assert_eq!(keep_libcrypto_at_exit(), Err(Error::CryptographyFailed));
}
