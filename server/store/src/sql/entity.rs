//! The tables as SeaORM entities. `riposte-migrations`, which creates them, explains their columns.

#![expect(unreachable_pub, reason = "the derive needs public items; none leaves the crate")]

pub(crate) mod comment_client;
pub(crate) mod comment_content;
pub(crate) mod comment_edit;
pub(crate) mod comment_epoch;
pub(crate) mod comment_index;
pub(crate) mod comment_like;
pub(crate) mod comment_origin;
pub(crate) mod comment_rank;
pub(crate) mod comment_ranked;
pub(crate) mod comment_request;
pub(crate) mod comment_subject;
pub(crate) mod member_comment;
pub(crate) mod outbox_commit;
pub(crate) mod outbox_revision;
pub(crate) mod relay_state;
pub(crate) mod riposte_schema;
pub(crate) mod worker_lease;
