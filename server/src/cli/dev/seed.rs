//! The demo data, imported through `AdminService` like any other import. Importing it again changes
//! nothing, so it can be imported at every start with a folder that `--data` keeps.

mod demo;

use anyhow::ensure;
use prost_types::Timestamp;
use riposte_sdk::v1::{
    Content, ImportCommentsRequest, ImportItem, ImportOutcome, ImportedComment, ImportedLike, ImportedSubject,
    LikeValue, SubjectKey, admin_service_client::AdminServiceClient, import_item::Kind,
};
use std::net::SocketAddr;
use tonic::transport::Endpoint;

const SOURCE: &str = "riposte-demo";
/// The type and the id of the demo's subject.
const KEY: (&str, &str) = ("article", "1");
/// The subject of the demo as command lines name it.
pub(super) const SUBJECT: &str = "article/1";

/// Start of the demo conversation: 2026-03-06, 18:00 UTC. A fixed time makes every start show the
/// same page.
const START_SECONDS: i64 = 1_772_820_000;

/// Imports the demo through the admin port and waits until it is durable.
pub(super) async fn import(admin: SocketAddr) -> anyhow::Result<()> {
    let channel = Endpoint::from_shared(format!("http://{admin}"))?.connect().await?;
    let requests = items().into_iter().map(|item| ImportCommentsRequest { item: Some(item) });
    let stream = futures::stream::iter(requests.collect::<Vec<_>>());
    let mut responses = AdminServiceClient::new(channel).import_comments(stream).await?.into_inner();
    let mut imported = 0;
    while let Some(response) = responses.message().await? {
        ensure!(
            response.outcome() != ImportOutcome::Rejected,
            "{} was rejected: {}",
            response.external_id,
            response.error.map(|error| error.message).unwrap_or_default()
        );
        imported += 1;
    }
    ensure!(imported == items().len(), "the server imported {imported} items of {}", items().len());
    Ok(())
}

/// Returns the number of comments in the demo.
pub(super) fn comments() -> usize {
    demo::COMMENTS.len()
}

/// Returns all items to import: the subject, its comments, their votes.
fn items() -> Vec<ImportItem> {
    let subject = Kind::Subject(ImportedSubject {
        key: Some(key()),
        owner_id: "ada".into(),
        create_time: time_at(-30),
        ..ImportedSubject::default()
    });
    let mut items = vec![item("article-1", subject)];
    items.extend(demo::COMMENTS.iter().enumerate().map(|(index, line)| {
        let comment = ImportedComment {
            subject: Some(key()),
            parent_external_id: line.parent.map(external_id).unwrap_or_default(),
            member_id: line.member.into(),
            content: Some(Content { text: line.text.into(), ..Content::default() }),
            create_time: time_at(line.minute),
            ..ImportedComment::default()
        };
        item(&external_id(index), Kind::Comment(comment))
    }));
    for (index, line) in demo::COMMENTS.iter().enumerate() {
        let likes = std::iter::repeat_n(LikeValue::Like, line.likes);
        let votes = likes.chain(std::iter::repeat_n(LikeValue::Dislike, line.dislikes));
        items.extend(votes.enumerate().map(|(voter, value)| vote(index, line.minute, voter, value)));
    }
    items
}

fn vote(index: usize, minute: i64, voter: usize, value: LikeValue) -> ImportItem {
    let like = ImportedLike {
        subject: Some(key()),
        comment_external_id: external_id(index),
        member_id: format!("reader-{voter:02}"),
        value: value.into(),
        time: time_at(minute + 1),
        synthetic: false,
    };
    item(&format!("{}-vote-{voter:02}", external_id(index)), Kind::Like(like))
}

fn item(external_id: &str, kind: Kind) -> ImportItem {
    ImportItem { source: SOURCE.into(), external_id: external_id.into(), kind: Some(kind) }
}

fn external_id(index: usize) -> String {
    format!("comment-{index:02}")
}

fn key() -> SubjectKey {
    SubjectKey { object_type: KEY.0.into(), object_id: KEY.1.into() }
}

fn time_at(minute: i64) -> Option<Timestamp> {
    Some(Timestamp { seconds: START_SECONDS + minute * 60, nanos: 0 })
}

#[cfg(test)]
mod tests {
    use super::{demo::COMMENTS, items};
    use std::collections::BTreeSet;

    #[test]
    fn the_demo_has_fifty_comments_in_order_of_time_with_parents_before_their_replies() {
        assert_eq!(COMMENTS.len(), 50);
        for (index, line) in COMMENTS.iter().enumerate() {
            assert!(
                line.parent.is_none_or(|parent| parent < index && COMMENTS[parent].minute < line.minute),
                "{index}"
            );
            assert!(!line.text.is_empty());
        }
        let ids: BTreeSet<_> = items().into_iter().map(|item| item.external_id).collect();
        assert_eq!(ids.len(), items().len(), "external ids are unique");
        assert!(items().len() > 150, "and there are votes");
    }
}
