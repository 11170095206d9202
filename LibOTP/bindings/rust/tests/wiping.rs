//! What is dropped is wiped and released: a search of the whole process. (One test, with nothing beside it in memory.)

use otp::*;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::sync::{Condvar, Mutex};

/// 32 letters that are nowhere in memory before they are made, since each is computed.
fn pattern(seed: u8) -> impl Iterator<Item = u8> {
    (0..32).map(move |place: u8| b'A' + (place.wrapping_mul(37).wrapping_add(seed) ^ 0xa5).wrapping_mul(seed) % 26)
}

/// How often the second half of a pattern is in memory. (The allocator writes to the first half of what is released.)
/// It allocates nothing, which would overwrite what it looks for.
fn search(seed: u8) -> usize {
    let (mut maps, mut length) = ([0; 1 << 16], 0);
    let mut file = File::open("/proc/self/maps").unwrap();
    loop {
        match file.read(&mut maps[length..]).unwrap() {
            0 => break,
            read => length += read,
        }
    }
    let memory = File::open("/proc/self/mem").unwrap();
    let first = pattern(seed).nth(16).unwrap();
    // Compared with computed bytes, so that the search does not find itself.
    let is_here = |bytes: &[u8]| bytes[0] == first && bytes.iter().copied().eq(pattern(seed).skip(16));
    let mut count = 0;
    for line in std::str::from_utf8(&maps[..length]).unwrap().lines().filter(|line| line.contains(" rw-p ")) {
        let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let (mut at, end) = (u64::from_str_radix(start, 16).unwrap(), u64::from_str_radix(end, 16).unwrap());
        while at < end {
            let mut page = [0; 4096 + 15];
            let length = (end - at).min(page.len() as u64) as usize;
            if memory.read_exact_at(&mut page[..length], at).is_err() {
                break;
            }
            let own = page.as_ptr() as u64..page.as_ptr() as u64 + page.len() as u64;
            let places = page[..length].windows(16).enumerate().filter(|(_, bytes)| is_here(bytes));
            count += places.filter(|(place, _)| !own.contains(&(at + *place as u64))).count();
            page.fill(0);
            at += 4096;
        }
    }
    count
}

/// What to search for, and what was found.
static TURN: Mutex<(Option<u8>, Option<usize>)> = Mutex::new((None, None));
static CHANGED: Condvar = Condvar::new();

/// Searches on another thread, so that what is left on this one's stack stays there.
fn found(seed: u8) -> usize {
    *TURN.lock().unwrap() = (Some(seed), None);
    CHANGED.notify_all();
    CHANGED.wait_while(TURN.lock().unwrap(), |turn| turn.1.is_none()).unwrap().1.unwrap()
}

fn search_for_others() {
    loop {
        let mut turn = CHANGED.wait_while(TURN.lock().unwrap(), |turn| turn.0.is_none()).unwrap();
        *turn = (None, turn.0.map(search));
        CHANGED.notify_all();
    }
}

/// The process's memory in pages.
fn resident() -> usize {
    let statistics = std::fs::read_to_string("/proc/self/statm").unwrap();
    statistics.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn what_is_dropped_leaves_nothing_in_memory() {
    std::thread::spawn(search_for_others);
    // The control: what is not wiped is found, in use and afterward.
    let plain: Vec<u8> = pattern(1).collect();
    assert!(found(1) >= 1);
    drop(plain);
    assert!(found(1) >= 1, "the search finds nothing");

    let secret = Secret::from(pattern(2).collect::<Vec<u8>>());
    let key = Key::new(Algorithm::Sha256, &secret).unwrap();
    let keyring = Keyring::new(&[NamedKey { name: "k", key: &secret }]).unwrap();
    let uri = KeyUri::totp("Example", "alice", &secret);
    let text = uri.build().unwrap();
    let read = KeyUri::parse(&text).unwrap();
    assert_eq!(read.secret[..], secret[..]);
    assert!(found(2) >= 4);
    drop((key, keyring, uri, text, read, secret));
    assert_eq!(found(2), 0);

    let secret = Secret::from(pattern(3).collect::<Vec<u8>>());
    let unsealed = Keyring::unsealed().unwrap();
    let enrollment = Enrollment { secret: Some(&secret), ..Enrollment::default() };
    let record = Secret::from(unsealed.enroll("user 42", &enrollment, 1_700_000_000).unwrap());
    assert!(found(3) >= 2);
    drop((secret, record));
    assert_eq!(found(3), 0);

    // Also what the vector has beyond its end.
    let mut shortened = pattern(7).collect::<Vec<u8>>();
    shortened.truncate(1);
    drop(Secret::from(shortened));
    assert_eq!(found(7), 0);

    let text = SecretText::from(String::from_utf8(pattern(5).collect()).unwrap());
    assert!(found(5) >= 1);
    let key = Key::new(Algorithm::Sha1, &[7; 20]).unwrap();
    assert_eq!(key.resynchronize_hotp(&[&text, &text], 0, 6, 0), Ok(Verification::Rejected)); // It copies them.
    drop(text);
    assert_eq!(found(5), 0);

    // A key has the secret's midstates, which this does not know; but it would notice that none is released.
    let before = resident();
    for _ in 0..100_000 {
        Key::new(Algorithm::Sha1, &[7; 20]).unwrap();
    }
    assert!(resident() < before + 1000);
}
