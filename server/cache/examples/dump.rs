//! Decodes the keys of a Redis server for the history checker, which does not know the stored
//! formats.
//!
//! The input has one line per key: its name, its type and its values, separated by tabs. Name and
//! values are hexadecimal. The output has one line per key: see `riposte_cache::dump`.

use std::io::{self, BufRead, Write};

/// Decodes hexadecimal digits, up to the first invalid ones.
fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at: usize| hex.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    (0..hex.len()).step_by(2).map_while(digits).collect()
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut fields = line.split('\t');
        let name = String::from_utf8_lossy(&bytes(fields.next().unwrap_or_default())).into_owned();
        let kind = fields.next().unwrap_or_default();
        let values: Vec<Vec<u8>> = fields.map(bytes).collect();
        writeln!(out, "{}", riposte_cache::dump(&name, kind, &values).replace('\n', " "))?;
    }
    out.flush()
}
