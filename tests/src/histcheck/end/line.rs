//! A line of fields separated by tabs, which are read one after the other.

use std::str::{FromStr, Split};

use anyhow::{Context, Result};

/// The remaining part of a line.
#[derive(Debug)]
pub(super) struct Line<'a>(Split<'a, char>);

impl<'a> Line<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self(text.split('\t'))
    }

    /// Returns the next field.
    pub(super) fn text(&mut self) -> Result<&'a str> {
        self.0.next().context("a line is too short")
    }

    /// Parses the next field.
    pub(super) fn number<T: FromStr>(&mut self) -> Result<T> {
        let text = self.text()?;
        text.parse().ok().with_context(|| format!("{text:?} is not a number of this type"))
    }

    /// Returns all remaining fields in pairs.
    pub(super) fn pairs<A: FromStr, B: FromStr>(&mut self) -> Result<Vec<(A, B)>> {
        let mut pairs = Vec::new();
        while !self.0.clone().next().unwrap_or_default().is_empty() {
            pairs.push((self.number()?, self.number()?));
        }
        Ok(pairs)
    }
}
