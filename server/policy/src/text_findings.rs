//! The findings of the word lists and the rules of an object type in a text, taken together.

use crate::matcher::{Findings, Hit};
use crate::outcome::PolicyOutcome;
use crate::rule::Rule;
use crate::word_list::ListEffect;

/// The findings of lists and rules in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextFindings<'p> {
    /// The hits of the lists.
    pub lists: Findings<'p>,
    /// The rules of which every term is true, in their order; also those in dry run.
    pub rules: Vec<&'p Rule>,
}

/// The finding that a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisiveFinding<'f> {
    /// An entry of a list.
    Entry(&'f Hit<'f>),
    /// A rule.
    Rule(&'f Rule),
    /// The search for entries ended early: [`Findings::TOO_MANY_HITS`].
    TooManyHits,
}

impl TextFindings<'_> {
    /// Returns the strongest outcome of all that counts.
    #[must_use]
    pub fn outcome(&self) -> PolicyOutcome {
        self.live_rules().map(|rule| rule.outcome).fold(self.lists.outcome, Ord::max)
    }

    /// Returns the finding that asks for the outcome: an entry before a rule. `None` if nothing
    /// speaks against the text.
    #[must_use]
    pub fn decisive(&self) -> Option<DecisiveFinding<'_>> {
        let outcome = self.outcome();
        if outcome == PolicyOutcome::Allow {
            return None;
        }
        let entry = if self.lists.outcome == outcome { self.lists.decisive() } else { None };
        let rule = self.live_rules().find(|rule| rule.outcome == outcome);
        let found = entry.map(DecisiveFinding::Entry).or_else(|| rule.map(DecisiveFinding::Rule));
        Some(found.unwrap_or(DecisiveFinding::TooManyHits))
    }

    fn live_rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().copied().filter(|rule| rule.effect == ListEffect::Live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::HitEffect;
    use crate::text_range::TextRange;

    fn rule(id: &str, outcome: PolicyOutcome, effect: ListEffect) -> Rule {
        Rule { id: id.to_owned(), when: Vec::new(), outcome, code: id.to_owned(), effect }
    }

    fn lists(outcome: PolicyOutcome) -> Findings<'static> {
        let (span, effect) = (TextRange { start: 0, end: 4 }, HitEffect::Counts);
        let hit = Hit { list: "list", version: "v", entry: "entry", code: "code", outcome, span, effect };
        Findings { outcome, hits: vec![hit], too_many_hits: false }
    }

    #[test]
    fn the_strongest_finding_decides_and_of_equal_ones_the_entry() {
        use PolicyOutcome::{Allow, Flag, Hold, Refuse, Reject};
        let [flags, waits, rejects] = [Flag, Hold, Reject].map(|outcome| rule("live", outcome, ListEffect::Live));
        let dry = rule("dry", Refuse, ListEffect::DryRun);
        let decides = |found: &TextFindings<'_>| match found.decisive() {
            None => "none",
            Some(DecisiveFinding::Entry(_)) => "entry",
            Some(DecisiveFinding::Rule(rule)) if rule.id == "live" => "rule",
            Some(DecisiveFinding::Rule(_)) => "another rule",
            Some(DecisiveFinding::TooManyHits) => "too many",
        };
        for (of_lists, rules, outcome, decisive) in [
            (Findings::default(), vec![], Allow, "none"),
            (Findings::default(), vec![&dry], Allow, "none"),
            (Findings::default(), vec![&dry, &flags, &waits], Hold, "rule"),
            (lists(Hold), vec![&flags, &dry], Hold, "entry"),
            (lists(Hold), vec![&waits], Hold, "entry"),
            (lists(Hold), vec![&flags, &rejects], Reject, "rule"),
        ] {
            let found = TextFindings { lists: of_lists, rules };
            assert_eq!((found.outcome(), decides(&found)), (outcome, decisive), "{found:?}");
        }
        let ended = Findings { outcome: Hold, hits: lists(Flag).hits, too_many_hits: true };
        assert_eq!(decides(&TextFindings { lists: ended.clone(), rules: vec![&flags] }), "too many");
        assert_eq!(decides(&TextFindings { lists: ended, rules: vec![&waits] }), "rule");
    }
}
