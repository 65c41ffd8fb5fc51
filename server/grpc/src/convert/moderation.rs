//! Comments, decisions and the review queue as messages, for moderators.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use riposte_core::decision::{Decision, Grounds, RuleHit};
use riposte_core::ids::DecisionId;
use riposte_core::read::{ModeratedComment, ReviewItem};
use riposte_core::review::{LeaseToken, ReviewCause};
use riposte_core::{Caller, ClientInfo, Comments, Result};
use riposte_sdk::v1;

use super::comment::{complete_comment, content, proposed_edit};
use super::{plain_state, time};
use crate::page_token::PageTokenCodec;

/// Converts what moderators read, for one caller.
#[derive(Debug)]
pub(crate) struct ModeratorConverter<'s> {
    /// The policies of the object types.
    pub(crate) comments: &'s Comments,
    /// The source of network tokens.
    pub(crate) tokens: &'s PageTokenCodec,
    /// The caller. It may use the types of everything that is converted.
    pub(crate) caller: &'s Caller,
}

impl ModeratorConverter<'_> {
    /// Converts a comment as moderators read it: with its true state, its author and its content.
    /// Of the address of its client they read a token alone.
    ///
    /// # Errors
    /// Those of [`PageTokenCodec::network_token`], and of [`Caller::policy`].
    pub(crate) fn comment(&self, comment: ModeratedComment) -> Result<v1::ModeratedComment> {
        let (etag, proposed_edit_etag, causes) = (comment.etag(), comment.proposal_etag(), comment.open_causes());
        let mut causes: Vec<i32> = causes.iter().map(|cause| review_cause(cause).into()).collect();
        causes.sort_unstable();
        causes.dedup();
        let written = comment.view.comment.reference.create_time;
        let network = comment.client.ip.map(|ip| self.tokens.network_token(ip, written)).transpose()?;
        Ok(v1::ModeratedComment {
            comment: Some(complete_comment(comment.view)),
            etag,
            proposed_edit: comment.proposal.map(proposed_edit),
            proposed_edit_etag,
            causes,
            report_count: comment.review.map_or(0, |review| review.reports),
            last_decision: comment.last_decision.map(|last| self.decision(last)).transpose()?,
            network_token: network.unwrap_or_default(),
            platform: comment.client.platform,
            original: comment.original.map(content),
        })
    }

    /// Converts an entry of the review queue.
    ///
    /// # Errors
    /// Those of [`Self::comment`].
    pub(crate) fn item(&self, item: ReviewItem) -> Result<v1::ReviewItem> {
        let ReviewItem { comment, review, parent } = item;
        let (leased_by, until) = match review.lease {
            Some(lease) => (lease.holder.as_str().to_owned(), Some(time(lease.until))),
            None => (String::new(), None),
        };
        Ok(v1::ReviewItem {
            comment: Some(self.comment(comment)?),
            due_time: review.due_time.map(time),
            expired_leases: review.expired_leases,
            leased_by,
            lease_until: until,
            parent: parent.map(|parent| self.comment(parent)).transpose()?,
        })
    }

    /// Converts a decision.
    ///
    /// # Errors
    /// Those of [`Caller::policy`].
    pub(crate) fn decision(&self, mut decision: Decision) -> Result<v1::Decision> {
        let window = self.comments.policy(self.caller, &decision.object_type)?.appeal_window;
        let appeal_until = decision.appeal_until(window).map(time);
        let hits = std::mem::take(&mut decision.grounds.hits);
        Ok(v1::Decision {
            id: decision.id.to_string(),
            comment_id: decision.id.comment.get(),
            // The number of an act is that of its action.
            action: decision.act.number().map_or(0, i32::from),
            proposed_edit: decision.proposal != 0,
            from_state: decision.from.map_or(v1::CommentState::Unspecified, plain_state).into(),
            to_state: plain_state(decision.to).into(),
            grounds: Some(grounds(decision.grounds)),
            actor_id: decision.actor.as_str().to_owned(),
            hits: hits.into_iter().map(rule_hit).collect(),
            time: Some(time(decision.time)),
            appeal_until,
            appeal_text: decision.appeal_text,
            appealed_decision_id: if decision.contested == 0 {
                String::new()
            } else {
                DecisionId { number: decision.contested, ..decision.id }.to_string()
            },
        })
    }
}

/// Converts reasons, without findings.
pub(super) fn grounds(grounds: Grounds) -> v1::Grounds {
    let Grounds { code, explanation, legal_reference, note, detection, automation, hits: _ } = grounds;
    let (detection, automation) = (detection.code().into(), automation.code().into());
    v1::Grounds { code, explanation, legal_reference, note, detection, automation }
}

pub(super) fn rule_hit(hit: RuleHit) -> v1::RuleHit {
    let RuleHit { source, version, rule, start, end, dry_run } = hit;
    let position = |code_points: u32| i32::try_from(code_points).unwrap_or(i32::MAX);
    v1::RuleHit { source, version, rule, start: position(start), end: position(end), score: 0.0, dry_run }
}

/// Converts what is stored about the client that wrote a comment.
pub(crate) fn client(ClientInfo { ip, platform, device }: ClientInfo) -> v1::ClientInfo {
    v1::ClientInfo { ip: ip.map(|ip| ip.to_string()).unwrap_or_default(), platform, device }
}

/// Converts the token of a lease.
pub(crate) fn lease_token(LeaseToken(bytes): LeaseToken) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn review_cause(cause: ReviewCause) -> v1::ReviewCause {
    match cause {
        ReviewCause::New => v1::ReviewCause::New,
        ReviewCause::Edit => v1::ReviewCause::Edit,
        ReviewCause::Report => v1::ReviewCause::Report,
        ReviewCause::Flag => v1::ReviewCause::Flag,
        ReviewCause::ServiceUnavailable | ReviewCause::EditServiceUnavailable => v1::ReviewCause::ServiceUnavailable,
        ReviewCause::Appeal => v1::ReviewCause::Appeal,
        ReviewCause::Withheld => v1::ReviewCause::Withheld,
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::act::CommentAct;
    use riposte_core::decision::{Automation, Detection};
    use riposte_sdk::v1;

    #[test]
    fn stored_codes_are_the_numbers_of_the_contract() {
        for act in CommentAct::ALL {
            // Acts on proposed edits have the numbers of those on texts.
            let Some(number) = act.number().filter(|_| !act.judges_proposal()) else { continue };
            let action = v1::ModerationAction::try_from(i32::from(number)).expect("an action");
            assert_eq!(action.as_str_name(), format!("MODERATION_ACTION_{act:?}").to_uppercase());
        }
        assert!(Detection::ALL.iter().all(|value| v1::Detection::try_from(i32::from(value.code())).is_ok()));
        assert!(Automation::ALL.iter().all(|value| v1::Automation::try_from(i32::from(value.code())).is_ok()));
        assert_eq!(v1::Detection::from_str_name("DETECTION_MODE").map(i32::from), Some(Detection::Mode.code().into()));
    }
}
