use super::sys;
use crate::{Error, Outcome, Reason, Verification};

/// What a later version of the library may answer is an error, a rejection or a kind of its own, never a success.
#[test]
fn unknown_numbers_are_not_successes() {
    assert_eq!(super::check(999), Err(Error::Other(999)));
    assert_eq!(Verification::from(sys::Match { result: 3, ..sys::Match::INIT }), Verification::Rejected);
    let answer = crate::Answer::of(&sys::Answer { kind: 9, reason: 99, ..sys::Answer::INIT }, vec![1]);
    assert_eq!((answer.outcome, answer.record), (Outcome::Rejected(Reason::Other(99)), None));
}
