//! The check of a text for moderators. Nothing is stored.

use std::time::Duration;

use crate::domain::decision::RuleHit;
use crate::domain::standing::{CODE_OF_STANDINGS, GatedAct, Standing};

/// The treatment of a checked text, in order of strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextOutcome {
    /// Nothing speaks against it.
    Allow,
    /// It is shown with the found words masked.
    Mask,
    /// It is shown, and a moderator judges it afterwards.
    Flag,
    /// It waits for a moderator.
    Hold,
    /// It is stored and never shown to others.
    Reject,
    /// It is not stored.
    Refuse,
}

/// A text that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedText {
    /// The treatment.
    pub outcome: TextOutcome,
    /// The code of the decision or refusal; empty for ALLOW.
    pub code: String,
    /// The findings, those too without effect.
    pub hits: Vec<RuleHit>,
    /// The text as others would read it.
    pub shown: String,
    /// The code of the decision that masks words; `None` if none are.
    pub mask_code: Option<String>,
    /// The text as the matcher sees it; empty without word lists and rules.
    pub normalized: String,
    /// The duration of the check.
    pub time: Duration,
}

impl CheckedText {
    /// Returns a text in which nothing was searched.
    #[must_use]
    pub fn unsearched(text: &str) -> Self {
        let (code, normalized) = (String::new(), String::new());
        let (outcome, shown, time) = (TextOutcome::Allow, text.to_owned(), Duration::ZERO);
        Self { outcome, code, hits: Vec::new(), shown, mask_code: None, normalized, time }
    }

    /// Returns what becomes of the text of a member with this standing. The code is that of the
    /// text if both ask for the same.
    #[must_use]
    pub fn by(self, standing: Standing) -> Self {
        let of_standing = if standing.refuses(GatedAct::Text) {
            TextOutcome::Refuse
        } else if standing == Standing::PreModerated {
            TextOutcome::Hold
        } else {
            TextOutcome::Allow
        };
        if of_standing > self.outcome {
            return Self { outcome: of_standing, code: CODE_OF_STANDINGS.to_owned(), ..self };
        }
        if standing == Standing::Trusted && self.outcome == TextOutcome::Flag {
            let (outcome, code) = match &self.mask_code {
                Some(code) => (TextOutcome::Mask, code.clone()),
                None => (TextOutcome::Allow, String::new()),
            };
            return Self { outcome, code, ..self };
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckedText, TextOutcome};
    use crate::domain::standing::{CODE_OF_STANDINGS, Standing};

    #[test]
    fn the_stricter_of_text_and_standing_decides() {
        use TextOutcome::{Allow, Flag, Hold, Refuse, Reject};
        for (standing, of_text, expected, code) in [
            (Standing::Normal, Flag, Flag, "list"),
            (Standing::Trusted, Flag, Allow, ""),
            (Standing::Trusted, Hold, Hold, "list"),
            (Standing::PreModerated, Allow, Hold, CODE_OF_STANDINGS),
            (Standing::PreModerated, Hold, Hold, "list"),
            (Standing::PreModerated, Reject, Reject, "list"),
            (Standing::Muted, Reject, Refuse, CODE_OF_STANDINGS),
            (Standing::Banned, Allow, Refuse, CODE_OF_STANDINGS),
            (Standing::Banned, Refuse, Refuse, "list"),
        ] {
            let text = CheckedText::unsearched("text");
            let of_list = CheckedText { outcome: of_text, code: "list".to_owned(), ..text };
            let checked = of_list.by(standing);
            assert_eq!((checked.outcome, checked.code.as_str()), (expected, code), "{standing:?} {of_text:?}");
        }
    }

    #[test]
    fn words_stay_masked_where_a_trusted_member_is_not_flagged() {
        let text = CheckedText::unsearched("a ***");
        let flagged = CheckedText {
            outcome: TextOutcome::Flag,
            code: "list".to_owned(),
            mask_code: Some("mask".to_owned()),
            ..text
        };
        let checked = flagged.by(Standing::Trusted);
        assert_eq!((checked.outcome, checked.code.as_str()), (TextOutcome::Mask, "mask"));
    }
}
