//! A range of a stored text.

/// A range of code points of the stored text: from `start` up to and without `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextRange {
    /// The index of the first code point.
    pub start: u32,
    /// The index behind the last code point.
    pub end: u32,
}

impl TextRange {
    /// Returns the number of code points.
    #[must_use]
    pub fn code_points(self) -> u32 {
        self.end - self.start
    }

    /// Returns `true` if the other range lies wholly inside this one.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}
