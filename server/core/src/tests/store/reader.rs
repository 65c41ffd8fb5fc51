//! The reader: exactly the contract of the port.

use std::cmp::Reverse;

use async_trait::async_trait;

use super::{Store, first};
use crate::domain::like::Like;
use crate::domain::location::CommentLocation;
use crate::domain::page::{
    ContentRevision, CountReport, HistoryCursor, Liker, LikerCursor, MemberLike, Page, PageQuery, RangeSplit,
    ReplyPage, RootPage, SubjectCursor, SubtreeQuery, ThreadPage,
};
use crate::domain::request::IdempotencyKey;
use crate::ports::{CommentRows, ExportRows, ExportedComment, LikeRows, ListRows, MemberRows, Reader, SubjectRows};
use crate::{
    ClientInfo, CommentId, CommentRef, CommentView, LikeValue, MemberId, ObjectType, Path, Result, Subject, SubjectKey,
};

impl Reader for Store {
    fn primary(&self) -> Option<&dyn Reader> {
        self.origin.as_deref().map(|origin| origin as &dyn Reader)
    }
}

#[async_trait]
impl SubjectRows for Store {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>> {
        Ok(keys.iter().map(|key| self.rows().subjects.get(key).cloned()).collect())
    }

    async fn list_subjects(
        &self,
        object_type: Option<&ObjectType>,
        _after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)> {
        let rows = self.rows();
        let of =
            rows.subjects.values().filter(|subject| object_type.is_none_or(|kind| subject.key.object_type() == kind));
        let page = first(of.cloned().collect(), false, limit);
        let last = page.items.last().map(|subject| SubjectCursor { table: 0, after: Some(subject.id) });
        Ok((page.items, last.filter(|_| page.more_after)))
    }

    async fn verify(&self, key: &SubjectKey) -> Result<CountReport> {
        Ok(CountReport { comments: self.rows().views(key).len() as i64, drifts: Vec::new() })
    }
}

#[async_trait]
impl CommentRows for Store {
    async fn locate(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentLocation>>> {
        let rows = self.rows();
        let location = |id: &CommentId| {
            let CommentView { comment, subject, .. } = rows.view(*id)?;
            let above = |path| {
                rows.comments.values().find(|(row, _)| row.reference.path == path).map(|(row, _)| row.reference.id)
            };
            let ancestor_ids = comment.reference.path.ancestors().filter_map(above).chain([*id]).collect();
            let CommentRef { path, floor, parent_id, member, .. } = comment.reference;
            Some(CommentLocation { id: *id, subject, path, floor, ancestor_ids, parent_id, member })
        };
        Ok(ids.iter().map(location).collect())
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentView>>> {
        let rows = self.rows();
        Ok(ids.iter().map(|id| rows.view(*id).filter(|view| rows.open(&view.subject).is_some())).collect())
    }

    async fn conversation(&self, key: &SubjectKey, id: CommentId, limit: usize) -> Result<Vec<CommentView>> {
        let rows = self.rows();
        let answered = |id: CommentId| rows.view(id)?.comment.reference.parent_id;
        let chain = std::iter::successors(answered(id), |id| answered(*id));
        let mut chain: Vec<_> = chain.take(limit).collect();
        let root =
            rows.view(id).and_then(|view| view.comment.reference.root_id).filter(|root| chain.last() != Some(root));
        chain.extend(root);
        Ok(chain.into_iter().filter_map(|id| rows.view(id)).filter(|view| view.subject == *key).collect())
    }

    async fn revisions(&self, id: CommentId) -> Result<Vec<ContentRevision>> {
        let rows = self.rows();
        let present = rows.comments.get(&id).map(|(comment, content)| ContentRevision {
            version: comment.lifecycle.version,
            content: content.clone(),
            time: comment.lifecycle.edit_time.unwrap_or(comment.reference.create_time),
        });
        Ok(rows.past.get(&id).into_iter().flatten().cloned().chain(present).collect())
    }

    async fn created_by(&self, key: &SubjectKey, keys: &[IdempotencyKey]) -> Result<Vec<Option<CommentId>>> {
        let rows = self.rows();
        let made = |asked| rows.made.get(&(rows.subjects.get(key)?.id, asked))?.comment;
        Ok(keys.iter().map(|asked| made(*asked)).collect())
    }
}

#[async_trait]
impl ListRows for Store {
    async fn roots(&self, key: &SubjectKey, window: PageQuery, previews: u8) -> Result<Option<RootPage>> {
        let rows = self.rows();
        let roots = RangeSplit::of(&window).page(&window, rows.listed(key, None), |view| view.comment.reference.floor);
        Ok(rows.threads(key, roots, previews))
    }

    async fn roots_at(&self, key: &SubjectKey, floors: &[i32], previews: u8) -> Result<Option<RootPage>> {
        let rows = self.rows_later();
        let roots = Page { items: rows.at(key, None, floors), ..Page::default() };
        Ok(rows.threads(key, roots, previews))
    }

    async fn replies(&self, key: &SubjectKey, root: CommentId, window: PageQuery) -> Result<Option<ReplyPage>> {
        let rows = self.rows();
        let replies =
            RangeSplit::of(&window).page(&window, rows.listed(key, Some(root)), |view| view.comment.reference.floor);
        let found = rows.open(key).cloned().zip(rows.view(root));
        Ok(found.map(|(subject, root)| ReplyPage { subject, root, replies }))
    }

    async fn replies_at(&self, key: &SubjectKey, root: CommentId, floors: &[i32]) -> Result<Option<ReplyPage>> {
        let rows = self.rows_later();
        let replies = Page { items: rows.at(key, Some(root), floors), ..Page::default() };
        let found = rows.open(key).cloned().zip(rows.view(root));
        Ok(found.map(|(subject, root)| ReplyPage { subject, root, replies }))
    }

    async fn thread(&self, key: &SubjectKey, part: &SubtreeQuery) -> Result<Option<ThreadPage>> {
        let rows = self.rows();
        let within = |path: &Path| *path == part.top || part.top.is_above(path);
        let mut comments: Vec<_> =
            rows.views(key).into_iter().filter(|view| within(&view.comment.reference.path)).collect();
        comments.sort_by(|a, b| a.comment.reference.path.cmp(&b.comment.reference.path));
        let page = first(comments, false, part.limit);
        let subject = rows.open(key).cloned();
        Ok(subject.map(|subject| ThreadPage { subject, comments: page.items, more_after: page.more_after }))
    }
}

#[async_trait]
impl LikeRows for Store {
    async fn like_states(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<Option<LikeValue>>> {
        let rows = self.rows();
        let value = |id| rows.likes.get(&(id, member.clone())).map_or(LikeValue::None, |like| like.value);
        let here = |id: &CommentId| rows.view(*id).is_some_and(|view| view.subject == *key);
        Ok(ids.iter().map(|id| here(id).then(|| value(*id))).collect())
    }

    async fn likers(
        &self,
        id: CommentId,
        value: LikeValue,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Page<Liker>> {
        let mut likers = self.export_likes(id, None, usize::MAX).await?;
        likers.sort_by_key(|liker| Reverse(liker.time));
        likers.retain(|liker| liker.value == value && after.is_none_or(|after| liker.time < after.time));
        Ok(first(likers, after.is_some(), limit))
    }

    async fn member_likes(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>> {
        let rows = self.rows();
        let here = |id| rows.view(id).is_some_and(|view| view.subject == *key);
        let own = rows.likes.values().filter(|like| like.member == *member && here(like.comment_id));
        let behind = own.filter(|like| after.is_none_or(|after| like.comment_id > after));
        let told = behind.map(|like| MemberLike { comment: like.comment_id, value: like.value, time: like.time });
        Ok(first(told.collect(), after.is_some(), limit))
    }
}

#[async_trait]
impl MemberRows for Store {
    /// The event consumer knows all comments that were ever written, in any state.
    async fn member_comments(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        _all: bool,
        after: Option<&HistoryCursor>,
        limit: usize,
    ) -> Result<Page<HistoryCursor>> {
        let rows = self.rows();
        let views = rows.comments.keys().rev().filter_map(|id| rows.view(*id));
        let own =
            views.filter(|view| view.comment.reference.member == *member && view.subject.object_type() == object_type);
        let behind = own.filter(|view| after.is_none_or(|after| view.comment.reference.id < after.comment));
        let places = behind
            .map(|view| HistoryCursor { time: view.comment.reference.create_time, comment: view.comment.reference.id });
        Ok(first(places.collect(), after.is_some(), limit))
    }
}

#[async_trait]
impl ExportRows for Store {
    async fn export_comments(
        &self,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<ExportedComment>> {
        let views = self
            .rows()
            .views(key)
            .into_iter()
            .filter(|view| after.is_none_or(|after| view.comment.reference.id > after));
        let exported = |view| ExportedComment { view, client: ClientInfo::default(), origin: None };
        Ok(views.take(limit).map(exported).collect())
    }

    async fn export_likes(&self, id: CommentId, after: Option<&MemberId>, limit: usize) -> Result<Vec<Liker>> {
        let rows = self.rows();
        let likes = rows.likes.values().filter(|like| like.comment_id == id);
        let behind = likes.filter(|like| after.is_none_or(|after| like.member > *after));
        let liker = |like: &Like| Liker { member: like.member.clone(), value: like.value, time: like.time };
        Ok(behind.take(limit).map(liker).collect())
    }
}
