//! What is refused, and what a printed value does not show.

use crate::{code_at, confirmed, keyring, SECRET, START, USER};
use otp::*;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

fn named(name: &str, byte: u8) -> Keyring {
    Keyring::new(&[NamedKey { name, key: &[byte; 32] }]).unwrap()
}

#[test]
fn a_record_that_is_not_what_it_was_opens_nothing() {
    let (keyring, other, same) = (keyring(), named("other", 1), named("2026-11", 1));
    let unsealed = Keyring::unsealed().unwrap();
    let record = confirmed(&keyring, Factor::TOTP);
    let (mut altered, mut later) = (record.clone(), record.clone());
    *altered.last_mut().unwrap() ^= 1;
    later[0] = 2;
    let long = "u".repeat(1025);
    for (keyring, subject, record, expected) in [
        (&keyring, USER, &altered[..], Error::NotAuthentic),
        (&keyring, USER, &later, Error::LaterRecord),
        (&keyring, USER, &record[..1], Error::MalformedRecord),
        (&keyring, USER, &[], Error::MalformedRecord),
        (&keyring, "user 43", &record, Error::AnotherSubject),
        (&keyring, "", &record, Error::InvalidSubject),
        (&keyring, &long, &record, Error::InvalidSubject),
        (&other, USER, &record, Error::UnknownKey),
        (&same, USER, &record, Error::NotAuthentic),
        (&unsealed, USER, &record, Error::WrongEncoding),
    ] {
        let answer = keyring.verify(subject, record, &code_at(START), START, &Policy::default());
        assert_eq!(answer, Err(expected));
    }
}

#[test]
fn keys_rotate_by_use() {
    let (first, second) = (NamedKey { name: "a", key: &[1; 32] }, NamedKey { name: "b", key: &[2; 32] });
    let (before, after) = (Keyring::new(&[first]).unwrap(), Keyring::new(&[second]).unwrap());
    let during = Keyring::new(&[second, first]).unwrap();
    let record = confirmed(&before, Factor::TOTP);
    assert_eq!(before.reseal(USER, &record).unwrap(), record);
    let resealed = during.reseal(USER, &record).unwrap();
    assert_eq!(after.info(USER, &resealed).unwrap().key_name, "b");
    let used = during.verify(USER, &record, "000000", START, &Policy::default()).unwrap();
    assert_eq!(after.info(USER, &used.record.unwrap()).unwrap().failures, 1);
}

#[test]
fn keys_are_checked() {
    let names: Vec<String> = (0..65).map(|place| format!("key-{place}")).collect();
    let many: Vec<NamedKey<'_>> = names.iter().map(|name| NamedKey { name, key: &[1; 32] }).collect();
    let key = |name, length| NamedKey { name, key: &[1; 33][..length] };
    for (keys, expected) in [
        (&[][..], Error::InvalidArgument),
        (&many, Error::InvalidArgument),
        (&[key("k", 0)], Error::InvalidKey),
        (&[key("k", 31)], Error::InvalidKey),
        (&[key("k", 33)], Error::InvalidKey),
        (&[key("", 32)], Error::InvalidKeyName),
        (&[key("k\0", 32)], Error::InvalidKeyName),
        (&[key("k", 32), key("k", 32)], Error::DuplicateKeyName),
    ] {
        assert_eq!(Keyring::new(keys).unwrap_err(), expected);
    }
    // All 64 are there.
    let keyring = Keyring::new(&many[..64]).unwrap();
    let record = confirmed(&named("key-63", 1), Factor::TOTP);
    assert_eq!(keyring.info(USER, &record).unwrap().key_name, "key-63");
}

#[test]
fn a_keyring_is_read_from_its_file() {
    // As the Swift keyring writes it.
    let text = r#"{"format":"otp-keyring/1","active":"new","keys":[
{"name":"old","key":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
{"name":"new","key":"AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}],
"hashKey":"AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
"sha256":"41c5ba07c576d2c2dddb864b4b74c98641b2cfdf262e0954dfbd6de09c89a9ad"}
"#;
    let folder = std::env::temp_dir().join(format!("otp-keyring-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("keyring");
    let open = |text: &str, mode| {
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        Keyring::open(&path)
    };
    let keyring = open(text, 0o600).unwrap();
    let mut key = [0; 32];
    key[0] = 1;
    let record = confirmed(&Keyring::new(&[NamedKey { name: "old", key: &key }]).unwrap(), Factor::TOTP);
    assert_eq!(keyring.info(USER, &record).unwrap().key_name, "old");
    for (text, mode, expected) in [
        (text, 0o640, Error::KeyringReadableByOthers),
        (&text.replace("old", "cld"), 0o600, Error::KeyringCorrupt),
        ("{}", 0o600, Error::KeyringMalformed),
    ] {
        assert_eq!(open(text, mode).unwrap_err(), expected);
    }
    assert_eq!(Keyring::open(&folder).unwrap_err(), Error::KeyringUnreadable);
    assert_eq!(Keyring::open(folder.join("other")).unwrap_err(), Error::KeyringUnreadable);
    assert_eq!(Keyring::open(format!("{}\0", path.display())).unwrap_err(), Error::InvalidArgument);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn misuse_of_records_is_an_error() {
    let keyring = keyring();
    let (default, totp) = (Enrollment::default(), |period| Factor::Totp { period, t0: 0, after: None });
    for (enrollment, expected) in [
        (Enrollment { digits: 5, ..default }, Error::InvalidDigits),
        (Enrollment { digits: u32::MAX, ..default }, Error::InvalidDigits),
        (Enrollment { factor: totp(0), ..default }, Error::InvalidPeriod),
        (Enrollment { factor: totp(-30), ..default }, Error::InvalidPeriod),
        (Enrollment { secret: Some(&[]), ..default }, Error::EmptySecret),
        (Enrollment { secret: Some(&[1; 1025]), ..default }, Error::InvalidSecret),
        (Enrollment { previous: b"x", ..default }, Error::MalformedRecord),
    ] {
        assert_eq!(keyring.enroll(USER, &enrollment, START), Err(expected));
    }
    let pending = keyring.enroll(USER, &default, START).unwrap();
    for account in ["", "a:b", &"a".repeat(2100)] {
        assert_eq!(keyring.uri(USER, &pending, "Example", account).unwrap_err(), Error::InvalidName);
    }
    let (record, policy) = (confirmed(&keyring, Factor::TOTP), Policy::default());
    for policy in [
        Policy { adjacent_intervals: 11, ..policy },
        Policy { failures_until_lock: 101, ..policy },
        Policy { failures_until_lock: 0, ..policy },
        Policy { lock_seconds: -1, ..policy },
        Policy { initial_delay_seconds: i64::MAX, ..policy },
    ] {
        let answer = keyring.verify(USER, &record, &code_at(START), START, &policy);
        assert_eq!(answer, Err(Error::InvalidArgument), "{policy:?}");
    }
    for typed in ["", "28708\0", &"0".repeat(1 << 20)] {
        let answer = keyring.verify(USER, &record, typed, START, &policy).unwrap();
        assert_eq!((answer.outcome, answer.record), (Outcome::Rejected(Reason::Malformed), None));
    }
    // Such as a time in milliseconds, which a record would remember.
    for now in [59, 946_684_799, 7_258_118_400, START * 1000] {
        let of_record = [
            keyring.enroll(USER, &default, now),
            keyring.unlock(USER, &record, now),
            keyring.spend(USER, &record, now, &policy),
            keyring.recovery_codes(USER, 1, now).map(|(record, _)| record),
        ];
        assert!(of_record.iter().all(|refused| *refused == Err(Error::InvalidTime)), "{of_record:?}");
        let answers = [
            keyring.verify(USER, &record, "000000", now, &policy),
            keyring.confirm(USER, &pending, "000000", now, &policy),
            keyring.resynchronize(USER, &record, &["000000", "000001"], now, &policy),
        ];
        assert!(answers.iter().all(|refused| *refused == Err(Error::InvalidTime)), "{answers:?}");
        assert_eq!(keyring.diagnose(USER, &pending, "000000", now), Err(Error::InvalidTime));
    }
    let (codes, _) = keyring.recovery_codes(USER, 1, START).unwrap();
    assert_eq!(keyring.diagnose(USER, &codes, "287082", START), Err(Error::AnotherKind));
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
    let (mut reads, mut tries) = (0, 0);
    let outcome = replace_under(
        || {
            reads += 1;
            read()
        },
        verify,
        |old, new| {
            tries += 1;
            assert!(old == record && new != record);
            Ok(tries == 3)
        },
    );
    assert_eq!((outcome, reads, tries), (Ok(Outcome::Accepted { step: START as u64 / 30 }), 3, 3));
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
