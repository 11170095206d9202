//! The adapters' protocol (../README.md), for adapters in Rust: converts words to values, and a panic to an answer.
use std::io::{self, BufRead, Write};
use std::panic;

pub fn bytes(word: &str) -> Vec<u8> {
    (1..word.len()).step_by(2).map(|at| u8::from_str_radix(&word[at..at + 2], 16).unwrap()).collect()
}

pub fn text(word: &str) -> String {
    String::from_utf8(bytes(word)).unwrap()
}

pub fn hex(data: &[u8]) -> String {
    data.iter().fold("x".to_string(), |text, byte| text + &format!("{byte:02x}"))
}

pub fn serve(mut answer: impl FnMut(&str, &[&str]) -> String) {
    panic::set_hook(Box::new(|_| {}));
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let said = panic::catch_unwind(panic::AssertUnwindSafe(|| answer(words[0], &words[1..])));
        println!("{}", said.unwrap_or_else(|_| "crashed panic".into()));
        io::stdout().flush().unwrap();
    }
}
