//! `riposte moderate`: the work of a moderator on the command line, for first steps and for
//! scripts.

mod standing;
mod switch;
mod text;

use super::connect::AdminAddress;
use super::exit::{self, Failure};
use super::output;
use crate::clock::SystemClock;
use clap::Subcommand;
use riposte_sdk::Connection;
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::moderation_service_client::ModerationServiceClient;
use riposte_sdk::v1::verdict_result::Result as Outcome;
use riposte_sdk::v1::{
    ClaimReviewItemsRequest, GetModeratedCommentsRequest, Grounds, ItemError, ListDecisionsRequest,
    ListReviewItemsRequest, ModeratedComment, ModerationAction, ReviewCause, SubmitVerdictsRequest, VerdictTarget,
};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Comments and edits wait for review where the object type has moderation = \"pre\"; `riposte dev --moderate pre` sets \
it for all types. A verdict is bound to the text that was read: approve, reject, hide and keep print the text that \
they judge. With --etag they judge only the version that an earlier command printed. Where an edit of a comment \
waits, approve and reject judge the edit, unless --etag names the text in sight. What a moderator has claimed, only \
that moderator judges: repeat the --moderator of the claim.

The address comes from RIPOSTE_ADMIN_TARGET, the token from RIPOSTE_TOKEN and the certificate authority for \
https:// from RIPOSTE_TLS_CA, as in the SDKs. The caller needs the role moderator.

Examples:
  riposte moderate queue video
  riposte moderate claim video --moderator mod-1 --limit 5
  riposte moderate approve 7203 --moderator mod-1
  riposte moderate reject 7203 --moderator mod-1 --code spam --explanation \"Advertising\"
  riposte moderate log 7203
  riposte moderate standing video m7 muted --until 2027-01-31T12:00:00Z --code spam";

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the comments that wait for review, those that are due first at the top
    #[command(after_long_help = EXAMPLES)]
    Queue(QueueArgs),
    /// Lease some of the comments that are due first, and print them
    #[command(after_long_help = EXAMPLES)]
    Claim(ClaimArgs),
    /// Make a comment or an edit visible that waits; on a visible comment, close what is open
    #[command(after_long_help = EXAMPLES)]
    Approve(VerdictArgs),
    /// Refuse a comment or an edit that waits
    #[command(after_long_help = EXAMPLES)]
    Reject(ReasonedVerdictArgs),
    /// Hide a visible comment
    #[command(after_long_help = EXAMPLES)]
    Hide(ReasonedVerdictArgs),
    /// Leave a comment as it is and close what is open on it
    #[command(after_long_help = EXAMPLES)]
    Keep(VerdictArgs),
    /// Print a comment in any state, with what is open on it and the edit that waits
    #[command(after_long_help = EXAMPLES)]
    Show(CommentArgs),
    /// Print the decisions on a comment, the latest first
    #[command(after_long_help = EXAMPLES)]
    Log(CommentArgs),
    /// Print what a member may do, or set it
    #[command(after_long_help = EXAMPLES)]
    Standing(standing::StandingArgs),
    /// Turn moderation off for all processes, before an earlier version runs again
    Off(switch::OffArgs),
    /// Turn moderation on again
    On(switch::OnArgs),
}

/// The moderator.
#[derive(Debug, clap::Args)]
struct Moderator {
    /// The moderator: your own id of a person
    #[arg(long, value_name = "ID", env = "RIPOSTE_MODERATOR", default_value = "command-line")]
    moderator: String,
}

/// The causes of reviews.
#[derive(Debug, clap::Args)]
struct Causes {
    /// Only what waits for this cause: new, edit, report, flag, service-unavailable, appeal or
    /// withheld; once for each. Without it, what waits for service-unavailable alone is left out
    /// until it is due: the server asks the filter or account service again
    #[arg(long = "cause", value_name = "CAUSE", value_parser = review_cause)]
    causes: Vec<ReviewCause>,
}

/// The part of the queue to print.
#[derive(Debug, clap::Args)]
struct QueueArgs {
    /// The object type
    #[arg(value_name = "TYPE", default_value = "video")]
    object_type: String,
    #[command(flatten)]
    causes: Causes,
    /// Print the comments that a moderator has leased too
    #[arg(long)]
    leased: bool,
    /// The number of comments on the page
    #[arg(long, value_name = "COUNT", default_value = "20", value_parser = clap::value_parser!(i32).range(1..=100))]
    page_size: i32,
    /// Print the page of this token, which the page before it printed
    #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
    page_token: String,
    #[command(flatten)]
    target: AdminAddress,
}

/// The leases to take.
#[derive(Debug, clap::Args)]
struct ClaimArgs {
    /// The object type
    #[arg(value_name = "TYPE", default_value = "video")]
    object_type: String,
    #[command(flatten)]
    causes: Causes,
    /// The number of comments to lease
    #[arg(long, value_name = "COUNT", default_value = "10", value_parser = clap::value_parser!(i32).range(1..=25))]
    limit: i32,
    /// The minutes for which they are leased
    #[arg(long, value_name = "MINUTES", default_value = "5", value_parser = clap::value_parser!(i64).range(1..=60))]
    minutes: i64,
    #[command(flatten)]
    moderator: Moderator,
    #[command(flatten)]
    target: AdminAddress,
}

/// A comment.
#[derive(Debug, clap::Args)]
struct CommentArgs {
    /// The comment
    #[arg(value_name = "ID", value_parser = comment_id)]
    id: i64,
    #[command(flatten)]
    target: AdminAddress,
}

/// A verdict that needs no rule.
#[derive(Debug, clap::Args)]
struct VerdictArgs {
    /// The comment
    #[arg(value_name = "ID", value_parser = comment_id)]
    id: i64,
    /// The rule on which the verdict rests, as [a-z0-9_.-]
    #[arg(long, value_name = "CODE", default_value = "", hide_default_value = true)]
    code: String,
    #[command(flatten)]
    reasons: Reasons,
}

/// A verdict that names its rule.
#[derive(Debug, clap::Args)]
struct ReasonedVerdictArgs {
    /// The comment
    #[arg(value_name = "ID", value_parser = comment_id)]
    id: i64,
    /// The rule on which the verdict rests, as [a-z0-9_.-]; the author may read it
    #[arg(long, value_name = "CODE")]
    code: String,
    #[command(flatten)]
    reasons: Reasons,
}

/// The reasons of a verdict, and the version that it judges.
#[derive(Debug, clap::Args)]
struct Reasons {
    /// An explanation for the author
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    explanation: String,
    /// A note for moderators
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    note: String,
    /// Judge only the version with this etag, which an earlier command printed
    #[arg(long, value_name = "ETAG")]
    etag: Option<String>,
    #[command(flatten)]
    moderator: Moderator,
    #[command(flatten)]
    target: AdminAddress,
}

type Service = ModerationServiceClient<Connection>;

/// Parses the id of a comment.
fn comment_id(text: &str) -> Result<i64, String> {
    let id = text.parse().ok().filter(|id| *id > 0);
    id.ok_or_else(|| "it is not the id of a comment, which is a number that `riposte moderate queue` shows".to_owned())
}

/// Parses a cause, written as in the list of them, in upper or lower case.
fn review_cause(text: &str) -> Result<ReviewCause, String> {
    let name = format!("REVIEW_CAUSE_{}", text.to_ascii_uppercase().replace('-', "_"));
    let cause = ReviewCause::from_str_name(&name).filter(|cause| *cause != ReviewCause::Unspecified);
    cause.ok_or_else(|| "the causes are new, edit, report, flag, service-unavailable, appeal and withheld".to_owned())
}

impl Causes {
    fn into_values(self) -> Vec<i32> {
        self.causes.into_iter().map(i32::from).collect()
    }
}

impl Args {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::Queue(args) => args.run().await,
            Action::Claim(args) => args.run().await,
            Action::Approve(VerdictArgs { id, code, reasons }) => {
                reasons.judge(ModerationAction::Approve, id, code).await
            }
            Action::Reject(ReasonedVerdictArgs { id, code, reasons }) => {
                reasons.judge(ModerationAction::Reject, id, code).await
            }
            Action::Hide(ReasonedVerdictArgs { id, code, reasons }) => {
                reasons.judge(ModerationAction::Hide, id, code).await
            }
            Action::Keep(VerdictArgs { id, code, reasons }) => reasons.judge(ModerationAction::Keep, id, code).await,
            Action::Show(args) => {
                let comment = moderated(&mut args.target.moderation()?, args.id).await?;
                output::write(&text::comment(&comment))?;
                Ok(ExitCode::SUCCESS)
            }
            Action::Log(args) => args.log().await,
            Action::Standing(args) => args.run().await,
            Action::Off(args) => args.run().await,
            Action::On(args) => args.run().await,
        }
    }
}

impl QueueArgs {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let QueueArgs { object_type, causes, leased, page_size, page_token, target } = self;
        let mut service = target.moderation()?;
        let request = ListReviewItemsRequest {
            object_type: object_type.clone(),
            causes: causes.into_values(),
            leased,
            page_size,
            page_token,
            ..ListReviewItemsRequest::default()
        };
        let page = service.list_review_items(request).await.map_err(riposte_sdk::Error::from)?.into_inner();
        output::write(&text::items(&object_type, &page.items, SystemClock.unix_millis()))?;
        if !page.next_page_token.is_empty() {
            output::note(&format!("more: add to the same command\n  --page-token {}", page.next_page_token));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl ClaimArgs {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let ClaimArgs { object_type, causes, limit, minutes, moderator, target } = self;
        let mut service = target.moderation()?;
        let request = ClaimReviewItemsRequest {
            object_type: object_type.clone(),
            causes: causes.into_values(),
            limit,
            lease: Some(prost_types::Duration { seconds: minutes * 60, nanos: 0 }),
            moderator_id: moderator.moderator,
            ..ClaimReviewItemsRequest::default()
        };
        let claimed = service.claim_review_items(request).await.map_err(riposte_sdk::Error::from)?.into_inner();
        output::write(&text::items(&object_type, &claimed.items, SystemClock.unix_millis()))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl CommentArgs {
    /// Writes all decisions on the comment to standard output.
    async fn log(self) -> anyhow::Result<ExitCode> {
        let mut service = self.target.moderation()?;
        let mut page_token = String::new();
        loop {
            let request = ListDecisionsRequest {
                of: Some(Of::CommentId(self.id)),
                page_token,
                ..ListDecisionsRequest::default()
            };
            let page = service.list_decisions(request).await.map_err(riposte_sdk::Error::from)?.into_inner();
            output::write(&text::decisions(&page.decisions))?;
            if page.next_page_token.is_empty() {
                return Ok(ExitCode::SUCCESS);
            }
            page_token = page.next_page_token;
        }
    }
}

impl Reasons {
    /// Writes the text that is judged, judges it, and writes the decision.
    async fn judge(self, action: ModerationAction, id: i64, code: String) -> anyhow::Result<ExitCode> {
        let Reasons { explanation, note, etag, moderator, target } = self;
        let mut service = target.moderation()?;
        let read = moderated(&mut service, id).await?;
        let judges_edit = matches!(action, ModerationAction::Approve | ModerationAction::Reject);
        let of_edit = Some(&read.proposed_edit_etag).filter(|etag| judges_edit && !etag.is_empty());
        let is_of = |present: &String| etag.as_ref().is_none_or(|etag| etag == present);
        if !is_of(&read.etag) && !is_of(&read.proposed_edit_etag) {
            output::note("the etag is that of another version than the present one, which follows");
        }
        let etag = etag.unwrap_or_else(|| of_edit.unwrap_or(&read.etag).clone());
        let judged = if etag == read.proposed_edit_etag { text::comment(&read) } else { text::in_sight(&read) };
        output::write(&judged)?;
        let target = VerdictTarget { comment_id: id, etag };
        let request = SubmitVerdictsRequest {
            action: action.into(),
            grounds: Some(Grounds { code, explanation, note, ..Grounds::default() }),
            targets: vec![target],
            moderator_id: moderator.moderator,
            ..SubmitVerdictsRequest::default()
        };
        let response = service.submit_verdicts(request).await.map_err(riposte_sdk::Error::from)?.into_inner();
        match response.results.into_iter().next().and_then(|result| result.result) {
            Some(Outcome::Decision(decision)) => {
                output::write(&text::decisions(&[decision]))?;
                Ok(ExitCode::SUCCESS)
            }
            Some(Outcome::Error(error)) => Err(failure(&error).into()),
            None => Err(Failure::new(exit::ERROR, "the response has no result").into()),
        }
    }
}

/// Reads one comment as a moderator.
async fn moderated(service: &mut Service, id: i64) -> anyhow::Result<ModeratedComment> {
    let request = GetModeratedCommentsRequest { ids: vec![id], allow_missing: false };
    let response = service.get_moderated_comments(request).await.map_err(riposte_sdk::Error::from)?.into_inner();
    let comment = response.comments.into_iter().next();
    comment.ok_or_else(|| Failure::new(exit::NOT_FOUND, "the comment does not exist (COMMENT_NOT_FOUND)").into())
}

/// Returns the failure for an error of the one target.
fn failure(error: &ItemError) -> Failure {
    let ItemError { reason, message, metadata, .. } = error;
    let code = if reason == "COMMENT_NOT_FOUND" { exit::NOT_FOUND } else { exit::ERROR };
    let decided = metadata.get("decision_id").map_or_else(String::new, |id| format!("; decision {id} came first"));
    Failure::new(code, format!("{message}{decided} ({reason})"))
}
