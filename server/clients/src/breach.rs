//! Breaches of a contract by a response.

use std::fmt;

/// One breach. It names the place by number and field, and contains nothing of the response itself
/// but numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The part of the response, as in `verdict 3`; empty for the call as a whole.
    pub place: String,
    /// The breach.
    pub what: String,
    /// The change that removes it.
    pub change: String,
}

impl Breach {
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>, change: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into(), change: change.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() { f.write_str(&self.what) } else { write!(f, "{}: {}", self.place, self.what) }
    }
}

/// The breaches of one part of a response, which its number names.
#[derive(Debug)]
pub(crate) struct BreachesOf<'f> {
    pub(crate) place: String,
    pub(crate) breaches: &'f mut Vec<Breach>,
}

impl BreachesOf<'_> {
    /// Reports a breach unless `is_met` is true.
    pub(crate) fn require(&mut self, is_met: bool, what: impl Into<String>, change: &str) -> bool {
        if !is_met {
            self.breaches.push(Breach::new(self.place.clone(), what, change));
        }
        is_met
    }

    /// Checks the range of a number.
    pub(crate) fn range(&mut self, field: &str, value: i32, most: i32) -> Option<u16> {
        let what = format!("`{field}` is {value}");
        self.require((0..=most).contains(&value), what, &format!("send a number from 0 to {most}"));
        u16::try_from(value).ok().filter(|_| value <= most)
    }

    /// Checks the length of a text in code points.
    pub(crate) fn length(&mut self, field: &str, text: &str, (least, most): (usize, usize)) -> bool {
        let found = text.chars().count();
        let what = format!("`{field}` has {found} code points");
        self.require((least..=most).contains(&found), what, &format!("send {least} to {most}"))
    }

    /// Checks the form of a code: `[a-z0-9_.-]`, of a length in a range.
    pub(crate) fn code(&mut self, field: &str, text: &str, (least, most): (usize, usize)) -> bool {
        let is_code = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.-".contains(c);
        let is_met = (least..=most).contains(&text.len()) && text.chars().all(is_code);
        self.require(
            is_met,
            format!("`{field}` does not have the form of a code"),
            &format!("send [a-z0-9_.-]{{{least},{most}}}"),
        )
    }
}
