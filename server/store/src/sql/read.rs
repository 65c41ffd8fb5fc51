//! The reads: one query, one file. A query of one partition runs in one snapshot whose first row is
//! the subject. A batch of ids or keys is grouped by the tables that hold them.

mod authored;
mod clients;
mod comment_ids;
mod comment_likers;
mod comments;
mod conversation;
mod created_by;
mod event_rows;
mod export;
mod exported_likes;
mod like_states;
mod likers;
mod list_subjects;
mod listed;
mod locate;
mod location_cache;
mod locator;
mod member_comments;
mod member_likes;
mod newest_ids;
mod originals;
mod previews;
mod ranks;
mod replies;
mod reviews;
mod revisions;
mod roots;
mod rows;
mod scatter;
mod subjects;
mod thread;
pub(super) mod verify;

use std::future::Future;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::comment::CommentView;
use riposte_core::decision::Decision;
use riposte_core::ids::{DecisionId, IdTick, PARTITIONS};
use riposte_core::location::CommentLocation;
use riposte_core::page::{
    ContentRevision, Conversation, CountReport, HistoryCursor, Liker, LikerCursor, LikersQuery, MemberLike, Page,
    PageQuery, PageSelector, ReplyPage, RootPage, RootPageFill, SubjectCursor, SubjectLikers, SubtreeQuery, ThreadPage,
};
use riposte_core::ports::{
    CommentRows, ExportRows, ExportedComment, ExportedLike, LikeRows, ListRows, MemberRows, NewestComments, Originals,
    Reader, ReviewRows, SubjectRows, UnlistedRow,
};
use riposte_core::proposal::Proposal;
use riposte_core::request::IdempotencyKey;
use riposte_core::review::Review;
use riposte_core::{
    ClientInfo, Comment, CommentId, LikeValue, MemberId, ObjectType, ObjectTypeScope, Partition, Result, Subject,
    SubjectId, SubjectKey,
};

use super::entity::comment_subject;
use super::pool::{DataSources, Tx};
use super::row::{self, HistoryEntry};
use super::{task, transact};
use crate::error::StoreError;
pub(super) use comments::subject_of_comment;
use locator::CommentLocator;
pub(super) use rows::{comments, force_index};
pub(super) use subjects::select_by_keys;

/// The [`Reader`] over SQL. It never writes and takes no lock.
#[derive(Debug, Clone)]
pub(crate) struct SqlReader {
    sources: Arc<DataSources>,
    locator: Arc<CommentLocator>,
}

/// A read of one partition.
trait ReadQuery: Send + 'static {
    /// The result of the query.
    type Output: Send + 'static;
    /// The name of its transaction.
    const NAME: &'static str;

    /// Returns the partition of its rows.
    fn partition(&self) -> Partition;

    /// Reads the result from the snapshot `tx`.
    fn read(self, tx: &Tx) -> impl Future<Output = std::result::Result<Self::Output, StoreError>> + Send;
}

impl SqlReader {
    /// Creates a reader of `sources`.
    pub(crate) fn new(sources: Arc<DataSources>) -> Self {
        Self { locator: CommentLocator::new(Arc::clone(&sources)), sources }
    }

    /// Returns history entries of comments by their ids, in no order; comments that do not exist
    /// are left out.
    pub(super) async fn authored(&self, ids: Vec<CommentId>) -> Result<Vec<HistoryEntry>> {
        scatter::gather::<authored::HistoryEntriesById>(&self.sources, ids).await
    }

    /// Returns at most `limit` comments of a subject in any state, in export order, strictly after
    /// `after`.
    pub(super) async fn comments_under(
        &self,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<Comment>> {
        self.run_query(export::SubjectComments { key: key.clone(), after, limit }).await
    }

    async fn root_page(&self, key: &SubjectKey, selector: PageSelector, previews: u8) -> Result<Option<RootPage>> {
        let read =
            self.run_query(roots::Roots { key: key.clone(), selector, previews, with_candidates: false }).await?;
        Ok(read.map(|read| read.page))
    }

    async fn run_query<Q: ReadQuery>(&self, query: Q) -> Result<Q::Output> {
        let sources = Arc::clone(&self.sources);
        let source = sources.map().source(query.partition());
        task::read(&self.sources, source, Q::NAME, async move {
            let tx = sources.snapshot(query.partition()).await?;
            query.read(&tx).await
        })
        .await
    }

    /// Returns the rows of the next subjects, table by table, and the cursor after them.
    async fn subject_rows(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<comment_subject::Model>, Option<SubjectCursor>)> {
        let (mut found, mut cursor) = (Vec::new(), after);
        for table in after.table..self.sources.map().tables().subject {
            cursor = SubjectCursor { table, after: cursor.after.filter(|_| table == cursor.table) };
            let remaining = limit - found.len();
            let query = list_subjects::ListSubjects { object_type: object_type.cloned(), cursor, limit: remaining + 1 };
            let source = self.sources.map().source(query.partition());
            let mut rows = transact::read(&self.sources, source, query).await?;
            let more = rows.len() > remaining;
            rows.truncate(remaining);
            cursor.after = rows.last().and_then(|row| SubjectId::new(row.id)).or(cursor.after);
            found.append(&mut rows);
            if more {
                return Ok((found, Some(cursor)));
            }
        }
        Ok((found, None))
    }
}

impl Reader for SqlReader {}

#[async_trait]
impl SubjectRows for SqlReader {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>> {
        let found = scatter::gather::<subjects::SubjectsByKey>(&self.sources, keys.to_vec()).await?;
        Ok(subjects::in_order(keys, found))
    }

    async fn list_subjects(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)> {
        let (found, next) = self.subject_rows(object_type, after, limit).await?;
        Ok((found.into_iter().map(row::subject).collect::<Result<_>>()?, next))
    }

    async fn subject_keys(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<(SubjectId, SubjectKey)>, Option<SubjectCursor>)> {
        let (found, next) = self.subject_rows(object_type, after, limit).await?;
        Ok((found.into_iter().map(row::subject_identity).collect::<Result<_>>()?, next))
    }

    async fn verify(&self, key: &SubjectKey) -> Result<CountReport> {
        self.run_query(verify::CompareCounts { key: key.clone() }).await
    }
}

#[async_trait]
impl CommentRows for SqlReader {
    async fn locate(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentLocation>>> {
        let found = self.locator.locate(ids).await?;
        Ok(rows::in_order(ids, found, |location| location.id))
    }

    async fn locate_among(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Result<Vec<Option<CommentLocation>>> {
        let found = self.locator.locate_among(ids, types).await?;
        Ok(rows::in_order(ids, found, |location| location.id))
    }

    async fn locate_each(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Vec<Result<Option<CommentLocation>>> {
        self.locator.locate_each(ids, types).await
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentView>>> {
        let found = scatter::gather::<comments::CommentsById>(&self.sources, ids.to_vec()).await?;
        Ok(rows::in_order(ids, found, |view| view.comment.reference.id))
    }

    async fn conversation(&self, key: &SubjectKey, id: CommentId, limit: usize) -> Result<Option<Conversation>> {
        self.run_query(conversation::Ancestors { key: key.clone(), id, limit }).await
    }

    async fn revisions(&self, id: CommentId) -> Result<Vec<ContentRevision>> {
        self.run_query(revisions::Revisions { id }).await
    }

    async fn created_by(&self, key: &SubjectKey, keys: &[IdempotencyKey]) -> Result<Vec<Option<CommentId>>> {
        self.run_query(created_by::CreatedBy { key: key.clone(), requests: keys.to_vec() }).await
    }
}

#[async_trait]
impl ListRows for SqlReader {
    async fn roots(&self, key: &SubjectKey, query: PageQuery, previews: u8) -> Result<Option<RootPage>> {
        self.root_page(key, PageSelector::Window(query), previews).await
    }

    async fn root_page_with_candidates(
        &self,
        key: &SubjectKey,
        selector: &PageSelector,
        previews: u8,
    ) -> Result<Option<RootPageFill>> {
        self.run_query(roots::Roots { key: key.clone(), selector: selector.clone(), previews, with_candidates: true })
            .await
    }

    async fn roots_at(&self, key: &SubjectKey, floors: &[i32], previews: u8) -> Result<Option<RootPage>> {
        self.root_page(key, PageSelector::Floors(floors.to_vec()), previews).await
    }

    async fn replies(&self, key: &SubjectKey, root: CommentId, query: PageQuery) -> Result<Option<ReplyPage>> {
        self.run_query(replies::Replies { key: key.clone(), root, selector: PageSelector::Window(query) }).await
    }

    async fn replies_at(&self, key: &SubjectKey, root: CommentId, floors: &[i32]) -> Result<Option<ReplyPage>> {
        self.run_query(replies::Replies { key: key.clone(), root, selector: PageSelector::Floors(floors.to_vec()) })
            .await
    }

    async fn thread(&self, key: &SubjectKey, part: &SubtreeQuery) -> Result<Option<ThreadPage>> {
        self.run_query(thread::SubtreePage { key: key.clone(), subtree: part.clone() }).await
    }
}

#[async_trait]
impl LikeRows for SqlReader {
    async fn like_states(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<Option<LikeValue>>> {
        like_states::like_states(&self.sources, &self.locator, (key, member), ids).await
    }

    async fn likers(
        &self,
        id: CommentId,
        value: LikeValue,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Page<Liker>> {
        self.run_query(likers::Likers { id, value, after: after.cloned(), limit }).await
    }

    async fn comment_likers(&self, key: &SubjectKey, query: &LikersQuery) -> Result<Option<SubjectLikers>> {
        let source = self.sources.map().source(key.partition());
        let work = comment_likers::read(Arc::clone(&self.sources), key.clone(), query.clone());
        task::read(&self.sources, source, comment_likers::NAME, work).await
    }

    async fn member_likes(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>> {
        self.run_query(member_likes::MemberLikes { key: key.clone(), member: member.clone(), after, limit }).await
    }
}

#[async_trait]
impl MemberRows for SqlReader {
    async fn member_comments(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        any_state: bool,
        after: Option<&HistoryCursor>,
        limit: usize,
    ) -> Result<Page<HistoryCursor>> {
        let (object_type, member, after) = (object_type.clone(), member.clone(), after.copied());
        let page = member_comments::MemberComments { object_type, member, any_state, after, limit };
        let source = self.sources.map().source(page.partition());
        task::read(&self.sources, source, member_comments::NAME, page.read(Arc::clone(&self.sources))).await
    }

    async fn active_comments(&self, object_type: &ObjectType, member: &MemberId, limit: usize) -> Result<u32> {
        let (object_type, member) = (object_type.clone(), member.clone());
        let newest = member_comments::NewestStates { object_type, member, limit };
        let source = self.sources.map().source(newest.partition());
        let read = newest.active(Arc::clone(&self.sources));
        task::read(&self.sources, source, member_comments::NewestStates::NAME, read).await
    }
}

#[async_trait]
impl ReviewRows for SqlReader {
    async fn reviews(&self, ids: &[CommentId]) -> Result<Vec<Option<Review>>> {
        let found = scatter::gather::<reviews::ReviewsById>(&self.sources, ids.to_vec()).await?;
        Ok(rows::in_order(ids, found, |review| review.comment_id))
    }

    async fn proposals(&self, ids: &[CommentId]) -> Result<Vec<Option<Proposal>>> {
        let found = scatter::gather::<reviews::ProposalsOfComments>(&self.sources, ids.to_vec()).await?;
        Ok(reviews::newest(ids, found))
    }

    async fn originals(&self, ids: &[CommentId]) -> Result<Vec<Originals>> {
        let found = scatter::gather::<originals::OriginalsOfComments>(&self.sources, ids.to_vec()).await?;
        Ok(originals::by_comment(ids, found))
    }

    async fn clients(&self, ids: &[CommentId]) -> Result<Vec<Option<ClientInfo>>> {
        let found = scatter::gather::<clients::ClientsById>(&self.sources, ids.to_vec()).await?;
        let clients = rows::in_order(ids, found, |(id, _)| *id);
        Ok(clients.into_iter().map(|client| client.map(|(_, client)| client)).collect())
    }

    async fn has_request(&self, key: &SubjectKey, request: IdempotencyKey) -> Result<bool> {
        self.run_query(created_by::HasRequest { key: key.clone(), request }).await
    }

    async fn decisions_by_id(&self, ids: &[DecisionId]) -> Result<Vec<Option<Decision>>> {
        let found = scatter::gather::<reviews::DecisionsById>(&self.sources, ids.to_vec()).await?;
        let of = |id: &DecisionId| found.iter().find(|decision| decision.id == *id).cloned();
        Ok(ids.iter().map(of).collect())
    }

    async fn decisions(&self, id: CommentId, before: Option<i32>, limit: usize) -> Result<Vec<Decision>> {
        self.run_query(reviews::DecisionsOnComment { id, before, limit }).await
    }

    async fn unlisted(
        &self,
        key: &SubjectKey,
        subject: SubjectId,
        member: &MemberId,
        before: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<UnlistedRow>> {
        let (partition, member) = (key.partition(), member.clone());
        self.run_query(reviews::UnlistedComments { partition, subject, member, before, limit }).await
    }
}

#[async_trait]
impl ExportRows for SqlReader {
    async fn comment_ids(
        &self,
        ticks: Range<IdTick>,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<(Vec<CommentId>, Option<CommentId>)> {
        let (map, tables) = (self.sources.map(), self.sources.map().tables().index);
        let begin = |table: u16| CommentId::last_before(ticks.start, Partition::number(table));
        let after = after.unwrap_or(begin(0));
        let at = after.partition();
        // Ids of earlier ticks have higher partitions than the first one of the table.
        let above = after.max(CommentId::last_before(ticks.start, Partition::number(PARTITIONS - 1)));
        let last = CommentId::last_before(ticks.end, Partition::number(PARTITIONS - 1));
        let query = comment_ids::CommentIds { at, after: above, last, limit };
        let ids = transact::read(&self.sources, map.source(at), query).await?;
        let next_table = at.get() % tables + 1;
        let next = match ids.last() {
            Some(last) if ids.len() == limit => Some(*last),
            _ => (next_table < tables).then(|| begin(next_table)),
        };
        Ok((ids, next))
    }

    async fn newest_comment_ids(
        &self,
        range: &NewestComments,
        limit: usize,
    ) -> Result<(Vec<CommentId>, Option<CommentId>)> {
        let Some(key) = range.subject.clone() else {
            return newest_ids::of_all_tables(&self.sources, range, limit).await;
        };
        let ids = self.run_query(newest_ids::NewestOfSubject { key, range: range.clone(), limit }).await?;
        let next = ids.last().copied().filter(|_| ids.len() == limit);
        Ok((ids, next))
    }

    async fn export_comments(
        &self,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<ExportedComment>> {
        self.run_query(export::ExportPage { key: key.clone(), after, limit }).await
    }

    async fn export_likes(
        &self,
        ids: &[CommentId],
        after: Option<&ExportedLike>,
        limit: usize,
    ) -> Result<Vec<ExportedLike>> {
        let Some(first) = ids.first() else { return Ok(Vec::new()) };
        let query = exported_likes::ExportedLikes {
            partition: first.partition(),
            ids: ids.to_vec(),
            after: after.cloned(),
            limit,
        };
        self.run_query(query).await
    }
}
