//! The check of a text for moderators. Nothing is stored.

use std::time::Duration;

use crate::domain::account_rules::AccountFallback;
use crate::domain::decision::RuleHit;
use crate::domain::error::Error;
use crate::domain::standing::{CODE_OF_STANDINGS, GatedAct, Standing};

/// The code of a refusal by the account service.
pub const CODE_OF_ACCOUNTS: &str = "policy.accounts";

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
    /// The code of the decision or refusal; empty for ALLOW, and where nothing but an outage asks
    /// for the treatment.
    pub code: String,
    /// The findings, those too without effect.
    pub hits: Vec<RuleHit>,
    /// The text as others would read it.
    pub shown: String,
    /// The code of the decision that masks words; `None` if none are.
    pub mask_code: Option<String>,
    /// The code of a decision that flags the text, if a hit of word lists and rules asks for one.
    pub flag_code: Option<String>,
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
        Self { outcome, code, hits: Vec::new(), shown, mask_code: None, flag_code: None, normalized, time }
    }

    /// Returns what becomes of the text if a service cannot be asked and its object type asks for
    /// `fallback` then. What asks for as much stays, with its code.
    #[must_use]
    pub fn without_service(self, fallback: TextOutcome) -> Self {
        if fallback > self.outcome { Self { outcome: fallback, code: String::new(), ..self } } else { self }
    }

    /// Returns what becomes of the text of a member whose account is not known; `None` if it is.
    #[must_use]
    pub fn under(self, unknown: Option<AccountFallback>) -> Self {
        match unknown {
            None => self,
            Some(AccountFallback::PreModerate) => self.without_service(TextOutcome::Hold),
            Some(AccountFallback::Refuse) => self.without_service(TextOutcome::Refuse),
        }
    }

    /// Returns the text of a member that may not write it. A standing or account is reported before
    /// what is in the text.
    #[must_use]
    pub fn refused(self, rejection: &Error) -> Self {
        let is_standing = matches!(rejection, Error::MemberSuspended { .. });
        let code = if is_standing { CODE_OF_STANDINGS } else { CODE_OF_ACCOUNTS };
        Self { outcome: TextOutcome::Refuse, code: code.to_owned(), ..self }
    }

    /// Returns what becomes of the text of a member with this standing. The code is that of the
    /// text if both ask for the same.
    #[must_use]
    pub fn by(self, standing: Standing) -> Self {
        let of_standing = if standing.refuses(GatedAct::Create) {
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
            return self.shown();
        }
        self
    }

    /// Returns what becomes of a text that word lists and rules hold if the filter releases it.
    #[must_use]
    pub fn released(self) -> Self {
        match &self.flag_code {
            Some(code) => Self { outcome: TextOutcome::Flag, code: code.clone(), ..self },
            None => self.shown(),
        }
    }

    /// Returns the text as it is shown at once, with its words masked.
    fn shown(self) -> Self {
        let (outcome, code) = match &self.mask_code {
            Some(code) => (TextOutcome::Mask, code.clone()),
            None => (TextOutcome::Allow, String::new()),
        };
        Self { outcome, code, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::{CODE_OF_ACCOUNTS, CheckedText, TextOutcome};
    use crate::domain::account_rules::AccountFallback;
    use crate::domain::error::Error;
    use crate::domain::standing::{CODE_OF_STANDINGS, Standing};

    #[test]
    fn an_outage_has_no_code_and_a_refusal_of_the_member_comes_first() {
        use TextOutcome::{Allow, Flag, Hold, Refuse, Reject};
        let of_list = |outcome| CheckedText { outcome, code: "list".to_owned(), ..CheckedText::unsearched("text") };
        for (of_text, fallback, expected, code) in [
            (Flag, AccountFallback::PreModerate, Hold, ""),
            (Hold, AccountFallback::PreModerate, Hold, "list"),
            (Reject, AccountFallback::PreModerate, Reject, "list"),
            (Reject, AccountFallback::Refuse, Refuse, ""),
        ] {
            let checked = of_list(of_text).under(Some(fallback));
            assert_eq!((checked.outcome, checked.code.as_str()), (expected, code), "{of_text:?} {fallback:?}");
        }
        assert_eq!(of_list(Allow).under(None), of_list(Allow));
        for (rejection, code) in [
            (Error::MemberSuspended { until: None }, CODE_OF_STANDINGS),
            (Error::LevelTooLow { level: None, needed: 1 }, CODE_OF_ACCOUNTS),
        ] {
            let checked = of_list(Refuse).refused(&rejection);
            assert_eq!((checked.outcome, checked.code.as_str()), (Refuse, code));
        }
    }

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
