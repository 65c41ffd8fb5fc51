//! The reads for ranked lists: the last ranking, the data for a new one, and the comments that a
//! ranking lacks.

mod load;
mod unranked;

use std::ops::Range;

use riposte_core::page::ListOrder;
use riposte_core::rank::{RankedList, Ranking};
use riposte_core::{Comment, CommentId, Millis, SubjectId};

use super::SqlReader;
use super::rows::{comments, open_subject};
use crate::error::StoreError;
use crate::sql::pool::Tx;
use load::ListRankState;

/// A ranked list in a snapshot.
#[derive(Debug, Clone, Copy)]
struct Listing {
    subject: SubjectId,
    root: Option<CommentId>,
    next_floor: i32,
    /// A number that changes whenever a comment joins or leaves the list.
    revision: i64,
}

impl Listing {
    /// Loads the list; `None` if the subject or the root is absent, or the subject is deleted.
    async fn of(tx: &Tx, list: &RankedList) -> Result<Option<Self>, StoreError> {
        let Some(subject) = open_subject(tx, list.subject()).await? else { return Ok(None) };
        let Some(root) = list.root() else {
            let (next_floor, revision) = (subject.next_floor, subject.revision);
            return Ok(Some(Self { subject: subject.id, root: None, next_floor, revision }));
        };
        let root =
            comments(tx, &[root]).await?.pop().filter(|root| root.is_root() && root.reference.subject_id == subject.id);
        let replies_of = |root: Comment| Self {
            subject: subject.id,
            root: Some(root.reference.id),
            next_floor: root.next_floor,
            revision: root.lifecycle.revision,
        };
        Ok(root.map(replies_of))
    }

    /// Returns the list id in the rank index and in rankings.
    fn id(&self) -> CommentId {
        self.root.unwrap_or(CommentId::from(self.subject))
    }

    /// Returns the `root_id` in the rows of its comments.
    fn root_id(&self) -> i64 {
        self.root.map_or(0, CommentId::get)
    }
}

impl SqlReader {
    /// Returns the last ranking of a list. If `depth` is given and that ranking is outdated, the
    /// result also has the data for the next one: the first `depth` comments of the rank index and
    /// the newest `depth` comments of the list.
    pub(in crate::sql) async fn rank_state(
        &self,
        list: &RankedList,
        now: Millis,
        depth: Option<usize>,
    ) -> riposte_core::Result<Option<ListRankState>> {
        self.run_query(load::LoadRankState { list: list.clone(), now, depth }).await
    }

    /// Returns the ranking with this number.
    pub(in crate::sql) async fn ranking_snapshot(
        &self,
        list: &RankedList,
        epoch: i64,
    ) -> riposte_core::Result<Option<Ranking>> {
        self.run_query(load::LoadSnapshot { list: list.clone(), epoch }).await
    }

    /// Returns the listed floors that a ranking lacks.
    pub(in crate::sql) async fn unranked_floors(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> riposte_core::Result<Vec<i32>> {
        self.run_query(unranked::UnrankedFloors { list: list.clone(), ranking: ranking.clone(), floors, order, limit })
            .await
    }
}
