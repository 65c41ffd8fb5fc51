//! The facts of a text and of its member, which rules compare.

pub(crate) mod links;

use crate::match_copy::MatchCopy;

/// The facts of a text and of its member. `None` is a fact that is not known; each term about it is
/// true, because rules only restrict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInputs {
    /// The web addresses and bare domains in the text.
    pub links: u32,
    /// The members that the text mentions.
    pub mentions: u32,
    /// The code points of the text.
    pub length: u32,
    /// The longest run of one code point.
    pub repeats: u32,
    /// The text replaces an earlier one.
    pub is_edit: bool,
    /// The facts of the member.
    pub member: MemberInputs,
}

/// The facts of a member. `None` is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemberInputs {
    /// The public comments among the newest 50 of the member.
    pub approved: Option<u32>,
    /// The days since the member joined.
    pub age: Option<u32>,
    /// The member has no public comment yet.
    pub first_post: Option<bool>,
}

impl RuleInputs {
    /// Returns the facts of a new text with its normalized copy.
    #[must_use]
    pub fn of(text: &str, copy: &MatchCopy, mentions: u32, member: MemberInputs) -> Self {
        Self {
            links: links::count(copy.as_str()),
            mentions,
            length: text.chars().count() as u32,
            repeats: longest_run(text),
            is_edit: false,
            member,
        }
    }
}

/// Returns the length of the longest run of one code point.
fn longest_run(text: &str) -> u32 {
    let mut chars = text.chars();
    let Some(mut last) = chars.next() else { return 0 };
    let (mut longest, mut run) = (1, 1);
    for c in chars {
        run = if c == last { run + 1 } else { 1 };
        (longest, last) = (run.max(longest), c);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Normalizer;

    #[test]
    fn a_text_has_its_length_and_its_longest_run_in_code_points() {
        let inputs =
            |text: &str| RuleInputs::of(text, &Normalizer::default().match_copy(text), 3, MemberInputs::default());
        let of_text = inputs("好好好 noooo http://example.org");
        assert_eq!((of_text.length, of_text.repeats, of_text.links, of_text.mentions), (28, 4, 1, 3));
        assert_eq!((inputs("").repeats, inputs("a").repeats, inputs("abb").repeats), (0, 1, 2));
    }
}
