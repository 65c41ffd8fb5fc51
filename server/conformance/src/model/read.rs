//! The reads of the oracle.

use std::collections::BTreeSet;
use std::ops::Range;

use async_trait::async_trait;
use riposte_core::comment::CommentView;
use riposte_core::decision::Decision;
use riposte_core::ids::{DecisionId, IdTick};
use riposte_core::location::CommentLocation;
use riposte_core::page::{
    CommentLikers, ContentRevision, Conversation, CountReport, HistoryCursor, Liker, LikerCursor, LikersQuery,
    MemberLike, Page, PageQuery, ReplyPage, RootPage, SubjectCursor, SubjectLikers, SubtreeQuery, ThreadPage,
};
use riposte_core::ports::{
    CommentRows, ExportRows, ExportedComment, ExportedLike, LikeRows, ListRows, MemberRows, NewestComments, Originals,
    Reader, ReviewRows, SubjectRows, UnlistedRow,
};
use riposte_core::proposal::Proposal;
use riposte_core::request::IdempotencyKey;
use riposte_core::review::{OpenQuestions, Review};
use riposte_core::{ClientInfo, CommentId, LikeValue, MemberId, ObjectType, Result, Subject, SubjectId, SubjectKey};

use super::Model;
use super::pages::page;
use super::recount::Recount;

impl Reader for Model {
    fn primary(&self) -> Option<&dyn Reader> {
        self.primary.as_deref().map(|primary| primary as &dyn Reader)
    }
}

#[async_trait]
impl SubjectRows for Model {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>> {
        let tables = self.tables();
        Ok(keys
            .iter()
            .map(|key| tables.subject_table(key).map(|subject_table| Recount::new(subject_table).subject()))
            .collect())
    }

    async fn list_subjects(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)> {
        let tables = self.tables();
        let is_requested = |of: &ObjectType| object_type.is_none_or(|object_type| of == object_type);
        let of_type = tables
            .subject_tables
            .values()
            .filter(|subject_table| is_requested(subject_table.subject.key.object_type()));
        let mut subjects: Vec<_> = of_type.map(|subject_table| Recount::new(subject_table).subject()).collect();
        subjects.sort_by_key(|subject| subject.id);
        subjects.retain(|subject| after.after.is_none_or(|after| subject.id > after));
        let more = subjects.len() > limit;
        subjects.truncate(limit);
        let last = subjects.last().filter(|_| more).map(|subject| subject.id);
        Ok((subjects, last.map(|id| SubjectCursor { table: 0, after: Some(id) })))
    }

    async fn verify(&self, key: &SubjectKey) -> Result<CountReport> {
        let tables = self.tables();
        let Some(subject_table) = tables.subject_table(key) else { return Ok(CountReport::default()) };
        let mut drifts = Recount::new(subject_table).drifts();
        drifts.append(&mut tables.review_drifts(subject_table));
        Ok(CountReport { comments: subject_table.rows.len() as i64, drifts })
    }
}

#[async_trait]
impl CommentRows for Model {
    async fn locate(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentLocation>>> {
        let tables = self.tables();
        Ok(ids
            .iter()
            .map(|id| tables.comment(*id).map(|(subject_table, row)| Recount::new(subject_table).location(row)))
            .collect())
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentView>>> {
        let tables = self.tables();
        let open = |id: &CommentId| {
            tables.comment(*id).filter(|(subject_table, _)| subject_table.subject.delete_time.is_none())
        };
        Ok(ids.iter().map(|id| open(id).map(|(subject_table, row)| Recount::new(subject_table).view(row))).collect())
    }

    async fn conversation(&self, key: &SubjectKey, id: CommentId, limit: usize) -> Result<Option<Conversation>> {
        let tables = self.tables();
        let recount = tables.open_subject_table(key).map(Recount::new);
        Ok(recount.map(|recount| Conversation { subject: recount.subject(), comments: recount.chain(id, limit) }))
    }

    async fn revisions(&self, id: CommentId) -> Result<Vec<ContentRevision>> {
        let tables = self.tables();
        let found = tables.comment(id).filter(|(_, row)| row.comment.lifecycle.state.is_visible());
        let Some((_, row)) = found else { return Ok(Vec::new()) };
        let (version, content) = (row.comment.lifecycle.version, row.content.clone());
        let present = ContentRevision {
            version,
            content,
            time: row.comment.lifecycle.edit_time.unwrap_or(row.comment.reference.create_time),
        };
        Ok(row.revisions.iter().cloned().chain([present]).collect())
    }

    async fn created_by(&self, key: &SubjectKey, keys: &[IdempotencyKey]) -> Result<Vec<Option<CommentId>>> {
        let tables = self.tables();
        let Some(subject_table) = tables.subject_table(key) else { return Ok(vec![None; keys.len()]) };
        let created = |key: &IdempotencyKey| subject_table.rows.values().find(|row| row.request.key == *key);
        Ok(keys.iter().map(|key| created(key).map(|row| row.comment.reference.id)).collect())
    }
}

#[async_trait]
impl ListRows for Model {
    async fn roots(&self, key: &SubjectKey, window: PageQuery, previews: u8) -> Result<Option<RootPage>> {
        let tables = self.tables();
        let Some(recount) = tables.open_subject_table(key).map(Recount::new) else { return Ok(None) };
        let roots = page(recount.listed(None), window, |view| view.comment.reference.floor);
        Ok(Some(recount.root_page(roots, previews, &tables.ranks)))
    }

    async fn roots_at(&self, key: &SubjectKey, floors: &[i32], previews: u8) -> Result<Option<RootPage>> {
        self.commit_interleaved()?;
        let tables = self.tables();
        let Some(recount) = tables.open_subject_table(key).map(Recount::new) else { return Ok(None) };
        let roots = by_floors(&recount.listed(None), floors);
        Ok(Some(recount.root_page(roots, previews, &tables.ranks)))
    }

    async fn replies(&self, key: &SubjectKey, root: CommentId, window: PageQuery) -> Result<Option<ReplyPage>> {
        let tables = self.tables();
        let Some(recount) = tables.open_subject_table(key).map(Recount::new) else { return Ok(None) };
        let Some(view) = recount.view_of(root).filter(|view| view.comment.reference.root_id.is_none()) else {
            return Ok(None);
        };
        let replies = page(recount.listed(Some(root)), window, |view| view.comment.reference.floor);
        Ok(Some(ReplyPage { subject: recount.subject(), root: view, replies }))
    }

    async fn replies_at(&self, key: &SubjectKey, root: CommentId, floors: &[i32]) -> Result<Option<ReplyPage>> {
        self.commit_interleaved()?;
        let tables = self.tables();
        let Some(recount) = tables.open_subject_table(key).map(Recount::new) else { return Ok(None) };
        let Some(view) = recount.view_of(root).filter(|view| view.comment.reference.root_id.is_none()) else {
            return Ok(None);
        };
        let replies = by_floors(&recount.listed(Some(root)), floors);
        Ok(Some(ReplyPage { subject: recount.subject(), root: view, replies }))
    }

    async fn thread(&self, key: &SubjectKey, query: &SubtreeQuery) -> Result<Option<ThreadPage>> {
        let tables = self.tables();
        let Some(recount) = tables.open_subject_table(key).map(Recount::new) else { return Ok(None) };
        let mut comments = recount.subtree(query);
        let more_after = comments.len() > query.limit;
        comments.truncate(query.limit);
        Ok(Some(ThreadPage { subject: recount.subject(), comments, more_after }))
    }
}

#[async_trait]
impl LikeRows for Model {
    async fn like_states(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<Option<LikeValue>>> {
        let tables = self.tables();
        let Some(subject_table) = tables.open_subject_table(key) else { return Ok(vec![None; ids.len()]) };
        let value =
            |id: &CommentId| subject_table.likes.get(&(*id, member.clone())).map_or(LikeValue::None, |like| like.value);
        Ok(ids.iter().map(|id| subject_table.rows.contains_key(id).then(|| value(id))).collect())
    }

    async fn likers(
        &self,
        id: CommentId,
        value: LikeValue,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Page<Liker>> {
        let tables = self.tables();
        let Some((subject_table, _)) = tables.comment(id) else { return Ok(Page::default()) };
        let recount = Recount::new(subject_table);
        let likes = recount.likers(id).filter(|like| like.value == value);
        let mut likers: Vec<_> = likes.map(liker).collect();
        likers.sort_by(|a, b| (b.time, &b.member).cmp(&(a.time, &a.member)));
        let all = likers.len();
        if let Some(after) = after {
            likers.retain(|liker| (liker.time, &liker.member) < (after.time, &after.member));
        }
        let (more_before, more_after) = (likers.len() < all, likers.len() > limit);
        likers.truncate(limit);
        Ok(Page { items: likers, more_before, more_after })
    }

    async fn comment_likers(&self, key: &SubjectKey, query: &LikersQuery) -> Result<Option<SubjectLikers>> {
        let tables = self.tables();
        let Some(recount) = tables.open_subject_table(key).map(Recount::new) else { return Ok(None) };
        let likers_of = |id: &CommentId| {
            let state = recount.view_of(*id)?.comment.lifecycle.state;
            let mut likers: Vec<_> = recount.likers(*id).filter(|like| like.value == query.value).map(liker).collect();
            likers.sort_by(|a, b| (b.time, &b.member).cmp(&(a.time, &a.member)));
            let count = likers.len() as i32;
            let named = likers.iter().filter(|liker| query.first.contains(&liker.member)).cloned().collect();
            likers.truncate(query.limit);
            Some(CommentLikers { state, count, named, latest: likers })
        };
        Ok(Some(SubjectLikers { state: recount.subject().state, comments: query.ids.iter().map(likers_of).collect() }))
    }

    async fn member_likes(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>> {
        let tables = self.tables();
        let Some(subject_table) = tables.open_subject_table(key) else { return Ok(Page::default()) };
        let likes = subject_table.likes.values().filter(|like| like.member == *member && like.value != LikeValue::None);
        let later = likes.filter(|like| after.is_none_or(|after| like.comment_id > after));
        let likes = later.map(|like| MemberLike { comment: like.comment_id, value: like.value, time: like.time });
        Ok(first(likes.collect(), after.is_some(), limit))
    }
}

#[async_trait]
impl MemberRows for Model {
    async fn member_comments(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        all: bool,
        after: Option<&HistoryCursor>,
        limit: usize,
    ) -> Result<Page<HistoryCursor>> {
        let tables = self.tables();
        let subject_tables = tables
            .subject_tables
            .values()
            .filter(|subject_table| subject_table.subject.key.object_type() == object_type);
        let comments = subject_tables.flat_map(|subject_table| subject_table.rows.values()).map(|row| &row.comment);
        let own = comments
            .filter(|comment| comment.reference.member == *member && (all || comment.lifecycle.state.is_visible()));
        let cursors =
            own.map(|comment| HistoryCursor { time: comment.reference.create_time, comment: comment.reference.id });
        let newest_first = |cursor: &HistoryCursor| std::cmp::Reverse((cursor.time, cursor.comment));
        let is_after = |cursor: &HistoryCursor| after.is_none_or(|after| newest_first(cursor) > newest_first(after));
        let mut cursors: Vec<_> = cursors.filter(is_after).collect();
        cursors.sort_by_key(newest_first);
        Ok(first(cursors, after.is_some(), limit))
    }

    async fn active_comments(&self, object_type: &ObjectType, member: &MemberId, limit: usize) -> Result<u32> {
        let newest = self.member_comments(object_type, member, true, None, limit).await?;
        let active = self.member_comments(object_type, member, false, None, limit).await?;
        Ok(newest.items.iter().filter(|cursor| active.items.contains(cursor)).count() as u32)
    }
}

#[async_trait]
impl ReviewRows for Model {
    async fn reviews(&self, ids: &[CommentId]) -> Result<Vec<Option<Review>>> {
        let tables = self.tables();
        Ok(ids.iter().map(|id| tables.reviews.get(id).cloned()).collect())
    }

    async fn proposals(&self, ids: &[CommentId]) -> Result<Vec<Option<Proposal>>> {
        let tables = self.tables();
        let newest = |id: &CommentId| tables.proposals.range((*id, 0)..=(*id, i32::MAX)).next_back();
        let shown = |id| newest(id).map(|(_, proposal)| proposal.clone()).filter(|p| p.state.is_shown_to_author());
        Ok(ids.iter().map(shown).collect())
    }

    async fn originals(&self, ids: &[CommentId]) -> Result<Vec<Originals>> {
        let tables = self.tables();
        let of = |id: &CommentId| {
            let own = tables.originals.range((*id, i64::MIN)..=(*id, i64::MAX));
            let mut originals = Originals::default();
            // The newest proposal has the least number.
            for ((_, number), original) in own.filter(|(_, original)| !original.is_replaced) {
                let content = original.content.clone();
                if *number > 0 {
                    originals.of_content = Some(content);
                } else if originals.of_proposal.is_none() {
                    originals.of_proposal = Some((number.unsigned_abs() as i32, content));
                }
            }
            originals
        };
        Ok(ids.iter().map(of).collect())
    }

    async fn clients(&self, ids: &[CommentId]) -> Result<Vec<Option<ClientInfo>>> {
        let tables = self.tables();
        let of_row = |id: &CommentId| tables.comment(*id).map(|(_, row)| row.client.clone());
        Ok(ids.iter().map(|id| of_row(id).filter(|client| !client.is_empty())).collect())
    }

    async fn has_request(&self, key: &SubjectKey, request: IdempotencyKey) -> Result<bool> {
        Ok(self.tables().subject_table(key).is_some_and(|subject_table| subject_table.requests.contains_key(&request)))
    }

    async fn decisions_by_id(&self, ids: &[DecisionId]) -> Result<Vec<Option<Decision>>> {
        let tables = self.tables();
        Ok(ids.iter().map(|id| tables.decisions.get(&(id.comment, id.number)).cloned()).collect())
    }

    async fn decisions(&self, id: CommentId, before: Option<i32>, limit: usize) -> Result<Vec<Decision>> {
        let tables = self.tables();
        let of_comment = tables.decisions.range((id, 1)..(id, before.unwrap_or(i32::MAX)));
        Ok(of_comment.rev().take(limit).map(|(_, decision)| decision.clone()).collect())
    }

    async fn unlisted(
        &self,
        _: &SubjectKey,
        subject: SubjectId,
        member: &MemberId,
        before: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<UnlistedRow>> {
        let now = self.shared.clock.now();
        let tables = self.tables();
        let is_listed = |review: &&Review| {
            let is_before = before.is_none_or(|before| review.comment_id < before);
            let is_unlisted = review.text_unshown || review.open().intersects(OpenQuestions::EDIT);
            review.subject_id == subject && review.member == *member && is_unlisted && is_before
        };
        let unlisted = |review: &Review| UnlistedRow {
            comment_id: review.comment_id,
            was_rejected_recently: review.unlisted_until.is_some_and(|until| until > now),
        };
        let mut found: Vec<UnlistedRow> = tables.reviews.values().filter(is_listed).map(unlisted).collect();
        found.sort_unstable_by_key(|row| std::cmp::Reverse(row.comment_id));
        found.truncate(limit);
        Ok(found)
    }
}

#[async_trait]
impl ExportRows for Model {
    async fn comment_ids(
        &self,
        ticks: Range<IdTick>,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<(Vec<CommentId>, Option<CommentId>)> {
        let mut ids: Vec<CommentId> = self.tables().comment_subjects.keys().copied().collect();
        ids.retain(|id| ticks.contains(&id.tick()) && after.is_none_or(|after| *id > after));
        let is_last = ids.len() <= limit;
        ids.truncate(limit);
        let next = ids.last().copied().filter(|_| !is_last);
        Ok((ids, next))
    }

    async fn newest_comment_ids(
        &self,
        range: &NewestComments,
        limit: usize,
    ) -> Result<(Vec<CommentId>, Option<CommentId>)> {
        let NewestComments { subject, from, before } = range;
        let tables = self.tables();
        let is_chosen = |(id, key): &(&CommentId, &SubjectKey)| {
            subject.as_ref().is_none_or(|subject| subject == *key)
                && id.tick() >= *from
                && before.is_none_or(|before| **id < before)
        };
        let mut newest = tables.comment_subjects.iter().rev().filter(is_chosen).map(|(id, _)| *id);
        let ids: Vec<CommentId> = newest.by_ref().take(limit).collect();
        let next = ids.last().copied().filter(|_| newest.next().is_some());
        Ok((ids, next))
    }

    async fn export_comments(
        &self,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<ExportedComment>> {
        let tables = self.tables();
        let Some(recount) = tables.subject_table(key).map(Recount::new) else { return Ok(Vec::new()) };
        let exported = recount.exported_after(after).take(limit).map(|row| ExportedComment {
            view: recount.view(row),
            client: row.client.clone(),
            origin: row.origin.clone(),
        });
        Ok(exported.collect())
    }

    async fn export_likes(
        &self,
        ids: &[CommentId],
        after: Option<&ExportedLike>,
        limit: usize,
    ) -> Result<Vec<ExportedLike>> {
        let tables = self.tables();
        let mut likes = Vec::new();
        for id in ids.iter().copied().collect::<BTreeSet<_>>() {
            let Some((subject_table, _)) = tables.comment(id) else { continue };
            let recount = Recount::new(subject_table);
            likes.extend(recount.likers(id).map(|like| ExportedLike { comment: id, liker: liker(like) }));
        }
        let position = |like: &ExportedLike| (like.comment, like.liker.member.clone());
        likes.retain(|like| after.is_none_or(|after| position(like) > position(after)));
        likes.truncate(limit);
        Ok(likes)
    }
}

/// Returns the comments with these floors, in the order of `floors`.
fn by_floors(listed: &[CommentView], floors: &[i32]) -> Page<CommentView> {
    let of = |floor: &i32| listed.iter().find(|view| view.comment.reference.floor == *floor).cloned();
    Page { items: floors.iter().filter_map(of).collect(), ..Page::default() }
}

fn liker(like: &riposte_core::like::Like) -> Liker {
    Liker { member: like.member.clone(), value: like.value, time: like.time }
}

/// Returns the first `limit` of the items after a position.
fn first<T>(mut items: Vec<T>, more_before: bool, limit: usize) -> Page<T> {
    let more_after = items.len() > limit;
    items.truncate(limit);
    Page { items, more_before, more_after }
}
