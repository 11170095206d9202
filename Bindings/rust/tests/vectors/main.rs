//! Runs every test of vectors/ that the interface can express. Anything not understood is a failure: see its README.

mod codes;
mod json;
mod sequences;
mod texts;

use json::{Fields, Json};
use otp::{Algorithm, Totp};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// The number of HMAC tests in each file that has some: the C interface has no HMAC function.
const HMAC: [(&str, usize); 3] =
    [("hmac-cases.json", 165), ("rfc2202-hmac-sha1.json", 8), ("rfc4231-hmac-sha2.json", 14)];

pub fn equal<T: Debug + PartialEq>(found: T, expected: T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{found:?}, not {expected:?}"))
    }
}

pub fn refused<T, E>(result: Result<T, E>) -> Result<(), String> {
    match result {
        Err(_) => Ok(()),
        Ok(_) => Err("not refused".into()),
    }
}

pub fn algorithm(fields: &mut Fields) -> Result<Algorithm, String> {
    match &*fields.text("algorithm")? {
        "SHA1" => Ok(Algorithm::Sha1),
        "SHA256" => Ok(Algorithm::Sha256),
        "SHA512" => Ok(Algorithm::Sha512),
        other => Err(format!("an algorithm {other}")),
    }
}

/// The expected result: `result` or, if a standard leaves it open, `ours`.
pub fn answer(test: &mut Fields) -> Result<String, String> {
    match test.text("result")? {
        open if open == "acceptable" => test.text("ours"),
        result => Ok(result),
    }
}

pub fn is_valid(test: &mut Fields) -> Result<bool, String> {
    match &*answer(test)? {
        "valid" => Ok(true),
        "invalid" => Ok(false),
        other => Err(format!("a result {other}")),
    }
}

/// How many tests of a file pass, without those of HMAC, and how many those are; or which test fails, and why.
fn run(text: &str) -> Result<(usize, usize), String> {
    let mut file = Json::read(text)?.object()?;
    equal(&*file.text("format")?, "otp-vectors/2")?;
    let _ = (file.text("version")?, file.text("source")?, file.optional("comment"));
    let (mut passed, mut of_hmac) = (0, 0);
    for mut group in file.objects("groups")? {
        let (id, kind, tests) = (group.text("id")?, group.text("type")?, group.objects("tests")?);
        let _ = (group.text("reference")?, group.texts("needs")?, group.optional("comment"));
        let count = tests.len();
        if kind == "hmac" {
            of_hmac += count;
        } else {
            run_group(&kind, group, tests).map_err(|fault| format!("{id}{fault}"))?;
            passed += count;
        }
    }
    file.end()?;
    Ok((passed, of_hmac))
}

fn run_group(kind: &str, mut group: Fields, tests: Vec<Fields>) -> Result<(), String> {
    match kind {
        "hotp" => {
            let (key, digits) = (codes::key(&mut group)?, group.integer("digits")?);
            each(tests, |test| codes::hotp(&key, digits, test))?;
        }
        "totp" => {
            let (key, how) = (codes::key(&mut group)?, codes::how(&mut group)?);
            each(tests, |test| codes::totp(&key, how, test))?;
        }
        "verify-totp" => {
            let (key, how) = (codes::key(&mut group)?, codes::how(&mut group)?);
            let asked = each(tests, |test| codes::verify_totp(&key, how, test))?;
            codes::in_a_batch(&key, how, &asked)?;
        }
        "verify-hotp" => {
            let (key, digits) = (codes::key(&mut group)?, group.integer("digits")?);
            let asked = each(tests, |test| codes::verify_hotp(&key, digits, test))?;
            codes::in_a_batch(&key, Totp { digits, ..Totp::default() }, &asked)?;
        }
        "base32-code" => {
            let (algorithm, digits) = (algorithm(&mut group)?, group.integer("digits")?);
            each(tests, |test| codes::base32_code(algorithm, digits, test))?;
        }
        "base32" => {
            let decoder = group.text("decoder")?;
            each(tests, |test| texts::base32(&decoder, test))?;
        }
        "record-totp" | "record-hotp" => {
            let shared = sequences::shared(&mut group, kind == "record-hotp")?;
            each(tests, |test| sequences::sequence(&shared, test))?;
        }
        "uri-code" => drop(each(tests, codes::uri_code)?),
        "uri-parse" => drop(each(tests, texts::uri_parse)?),
        "uri-build" => drop(each(tests, texts::uri_build)?),
        "uri-round-trip" => drop(each(tests, texts::uri_round_trip)?),
        _ => return Err(format!(": a group of type {kind}")),
    }
    group.end()
}

/// What each test of a group gives, if all pass.
fn each<T>(tests: Vec<Fields>, mut run: impl FnMut(&mut Fields) -> Result<T, String>) -> Result<Vec<T>, String> {
    let (mut ids, mut results) = (BTreeSet::new(), Vec::new());
    for mut test in tests {
        let id: u64 = test.integer("id")?;
        let _ = (test.texts("flags")?, test.optional("needs"), test.optional("comment"));
        let result = run(&mut test).and_then(|result| test.end().map(|()| result));
        results.push(result.map_err(|fault| format!("/{id}: {fault}"))?);
        if !ids.insert(id) {
            return Err(format!("/{id}: another test has this id"));
        }
    }
    if results.is_empty() {
        return Err(": no test".into());
    }
    Ok(results)
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

#[test]
fn every_test_of_every_file_passes() {
    // README's table has each file with its number of tests.
    let (mut files, mut total) = (0, 0);
    for row in read("README.md").lines().filter(|row| row.starts_with("| [`")) {
        let name = row.split('`').nth(1).unwrap();
        let count: usize = row.trim_end_matches(" |").rsplit(' ').next().unwrap().parse().unwrap();
        let of_hmac = HMAC.iter().find(|(file, _)| *file == name).map_or(0, |(_, count)| *count);
        assert_eq!(run(&read(name)), Ok((count - of_hmac, of_hmac)), "{name}");
        (files, total) = (files + 1, total + count);
    }
    let folder = std::fs::read_dir(path("")).unwrap();
    let found = folder.filter(|entry| entry.as_ref().unwrap().path().extension() == Some("json".as_ref())).count();
    assert_eq!(found, files + 1, "one more is schema.json");
    assert!(total > 2_900);
}

/// A runner that passes a wrong answer, or skips what it does not know, shows nothing.
#[test]
fn every_planted_fault_is_noticed() {
    #[rustfmt::skip]
    let faults = [
        ("rfc4226-hotp.json", "\"code\": \"755224\"", "\"code\": \"755225\"", "/1: Ok(\"755224\"), not"),
        ("rfc4226-hotp.json", "\"type\": \"hotp\"", "\"type\": \"hopt\"", "a group of type hopt"),
        ("rfc4226-hotp.json", "\"id\": 1,", "\"id\": 1, \"unknown\": 1,", "an unknown field"),
        ("rfc4226-hotp.json", "\"id\": 2,", "\"id\": 1,", "another test"),
        ("rfc4226-hotp.json", "\"digits\": 6,", "", "no digits"),
        ("rfc4226-hotp.json", "otp-vectors/2", "otp-vectors/3", "otp-vectors/3"),
        ("rfc6238-totp.json", "\"step\": \"1\"", "\"step\": \"2\"", "step: 1"),
        ("replay-floors.json", "\"result\": \"replayed\"", "\"result\": \"rejected\"", "Replayed"),
        ("hotp-look-ahead.json", "\"matched\": \"", "\"matched\": \"1", "Accepted"),
        ("rfc4648-base32.json", "\"hex\": \"66\"", "\"hex\": \"67\"", "[102]"),
        ("base32-cases.json", "\"result\": \"invalid\"", "\"result\": \"unknown\"", "a result unknown"),
        ("uri-parse.json", "\"account\": \"alice\"", "\"account\": \"alicf\"", "alicf"),
        ("uri-build.json", "alice?", "alicf?", "alicf"),
        ("record-sequences.json", "\"accepted\", \"matched\": \"", "\"accepted\", \"matched\": \"1", "accepted"),
        ("record-sequences.json", "\"answer\": \"rejected\"", "\"answer\": \"wait\", \"until\": \"0\"", "wait"),
        ("record-sequences.json", "\"wait\", \"until\": \"", "\"wait\", \"until\": \"1", "wait"),
        ("record-sequences.json", "\"locked\", \"until\": null", "\"locked\", \"until\": \"0\"", "locked"),
    ];
    for (name, old, new, fault) in faults {
        let text = read(name);
        assert!(text.contains(old), "{name} has no {old}");
        let found = run(&text.replacen(old, new, 1)).unwrap_err();
        assert!(found.contains(fault), "{name}, {new}: {found}");
    }
}
