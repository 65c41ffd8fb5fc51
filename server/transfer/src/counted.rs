//! A number with its noun.

/// Returns a number with the noun that it counts: `1 subject`, `2 subjects`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
