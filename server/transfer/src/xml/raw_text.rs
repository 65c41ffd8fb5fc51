//! The text of an element as it is written, for the rejects file: markup inside of it is wrong, and
//! is no part of the text that is read.

use crate::addresses::is_secret;

/// The text of one element with the markup inside of it, which is wrong there.
#[derive(Debug, Default)]
pub(super) struct RawText {
    text: String,
    has_markup: bool,
    /// The elements inside of it that hold an address or a password, which is never kept.
    secrets: usize,
}

impl RawText {
    /// Adds a tag at this depth inside the text; with `None` the text begins after it.
    pub(super) fn open(&mut self, depth: Option<usize>, name: &str, tag: &str) {
        match depth {
            None => *self = Self::default(),
            Some(_) => {
                self.push(tag);
                self.has_markup = true;
                self.secrets += usize::from(self.secrets > 0 || is_secret(name));
            }
        }
    }

    /// Adds the end of an element at this depth, and returns the text at its end if it has markup.
    pub(super) fn close(&mut self, depth: Option<usize>, name: &str, is_written: bool) -> Option<String> {
        let depth = depth?;
        if depth == 0 {
            let Self { text, has_markup, .. } = std::mem::take(self);
            return has_markup.then_some(text);
        }
        self.secrets = self.secrets.saturating_sub(1);
        if is_written {
            self.push(&format!("</{name}>"));
        }
        None
    }

    /// Adds an end tag that ends nothing.
    pub(super) fn stray(&mut self, tag: &str) {
        self.push(tag);
        self.has_markup = true;
    }

    /// Adds a text without markup.
    pub(super) fn text(&mut self, text: &str) {
        self.push(text);
    }

    fn push(&mut self, text: &str) {
        if self.secrets == 0 {
            self.text.push_str(text);
        }
    }
}
