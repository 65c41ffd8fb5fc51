//! A text that an outage held, as it is asked about again.

use std::collections::HashMap;

use riposte_core::comment::{proposal_etag, review_etag};
use riposte_core::location::CommentLocation;
use riposte_core::ports::{FilterItem, FilterKind, Originals, Reader};
use riposte_core::proposal::{Proposal, ProposalState};
use riposte_core::request::RequestId;
use riposte_core::review::{Review, WaitingText};
use riposte_core::standing::GatedAct;
use riposte_core::{CommentId, CommentView, Content, Result};

/// A text that an outage held.
#[derive(Debug)]
pub(super) struct HeldItem {
    /// Its comment.
    pub(super) at: CommentLocation,
    /// The text of the comment, or the proposed edit.
    pub(super) text: WaitingText,
    /// The etag of what was read.
    pub(super) etag: String,
    /// The version of the comment, or the number of the proposed edit.
    number: i64,
    /// The content, before words were masked.
    content: Content,
}

impl HeldItem {
    /// The act of the member that wrote it.
    pub(super) fn act(&self) -> GatedAct {
        match (self.text, self.at.parent_id) {
            (WaitingText::Proposed, _) => GatedAct::Edit,
            (WaitingText::Present, None) => GatedAct::Create,
            (WaitingText::Present, Some(_)) => GatedAct::Reply,
        }
    }

    /// Returns the id of the request that settles the text. All processes have the same, so that
    /// one verdict is made.
    pub(super) fn request_id(&self) -> RequestId {
        let is_proposed = self.text == WaitingText::Proposed;
        let [comment, number] = [self.at.id.get(), self.number << 1 | i64::from(is_proposed)];
        RequestId::from_bytes((i128::from(comment) << 64 | i128::from(number)).to_be_bytes())
    }

    /// Returns the text as the filter is asked about it.
    pub(super) fn question(&self) -> FilterItem {
        let CommentLocation { id, subject, parent_id, member, .. } = &self.at;
        let root = self.at.root();
        FilterItem {
            key: format!("{:032x}", u128::from_be_bytes(*self.request_id().as_bytes())),
            subject: subject.clone(),
            comment: *id,
            root: (root != *id).then_some(root),
            parent: *parent_id,
            member: member.clone(),
            text: self.content.text().to_owned(),
            metadata: self.content.metadata().clone(),
            local_hits: Vec::new(),
            kind: FilterKind::Recheck,
        }
    }
}

/// Reads texts that an outage held. Those that do not wait for a service alone any more are left
/// out, and so are those below deleted subjects. A comment is read before its review: an etag whose
/// parts belong to different states is never the current one of another text.
pub(super) async fn read(reader: &dyn Reader, held: &[(CommentId, WaitingText)]) -> Result<Vec<HeldItem>> {
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let mut ids: Vec<CommentId> = held.iter().map(|(id, _)| *id).collect();
    ids.dedup();
    let (views, locations) = (reader.comments(&ids).await?, reader.locate(&ids).await?);
    let (proposals, originals) = (reader.proposals(&ids).await?, reader.originals(&ids).await?);
    let reviews = reader.reviews(&ids).await?;
    let rows = views.into_iter().zip(locations).zip(proposals).zip(originals).zip(reviews);
    let rows = rows.filter_map(|((((view, at), proposal), originals), review)| {
        let (view, at, review) = (view?, at?, review?);
        Some((at.id, StoredTexts { view, at, proposal, originals, review }))
    });
    let rows: HashMap<CommentId, StoredTexts> = rows.collect();
    Ok(held.iter().filter_map(|(id, text)| rows.get(id)?.item(*text)).collect())
}

/// The rows of a comment.
#[derive(Debug)]
struct StoredTexts {
    view: CommentView,
    at: CommentLocation,
    proposal: Option<Proposal>,
    originals: Originals,
    review: Review,
}

impl StoredTexts {
    /// Returns one of its texts; `None` if it does not wait for a service alone.
    fn item(&self, text: WaitingText) -> Option<HeldItem> {
        let Self { view, at, proposal, originals, review } = self;
        let comment = &view.comment;
        let (etag, number, content) = match text {
            WaitingText::Present => {
                let content = originals.of_content.as_ref().or(view.content.as_ref())?;
                (review_etag(comment, Some(review)), comment.lifecycle.version, content)
            }
            WaitingText::Proposed => {
                let waiting = proposal.as_ref().filter(|proposal| proposal.state == ProposalState::Waiting)?;
                if review.waiting_proposal() != Some(waiting.number) {
                    return None;
                }
                let original = originals.of_proposal.as_ref().filter(|(number, _)| *number == waiting.number);
                let content = original.map_or(&waiting.content, |(_, content)| content);
                (proposal_etag(comment, Some(review)), waiting.number.into(), content)
            }
        };
        let (at, content) = (at.clone(), content.clone());
        review.waits_for_service(text).then_some(HeldItem { at, text, etag, number, content })
    }
}
