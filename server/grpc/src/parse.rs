//! Converts messages of the contract to domain types: every field is read, and all violations are
//! reported at once.
//!
//! Each function parses one field at the path `field` of the request, and returns the domain's
//! value or its violations. [`Violations`] collects both.

mod events;
mod fields;
mod ids;
mod moderation;
mod page_start;
mod report;
mod standing;
mod subject;
mod target;
mod token_scope;
mod values;
mod violations;

pub(crate) use events::{event_limit, event_wait};
pub(crate) use fields::{
    acting_as, client, client_at, content, content_at, like_value, liked, likers, limit, max_depth, metadata,
    min_revision, page_size, previews,
};
pub(crate) use ids::{
    batch, comment_id, comment_ids, first_members, liked_ids, member, moderator, optional_member, request_id,
};
pub(crate) use moderation::{
    JudgedTarget, act, causes, claim_limit, grounds, lease, lease_token, leased_ids, moderated_ids,
    optional_lease_token, targets,
};
pub(crate) use page_start::{ParsedStart, Sort, StartFields, page_start, page_token, sort};
pub(crate) use report::{appeal, decision_id, report_body, report_reason, seen_version};
pub(crate) use standing::{ParsedStanding, member_standing};
pub(crate) use subject::{moderation_mode, patch, subject_key, subject_state};
pub(crate) use token_scope::TokenScope;
pub(crate) use values::{bounded, name, time};
pub(crate) use violations::Violations;

#[cfg(test)]
mod tests;
