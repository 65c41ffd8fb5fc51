//! The comparison of candidates with a query.

use super::{CommentQuery, CommentSearch};
use crate::domain::caller::ObjectTypeScope;
use crate::domain::comment::CommentView;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::review::ReviewCauses;
use crate::domain::search::{CommentFacts, SearchFilter, open_questions};
use crate::ports::TextTokens;
use crate::read::ModeratedComment;

/// The attempts to read the rows of a comment in one state.
const READS_MAX: usize = 3;

impl CommentSearch {
    /// Returns those of these comments that the query matches, in the order of `ids`.
    pub(super) async fn matching(
        &self,
        query: &CommentQuery,
        ids: &[CommentId],
    ) -> Result<Vec<Option<ModeratedComment>>> {
        let types = ObjectTypeScope::These([query.object_type.clone()].into());
        let mut found: Vec<Option<ModeratedComment>> = ids.iter().map(|_| None).collect();
        let mut remaining: Vec<usize> = (0..ids.len()).collect();
        for attempt in 1..=READS_MAX {
            let wanted: Vec<CommentId> = remaining.iter().map(|at| ids[*at]).collect();
            let views = self.reader.comments_among(&wanted, &types).await?;
            let views = views.into_iter().map(|view| view.filter(|view| self.has_words(query, view))).collect();
            let comments = self.queue.moderated(views).await?;
            let mut torn = Vec::new();
            for (at, comment) in remaining.into_iter().zip(comments) {
                let Some(comment) = comment else { continue };
                if !is_of_one_state(&comment) && attempt < READS_MAX {
                    torn.push(at);
                } else if query.filter.as_ref().is_none_or(|filter| self.is_matched(filter, &comment)) {
                    found[at] = Some(comment);
                }
            }
            remaining = torn;
            if remaining.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    fn has_words(&self, query: &CommentQuery, view: &CommentView) -> bool {
        let text = view.content.as_ref().map_or("", |content| content.text());
        query.words.as_ref().is_none_or(|words| words.are_in(text))
    }

    fn is_matched(&self, filter: &SearchFilter, comment: &ModeratedComment) -> bool {
        let text = comment.view.content.as_ref().map_or("", |content| content.text());
        let links = self.tokens.links(text);
        filter.matches(&properties(comment, (text, &links), &*self.tokens))
    }
}

/// Returns `false` if a decision was read that is newer than the comment: the comment was read
/// before its review.
fn is_of_one_state(ModeratedComment { view, review, last_decision, .. }: &ModeratedComment) -> bool {
    let decided = last_decision.as_ref().map_or(0, |decision| decision.id.number);
    let is_known = review.as_ref().is_none_or(|review| review.decisions == decided);
    is_known && last_decision.as_ref().is_none_or(|last| last.to_version <= view.comment.lifecycle.version)
}

/// Returns the properties of a comment that filters compare.
fn properties<'c>(
    comment: &'c ModeratedComment,
    (text, links): (&str, &'c [String]),
    tokens: &dyn TextTokens,
) -> CommentFacts<'c> {
    let ModeratedComment { view, review, last_decision, .. } = comment;
    let (reference, lifecycle) = (&view.comment.reference, &view.comment.lifecycle);
    let causes = review.as_ref().map_or(ReviewCauses::NONE, |review| review.causes);
    let code = last_decision.as_ref().map(|decision| decision.grounds.code.as_str());
    CommentFacts {
        subject: view.subject.object_id(),
        member: &reference.member,
        mentions: view.content.as_ref().map_or(&[], |content| content.mentions()),
        links,
        text_key: tokens.text_key(text),
        length: i32::try_from(text.chars().count()).unwrap_or(i32::MAX),
        root: reference.root_id,
        parent: reference.parent_id,
        depth: i32::from(reference.path.depth()),
        state: lifecycle.state,
        deleted_by: lifecycle.deleted_by,
        // Nothing erases comments yet.
        erased: false,
        open: open_questions(lifecycle.state, causes),
        act: last_decision.as_ref().map(|decision| decision.act),
        code: code.filter(|code| !code.is_empty()),
        reports: review.as_ref().map_or(0, |review| review.reports),
        decisions: review.as_ref().map_or(0, |review| review.decisions),
        create_time: reference.create_time,
        edit_time: lifecycle.edit_time,
    }
}
