//! The form of a text in which words are found, and its way back to the stored text.

use crate::text_range::TextRange;

/// A text as the matcher sees it. Each of its code points has a range of code points of the stored
/// text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchCopy {
    pub(crate) text: String,
    /// The range of each code point of `text`; `None` if code point n is n of the stored text.
    pub(crate) spans: Option<Vec<TextRange>>,
    /// Letters have marks that a folded copy drops.
    pub(crate) has_marks: bool,
    /// A token has confusable letters of several scripts.
    pub(crate) is_mixed: bool,
}

impl MatchCopy {
    /// Returns the normalized text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the code points with their ranges.
    pub fn code_points(&self) -> impl Iterator<Item = (char, TextRange)> {
        (0..).zip(self.text.chars()).map(|(at, c)| (c, self.span(at, at + 1)))
    }

    /// Returns the range of the stored text of code points of this copy, which are not empty.
    pub(crate) fn span(&self, start: u32, end: u32) -> TextRange {
        match &self.spans {
            None => TextRange { start, end },
            Some(spans) => TextRange { start: spans[start as usize].start, end: spans[end as usize - 1].end },
        }
    }
}
