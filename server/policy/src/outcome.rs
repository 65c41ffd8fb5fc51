//! The outcomes of the policy.

/// The judgement of the policy on a text, in order of strength: of several the strongest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyOutcome {
    /// Nothing speaks against the text. As the outcome of an entry: the word is allowed, also where
    /// a part of it is an entry of its own.
    Allow,
    /// The text is shown with the found words masked.
    Mask,
    /// The text is shown and put into the review queue.
    Flag,
    /// The text waits until a moderator decides.
    Hold,
    /// The text is stored as rejected; its author may appeal.
    Reject,
    /// The text is refused and not stored.
    Refuse,
}

impl PolicyOutcome {
    /// All outcomes, the weakest first.
    pub const ALL: [Self; 6] = [Self::Allow, Self::Mask, Self::Flag, Self::Hold, Self::Reject, Self::Refuse];

    /// Returns the name that list files and the configuration use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Mask => "mask",
            Self::Flag => "flag",
            Self::Hold => "hold",
            Self::Reject => "reject",
            Self::Refuse => "refuse",
        }
    }

    /// Returns the outcome of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}
