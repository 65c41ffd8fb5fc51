//! Filters: their syntax, and what they match.

mod fields;
mod hostile;
mod random;
mod syntax;
mod text_form;
mod times;

use super::{FilterComparison, SearchFilter};
use crate::domain::act::CommentAct;
use crate::domain::ids::CommentId;
use crate::domain::lifecycle::DeletedBy;
use crate::domain::member::MemberId;
use crate::domain::review::{OpenQuestions, ReviewCause, ReviewCauses};
use crate::domain::search::{CommentFacts, TextKey};
use crate::domain::state::CommentState;
use crate::domain::time::Millis;

fn parse(text: &str) -> SearchFilter {
    SearchFilter::parse("filter", text).unwrap_or_else(|violation| panic!("{text}: {violation:?}"))
}

/// Returns the position and the rule of the violation that a text causes.
fn violation(text: &str) -> (usize, String) {
    let violation = SearchFilter::parse("query.filter", text).expect_err(text);
    assert_eq!(violation.field, "query.filter");
    let (position, rule) = violation.description.split_once(": ").expect("a position");
    let position = position.strip_prefix("at position ").expect("a position");
    (position.parse().expect("a number"), rule.to_owned())
}

fn id(id: i64) -> CommentId {
    CommentId::new(id).expect("positive")
}

fn member(name: &str) -> MemberId {
    MemberId::stored(name.to_owned())
}

fn key(byte: u8) -> TextKey {
    TextKey([byte; 16])
}

/// The lists that a comment borrows.
struct Fixture {
    member: MemberId,
    mentions: Vec<MemberId>,
    links: Vec<String>,
}

impl Fixture {
    fn new() -> Self {
        let links = ["www.example.com", "other.org"].map(str::to_owned).to_vec();
        Self { member: member("ann"), mentions: vec![member("bob"), member("eve")], links }
    }

    /// A deleted, edited reply with a value for every field.
    fn comment(&self) -> CommentFacts<'_> {
        CommentFacts {
            subject: "video-1",
            member: &self.member,
            mentions: &self.mentions,
            links: &self.links,
            text_key: Some(key(1)),
            length: 300,
            root: Some(id(7)),
            parent: Some(id(8)),
            depth: 2,
            state: CommentState::Deleted,
            deleted_by: Some(DeletedBy::SubjectOwner),
            erased: false,
            open: questions(&[ReviewCause::New, ReviewCause::Appeal]),
            act: Some(CommentAct::RejectEdit),
            code: Some("spam.link"),
            reports: 4,
            decisions: 3,
            // 2026-11-25T10:00:00Z and an hour later.
            create_time: Millis(1_795_600_800_000),
            edit_time: Some(Millis(1_795_604_400_000)),
        }
    }

    /// A root in sight without a value where a field may have none.
    fn plain(&self) -> CommentFacts<'_> {
        CommentFacts {
            mentions: &[],
            links: &[],
            text_key: None,
            root: None,
            parent: None,
            depth: 0,
            state: CommentState::Active,
            deleted_by: None,
            open: questions(&[]),
            act: None,
            code: None,
            reports: 0,
            decisions: 0,
            edit_time: None,
            ..self.comment()
        }
    }
}

fn questions(causes: &[ReviewCause]) -> OpenQuestions {
    ReviewCauses::of(causes).questions()
}
