//! Keyrings and records: that arguments and results keep their places, and what is refused.

use otp::*;

/// The secret of RFC 4226 and of RFC 6238, Appendix B.
const SECRET: &[u8] = b"12345678901234567890";
const START: i64 = 1_700_000_000;
const STEP: u64 = START as u64 / 30;
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

#[test]
fn an_enrollment_is_the_given_one() {
    let keyring = keyring();
    let (algorithm, factor) = (Algorithm::Sha256, Factor::Totp { period: 60, t0: 120, after: None });
    let previous = &confirmed(&keyring, Factor::TOTP);
    let secret = Some(&SECRET[..10]);
    let what = Enrollment { factor, algorithm, digits: 8, secret, is_confirmed: false, previous, replace: true };
    let record = keyring.enroll(USER, &what, START).unwrap();
    let uri = "otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQ&issuer=Example&algorithm=SHA256&digits=8&period=60";
    assert_eq!(&*keyring.uri(USER, &record, "Example", "alice").unwrap(), uri);
    let info = keyring.info(USER, &record).unwrap();
    assert!(info.is_pending && info.has_weak_secret && info.key_name == "2026-11");
    assert_eq!((info.kind, info.algorithm, info.digits), (RecordKind::Totp, Some(Algorithm::Sha256), 8));
    assert_eq!((info.period, info.t0, info.enrollment_time), (60, 120, UnixTime(START)));

    let pending = keyring.enroll(USER, &Enrollment { secret: Some(SECRET), ..Enrollment::default() }, START).unwrap();
    let found = keyring.diagnose(USER, &pending, &code_at(START + 3600), START).unwrap().unwrap();
    assert_eq!((found.clock_offset, found.digits, found.period), (3600, 6, 30));
    assert_eq!(keyring.diagnose(USER, &pending, "1", START).unwrap(), None);
    let why = keyring.explain(USER, &pending, &code_at(START + 3600), START, &Policy::default()).unwrap();
    assert_eq!((why.cause, why.step, why.offset, why.app), (Cause::Early, Some(STEP + 120), 120, Some(found)));
    assert!((100..10000).contains(&why.odds) && why.refusal.is_none() && why.loss_end.is_none());
    let answer = keyring.confirm(USER, &pending, &code_at(START), START, &Policy::default()).unwrap();
    assert_eq!(answer.outcome, Outcome::Enrolled { step: STEP });

    for (enrollment, expected) in [
        (Enrollment { digits: u32::MAX, ..what }, Error::InvalidDigits),
        (Enrollment { factor: Factor::Totp { period: -30, t0: 0, after: None }, ..what }, Error::InvalidPeriod),
        (Enrollment { secret: Some(&[]), ..what }, Error::EmptySecret),
        (Enrollment { previous: b"x", ..what }, Error::MalformedRecord),
        (Enrollment { replace: false, ..what }, Error::Enrolled),
    ] {
        assert_eq!(keyring.enroll(USER, &enrollment, START), Err(expected));
    }
}

#[test]
fn an_answer_is_the_librarys() {
    let (keyring, policy) = (keyring(), Policy::default());
    let record = confirmed(&keyring, Factor::Totp { period: 30, t0: 0, after: Some(STEP) });
    let answer = keyring.verify(USER, &record, &code_at(START), START, &policy).unwrap();
    assert_eq!(answer.outcome, Outcome::Rejected(Reason::Replayed));
    let answer = keyring.verify(USER, &record, &code_at(START + 30), START, &policy).unwrap();
    assert_eq!((answer.outcome, answer.drift), (Outcome::Accepted { step: STEP + 1 }, 1));
    let info = keyring.info(USER, &answer.record.unwrap()).unwrap();
    assert_eq!((info.acceptances, info.failures, info.last_attempt_time), (1, 0, Some(UnixTime(START))));
    let spent = keyring.spend(USER, &record, START + 3600, &policy).unwrap();
    assert_eq!(keyring.info(USER, &spent).unwrap().last_accepted, Some(STEP + 120 + 6));

    // C would stop at the NUL.
    let token = confirmed(&keyring, Factor::Hotp { counter: 2 });
    let cut = keyring.resynchronize(USER, &token, &["399871", "520489\0"], START, &policy).unwrap();
    assert_eq!(cut.outcome, Outcome::Rejected(Reason::Malformed));
    let wrong = keyring.verify(USER, &record, "0", START, &Policy { lock_seconds: -1, ..policy });
    assert_eq!(wrong, Err(Error::InvalidPolicy));
    // A time in milliseconds, which a record would remember.
    assert_eq!(keyring.verify(USER, &record, "0", START * 1000, &policy), Err(Error::InvalidTime));
}

#[test]
fn recovery_codes_have_their_numbers() {
    let keyring = keyring();
    let (record, codes) = keyring.recovery_codes(USER, 20, &[], START).unwrap();
    assert!(codes.len() == 20 && codes.iter().all(|code| code.len() == 29));
    let answer = keyring.verify(USER, &record, &codes[3], START, &Policy::default()).unwrap();
    assert_eq!(answer.outcome, Outcome::Accepted { step: 4 });
    let info = keyring.info(USER, &answer.record.unwrap()).unwrap();
    assert_eq!((info.kind, info.algorithm), (RecordKind::RecoveryCodes, None));
    assert_eq!(info.unused_codes, (1..=20).filter(|&number| number != 4).collect::<Vec<_>>());
    let (_, others) = keyring.recovery_codes(USER, 1, &[], START).unwrap();
    let wrong = keyring.verify(USER, &record, &others[0], START, &Policy::default()).unwrap().record.unwrap();
    let (again, _) = keyring.recovery_codes(USER, 20, &wrong, START).unwrap();
    assert_eq!(keyring.info(USER, &again).unwrap().failures, 1);
    for count in [0, 21, usize::MAX] {
        assert_eq!(keyring.recovery_codes(USER, count, &[], START).unwrap_err(), Error::InvalidArgument);
    }
}

#[test]
fn a_keyring_has_all_its_keys() {
    let keys: Vec<(String, [u8; 32])> = (0..65).map(|place| (format!("key-{place}"), [place; 32])).collect();
    let many: Vec<NamedKey<'_>> = keys.iter().map(|(name, key)| NamedKey { name, key }).collect();
    let keyring = Keyring::new(&many[..64]).unwrap();
    let record = confirmed(&Keyring::new(&many[63..64]).unwrap(), Factor::TOTP);
    assert_eq!(keyring.info(USER, &record).unwrap().key_name, "key-63");
    let resealed = keyring.reseal(USER, &record).unwrap();
    assert_eq!(keyring.info(USER, &resealed).unwrap().key_name, "key-0");
    for keys in [&[][..], &many] {
        assert_eq!(Keyring::new(keys).unwrap_err(), Error::InvalidArgument);
    }
    assert_eq!(Keyring::open("keyring\0").unwrap_err(), Error::InvalidArgument);
}

#[test]
fn a_keyrings_file_is_created_once() {
    let path = std::env::temp_dir().join(format!("otp-keyring-{}", std::process::id()));
    Keyring::create_file(&path).unwrap();
    assert_eq!(Keyring::create_file(&path), Err(Error::KeyringExists));
    let keyring = Keyring::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(Keyring::create_file("/dev/null/keyring"), Err(Error::KeyringUnwritable));
    assert_eq!(Keyring::create_file("keyring\0"), Err(Error::InvalidArgument));

    // A lock, explained.
    let policy = Policy { failures_until_lock: 1, ..Policy::default() };
    let answer = keyring.verify(USER, &confirmed(&keyring, Factor::TOTP), "000000", START, &policy).unwrap();
    assert_eq!(format!("{} {}", Reason::Wrong, Reason::UsedUp), "wrong used up");
    let why = keyring.explain(USER, &answer.record.unwrap(), &code_at(START), START, &policy).unwrap();
    assert_eq!((why.cause, why.needs_enrollment), (Cause::Right, false));
    assert_eq!(why.refusal, Some(Outcome::Locked { until: Some(UnixTime(START + 3600)) }));
}

#[derive(Debug, PartialEq)]
enum Fault {
    DatabaseIsGone,
    Otp(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Otp(error)
    }
}

#[test]
fn the_rule_answers_only_what_was_replaced() {
    let keyring = keyring();
    let record = confirmed(&keyring, Factor::TOTP);
    let verify = |record: &[u8]| -> Result<_, Fault> {
        let answer = keyring.verify(USER, record, &code_at(START), START, &Policy::default())?;
        Ok((answer.record, answer.outcome))
    };
    let read = || Ok(record.clone());
    let gone = Err(Fault::DatabaseIsGone);
    assert_eq!(replace_under(|| Err(Fault::DatabaseIsGone), verify, |_, _| Ok(true)), gone);
    assert_eq!(replace_under(read, verify, |_, _| Err(Fault::DatabaseIsGone)), gone);
    let malformed = replace_under(|| Ok(vec![]), verify, |_, _| panic!("nothing is written"));
    assert_eq!(malformed, Err(Fault::Otp(Error::MalformedRecord)));

    // It reads again until the record is replaced.
    let mut tries = 0;
    let outcome = replace_under(read, verify, |old, new| {
        tries += 1;
        assert!(old == record && new != record);
        Ok(tries == 3)
    });
    assert_eq!((outcome, tries), (Ok(Outcome::Accepted { step: STEP }), 3));
    // What did not change is not written.
    let unchanged = replace_under(read, |_| Ok::<_, Fault>((None, 7)), |_, _| panic!("nothing is written"));
    assert_eq!(unchanged, Ok(7));
    // A column that never equals what was read of it.
    let never = replace_under(read, verify, |_, _| Ok(false));
    assert_eq!(never, Err(Fault::Otp(Error::InvalidArgument)));
}

#[test]
fn a_printed_value_shows_no_secret() {
    let keyring = Keyring::unsealed().unwrap();
    let record = confirmed(&keyring, Factor::TOTP);
    let answer = keyring.verify(USER, &record, &code_at(START), START, &Policy::default()).unwrap();
    let new = answer.record.as_ref().unwrap();
    assert!(new.windows(SECRET.len()).any(|bytes| bytes == SECRET), "an unsealed record holds the secret");
    let key = Key::new(Algorithm::Sha1, SECRET).unwrap();
    let enrollment = Enrollment { secret: Some(SECRET), previous: &record, ..Enrollment::default() };
    let code = "12345678901234567890";
    let window = Window::default();
    let request = Request::Totp { key: &key, code, time: 0.into(), how: Totp::default(), window };
    let text = SecretText::from(code.to_string());
    let uri = KeyUri::totp("Example", "alice", SECRET);
    let named = NamedKey { name: "name", key: SECRET };
    let values = (&answer, &key, &enrollment, &request, &text, &uri, &named, Secret::from(SECRET), &keyring);
    for shown in [format!("{values:?}"), format!("{values:#?}")] {
        assert!(!shown.contains("1234567890") && !shown.contains("49, 50") && !shown.contains("49,"), "{shown}");
    }
}
