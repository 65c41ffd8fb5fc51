//! The appeals of a batch. An appeal is a decision of the author, which opens a question and
//! changes nothing that readers see.

use crate::domain::act::CommentAct;
use crate::domain::decision::{Decision, Grounds};
use crate::domain::error::Result;
use crate::domain::ids::DecisionId;
use crate::write::change::AuthorAppeal;
use crate::write::unit_of_work::apply::not_loaded;
use crate::write::unit_of_work::{ChangeContext, UnitOfWork};

impl UnitOfWork {
    pub(super) fn appeal(&mut self, appeal: AuthorAppeal, context: ChangeContext<'_>) -> Result<()> {
        let AuthorAppeal { contested, text } = appeal;
        let id = contested.id.comment;
        let comment = self.comments.get(&id).cloned().ok_or_else(|| not_loaded("comment"))?;
        let (state, version) = (comment.lifecycle.state, comment.lifecycle.version);
        self.note(&comment, context.subject);
        let mut review = self.review_or_new(id, context)?;
        review.appeal(contested.id.number, contested.actor, self.database_time()?);
        review.count_decision()?;
        let number = review.decisions;
        self.set_review(review);
        self.add_decision(Decision {
            id: DecisionId { comment: id, number },
            object_type: contested.object_type,
            actor: contested.member.clone(),
            member: contested.member,
            act: CommentAct::Appeal,
            proposal: 0,
            from: Some(state),
            to: state,
            from_version: version,
            to_version: version,
            revision: 0,
            grounds: Grounds::default(),
            request: Some(context.request),
            contested: contested.id.number,
            appeal_text: text,
            time: context.now,
        });
        Ok(())
    }
}
