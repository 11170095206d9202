//! What a factor answers from its enrollment on.

use crate::{code_at, confirmed, keyring, SECRET, START, USER};
use otp::*;
use std::sync::Mutex;

#[test]
fn a_factor_is_enrolled_and_used() {
    let keyring = keyring();
    let policy = Policy::default();
    let record = keyring.enroll(USER, &Enrollment::default(), START).unwrap();
    let uri = keyring.uri(USER, &record, "Example", "alice").unwrap();
    assert!(uri.starts_with("otpauth://totp/Example:alice?secret="));
    let info = keyring.info(USER, &record).unwrap();
    assert!(info.is_pending && info.key_name == "2026-11" && info.algorithm == Some(Algorithm::Sha1));
    let sign_in = keyring.verify(USER, &record, "000000", START, &policy).unwrap();
    assert_eq!((sign_in.outcome, sign_in.record), (Outcome::Rejected(Reason::Pending), None));

    // One whose secret is known, and an app whose clock is an hour ahead.
    let enrollment = Enrollment { secret: Some(SECRET), previous: &record, ..Enrollment::default() };
    let record = keyring.enroll(USER, &enrollment, START).unwrap();
    let found = keyring.diagnose(USER, &record, &code_at(START + 3600), START).unwrap().unwrap();
    assert_eq!((found.clock_offset, found.digits, found.period), (3600, 6, 30));
    assert_eq!(keyring.diagnose(USER, &record, "1", START).unwrap(), None);
    let answer = keyring.confirm(USER, &record, &code_at(START), START, &policy).unwrap();
    assert_eq!(answer.outcome, Outcome::Enrolled { step: START as u64 / 30 });
    let record = answer.record.unwrap();
    assert_eq!(keyring.uri(USER, &record, "Example", "alice").unwrap_err(), Error::NotPending);
    let again = keyring.confirm(USER, &record, &code_at(START), START, &policy).unwrap();
    assert_eq!(again.outcome, Outcome::Rejected(Reason::Confirmed));
    let replay = keyring.verify(USER, &record, &code_at(START), START, &policy).unwrap();
    assert_eq!(replay.outcome, Outcome::Rejected(Reason::Replayed));

    let (next, code) = (START + 30, code_at(START + 30));
    let typed = format!(" {}-{}\n", &code[..3], &code[3..]);
    let answer = keyring.verify(USER, &record, &typed, next, &Policy::STRICT).unwrap();
    assert_eq!((answer.outcome, answer.drift), (Outcome::Accepted { step: next as u64 / 30 }, 0));
    let record = answer.record.unwrap();
    let info = keyring.info(USER, &record).unwrap();
    assert_eq!((info.kind, info.acceptances, info.failures), (RecordKind::Totp, 1, 0));
    assert_eq!((info.last_accepted, info.last_attempt_time), (Some(next as u64 / 30), Some(UnixTime(next))));
    assert_eq!((info.enrollment_time, info.is_pending), (UnixTime(START), false));

    let late = next + 3600;
    let record = keyring.spend(USER, &record, late, &policy).unwrap();
    let spent = keyring.verify(USER, &record, &code_at(late), late, &policy).unwrap();
    // Until the app's next code that cannot have been accepted, a window later.
    assert_eq!(spent.outcome, Outcome::Wait { until: UnixTime((late / 30 + 6) * 30) });
}

#[test]
fn guesses_are_delayed_and_lock() {
    let keyring = keyring();
    let policy = Policy::default();
    let (mut record, mut now, mut looked) = (confirmed(&keyring, Factor::TOTP), START, 0);
    let until = loop {
        let answer = keyring.verify(USER, &record, "000000", now, &policy).unwrap();
        assert_eq!(answer.record.is_some(), matches!(answer.outcome, Outcome::Rejected(_)));
        match answer.outcome {
            Outcome::Rejected(reason) => {
                assert_eq!(reason, Reason::Wrong);
                looked += 1;
            }
            Outcome::Wait { until } => now = until.0,
            Outcome::Locked { until } => break until.unwrap(),
            other => panic!("{other:?}"),
        }
        record = answer.record.unwrap_or(record);
    };
    assert_eq!(looked, 10);
    assert!(until.0 >= now + 59 * 60, "{until:?}");

    // A lock that only an administrator ends.
    let for_ever = Policy { lock_seconds: 0, ..policy };
    let answer = keyring.verify(USER, &record, &code_at(now), until, &for_ever).unwrap();
    assert_eq!(answer.outcome, Outcome::Locked { until: None });
    let record = keyring.unlock(USER, &record, now).unwrap();
    let answer = keyring.verify(USER, &record, &code_at(now), now, &for_ever).unwrap();
    assert_eq!(answer.outcome, Outcome::Accepted { step: now as u64 / 30 });
}

#[test]
fn counters_resynchronize() {
    let keyring = keyring();
    let record = confirmed(&keyring, Factor::Hotp { counter: 0 });
    let policy = Policy::default();
    // RFC 4226, Appendix D: the codes of counters 8 and 9, and of 3, which is now in the past.
    let answer = keyring.resynchronize(USER, &record, &["399871", "520489"], START, &policy).unwrap();
    assert_eq!(answer.outcome, Outcome::Accepted { step: 9 });
    let answer = keyring.verify(USER, &answer.record.unwrap(), "969429", START, &policy).unwrap();
    assert_eq!(answer.outcome, Outcome::Rejected(Reason::Replayed));
    let cut = keyring.resynchronize(USER, &record, &["399871", "520489\0"], START, &policy).unwrap();
    assert_eq!(cut.outcome, Outcome::Rejected(Reason::Malformed));
    for codes in [&[][..], &["399871"], &["1"; 4]] {
        let refused = keyring.resynchronize(USER, &record, codes, START, &policy);
        assert_eq!(refused.unwrap_err(), Error::InvalidArgument);
    }
}

#[test]
fn an_imported_factor_goes_on_where_it_was() {
    let keyring = keyring();
    let spent = Factor::Totp { period: 30, t0: 0, after: Some(START as u64 / 30) };
    let record = confirmed(&keyring, spent);
    let answer = keyring.verify(USER, &record, &code_at(START), START, &Policy::default()).unwrap();
    assert_eq!(answer.outcome, Outcome::Rejected(Reason::Replayed));
    let record = confirmed(&keyring, Factor::Hotp { counter: 4 });
    // The codes of counters 3 and 4.
    for (code, expected) in [("969429", Outcome::Rejected(Reason::Replayed)), ("338314", Outcome::Accepted { step: 4 })]
    {
        let answer = keyring.verify(USER, &record, code, START, &Policy::default()).unwrap();
        assert_eq!(answer.outcome, expected);
    }
}

#[test]
fn recovery_codes_are_used_once() {
    let keyring = keyring();
    let (record, codes) = keyring.recovery_codes(USER, 10, START).unwrap();
    assert!(codes.len() == 10 && codes.iter().all(|code| code.len() == 29) && record.len() <= 1024);
    let typed = codes[3].to_lowercase();
    let answer = keyring.verify(USER, &record, &typed, START, &Policy::default()).unwrap();
    assert_eq!(answer.outcome, Outcome::Accepted { step: 4 });
    let record = answer.record.unwrap();
    let again = keyring.verify(USER, &record, &typed, START, &Policy::default()).unwrap();
    assert_eq!(again.outcome, Outcome::Rejected(Reason::Replayed));
    let info = keyring.info(USER, &record).unwrap();
    assert_eq!((info.kind, info.algorithm), (RecordKind::RecoveryCodes, None));
    assert_eq!(info.unused_codes, [1, 2, 3, 5, 6, 7, 8, 9, 10]);
    assert_eq!(keyring.recovery_codes(USER, 20, START).unwrap().1.len(), 20);
    for count in [0, 21, usize::MAX] {
        assert_eq!(keyring.recovery_codes(USER, count, START).unwrap_err(), Error::InvalidArgument);
    }
}

/// Of 200 threads with one right code, one is let in; of 500 with wrong ones, no more are looked at than allowed.
#[test]
fn the_rule_holds_for_many_at_once() {
    let keyring = keyring();
    let column = Mutex::new(confirmed(&keyring, Factor::TOTP));
    let attempt = |code: &str| -> Result<Outcome, Error> {
        replace_under(
            || Ok(column.lock().unwrap().clone()),
            |record| {
                let answer = keyring.verify(USER, record, code, START, &Policy::default())?;
                Ok((answer.record, answer.outcome))
            },
            |old, new| {
                let mut column = column.lock().unwrap();
                let is_there = *column == old;
                if is_there {
                    *column = new.to_vec();
                }
                Ok(is_there)
            },
        )
    };
    let at_once = |code: &str, count: usize, wanted: fn(&Outcome) -> bool| {
        let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..count).map(|_| scope.spawn(|| attempt(code).unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        outcomes.iter().filter(|outcome| wanted(outcome)).count()
    };
    let accepted = at_once(&code_at(START), 200, |outcome| matches!(outcome, Outcome::Accepted { .. }));
    assert_eq!(accepted, 1);
    let unlocked = keyring.unlock(USER, &column.lock().unwrap(), START).unwrap();
    *column.lock().unwrap() = unlocked;
    // At one moment, the fourth failure's delay has not passed.
    let looked = at_once("000000", 500, |outcome| matches!(outcome, Outcome::Rejected(Reason::Wrong)));
    assert_eq!(looked, 4);
    assert_eq!(keyring.info(USER, &column.lock().unwrap()).unwrap().failures, 4);
}
