//! Implements the traits of [`Reader`]. Some reads use the cache. The others go to the inner
//! reader; of these, the reads of comments and likes count against the read limit.

use async_trait::async_trait;
use riposte_core::comment::CommentView;
use riposte_core::location::CommentLocation;
use riposte_core::page::{
    ContentRevision, Conversation, CountReport, Liker, LikerCursor, LikersQuery, MemberLike, Page, PageQuery,
    PageSelector, ReplyPage, RootPage, SubjectCursor, SubjectLikers, SubtreeQuery, ThreadPage,
};
use riposte_core::ports::{CommentRows, LikeRows, ListRows, PassThrough, Reader, SubjectRows};
use riposte_core::request::IdempotencyKey;
use riposte_core::{
    CommentId, LikeValue, MemberId, ObjectType, ObjectTypeScope, Result, Subject, SubjectId, SubjectKey,
};

use super::{CachedReader, LoadKey};
use crate::port::{CachedPage, SubjectMember};

impl Reader for CachedReader {
    fn primary(&self) -> Option<&dyn Reader> {
        Some(&*self.0.inner)
    }
}

#[async_trait]
impl SubjectRows for CachedReader {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>> {
        self.subjects_of(keys).await
    }

    async fn list_subjects(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)> {
        self.0.inner.list_subjects(object_type, after, limit).await
    }

    async fn subject_keys(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<(SubjectId, SubjectKey)>, Option<SubjectCursor>)> {
        self.0.inner.subject_keys(object_type, after, limit).await
    }

    async fn verify(&self, key: &SubjectKey) -> Result<CountReport> {
        self.0.inner.verify(key).await
    }
}

#[async_trait]
impl CommentRows for CachedReader {
    async fn locate(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentLocation>>> {
        self.0.inner.locate(ids).await
    }

    async fn locate_among(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Result<Vec<Option<CommentLocation>>> {
        self.0.inner.locate_among(ids, types).await
    }

    async fn locate_each(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Vec<Result<Option<CommentLocation>>> {
        self.0.inner.locate_each(ids, types).await
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentView>>> {
        self.comments_of(ids, &ObjectTypeScope::All).await
    }

    async fn comments_among(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Result<Vec<Option<CommentView>>> {
        self.comments_of(ids, types).await
    }

    async fn conversation(&self, key: &SubjectKey, id: CommentId, limit: usize) -> Result<Option<Conversation>> {
        self.0.read_rows(key.partition(), self.0.inner.conversation(key, id, limit)).await
    }

    async fn revisions(&self, id: CommentId) -> Result<Vec<ContentRevision>> {
        self.0.read_rows(id.partition(), self.0.inner.revisions(id)).await
    }

    async fn created_by(&self, key: &SubjectKey, keys: &[IdempotencyKey]) -> Result<Vec<Option<CommentId>>> {
        self.0.inner.created_by(key, keys).await
    }
}

#[async_trait]
impl ListRows for CachedReader {
    async fn roots(&self, key: &SubjectKey, window: PageQuery, previews: u8) -> Result<Option<RootPage>> {
        let load_key = LoadKey { key: key.clone(), root: None, selector: PageSelector::Window(window), previews };
        Ok(self.page(load_key).await?.and_then(CachedPage::roots))
    }

    async fn roots_at(&self, key: &SubjectKey, floors: &[i32], previews: u8) -> Result<Option<RootPage>> {
        let load_key =
            LoadKey { key: key.clone(), root: None, selector: PageSelector::Floors(floors.to_vec()), previews };
        Ok(self.page(load_key).await?.and_then(CachedPage::roots))
    }

    async fn replies(&self, key: &SubjectKey, root: CommentId, window: PageQuery) -> Result<Option<ReplyPage>> {
        let load_key =
            LoadKey { key: key.clone(), root: Some(root), selector: PageSelector::Window(window), previews: 0 };
        Ok(self.page(load_key).await?.and_then(CachedPage::replies))
    }

    async fn replies_at(&self, key: &SubjectKey, root: CommentId, floors: &[i32]) -> Result<Option<ReplyPage>> {
        let selector = PageSelector::Floors(floors.to_vec());
        let load_key = LoadKey { key: key.clone(), root: Some(root), selector, previews: 0 };
        Ok(self.page(load_key).await?.and_then(CachedPage::replies))
    }

    async fn thread(&self, key: &SubjectKey, part: &SubtreeQuery) -> Result<Option<ThreadPage>> {
        self.0.read_rows(key.partition(), self.0.inner.thread(key, part)).await
    }
}

#[async_trait]
impl LikeRows for CachedReader {
    async fn like_states(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<Option<LikeValue>>> {
        let member = SubjectMember { key: key.clone(), member: member.clone() };
        self.states_of(&member, ids).await
    }

    async fn likers(
        &self,
        id: CommentId,
        value: LikeValue,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Page<Liker>> {
        self.0.read_rows(id.partition(), self.0.inner.likers(id, value, after, limit)).await
    }

    async fn comment_likers(&self, key: &SubjectKey, query: &LikersQuery) -> Result<Option<SubjectLikers>> {
        self.0.read_rows(key.partition(), self.0.inner.comment_likers(key, query)).await
    }

    async fn member_likes(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>> {
        self.0.read_rows(key.partition(), self.0.inner.member_likes(key, member, after, limit)).await
    }
}

impl PassThrough for CachedReader {
    fn inner(&self) -> &dyn Reader {
        &*self.0.inner
    }
}
