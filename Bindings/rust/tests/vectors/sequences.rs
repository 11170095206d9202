//! What a factor answers to one submission after another.

use crate::json::Fields;
use crate::{algorithm, equal};
use otp::{Enrollment, Factor, Keyring, Outcome, Policy, UnixTime};

/// What the tests of a group share.
pub struct Shared {
    keyring: Keyring,
    factor: Factor,
    algorithm: otp::Algorithm,
    digits: u32,
    secret: Vec<u8>,
    policy: Policy,
}

pub fn shared(group: &mut Fields, is_hotp: bool) -> Result<Shared, String> {
    let mut policy = Policy {
        failures_until_lock: group.integer("failuresUntilLock")?,
        lock_seconds: group.integer("lockSeconds")?,
        first_delayed_failure: group.integer("firstDelayedFailure")?,
        initial_delay_seconds: group.integer("initialDelaySeconds")?,
        ..Policy::STRICT
    };
    let factor = if is_hotp {
        policy.look_ahead = group.integer("lookAhead")?;
        policy.resynchronization_look_ahead = group.integer("resynchronizationLookAhead")?;
        Factor::Hotp { counter: 0 }
    } else {
        policy.adjacent_intervals = group.integer("window")?;
        Factor::Totp { period: group.number("period")?, t0: group.number("t0")?, after: None }
    };
    Ok(Shared {
        keyring: Keyring::unsealed().map_err(|error| error.to_string())?,
        factor,
        algorithm: algorithm(group)?,
        digits: group.integer("digits")?,
        secret: group.hex("secretHex")?,
        policy,
    })
}

pub fn sequence(shared: &Shared, test: &mut Fields) -> Result<(), String> {
    let Shared { keyring, algorithm, digits, secret, policy, mut factor } = shared;
    let last = test.number_or_null("last")?;
    match &mut factor {
        Factor::Totp { after, .. } => *after = last,
        Factor::Hotp { counter } => *counter = last.map_or(0, |last| last + 1),
    }
    let mut record = None;
    for (place, mut step) in test.objects("steps")?.into_iter().enumerate() {
        let (now, codes) = (UnixTime(step.number("time")?), step.texts("codes")?);
        let expected = expected(&mut step)?;
        step.end()?;
        let (algorithm, digits, secret) = (*algorithm, *digits, Some(&secret[..]));
        let enrollment = Enrollment { factor, algorithm, digits, secret, is_confirmed: true, ..Enrollment::default() };
        let old = match record {
            None => keyring.enroll("user 42", &enrollment, now).map_err(|error| error.to_string())?,
            Some(record) => record,
        };
        let codes: Vec<&str> = codes.iter().map(|code| &code[..]).collect();
        let answer = match codes[..] {
            [] => {
                equal("unlocked".into(), expected)?;
                record = Some(keyring.unlock("user 42", &old, now).map_err(|error| error.to_string())?);
                continue;
            }
            [code] => keyring.verify("user 42", &old, code, now, policy),
            _ => keyring.resynchronize("user 42", &old, &codes, now, policy),
        };
        let answer = answer.map_err(|error| error.to_string())?;
        equal(words(answer.outcome), expected).map_err(|fault| format!("step {}: {fault}", place + 1))?;
        record = Some(answer.record.unwrap_or(old));
    }
    Ok(())
}

/// What a step expects, in the words of `words`.
fn expected(step: &mut Fields) -> Result<String, String> {
    let answer = step.text("answer")?;
    match &*answer {
        "rejected" | "unlocked" => Ok(answer),
        "accepted" => Ok(format!("accepted {}", step.number::<u64>("matched")?)),
        "wait" | "locked" => Ok(format!("{answer} {:?}", step.number_or_null::<i64>("until")?)),
        _ => Err(format!("an answer {answer}")),
    }
}

fn words(outcome: Outcome) -> String {
    match outcome {
        Outcome::Rejected(_) => "rejected".into(),
        Outcome::Accepted { step } => format!("accepted {step}"),
        Outcome::Enrolled { step } => format!("enrolled {step}"),
        Outcome::Wait { until } => format!("wait {:?}", Some(until.0)),
        Outcome::Locked { until } => format!("locked {:?}", until.map(|until| until.0)),
    }
}
