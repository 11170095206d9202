//! What is dropped is wiped: a search of the whole process. (In a program of its own, with nothing else in memory.)

use otp::*;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;

/// 32 bytes that are nowhere in memory before they are made, since each is computed.
fn pattern(seed: u8) -> impl Iterator<Item = u8> {
    (0..32).map(move |place: u8| place.wrapping_mul(37).wrapping_add(seed) ^ 0xa5)
}

/// How often the second half of a pattern is in memory. (The allocator writes to the first half of what is released.)
/// It allocates nothing, which would overwrite what it looks for.
fn found(seed: u8) -> usize {
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

#[test]
fn what_is_dropped_leaves_nothing_in_memory() {
    // The control: what is not wiped is found, in use and afterwards.
    let plain: Vec<u8> = pattern(1).collect();
    assert!(found(1) >= 1);
    drop(plain);
    assert!(found(1) >= 1, "the search finds nothing");

    let secret = Secret::from(pattern(2).collect::<Vec<u8>>());
    let key = Key::new(Algorithm::Sha256, &secret).unwrap();
    let keyring = Keyring::new(&[NamedKey { name: "k", key: &secret }]).unwrap();
    let unsealed = Keyring::unsealed().unwrap();
    let enrollment = Enrollment { secret: Some(&secret), ..Enrollment::default() };
    let record = Secret::from(unsealed.enroll("user 42", &enrollment, 0).unwrap());
    let uri = KeyUri::totp("Example", "alice", &secret);
    let text = uri.build().unwrap();
    let read = KeyUri::parse(&text).unwrap();
    assert_eq!(read.secret[..], secret[..]);
    assert!(found(2) >= 4);
    drop((key, keyring, unsealed, record, uri, text, read));
    drop(secret);
    assert_eq!(found(2), 0);
}
