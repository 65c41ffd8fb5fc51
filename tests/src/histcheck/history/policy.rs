//! Calls about comments that the policy judges: a word list that changes, standings of members, and
//! a filter with outages.

use serde::{Deserialize, Serialize};

use super::Nanos;

/// The treatment that a word asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Treatment {
    Allow,
    Mask,
    Flag,
    Hold,
    Reject,
    Refuse,
}

impl Treatment {
    const CHANGING: [Self; 5] = [Self::Allow, Self::Flag, Self::Hold, Self::Reject, Self::Refuse];

    /// Returns the treatment of a word in a version of the list. Each version changes that of every
    /// word of [`WORDS`]; the phrases that follow them are in another list, which stays.
    pub(crate) fn of(word: u8, version: u32) -> Self {
        match PHRASES.get(usize::from(word).wrapping_sub(WORDS.len())) {
            Some((_, _, treatment)) => *treatment,
            None => Self::CHANGING[(u32::from(word) + version) as usize % Self::CHANGING.len()],
        }
    }
}

/// The words of the list that changes.
pub(crate) const WORDS: [&str; 5] = ["anise", "borage", "chervil", "dill", "fennel"];

/// The phrases of the list that stays ([`FIXED_LIST`]), what readers see of them, and their
/// treatment, without a use of the matcher.
pub(crate) const PHRASES: [(&str, &str, Treatment); 10] = [
    ("hemlock", "hemlock", Treatment::Hold),
    ("(Hemlock)", "(Hemlock)", Treatment::Hold),
    ("hemlocks", "hemlocks", Treatment::Allow),
    ("unhemlock", "unhemlock", Treatment::Allow),
    ("hemlock spruce", "hemlock spruce", Treatment::Allow),
    ("hemlock spruce, hemlock", "hemlock spruce, hemlock", Treatment::Hold),
    ("大麻", "大麻", Treatment::Hold),
    ("惹了大麻烦", "惹了大麻烦", Treatment::Allow),
    ("a gorse hedge", "a ***** hedge", Treatment::Mask),
    ("né 🌿gorse", "né 🌿*****", Treatment::Mask),
];

/// The file of the list that stays.
pub(crate) const FIXED_LIST: &str = concat!(
    "{\"word\":\"hemlock\",\"outcome\":\"hold\",\"code\":\"list.hold\"}\n",
    "{\"word\":\"hemlock spruce\",\"outcome\":\"allow\"}\n",
    "{\"word\":\"大麻\",\"outcome\":\"hold\",\"code\":\"list.hold\"}\n",
    "{\"word\":\"大麻烦\",\"outcome\":\"allow\"}\n",
    "{\"word\":\"gorse\",\"outcome\":\"mask\",\"code\":\"list.mask\"}\n",
);

/// The number of words and phrases, each of which a text has one.
pub(crate) const WORD_COUNT: u8 = (WORDS.len() + PHRASES.len()) as u8;

/// Returns a word or a phrase.
pub(crate) fn word_text(word: u8) -> Option<&'static str> {
    let texts = WORDS.into_iter().chain(PHRASES.map(|(text, ..)| text));
    texts.into_iter().nth(word.into())
}

/// Returns the word or the phrase of which readers see this; `u8::MAX` for none.
pub(crate) fn shown_word(shown: &str) -> u8 {
    let mut texts = WORDS.into_iter().chain(PHRASES.map(|(_, shown, _)| shown));
    texts.position(|text| text == shown).map_or(u8::MAX, |word| word as u8)
}

/// A standing, by its number in the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum SetStanding {
    Normal = 1,
    Trusted = 2,
    PreModerated = 3,
    Muted = 4,
    Banned = 5,
}

impl SetStanding {
    /// All standings, in the order of their numbers.
    pub(crate) const ALL: [Self; 5] = [Self::Normal, Self::Trusted, Self::PreModerated, Self::Muted, Self::Banned];
}

/// The outcome of the filter for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FilterResult {
    Allow,
    Hold,
    Reject,
    /// It leaves the text open.
    Open,
}

impl FilterResult {
    pub(crate) const ALL: [Self; 4] = [Self::Allow, Self::Hold, Self::Reject, Self::Open];

    /// Returns the word of a text for which the filter has this outcome.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Allow => "allowed",
            Self::Hold => "held",
            Self::Reject => "rejected",
            Self::Open => "open",
        }
    }
}

/// The treatment of a text about which the filter says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fallback {
    Hold,
    Show,
    Refuse,
}

/// The end of a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StandingEnd {
    /// The time of the run.
    pub(crate) at: Nanos,
    /// The same in milliseconds of the wall clock.
    pub(crate) unix_ms: i64,
}

/// A text that a filter was asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FilterQuestion {
    pub(crate) comment: i64,
    /// The name of the author for the filter.
    pub(crate) token: Box<str>,
    /// Everything else that the question says, but the text.
    pub(crate) others: Box<[Box<str>]>,
}

/// A call about comments that the policy judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PolicyCall {
    /// Replaces the file of the word list by another version.
    SetList { version: u32 },
    /// Sets the standing of a member, with an end or without one.
    SetStanding { member: u32, standing: SetStanding, end: Option<StandingEnd> },
    /// Creates a root with a word of the list.
    Create { member: u32, text: u64, word: u8 },
    /// Lets the filter answer, or not any more.
    SetFilter { responds: bool },
    /// Creates a root with a text that the filter judges, with a word that a list holds or without
    /// one.
    CreateFiltered { member: u32, text: u64, result: FilterResult, is_listed: bool },
    /// Replaces the text of a root in sight by another one that the filter judges.
    EditFiltered { comment: i64, member: u32, text: u64, result: FilterResult },
    /// Approves or rejects a text that an outage held, with a lease until this time.
    JudgeHeld { comment: i64, approves: bool, lease_until: Nanos },
    /// Creates a root of a member none of whose comments was ever in sight.
    CreateNew { member: u32, text: u64 },
    /// Reads a root, as its author does or as another member does.
    Get { comment: i64, author: u32, by_author: bool },
}

/// The response to a call about comments that the policy judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PolicyResponse {
    /// The list or the standing is set.
    Set,
    /// The comment in its state, which its author sees.
    Written(WrittenComment),
    /// A comment as a read shows it: the number of its text, 0 if it has none, its word and its
    /// state.
    Seen { text: u64, word: u8, state: i8 },
    /// The text is edited, or the edit is proposed: then with the state of the proposal.
    Edited { proposal: i8 },
}

/// A comment in the response to its create.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenComment {
    pub(crate) id: i64,
    pub(crate) state: i8,
    /// The word that the response shows.
    pub(crate) word: u8,
    /// The revision of the subject that the create made.
    pub(crate) revision: i64,
}

impl PolicyCall {
    /// Returns the name of the kind of call.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::SetList { .. } => "change a word list",
            Self::SetStanding { .. } => "set a standing",
            Self::Create { .. } => "write a judged comment",
            Self::SetFilter { .. } => "let the filter answer or not",
            Self::CreateFiltered { .. } => "write a filtered comment",
            Self::EditFiltered { .. } => "edit a filtered comment",
            Self::JudgeHeld { .. } => "judge what an outage held",
            Self::CreateNew { .. } => "write as a new member",
            Self::Get { .. } => "read a judged comment",
        }
    }

    /// Returns true if the call writes.
    pub(crate) fn writes(self) -> bool {
        !matches!(self, Self::Get { .. })
    }
}

/// Returns the file of a version of the list.
pub(crate) fn word_list(version: u32) -> String {
    let line = |(word, text): (u8, &&str)| {
        let outcome = match Treatment::of(word, version) {
            Treatment::Allow | Treatment::Mask => return None,
            Treatment::Flag => "flag",
            Treatment::Hold => "hold",
            Treatment::Reject => "reject",
            Treatment::Refuse => "refuse",
        };
        Some(format!("{{\"word\":\"{text}\",\"outcome\":\"{outcome}\",\"code\":\"list.{outcome}\"}}\n"))
    };
    (0..).zip(&WORDS).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_each_treatment_once_and_the_next_one_changes_every_word() {
        let all = |version| (0..5).map(|word| Treatment::of(word, version)).collect::<Vec<_>>();
        for version in 0..5 {
            let mut sorted = all(version);
            sorted.sort();
            assert_eq!(sorted, Treatment::CHANGING);
            assert!(all(version).iter().zip(all(version + 1)).all(|(before, after)| *before != after));
        }
        let list = word_list(0);
        assert_eq!(list.lines().count(), 4);
        for word in 0..WORD_COUNT {
            let is_masked = Treatment::of(word, 0) == Treatment::Mask;
            assert_eq!(shown_word(word_text(word).unwrap()) == word, !is_masked);
        }
        assert_eq!((word_text(WORD_COUNT), shown_word("a g*****hedge")), (None, u8::MAX));
        assert!(list.starts_with("{\"word\":\"borage\",\"outcome\":\"flag\",\"code\":\"list.flag\"}\n"), "{list}");
    }
}
