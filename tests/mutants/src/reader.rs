//! Mutants of reads.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use riposte_core::comment::CommentView;
use riposte_core::ids::CommentId;
use riposte_core::location::CommentLocation;
use riposte_core::page::{
    ContentRevision, Conversation, CountReport, Liker, LikerCursor, LikersQuery, ListOrder, MemberLike, Page,
    PageQuery, PageSelector, PageStart, ReplyPage, RootPage, RootPageFill, SubjectCursor, SubjectLikers, SubtreeQuery,
    Thread, ThreadPage,
};
use riposte_core::ports::{CommentRows, LikeRows, ListRows, PassThrough, Reader, SubjectRows};
use riposte_core::proposal::ProposalState;
use riposte_core::request::IdempotencyKey;
use riposte_core::{
    CommentState, Content, LikeValue, MemberId, ObjectType, ObjectTypeScope, Result, Subject, SubjectKey, SubjectState,
};

use crate::mutant::{Mutant, one_of};
use crate::reports::Reporters;

/// The object type whose comments wait in the load of `cargo xtask prove`.
const REVIEWED_TYPE: &str = "held";

/// Like states of members.
type States = HashMap<(SubjectKey, MemberId, Vec<CommentId>), Vec<Option<LikeValue>>>;

/// A reader with a mutant.
#[derive(Debug)]
pub(crate) struct MutantReader {
    inner: Arc<dyn Reader>,
    mutant: Mutant,
    comments: Mutex<HashMap<CommentId, CommentView>>,
    counts: Mutex<HashMap<SubjectKey, (i32, i32)>>,
    pages: Mutex<HashMap<(String, PageQuery), RootPage>>,
    states: Mutex<States>,
    /// The comment that was read last.
    last: Mutex<Option<CommentView>>,
    absent: Mutex<HashSet<SubjectKey>>,
    /// The last deleted comment that was read in each subject.
    deleted: Mutex<HashMap<SubjectKey, CommentId>>,
    reporters: Reporters,
}

impl MutantReader {
    pub(crate) fn new(inner: Arc<dyn Reader>, mutant: Mutant, reporters: Reporters) -> Self {
        Self {
            inner,
            mutant,
            comments: Mutex::default(),
            counts: Mutex::default(),
            pages: Mutex::default(),
            states: Mutex::default(),
            last: Mutex::default(),
            absent: Mutex::default(),
            deleted: Mutex::default(),
            reporters,
        }
    }

    /// Replaces the counts of a subject by those of the previous read.
    fn break_counts(&self, subject: &mut Subject) {
        if self.mutant == Mutant::CountsBefore {
            let now = (subject.counts.root_count, subject.counts.comment_count);
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            let before = counts.insert(subject.key.clone(), now).unwrap_or(now);
            (subject.counts.root_count, subject.counts.comment_count) = before;
        }
        if self.mutant == Mutant::PendingCounted && subject.key.object_type().as_str() == REVIEWED_TYPE {
            subject.counts.root_count += 1;
            subject.counts.comment_count += 1;
        }
    }

    /// Shows a hidden subject as active, or a deleted one as if it was not deleted.
    fn break_state(&self, subject: &mut Subject) {
        if self.mutant == Mutant::HiddenSubjectsShown && subject.state == SubjectState::Hidden {
            subject.state = SubjectState::Active;
        }
        if self.mutant == Mutant::DeletedSubjectsFound {
            subject.delete_time = None;
        }
    }

    /// Writes the moderators or the reporters of comments into their contents, or the edits that
    /// wait.
    async fn break_contents(&self, views: &mut [Option<CommentView>]) -> Result<()> {
        for view in views.iter_mut().flatten() {
            let id = view.comment.reference.id;
            let Some(content) = view.content.as_mut().filter(|_| view.subject.object_type().as_str() == REVIEWED_TYPE)
            else {
                continue;
            };
            let mut name = None;
            if self.mutant == Mutant::ModeratorLeaks {
                name = self.inner.decisions(id, None, 1).await?.pop().map(|decision| decision.actor);
            } else if self.mutant == Mutant::ReporterLeaks {
                name = self.reporters.of(id);
            }
            if self.mutant == Mutant::ProposalShown {
                let proposal = self.inner.proposals(&[id]).await?.pop().flatten();
                if let Some(waiting) = proposal.filter(|proposal| proposal.state == ProposalState::Waiting) {
                    *content = waiting.content;
                }
            } else if let Some(name) = name {
                let (mut metadata, mentions) = (content.metadata().clone(), content.mentions().to_vec());
                metadata.insert("name".to_owned(), name.as_str().to_owned());
                *content = Content::stored(content.text().to_owned(), mentions, metadata);
            }
        }
        Ok(())
    }

    /// Changes the state or the counts of a comment.
    fn break_view(&self, view: &mut CommentView) {
        if self.mutant == Mutant::HistoryShowsHeld && view.comment.lifecycle.state == CommentState::Deleted {
            let mut deleted = self.deleted.lock().unwrap_or_else(PoisonError::into_inner);
            deleted.insert(view.subject.clone(), view.comment.reference.id);
        }
        if self.mutant == Mutant::DeletedShown && view.content.is_some() {
            view.comment.lifecycle.state = CommentState::Active;
        }
        if self.mutant == Mutant::LikesOff && one_of(20) {
            view.comment.counts.like_count += 1;
        }
        if self.mutant == Mutant::RepliesOff && view.comment.counts.reply_count > 0 && one_of(10) {
            view.comment.counts.reply_count -= 1;
        }
    }

    /// Sometimes replaces a comment by the comment of the same subject that was read before it.
    fn replace_by_neighbour(&self, view: &mut CommentView) {
        if self.mutant == Mutant::NeighboursShown {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            let before = last.replace(view.clone());
            if let Some(before) = before.filter(|before| before.subject == view.subject && one_of(10)) {
                *view = before;
            }
        }
    }

    /// Breaks the list of a page.
    fn break_list(&self, threads: &mut Page<Thread>) {
        let Page { items, more_after, .. } = threads;
        let Some(last) = items.len().checked_sub(1).filter(|last| *last > 0) else { return };
        match (self.mutant, one_of(10)) {
            (Mutant::OrderTorn, true) => items.swap(last - 1, last),
            (Mutant::PageHole, true) if last > 1 => drop(items.remove(1)),
            (Mutant::EndTooEarly, true) => *more_after = false,
            (Mutant::PreviewsSwapped, true) => {
                let replies = std::mem::take(&mut items[0].replies);
                items[0].replies = std::mem::replace(&mut items[last].replies, replies);
            }
            (Mutant::TextsSwapped, true) => {
                let content = items[0].root.content.take();
                items[0].root.content = std::mem::replace(&mut items[last].root.content, content);
            }
            _unaffected => {}
        }
    }

    /// Moves the start of a page by one floor.
    fn break_query(&self, mut query: PageQuery) -> PageQuery {
        let step = if query.order == ListOrder::Oldest { 1 } else { -1 };
        match (self.mutant, query.start) {
            (Mutant::PageEdge, PageStart::After(floor)) => query.start = PageStart::After(floor + step),
            (Mutant::PageOverlap, PageStart::After(floor)) => query.start = PageStart::After(floor - step),
            _unaffected => {}
        }
        query
    }

    fn break_page(&self, mut page: RootPage, query: &PageQuery) -> RootPage {
        self.break_counts(&mut page.subject);
        self.break_state(&mut page.subject);
        if self.mutant == Mutant::PinsReversed {
            page.pinned.reverse();
        }
        if self.mutant == Mutant::PinsCut {
            page.pinned.pop();
        }
        page.threads.items.iter_mut().for_each(|thread| self.break_view(&mut thread.root));
        self.break_list(&mut page.threads);
        if self.mutant == Mutant::EndByCount && query.order == ListOrder::Oldest {
            let last = page.threads.items.last().map_or(0, |thread| thread.root.comment.reference.floor);
            page.threads.more_after &= last < page.subject.counts.root_count;
        }
        if self.mutant == Mutant::TypeIgnored {
            let key = (page.subject.key.object_id().to_owned(), *query);
            let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
            return pages.insert(key, page.clone()).unwrap_or(page);
        }
        page
    }
}

impl Reader for MutantReader {
    fn primary(&self) -> Option<&dyn Reader> {
        self.inner.primary()
    }
}

#[async_trait]
impl SubjectRows for MutantReader {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>> {
        let mut found = self.inner.subjects(keys).await?;
        found.iter_mut().flatten().for_each(|subject| {
            self.break_counts(subject);
            self.break_state(subject);
        });
        if self.mutant == Mutant::AbsenceNeverReloaded {
            let mut absent = self.absent.lock().unwrap_or_else(PoisonError::into_inner);
            for (key, found) in keys.iter().zip(&mut found) {
                if found.is_none() {
                    absent.insert(key.clone());
                }
                found.take_if(|_| absent.contains(key));
            }
        }
        Ok(found)
    }

    async fn list_subjects(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)> {
        self.inner.list_subjects(object_type, after, limit).await
    }

    async fn verify(&self, key: &SubjectKey) -> Result<CountReport> {
        self.inner.verify(key).await
    }
}

#[async_trait]
impl CommentRows for MutantReader {
    async fn locate(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentLocation>>> {
        self.inner.locate(ids).await
    }

    async fn locate_among(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Result<Vec<Option<CommentLocation>>> {
        self.inner.locate_among(ids, types).await
    }

    async fn locate_each(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Vec<Result<Option<CommentLocation>>> {
        self.inner.locate_each(ids, types).await
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentView>>> {
        let mut found = self.inner.comments(ids).await?;
        found.iter_mut().flatten().for_each(|view| self.break_view(view));
        found.iter_mut().flatten().for_each(|view| self.replace_by_neighbour(view));
        if matches!(self.mutant, Mutant::ModeratorLeaks | Mutant::ReporterLeaks | Mutant::ProposalShown) {
            self.break_contents(&mut found).await?;
        }
        // In this load no other read is of several partitions, except those of moderators.
        if let (Mutant::MemberListsCut, Some(first)) = (self.mutant, ids.first()) {
            let is_cut = |view: &CommentView| view.subject.object_type().as_str() != REVIEWED_TYPE;
            for (id, view) in ids.iter().zip(&mut found) {
                view.take_if(|view| id.partition() != first.partition() && is_cut(view));
            }
        }
        if self.mutant == Mutant::CommentsNeverReloaded {
            let mut first = self.comments.lock().unwrap_or_else(PoisonError::into_inner);
            for view in found.iter_mut().flatten() {
                *view = first.entry(view.comment.reference.id).or_insert_with(|| view.clone()).clone();
            }
        }
        Ok(found)
    }

    async fn conversation(&self, key: &SubjectKey, id: CommentId, limit: usize) -> Result<Option<Conversation>> {
        let mut found = self.inner.conversation(key, id, limit).await?;
        if let (Mutant::ConversationsCut, Some(found)) = (self.mutant, &mut found)
            && found.comments.len() > 2
            && one_of(5)
        {
            found.comments.remove(1);
        }
        Ok(found)
    }

    async fn revisions(&self, id: CommentId) -> Result<Vec<ContentRevision>> {
        let mut contents = self.inner.revisions(id).await?;
        if self.mutant == Mutant::HistoryShowsHeld
            && let Some(view) = self.inner.comments(&[id]).await?.into_iter().flatten().next()
        {
            let deleted = self.deleted.lock().unwrap_or_else(PoisonError::into_inner).get(&view.subject).copied();
            if let Some(deleted) = deleted.filter(|deleted| *deleted != id) {
                let rows = self.inner.primary().unwrap_or(&*self.inner);
                let view = rows.comments(&[deleted]).await?.into_iter().flatten().next();
                let held = view.and_then(|view| Some((view.content?, view.comment.reference.create_time)));
                contents.splice(..0, held.map(|(content, time)| ContentRevision { version: 0, content, time }));
            }
        }
        Ok(contents)
    }

    async fn created_by(&self, key: &SubjectKey, keys: &[IdempotencyKey]) -> Result<Vec<Option<CommentId>>> {
        if self.mutant == Mutant::RefusedRepeatsDenied {
            return Ok(vec![None; keys.len()]);
        }
        self.inner.created_by(key, keys).await
    }
}

#[async_trait]
impl ListRows for MutantReader {
    async fn roots(&self, key: &SubjectKey, query: PageQuery, previews: u8) -> Result<Option<RootPage>> {
        let mut page = self.inner.roots(key, self.break_query(query), previews).await?;
        if self.mutant == Mutant::RowsBeforeRevision
            && let (Some(page), Some(later)) = (&mut page, self.inner.roots(key, query, previews).await?)
        {
            page.subject = later.subject;
        }
        Ok(page.map(|page| self.break_page(page, &query)))
    }

    async fn root_page_with_candidates(
        &self,
        key: &SubjectKey,
        which: &PageSelector,
        previews: u8,
    ) -> Result<Option<RootPageFill>> {
        self.inner.root_page_with_candidates(key, which, previews).await
    }

    async fn roots_at(&self, key: &SubjectKey, floors: &[i32], previews: u8) -> Result<Option<RootPage>> {
        self.inner.roots_at(key, floors, previews).await
    }

    async fn replies(&self, key: &SubjectKey, root: CommentId, query: PageQuery) -> Result<Option<ReplyPage>> {
        self.inner.replies(key, root, query).await
    }

    async fn replies_at(&self, key: &SubjectKey, root: CommentId, floors: &[i32]) -> Result<Option<ReplyPage>> {
        self.inner.replies_at(key, root, floors).await
    }

    async fn thread(&self, key: &SubjectKey, part: &SubtreeQuery) -> Result<Option<ThreadPage>> {
        let mut page = self.inner.thread(key, part).await?;
        if let (Mutant::ThreadsCut, Some(page)) = (self.mutant, &mut page)
            && page.comments.len() > 1
            && one_of(5)
        {
            page.comments.pop();
        }
        Ok(page)
    }
}

#[async_trait]
impl LikeRows for MutantReader {
    async fn like_states(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<Option<LikeValue>>> {
        let states = self.inner.like_states(key, member, ids).await?;
        if self.mutant != Mutant::StatesNeverReloaded {
            return Ok(states);
        }
        let mut first = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(first.entry((key.clone(), member.clone(), ids.to_vec())).or_insert(states).clone())
    }

    async fn likers(
        &self,
        id: CommentId,
        value: LikeValue,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Page<Liker>> {
        let mut page = self.inner.likers(id, value, after, limit).await?;
        if self.mutant == Mutant::LikersCut && !page.more_after {
            page.items.pop();
        }
        if self.mutant == Mutant::DislikersListed && value == LikeValue::Like && !page.more_after {
            page.items.extend(self.inner.likers(id, LikeValue::Dislike, None, limit).await?.items);
        }
        if self.mutant == Mutant::LikersRepeated {
            page.items.extend(page.items.first().cloned());
        }
        Ok(page)
    }

    async fn comment_likers(&self, key: &SubjectKey, query: &LikersQuery) -> Result<Option<SubjectLikers>> {
        self.inner.comment_likers(key, query).await
    }

    async fn member_likes(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>> {
        self.inner.member_likes(key, member, after, limit).await
    }
}

impl PassThrough for MutantReader {
    fn inner(&self) -> &dyn Reader {
        &*self.inner
    }
}
