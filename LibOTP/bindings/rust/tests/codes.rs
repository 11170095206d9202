//! Keys, batches, texts and times: what vectors do not ask of the crate.

use otp::*;
use std::time::{Duration, UNIX_EPOCH};

/// The secret of RFC 4226 and of RFC 6238, Appendix B.
const SECRET: &[u8] = b"12345678901234567890";

fn key() -> Key {
    Key::new(Algorithm::Sha1, SECRET).unwrap()
}

#[test]
fn with_and_without_a_key_the_window_is_the_given_one() {
    let (key, how) = (key(), Totp { t0: -1, ..Totp::default() });
    let window = |behind, ahead, after| Window { behind, ahead, after };
    let accepted = |step, offset| Verification::Accepted { step, offset };
    for (code, time, window, expected) in [
        ("287082", 60, window(1, 0, None), accepted(1, -1)),
        ("287082", 28, window(0, 1, Some(0)), accepted(1, 1)),
        ("287082", 60, window(0, 1, None), Verification::Rejected),
        ("287082", 60, window(1, 0, Some(1)), Verification::Replayed),
        ("28708\0", 58, window(1, 1, None), Verification::Rejected),
    ] {
        assert_eq!(key.verify_totp(code, time, how, window), Ok(expected), "{code} at {time}, {window:?}");
        let found = Key::verify_totp_secret(Algorithm::Sha1, SECRET, code, time, how, window);
        assert_eq!(found, Ok(expected), "{code} at {time}, {window:?}, without a key");
    }
    let wrong = Window { behind: 11, ..Window::default() };
    assert_eq!(key.verify_totp("287082", 59, Totp::default(), wrong), Err(Error::InvalidWindow));
}

#[test]
fn codes_in_a_row_are_counted_and_not_cut() {
    let key = key();
    let accepted = Verification::Accepted { step: 9, offset: 9 };
    // RFC 4226, Appendix D: the codes of counters 8 and 9.
    assert_eq!(key.resynchronize_hotp(&["399871", "520489"], 0, 6, 8), Ok(accepted));
    assert_eq!(key.resynchronize_hotp(&["399871", "520489\0"], 0, 6, 8), Ok(Verification::Rejected));
    for codes in [&[][..], &["399871"], &["1"; 4]] {
        assert_eq!(key.resynchronize_hotp(codes, 0, 6, 10), Err(Error::InvalidArgument));
    }
}

/// Each request keeps its own key, code, window and result, on eight threads at once.
#[test]
fn a_batch_answers_as_one_by_one() {
    let (one, other) = (key(), Key::new(Algorithm::Sha256, SECRET).unwrap());
    let totp = |key, code, time: i64, (behind, ahead), after| Request::Totp {
        key,
        code,
        time: time.into(),
        how: Totp::default(),
        window: Window { behind, ahead, after },
    };
    let hotp = |code, look_ahead| Request::Hotp { key: &one, code, counter: 2, digits: 6, look_ahead };
    let accepted = |step, offset| Ok(Verification::Accepted { step, offset });
    let cases = [
        (totp(&one, "287082", 61, (1, 0), None), accepted(1, -1)),
        (totp(&one, "287082", 61, (0, 1), None), Ok(Verification::Rejected)),
        (totp(&one, "287082", 61, (1, 0), Some(1)), Ok(Verification::Replayed)),
        (totp(&other, "287082", 61, (1, 0), None), Ok(Verification::Rejected)),
        (totp(&one, "287082", -1, (1, 0), None), Err(Error::TimeBeforeT0)),
        (hotp("338314", 2), accepted(4, 2)),
        (hotp("338314", 1001), Err(Error::InvalidLookAhead)),
    ];
    let (requests, expected): (Vec<_>, Vec<_>) = cases.iter().cycle().take(500).cloned().unzip();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(verify_batch(&requests), Ok(expected.clone())));
        }
    });
    assert_eq!(verify_batch(&[]), Ok(vec![]));
}

#[test]
fn each_algorithm_and_backend_is_the_named_one() {
    for (algorithm, length) in [(Algorithm::Sha1, 20), (Algorithm::Sha256, 32), (Algorithm::Sha512, 64)] {
        assert_eq!(generate_secret(algorithm).unwrap().len(), length);
    }
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
fn errors_have_texts() {
    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(Key::new(Algorithm::Sha1, b"").unwrap_err());
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
