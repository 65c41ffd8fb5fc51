//! Tells what keys of a Redis hold, for the history checker, which knows nothing of how copies are written.
//!
//! A line comes in for each key: its name, its type and its values, each in hexadecimal digits but the type, with tabs
//! between. A line goes out for each: see `riposte_cache::dump`.

use std::io::{self, BufRead, Write};

/// The bytes of a word; none of what is no such number.
fn bytes(word: &str) -> Vec<u8> {
    let digits = |at: usize| word.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    (0..word.len()).step_by(2).map_while(digits).collect()
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split('\t');
        let name = String::from_utf8_lossy(&bytes(words.next().unwrap_or_default())).into_owned();
        let kind = words.next().unwrap_or_default();
        let values: Vec<Vec<u8>> = words.map(bytes).collect();
        writeln!(out, "{}", riposte_cache::dump(&name, kind, &values).replace('\n', " "))?;
    }
    out.flush()
}
