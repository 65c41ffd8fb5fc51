//! Votes of a Polis conversation, replayed in the order in which they were cast.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::import_item::Kind;
use riposte_sdk::v1::{ImportCommentsRequest, ImportItem, ImportOutcome, ImportedComment, LikeValue};

use super::moderators::Judgement;
use super::{key, rows};
use crate::say::content;
use crate::{Say, Server};

/// The object type of the conversations.
pub const OBJECT_TYPE: &str = "conversation";

/// One conversation, as its files contain it.
#[derive(Debug)]
pub struct Polis {
    /// The comments ordered by time: id, author, text, ms since 1970.
    pub comments: Vec<(String, String, String, i64)>,
    /// The judgement of the conversation's moderators about each comment.
    pub judgements: HashMap<String, Judgement>,
    /// The votes of each voter ordered by time: comment and value.
    pub votes: BTreeMap<String, Vec<(String, LikeValue)>>,
}

impl Polis {
    /// Reads a conversation, and checks with the published sums which sign means agreement.
    ///
    /// # Errors
    /// If a file differs from the known format.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut cast = rows(&folder.join("votes.csv.gz"))?;
        let written = rows(&folder.join("comments.csv.gz"))?;
        let mut agrees: HashMap<&str, i64> = HashMap::new();
        for vote in cast.iter().filter(|vote| vote["vote"] == "1") {
            *agrees.entry(&vote["comment-id"]).or_default() += 1;
        }
        let (mut comments, mut judgements) = (Vec::new(), HashMap::new());
        for row in &written {
            let id = row["comment-id"].as_str();
            let judgement = match row["moderated"].as_str() {
                "1" => Judgement::Approved,
                "-1" => Judgement::Rejected,
                "0" => Judgement::Undecided,
                other => anyhow::bail!("an unknown judgement: {other}"),
            };
            judgements.insert(id.to_owned(), judgement);
            // The sums count every vote, including those that the voter changed later.
            ensure!(agrees.get(id).copied().unwrap_or(0) == row["agrees"].parse::<i64>()?, "1 is not agreement: {id}");
            comments.push((
                id.to_owned(),
                row["author-id"].clone(),
                row["comment-body"].clone(),
                row["timestamp"].parse()?,
            ));
        }
        comments.sort_by_key(|comment| comment.3);
        cast.sort_by_key(|vote| vote["timestamp"].parse::<i64>().unwrap_or_default());
        let mut votes: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for vote in cast {
            let value = match vote["vote"].as_str() {
                "1" => LikeValue::Like,
                "-1" => LikeValue::Dislike,
                "0" => LikeValue::None,
                other => anyhow::bail!("an unknown vote: {other}"),
            };
            votes.entry(vote["voter-id"].clone()).or_default().push((vote["comment-id"].clone(), value));
        }
        Ok(Self { comments, judgements, votes })
    }

    /// Returns the number of votes.
    #[must_use]
    pub fn total(&self) -> usize {
        self.votes.values().map(Vec::len).sum()
    }

    /// Returns the likes and dislikes of each comment, where only the last vote of each voter
    /// counts.
    #[must_use]
    pub fn outcome(&self) -> HashMap<&str, (i32, i32)> {
        let mut counts: HashMap<&str, (i32, i32)> = HashMap::new();
        for votes in self.votes.values() {
            let last: HashMap<&str, LikeValue> =
                votes.iter().map(|(comment, value)| (comment.as_str(), *value)).collect();
            for (comment, value) in last {
                let count = counts.entry(comment).or_default();
                count.0 += i32::from(value == LikeValue::Like);
                count.1 += i32::from(value == LikeValue::Dislike);
            }
        }
        counts
    }

    /// Imports the comments as roots; returns the comment ids by the ids of the file.
    ///
    /// # Errors
    /// The server's, or a comment that was not created.
    pub async fn import(&self, server: &Server, object_id: &str) -> Result<HashMap<String, i64>> {
        let request = |(id, author, text, created): &(String, String, String, i64)| {
            let comment = ImportedComment {
                subject: Some(key(OBJECT_TYPE, object_id)),
                member_id: author.clone(),
                content: content(text),
                create_time: Some(prost_types::Timestamp { seconds: created / 1000, nanos: 0 }),
                ..ImportedComment::default()
            };
            let external_id = format!("{object_id}#{id}");
            let item = ImportItem { source: "polis".into(), external_id, kind: Some(Kind::Comment(comment)) };
            ImportCommentsRequest { item: Some(item) }
        };
        let requests: Vec<_> = self.comments.iter().map(request).collect();
        let mut responses = server.admin()?.import_comments(futures::stream::iter(requests)).await?.into_inner();
        let mut ids = HashMap::new();
        while let Some(response) = responses.message().await? {
            ensure!(response.outcome() == ImportOutcome::Created, "{response:?}");
            let (_, id) = response.external_id.split_once('#').context("an id that was never sent")?;
            ids.insert(id.to_owned(), response.comment_id);
        }
        ensure!(ids.len() == self.comments.len(), "{} of {} answered", ids.len(), self.comments.len());
        Ok(ids)
    }

    /// Casts all votes with `clients` concurrent clients; the votes of each voter stay in order.
    ///
    /// # Errors
    /// The first vote that failed.
    pub async fn replay(
        &self,
        server: &Server,
        object_id: &str,
        ids: &HashMap<String, i64>,
        clients: usize,
    ) -> Result<()> {
        let mut shares: Vec<Vec<(String, i64, LikeValue)>> = vec![Vec::new(); clients];
        for (index, (voter, votes)) in self.votes.iter().enumerate() {
            for (comment, value) in votes {
                let id = ids.get(comment).context("a vote for an unknown comment")?;
                shares[index % clients].push((format!("voter-{voter}"), *id, *value));
            }
        }
        let mut tasks = tokio::task::JoinSet::new();
        for share in shares {
            let say = Say { client: server.client()?, key: key(OBJECT_TYPE, object_id) };
            tasks.spawn(async move {
                for (voter, id, value) in share {
                    let response = say.like(id, &voter, value).await?;
                    ensure!(response.value() == value, "{response:?}");
                }
                Ok(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        Ok(())
    }

    /// Compares every comment's counts with the outcome of the file.
    ///
    /// # Errors
    /// The first comment whose counts differ.
    pub async fn compare(&self, server: &Server, object_id: &str, ids: &HashMap<String, i64>) -> Result<()> {
        let say = Say { client: server.client()?, key: key(OBJECT_TYPE, object_id) };
        let outcome = self.outcome();
        let roots = say.roots(riposte_sdk::v1::CommentSort::Oldest, 50).await?;
        ensure!(roots.len() == self.comments.len(), "{} comments are listed", roots.len());
        let names: HashMap<i64, &str> = ids.iter().map(|(name, id)| (*id, name.as_str())).collect();
        for root in roots {
            let name = names.get(&root.id).copied().context("a comment without a name")?;
            let expected = outcome.get(name).copied().unwrap_or_default();
            ensure!((root.like_count, root.dislike_count) == expected, "{name}: {expected:?} expected, {root:?}");
        }
        Ok(())
    }
}
