//! Conversion between the numbers of a history and the keys, ids and texts of the service.
//!
//! Subjects of different object types share their object ids, and members share their ids across
//! subjects. Each text names the subject it was written for, so the check
//! detects data that crosses from one type into another.

use riposte_sdk::v1::{Content, SubjectKey};

use super::history::{Fallback, FilterResult, word_text};

/// The object types.
pub(crate) const OBJECT_TYPES: [&str; 3] = ["article", "deep", "video"];
/// Number of levels of their threads, including the root's. A reply to a comment of the last level
/// is placed next to it.
pub(crate) const LEVELS: [usize; OBJECT_TYPES.len()] = [4, 8, 2];

/// The member whose likes all clients set, so that the order of the likes is contested.
pub(crate) const CONTESTED_MEMBER: u32 = 300_000;

/// The object type whose comments wait for review (`crate::settings::OBJECT_TYPES`).
pub(crate) const REVIEWED_TYPE: &str = "held";
/// The weight of reports at which a comment of that type waits: that of two reports.
pub(crate) const REPORT_THRESHOLD: usize = 200;
/// The number of the first subject of that type.
pub(crate) const REVIEWED: u32 = 1 << 20;
/// The object type of the subjects with an owner.
pub(crate) const OWNED_TYPE: &str = "owned";
/// The number of the first subject of that type.
pub(crate) const OWNED: u32 = 1 << 21;
/// Their owner; the authors of their comments follow.
pub(crate) const OWNER: u32 = 600_000;
/// The object type with a word list, whose comments the policy judges.
pub(crate) const JUDGED_TYPE: &str = "judged";
/// The number of the first subject of that type.
pub(crate) const JUDGED: u32 = 1 << 22;
/// The first member that comments there.
pub(crate) const JUDGED_MEMBERS: u32 = 800_000;
/// The object type whose texts a filter judges.
pub(crate) const FILTERED_TYPE: &str = "filtered";
/// The number of the first subject of that type.
pub(crate) const FILTERED: u32 = 1 << 23;
/// The first member that comments there, and their number.
pub(crate) const FILTERED_MEMBERS: u32 = 850_000;
pub(crate) const FILTERED_MEMBER_COUNT: u32 = 20;
/// The object types whose texts a filter judges, and that show or refuse them during an outage.
pub(crate) const SHOWN_TYPE: &str = "shown";
pub(crate) const STRICT_TYPE: &str = "strict";
/// The numbers of their first subjects.
pub(crate) const SHOWN: u32 = 1 << 24;
pub(crate) const STRICT: u32 = 1 << 25;
/// The object type whose new members wait for review (`crate::settings::OBJECT_TYPES`).
pub(crate) const NEWCOMERS_TYPE: &str = "welcomed";
/// The number of the first subject of that type.
pub(crate) const NEWCOMERS: u32 = 1 << 26;
/// The first member that comments there.
pub(crate) const NEWCOMER_MEMBERS: u32 = 870_000;
/// The object types with rules of their own, and the numbers of their first subjects.
const OTHER_TYPES: [(&str, u32); 7] = [
    (REVIEWED_TYPE, REVIEWED),
    (OWNED_TYPE, OWNED),
    (JUDGED_TYPE, JUDGED),
    (FILTERED_TYPE, FILTERED),
    (SHOWN_TYPE, SHOWN),
    (STRICT_TYPE, STRICT),
    (NEWCOMERS_TYPE, NEWCOMERS),
];
/// The moderator that sets the standings of judged members.
pub(crate) const JUDGE: u32 = 900;
/// The begin of the ids and notes of moderators and reporters, which no public response contains.
pub(crate) const SECRET: &str = "riposte-secret-";

/// The first client number of the reads at the end of a run, when nothing changes any more.
pub(crate) const LAST_READS: u32 = 200_000;

/// Returns true for a client of those reads.
pub(crate) fn is_last_read(client: u32) -> bool {
    (LAST_READS..LAST_READS + 100).contains(&client)
}

/// Returns the key of a subject.
pub(crate) fn key(subject: u32) -> SubjectKey {
    if let Some((object_type, first)) = OTHER_TYPES.into_iter().rev().find(|(_, first)| *first <= subject) {
        return SubjectKey { object_type: object_type.to_owned(), object_id: format!("object-{}", subject - first) };
    }
    let types = OBJECT_TYPES.len() as u32;
    let object_type = OBJECT_TYPES[(subject % types) as usize].to_owned();
    SubjectKey { object_type, object_id: format!("object-{}", subject / types) }
}

/// Returns the number of levels of a subject's threads.
pub(crate) fn levels(subject: u32) -> usize {
    LEVELS[subject as usize % LEVELS.len()]
}

/// Returns the subject with the same object id in another object type.
pub(crate) fn of_another_type(subject: u32) -> u32 {
    let types = OBJECT_TYPES.len() as u32;
    subject - subject % types + (subject + 1) % types
}

/// Returns the subject of a key; `u32::MAX` for a key that no run uses.
pub(crate) fn subject(key: Option<&SubjectKey>) -> u32 {
    let number = || {
        let key = key?;
        for (object_type, first) in OTHER_TYPES {
            if key.object_type == object_type {
                return key.object_id.strip_prefix("object-")?.parse::<u32>().ok()?.checked_add(first);
            }
        }
        let object_type = OBJECT_TYPES.iter().position(|name| *name == key.object_type)? as u32;
        let object: u32 = key.object_id.strip_prefix("object-")?.parse().ok()?;
        object.checked_mul(OBJECT_TYPES.len() as u32)?.checked_add(object_type)
    };
    number().unwrap_or(u32::MAX)
}

/// Returns true for a quarter of all comments: moderators hide and show them, and their authors do
/// not delete them. So each comment has one kind of state besides the visible one.
pub(crate) fn is_moderated(comment: i64) -> bool {
    comment.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 == 1
}

/// Returns true for a subject whose comments wait for review.
pub(crate) fn is_reviewed(subject: u32) -> bool {
    (REVIEWED..OWNED).contains(&subject)
}

/// Returns true for a subject with an owner.
pub(crate) fn is_owned(subject: u32) -> bool {
    (OWNED..JUDGED).contains(&subject)
}

/// Returns all object types.
pub(crate) fn all_types() -> impl Iterator<Item = &'static str> {
    OBJECT_TYPES.into_iter().chain(OTHER_TYPES.map(|(object_type, _)| object_type))
}

/// Returns true for a subject whose comments the policy judges.
pub(crate) fn is_judged(subject: u32) -> bool {
    (JUDGED..u32::MAX).contains(&subject)
}

/// Returns what becomes of the texts of a filtered subject about which the filter says nothing.
pub(crate) fn fallback(subject: u32) -> Fallback {
    match subject {
        SHOWN..STRICT => Fallback::Show,
        STRICT..NEWCOMERS => Fallback::Refuse,
        _held => Fallback::Hold,
    }
}

/// Returns the id of a moderator.
pub(crate) fn moderator_id(moderator: u32) -> String {
    format!("{SECRET}{moderator}")
}

/// Returns the moderator of an id; `u32::MAX` for an id that no run uses.
pub(crate) fn moderator(id: &str) -> u32 {
    id.strip_prefix(SECRET).and_then(|number| number.parse().ok()).unwrap_or(u32::MAX)
}

/// Returns the id of a reporter of a comment, which is a member of its own.
pub(crate) fn reporter_id(comment: i64, reporter: u8) -> String {
    format!("{SECRET}r{comment}-{reporter}")
}

/// Returns the reporter of an id; `u8::MAX` for an id that no run uses.
pub(crate) fn reporter(id: &str) -> u8 {
    let number = id.strip_prefix(SECRET).and_then(|rest| rest.strip_prefix('r')?.split_once('-'));
    number.and_then(|(_, number)| number.parse().ok()).unwrap_or(u8::MAX)
}

/// Returns true if the reports of a reporter claim that a comment is illegal.
pub(crate) fn claims_illegal(reporter: u8) -> bool {
    reporter == 0
}

/// Returns the id of a member.
pub(crate) fn member_id(member: u32) -> String {
    format!("m{member}")
}

/// Returns the member of an id; `u32::MAX` for an id that no run uses.
pub(crate) fn member(id: &str) -> u32 {
    id.strip_prefix('m').and_then(|number| number.parse().ok()).unwrap_or(u32::MAX)
}

/// Returns a text, which consists of its subject and a number that no other text of the run has.
pub(crate) fn text(subject: u32, number: u64) -> String {
    format!("s{subject} t{number}")
}

/// The first of the members that texts mention. They make no calls.
const MENTIONED: u32 = 950_000;
/// Their number. It is small, so that texts of one comment mention the same member again.
const MENTIONED_MEMBERS: u64 = 3;

/// Returns the member that the text of a number mentions; every fourth text mentions one.
pub(crate) fn mentioned(number: u64) -> Option<u32> {
    let member = MENTIONED + (number / 4 % MENTIONED_MEMBERS) as u32;
    number.is_multiple_of(4).then_some(member)
}

/// Returns a text with the member that it mentions.
pub(crate) fn content(subject: u32, number: u64) -> Option<Content> {
    let mentioned_member_ids = mentioned(number).map(member_id).into_iter().collect();
    Some(Content { text: text(subject, number), mentioned_member_ids, ..Content::default() })
}

/// Returns a text with a word of the lists.
pub(crate) fn judged_text(subject: u32, number: u64, word: u8) -> String {
    format!("{} {}", text(subject, number), word_text(word).unwrap_or_default())
}

/// Returns a text about which the filter says this. A listed one has a word that a list holds.
pub(crate) fn filtered_text(subject: u32, number: u64, result: FilterResult, is_listed: bool) -> String {
    let more = if is_listed { " hemlock" } else { "" };
    format!("{} {}{more}", text(subject, number), result.word())
}

/// Returns the words after the number of a text.
pub(crate) fn text_words(text: &str) -> &str {
    text.splitn(3, ' ').nth(2).unwrap_or_default()
}

/// Returns the subject and the number of a text; `u32::MAX` and 0 for a text that no run writes.
/// Words after the number do not matter.
pub(crate) fn text_number(text: &str) -> (u32, u64) {
    let parts = text.split_once(' ').and_then(|(subject, number)| {
        let number = number.split(' ').next()?;
        Some((subject.strip_prefix('s')?.parse().ok()?, number.strip_prefix('t')?.parse().ok()?))
    });
    parts.unwrap_or((u32::MAX, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_map_back_to_numbers_and_unknown_names_do_not() {
        for number in [
            0,
            1,
            2,
            3,
            100,
            4_000,
            REVIEWED,
            REVIEWED + 7,
            OWNED,
            OWNED + 7,
            JUDGED,
            JUDGED + 7,
            FILTERED,
            FILTERED + 7,
            SHOWN + 7,
            STRICT + 7,
            NEWCOMERS + 7,
        ] {
            assert_eq!(subject(Some(&key(number))), number);
            assert_eq!((member(&member_id(number)), moderator(&moderator_id(number))), (number, number));
            assert_eq!(reporter(&reporter_id(number.into(), 3)), 3);
            assert_eq!(text_number(&text(number, 1 << 50)), (number, 1 << 50));
            assert_eq!(text_number(&judged_text(number, 1 << 50, 2)), (number, 1 << 50));
            let filtered = filtered_text(number, 1 << 50, FilterResult::Hold, true);
            assert_eq!((text_number(&filtered), text_words(&filtered)), ((number, 1 << 50), "held hemlock"));
        }
        assert_eq!(key(3).object_id, key(4).object_id, "types share their object ids");
        assert_eq!(subject(Some(&SubjectKey { object_type: "x".into(), object_id: "object-1".into() })), u32::MAX);
        assert_eq!((subject(None), member("n1"), text_number("s1")), (u32::MAX, u32::MAX, (u32::MAX, 0)));
    }
}
