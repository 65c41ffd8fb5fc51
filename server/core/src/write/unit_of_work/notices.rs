//! The notices of a batch: the members that may be notified of a comment because a text of it came
//! in sight. They are decided under the lock of the commit, so that a later change cannot alter
//! them.

use std::collections::BTreeSet;

use crate::domain::content::Content;
use crate::domain::error::Result;
use crate::domain::event::{MAX_NOTICES, Notice, NoticeReason};
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::write::unit_of_work::apply::not_loaded;
use crate::write::unit_of_work::{ChangeContext, UnitOfWork};

/// The facts about a comment by which a new text of it notifies members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PublicTexts {
    /// The members that texts of the comment mentioned that were in sight before the present one.
    pub mentions: BTreeSet<MemberId>,
    /// `true` if the comment was imported. No member is notified of it.
    pub is_imported: bool,
}

/// The members that may be notified of any text of a comment.
#[derive(Debug)]
struct Recipients {
    author: MemberId,
    /// The author of the parent.
    parent: Option<MemberId>,
    /// The owner of the subject.
    owner: Option<MemberId>,
    /// The author of the root, where the object type notifies of the whole thread.
    thread: Option<MemberId>,
}

impl UnitOfWork {
    /// Adds the facts about the earlier public texts of a locked comment.
    pub fn load_public_texts(&mut self, id: CommentId, texts: PublicTexts) {
        self.public_texts.insert(id, texts);
    }

    /// Returns the content of a comment that is out of sight if it was not in sight yet, while an
    /// earlier one was.
    pub(crate) fn changed_out_of_sight(&self, id: CommentId) -> Option<(CommentId, &Content)> {
        let (comment, review) = (self.comment(id)?, self.review(id)?);
        let is_new = !review.text_once_public && !review.never_public;
        let content = self.content(id).filter(|_| is_new && !comment.lifecycle.state.is_visible())?;
        Some((id, content))
    }

    /// Returns the content of the proposed edit that waits on a comment.
    pub(crate) fn waiting_content(&self, id: CommentId) -> Option<(CommentId, &Content)> {
        let number = self.review(id)?.waiting_proposal()?;
        Some((id, &self.proposal(id, number)?.content))
    }

    /// Adds the notices of a comment that becomes visible for the first time.
    pub(super) fn notify_of_publication(&mut self, id: CommentId, context: ChangeContext<'_>) -> Result<()> {
        if self.is_imported(id) {
            return Ok(());
        }
        let Recipients { author, parent, owner, thread } = self.recipients(id, context)?;
        let mentions = self.contents.get(&id).ok_or_else(|| not_loaded("content"))?.mentions();
        let notice = |reason| move |member| Notice { member, reason };
        let mut notices: Vec<Notice> = parent.map(notice(NoticeReason::Reply)).into_iter().collect();
        notices.extend(mentions.iter().cloned().map(notice(NoticeReason::Mention)));
        notices.extend(owner.map(notice(NoticeReason::Owner)));
        notices.extend(thread.map(notice(NoticeReason::Thread)));
        notices.retain(|notice| notice.member != author);
        self.add_notices(id, notices);
        Ok(())
    }

    /// Adds the notices of a new text of a comment that was in sight before: those of members that
    /// no earlier public text mentioned and that were not notified for another reason.
    pub(super) fn notify_of_text(&mut self, id: CommentId, context: ChangeContext<'_>) -> Result<()> {
        let content = self.contents.get(&id).ok_or_else(|| not_loaded("content"))?;
        if content.mentions().is_empty() {
            return Ok(());
        }
        let known = self.public_texts.get(&id);
        let is_first = self.write_set.new_comments.contains_key(&id) || self.write_set.published.contains(&id);
        if known.is_none() && !is_first {
            return Err(not_loaded("history"));
        }
        if self.is_imported(id) {
            return Ok(());
        }
        let Recipients { author, parent, owner, thread } = self.recipients(id, context)?;
        let others: Vec<MemberId> = [Some(author), parent, owner, thread].into_iter().flatten().collect();
        let is_new = |member: &&MemberId| {
            !others.contains(member) && known.is_none_or(|known| !known.mentions.contains(*member))
        };
        let mentioned = content.mentions().iter().filter(is_new).cloned();
        let notices = mentioned.map(|member| Notice { member, reason: NoticeReason::Mention }).collect();
        self.add_notices(id, notices);
        Ok(())
    }

    /// Records that a content that is replaced was in sight, for later texts of the batch.
    pub(super) fn record_public_text(&mut self, id: CommentId, former: &Content) {
        if !former.mentions().is_empty() {
            self.public_texts.entry(id).or_default().mentions.extend(former.mentions().iter().cloned());
        }
    }

    fn add_notices(&mut self, id: CommentId, added: Vec<Notice>) {
        if added.is_empty() {
            return;
        }
        let notices = self.write_set.notices.entry(id).or_default();
        for notice in added {
            if notices.len() < MAX_NOTICES && !notices.iter().any(|earlier| earlier.member == notice.member) {
                notices.push(notice);
            }
        }
        notices.sort_by_key(|notice| notice.reason);
    }

    fn is_imported(&self, id: CommentId) -> bool {
        self.write_set.origins.contains_key(&id)
            || self.reviews.get(&id).is_some_and(|review| review.imported)
            || self.public_texts.get(&id).is_some_and(|texts| texts.is_imported)
    }

    fn recipients(&self, id: CommentId, context: ChangeContext<'_>) -> Result<Recipients> {
        let author = |id: &CommentId| -> Result<MemberId> {
            let comment = self.comments.get(id).ok_or_else(|| not_loaded("parent"))?;
            Ok(comment.reference.member.clone())
        };
        let reference = &self.comments.get(&id).ok_or_else(|| not_loaded("comment"))?.reference;
        let subject = self.subjects.get(context.subject).ok_or_else(|| not_loaded("subject"))?;
        Ok(Recipients {
            author: reference.member.clone(),
            parent: reference.parent_id.as_ref().map(author).transpose()?,
            owner: subject.owner.clone(),
            thread: reference.root_id.as_ref().filter(|_| context.notify_thread).map(author).transpose()?,
        })
    }
}
