//! The reports of members, and the decisions that concern a member.

use async_trait::async_trait;

use crate::domain::decision::Decision;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::member::{MemberId, MemberOfType};
use crate::domain::page::{HistoryCursor, LikerCursor};
use crate::domain::report::{DecisionCursor, DecisionKind, NewReport, OwnReport, Report, ReportResult};

/// Stores and lists reports. A report is a transaction of its own: it waits in no write queue and
/// moves no revision.
#[async_trait]
pub trait Reports: Send + Sync + std::fmt::Debug {
    /// Stores a report in place of an earlier one of the member on the comment, and opens the
    /// question of the text if the reports weigh enough or the member claims illegality. A repeat
    /// of the request that made the stored report changes nothing.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`](crate::Error::CommentNotFound) if the member cannot see the
    /// comment; [`Error::MemberNotAllowed`](crate::Error::MemberNotAllowed) for an own comment;
    /// [`Error::RequestIdReused`](crate::Error::RequestIdReused);
    /// [`Error::Overloaded`](crate::Error::Overloaded) while moderation is off or a process of a
    /// version before it runs.
    async fn report(&self, report: &NewReport) -> Result<ReportResult>;

    /// Returns the report of a member on a comment.
    async fn of_member(&self, id: CommentId, member: &MemberId) -> Result<Option<Report>>;

    /// Returns the reports on a comment, newest first, strictly after `after`.
    async fn on_comment(&self, id: CommentId, after: Option<&LikerCursor>, limit: usize) -> Result<Vec<Report>>;

    /// Returns the reports of a member under a type, newest first, strictly after `after`, each
    /// with its outcome.
    async fn by_member(&self, of: &MemberOfType, after: Option<HistoryCursor>, limit: usize) -> Result<Vec<OwnReport>>;

    /// Returns the decisions on comments of a member under a type, newest first, strictly after
    /// `after`.
    async fn decisions(
        &self,
        kind: DecisionKind,
        of: &MemberOfType,
        after: Option<DecisionCursor>,
        limit: usize,
    ) -> Result<Vec<Decision>>;
}
