//! The comment domain of Riposte: subjects, comments, floors, likes, permissions, and the changes
//! of each command.
//!
//! Everything here is a pure function of its arguments. A store loads the rows that a batch may
//! touch into a [`UnitOfWork`] under lock, [`UnitOfWork::run`] decides each [`Command`] on them,
//! and the store writes the rows that the [`WriteSet`](write::write_set::WriteSet) names. Reads go
//! through the [`Reader`](ports::Reader) port. The RPC layer sees [`Comments`], [`Mutations`] and
//! [`Maintenance`].
//!
//! `domain` depends on nothing else here, `ports` on `domain`, and `read` and `write` on both, but
//! not on each other. Modules import each name from the module that defines it; the names below are
//! for other crates.
//!
//! This crate must never do I/O, read a clock or an environment, or know a database, the protocol
//! of the cache or a wire format. The port [`CachedPages`](ports::CachedPages) passes on rendered
//! pages as bytes, whose format the gRPC layer knows.

pub mod domain;
pub mod ports;
pub mod read;
pub mod write;

pub use domain::caller::{Caller, Grants, ObjectTypeScope, Role};
pub use domain::comment::{Comment, CommentRef, CommentView};
pub use domain::content::{ClientInfo, Content, ExtraFields};
pub use domain::counts::{CommentCounts, SubjectCounts};
pub use domain::error::{Error, Reason, Result, Violation};
pub use domain::ids::{CommentId, Partition, SubjectId};
pub use domain::lifecycle::{DeletedBy, Lifecycle};
pub use domain::like::LikeValue;
pub use domain::location::CommentLocation;
pub use domain::member::{MemberId, MemberOfType};
pub use domain::object_type::{ObjectType, Policies, Policy};
pub use domain::path::Path;
pub use domain::state::CommentState;
pub use domain::subject::{Subject, SubjectKey, SubjectState};
pub use domain::time::Millis;
pub use domain::{
    account_rules, act, appeal, caller, checked_text, comment, content, counts, decision, disposition, error,
    evaluation, event, feed, ids, lifecycle, like, location, member, object_type, origin, page, path, policy_judgement,
    proposal, rank, report, request, review, search, standing, state, subject, time,
};
pub use read::Comments;
pub use write::command_log::{CommandLog, Writer};
pub use write::command_output::{CommandOutput, DecisionOutput, EditOutput, EditedProposal, Effect};
pub use write::maintenance::Maintenance;
pub use write::moderation_control::ModerationControl;
pub use write::reports::MemberReports;
pub use write::standing_control::StandingControl;
pub use write::submit::Mutations;
pub use write::unit_of_work::{CommitObserver, CommittedChange, CommittedComment, ModerationGate, UnitOfWork};
pub use write::verbs::{Batch, Command, CommandKind, LikeCommand, LikeCommandKind};
pub use write::{
    change, lock_set, member_gate, moderation_control, reports, standing_control, submit, unit_of_work, verbs,
    write_set,
};
