//! `riposte moderate standing`: what a member may do under an object type.

use super::Moderator;
use crate::cli::connect::AdminAddress;
use crate::cli::output::{self, printable};
use clap::ValueEnum;
use prost_types::Timestamp;
use riposte_sdk::v1::{
    Grounds, ListMemberStandingsRequest, MemberOfType, MemberStanding, SetMemberStandingRequest, Standing,
};
use std::process::ExitCode;

/// The member, and the standing to set.
#[derive(Debug, clap::Args)]
pub(super) struct StandingArgs {
    /// The object type
    #[arg(value_name = "TYPE")]
    object_type: String,
    /// The member
    #[arg(value_name = "MEMBER")]
    member: String,
    /// The standing to set; without one the present standing is printed
    #[arg(value_enum, value_name = "STATE")]
    state: Option<State>,
    #[command(flatten)]
    change: Change,
    #[command(flatten)]
    moderator: Moderator,
    #[command(flatten)]
    target: AdminAddress,
}

/// The values that go with a standing.
#[derive(Debug, clap::Args)]
struct Change {
    /// The time at which it ends, as 2027-01-31T12:00:00Z; without one it has no end
    #[arg(long, value_name = "TIME", requires = "state", value_parser = time)]
    until: Option<Timestamp>,
    /// The weight of the member's reports; those of others weigh 100
    #[arg(long, value_name = "0-1000", requires = "state", value_parser = clap::value_parser!(i32).range(0..=1000))]
    report_weight: Option<i32>,
    /// The rule on which it rests, as [a-z0-9_.-]
    #[arg(long, value_name = "CODE", requires = "state")]
    code: Option<String>,
    /// A note for moderators
    #[arg(long, value_name = "TEXT", requires = "state")]
    note: Option<String>,
    /// Replace only the standing with this etag, which an earlier command printed
    #[arg(long, value_name = "ETAG", requires = "state")]
    etag: Option<String>,
}

/// A standing as it is written on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum State {
    /// Everything that the object type allows
    Normal,
    /// Texts are in sight at once, where others wait too, and are not flagged
    Trusted,
    /// Texts wait for review
    PreModerated,
    /// No comments, replies and edits
    Muted,
    /// No writes but deleting own comments and appeals
    Banned,
}

impl From<State> for Standing {
    fn from(state: State) -> Self {
        match state {
            State::Normal => Self::Normal,
            State::Trusted => Self::Trusted,
            State::PreModerated => Self::PreModerated,
            State::Muted => Self::Muted,
            State::Banned => Self::Banned,
        }
    }
}

/// Parses a time.
fn time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "it is not a time: write it as 2027-01-31T12:00:00Z".to_owned())
}

impl StandingArgs {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let Self { object_type, member, state, change, moderator, target } = self;
        let mut service = target.policy()?;
        let of = MemberOfType { object_type: object_type.clone(), member_id: member.clone() };
        let standing = match state {
            None => {
                let (object_type, member_id) = (object_type, member);
                let request = ListMemberStandingsRequest { object_type, member_id, ..Default::default() };
                let page = service.list_member_standings(request).await.map_err(riposte_sdk::Error::from)?;
                page.into_inner().standings.into_iter().next()
            }
            Some(state) => {
                let Change { until, report_weight, code, note, etag } = change;
                let (code, note) = (code.unwrap_or_default(), note.unwrap_or_default());
                let standing = MemberStanding {
                    member: Some(of.clone()),
                    standing: Standing::from(state).into(),
                    until,
                    report_weight,
                    grounds: Some(Grounds { code, note, ..Grounds::default() }),
                    etag: etag.unwrap_or_default(),
                    update_time: None,
                };
                let (standing, moderator_id) = (Some(standing), moderator.moderator);
                let request = SetMemberStandingRequest { standing, moderator_id, ..Default::default() };
                let set = service.set_member_standing(request).await.map_err(riposte_sdk::Error::from)?;
                set.into_inner().standing
            }
        };
        output::write(&text(&of, standing.as_ref()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the standing of a member as a line.
fn text(of: &MemberOfType, standing: Option<&MemberStanding>) -> String {
    let head = format!("{} · {}", of.object_type, printable(&of.member_id));
    let Some(standing) = standing else { return format!("{head} · NORMAL\n") };
    let name = standing.standing().as_str_name().trim_start_matches("STANDING_");
    let until = standing.until.map_or_else(String::new, |until| format!(" until {until}"));
    let weight = standing.report_weight.map_or_else(String::new, |weight| format!(" · reports weigh {weight}"));
    let Grounds { code, note, .. } = standing.grounds.clone().unwrap_or_default();
    let code = if code.is_empty() { code } else { format!(" · {code}") };
    let note = if note.is_empty() { note } else { format!(" · note: {}", printable(&note)) };
    format!("{head} · {name}{until}{weight}{code}{note} · etag {}\n", standing.etag)
}
