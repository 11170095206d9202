//! The structures have the places that the check `libotp` found with a C compiler.

use super::{sys, wipe};
use crate::{Error, Outcome, Reason, Verification};

/// Adds a line to what was found: the size of a structure, and its members' places and sizes.
macro_rules! layout {
    ($found:ident, $name:literal, $value:expr => $($member:ident = $($path:ident).+,)+) => {{
        use std::mem::{align_of_val, size_of_val};
        let value = $value;
        let start = &value as *const _ as usize;
        $found += &format!("{} {}, aligned to {}:", $name, size_of_val(&value), align_of_val(&value));
        $(
            let member = &value.$($path).+;
            let (place, size) = (member as *const _ as usize - start, size_of_val(member));
            $found += &format!(" {} {place}+{size}", stringify!($member));
        )+
        $found += "\n";
    }};
}
pub(super) use layout;

#[test]
fn structures_are_those_of_the_header() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../Tests/Checks/libotp/interface.txt");
    let expected = std::fs::read_to_string(path).unwrap();
    let expected: Vec<&str> = expected.lines().filter(|line| line.contains(", aligned to ")).collect();
    assert_eq!(sys::layout().lines().collect::<Vec<_>>(), expected);
}

#[test]
fn wiping_leaves_zeros() {
    let mut bytes = [7; 32];
    wipe(&mut bytes);
    assert_eq!(bytes, [0; 32]);
}

/// What a later version of the library may answer is an error, a rejection or a kind of its own, never a success.
#[test]
fn unknown_numbers_are_not_successes() {
    assert_eq!(super::check(999), Err(Error::Other(999)));
    assert_eq!(Verification::from(sys::Match { result: 3, ..sys::Match::INIT }), Verification::Rejected);
    let answer = crate::Answer::of(&sys::Answer { kind: 9, reason: 99, ..sys::Answer::INIT }, vec![1]);
    assert_eq!((answer.outcome, answer.record), (Outcome::Rejected(Reason::Other(99)), None));
}
