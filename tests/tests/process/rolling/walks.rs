//! Every list that is read page by page, walked over two servers.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::subject_scope::Scope;
use riposte_sdk::v1::{
    Comment, CommentSort, CreateSubjectRequest, GetThreadRequest, LikeValue, ListCommentRevisionsRequest,
    ListCommentsRequest, ListLikersRequest, ListMemberCommentsRequest, ListMemberLikesRequest, ListRepliesRequest,
    ListSubjectsRequest, SubjectKey, SubjectScope, UpdateCommentRequest, VerifyCountsRequest,
};
use riposte_tests::{Say, real, say::content, until};

use super::calls::Peer;

/// The number of entries of each list, and of each page.
const ENTRIES: usize = 6;
const PAGE: i32 = 2;

/// The kind of a list.
#[derive(Debug, Clone, Copy)]
enum List {
    Roots(CommentSort),
    Replies(CommentSort),
    Thread,
    Revisions,
    MemberComments,
    MemberLikes,
    Likers,
    Subjects,
    Verified,
}

const LISTS: [List; 12] = [
    List::Roots(CommentSort::Newest),
    List::Roots(CommentSort::Oldest),
    List::Roots(CommentSort::Hot),
    List::Roots(CommentSort::Top),
    List::Replies(CommentSort::Oldest),
    List::Thread,
    List::Revisions,
    List::MemberComments,
    List::MemberLikes,
    List::Likers,
    List::Subjects,
    List::Verified,
];

/// The entries of a page, and the token of the next one.
type Page = (Vec<String>, String);

/// The subject, type, member and root of the lists.
#[derive(Debug)]
pub(super) struct Walks {
    key: SubjectKey,
    object_type: String,
    member: String,
    root: i64,
}

impl Walks {
    /// Creates the entries of the lists.
    pub(super) async fn prepare(peer: &Peer) -> Result<Self> {
        let unique = uuid::Uuid::now_v7().simple().to_string();
        let (object_type, member) = (format!("w{}", &unique[..16]), "walker".to_owned());
        let say = Say::on(&peer.client, &object_type);
        let mut roots = Vec::new();
        for number in 0..ENTRIES {
            let root = say.comment(&member, "a root").await?.id;
            say.like(root, &member, LikeValue::Like).await?;
            roots.push(root);
            let key = Some(real::key(&object_type, &format!("other-{number}")));
            peer.client
                .subjects()
                .create_subject(CreateSubjectRequest { key, ..CreateSubjectRequest::default() })
                .await?;
        }
        let root = roots[0];
        for number in 0..ENTRIES {
            say.reply(root, &member, "a reply").await?;
            say.like(root, &format!("liker-{number}"), LikeValue::Like).await?;
            let content = content(&format!("text {number}"));
            let edit = UpdateCommentRequest { id: root, member_id: member.clone(), content, ..Default::default() };
            peer.client.comments().update_comment(edit).await?;
        }
        Ok(Self { key: say.key, object_type, member, root })
    }

    /// Walks each list at either server, and alternately at both. All four walks return the same
    /// entries. Rank indexes and histories follow the writes with a delay, so a list is walked
    /// until all entries are there.
    pub(super) async fn hold(&self, first: &Peer, second: &Peer) -> Result<()> {
        for list in LISTS {
            let walk = |peers| self.walk(list, peers);
            let same = || async {
                let alone = walk([first, first]).await?;
                let others =
                    [walk([second, second]).await?, walk([first, second]).await?, walk([second, first]).await?];
                Ok(alone.len() >= ENTRIES && others.iter().all(|other| *other == alone))
            };
            until(&format!("{list:?} is the same at both"), same).await?;
        }
        Ok(())
    }

    /// Walks a list and alternates between the servers from page to page.
    async fn walk(&self, list: List, peers: [&Peer; 2]) -> Result<Vec<String>> {
        let (mut walked, mut token) = (Vec::new(), String::new());
        for peer in peers.iter().cycle() {
            let page = self.page(list, peer, token).await;
            let (entries, next) = page.with_context(|| format!("{list:?} after {walked:?}"))?;
            walked.extend(entries);
            token = next;
            if token.is_empty() {
                break;
            }
        }
        let mut unique = walked.clone();
        unique.sort_unstable();
        unique.dedup();
        ensure!(unique.len() == walked.len(), "{list:?} shows something twice: {walked:?}");
        Ok(walked)
    }

    async fn page(&self, list: List, peer: &Peer, page_token: String) -> Result<Page> {
        match list {
            List::Roots(sort) => self.roots(sort, peer, page_token).await,
            List::Replies(_) | List::Thread | List::Revisions | List::Likers => {
                self.of_root(list, peer, page_token).await
            }
            List::MemberComments | List::MemberLikes => self.of_member(list, peer, page_token).await,
            List::Subjects | List::Verified => self.of_type(list, peer, page_token).await,
        }
    }

    async fn roots(&self, sort: CommentSort, peer: &Peer, page_token: String) -> Result<Page> {
        let (subject, sort) = (Some(self.key.clone()), sort.into());
        let request = ListCommentsRequest { subject, sort, page_size: PAGE, page_token, ..Default::default() };
        let page = peer.client.comments().list_comments(request).await?.into_inner();
        Ok((ids(page.threads.into_iter().filter_map(|thread| thread.comment)), page.next_page_token))
    }

    async fn of_root(&self, list: List, peer: &Peer, page_token: String) -> Result<Page> {
        let (root, page_size, mut replies) = (self.root, PAGE, peer.client.replies());
        if let List::Replies(sort) = list {
            let sort = sort.into();
            let request = ListRepliesRequest { root_id: root, sort, page_size, page_token, ..Default::default() };
            let page = replies.list_replies(request).await?.into_inner();
            return Ok((ids(page.replies), page.next_page_token));
        }
        if matches!(list, List::Thread) {
            let request = GetThreadRequest { comment_id: root, page_size, page_token, ..Default::default() };
            let page = replies.get_thread(request).await?.into_inner();
            return Ok((ids(page.comments), page.next_page_token));
        }
        if matches!(list, List::Revisions) {
            let request = ListCommentRevisionsRequest { id: root, page_size, page_token };
            let page = peer.client.comments().list_comment_revisions(request).await?.into_inner();
            let texts = page.revisions.iter().map(|revision| format!("{revision:?}")).collect();
            return Ok((texts, page.next_page_token));
        }
        let value = LikeValue::Like.into();
        let request = ListLikersRequest { comment_id: root, value, page_size, page_token };
        let page = peer.client.likes().list_likers(request).await?.into_inner();
        Ok((page.likers.into_iter().map(|liker| liker.member_id).collect(), page.next_page_token))
    }

    async fn of_member(&self, list: List, peer: &Peer, page_token: String) -> Result<Page> {
        let (object_type, member_id) = (self.object_type.clone(), self.member.clone());
        if matches!(list, List::MemberLikes) {
            let subject = Some(self.key.clone());
            let request = ListMemberLikesRequest { subject, member_id, page_size: PAGE, page_token };
            let page = peer.client.likes().list_member_likes(request).await?.into_inner();
            return Ok((page.likes.iter().map(|like| like.comment_id.to_string()).collect(), page.next_page_token));
        }
        let request =
            ListMemberCommentsRequest { object_type, member_id, page_size: PAGE, page_token, ..Default::default() };
        let page = peer.client.comments().list_member_comments(request).await?.into_inner();
        Ok((ids(page.comments), page.next_page_token))
    }

    async fn of_type(&self, list: List, peer: &Peer, page_token: String) -> Result<Page> {
        let (object_type, mut admin) = (self.object_type.clone(), peer.admin.clone());
        let id = |key: Option<SubjectKey>| key.map(|key| key.object_id).context("no key");
        if matches!(list, List::Subjects) {
            let request = ListSubjectsRequest { object_type, page_size: PAGE, page_token };
            let page = admin.list_subjects(request).await?.into_inner();
            let subjects = page.subjects.into_iter().map(|subject| id(subject.key)).collect::<Result<_>>()?;
            return Ok((subjects, page.next_page_token));
        }
        // One message of the stream is a page: the next server resumes after it.
        let scope = Some(SubjectScope { scope: Some(Scope::ObjectType(object_type)) });
        let request = VerifyCountsRequest { scope, resume_token: page_token };
        let Some(response) = admin.verify_counts(request).await?.into_inner().message().await? else {
            return Ok((Vec::new(), String::new()));
        };
        ensure!(response.drifts.is_empty(), "{response:?}");
        Ok((vec![id(response.subject)?], response.resume_token))
    }
}

fn ids(comments: impl IntoIterator<Item = Comment>) -> Vec<String> {
    comments.into_iter().map(|comment| comment.id.to_string()).collect()
}
