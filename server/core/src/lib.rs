//! The comment domain of Riposte: subjects, comments, floors, likes, permissions, and the changes
//! of each command.
//!
//! Everything here is a pure function of its arguments. A store loads the rows that a batch may
//! touch into a [`UnitOfWork`] under lock, [`UnitOfWork::run`] decides each [`Command`] on them,
//! and the store writes the rows that the [`WriteSet`](unit_of_work::WriteSet) names. Reads go
//! through the [`Reader`](ports::Reader) port, and [`Comments`] is the one façade that the RPC
//! layer sees.
//!
//! This crate must never do I/O, read a clock or an environment, or know a database, a cache or a
//! wire format.

pub mod caller;
pub mod change;
pub mod comment;
pub mod comments;
pub mod content;
pub mod error;
pub mod event;
pub mod ids;
pub mod like;
pub mod member;
pub mod object_type;
pub mod page;
pub mod path;
pub mod ports;
pub mod rank;
pub mod request;
pub mod state;
pub mod subject;
pub mod time;
pub mod unit_of_work;
pub mod verbs;

pub use caller::{Caller, Grants, ObjectTypeScope, Role};
pub use comment::{Comment, CommentView, DeletedBy};
pub use comments::Comments;
pub use content::{ClientInfo, Content, ExtraFields};
pub use error::{Error, Reason, Result, Violation};
pub use ids::{CommentId, Partition, SubjectId};
pub use like::LikeValue;
pub use member::MemberId;
pub use object_type::{ObjectType, Policies, Policy};
pub use path::Path;
pub use state::CommentState;
pub use subject::{Subject, SubjectKey, SubjectState};
pub use time::Millis;
pub use unit_of_work::{CommandOutput, UnitOfWork};
pub use verbs::{Command, CommandKind};
