//! `riposte events tail`: the feed of events of a running service as JSON lines.

use super::super::{connect, output};
use clap::ValueEnum;
use riposte_sdk::v1::{EventFilter, EventKind, EventScope, SubscribeRequest};
use riposte_sdk::{Error, JsonWriter};
use std::process::ExitCode;

pub(super) const EXAMPLES: &str = "\
Each line is one item of the stream as JSON: opened, event, gap or heartbeat, and the token that continues after it. The \
command ends with an error when the stream does; start it again with the last token.

The caller needs the role subscriber; --moderation also needs the role moderator.

The address comes from RIPOSTE_TARGET, the token of the caller from RIPOSTE_TOKEN and the certificate \
authority for https:// from RIPOSTE_TLS_CA, as in the SDKs.

Examples:
  riposte events tail video
  riposte events tail video,article --kind comment-published,comment-edited
  riposte events tail video --after \"$token\" | jq -c .event";

/// The events to print.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The object types
    #[arg(value_name = "TYPE,…", value_delimiter = ',', required = true)]
    object_types: Vec<String>,
    /// Print these kinds only
    #[arg(long, value_enum, value_name = "KIND,…", value_delimiter = ',')]
    kind: Vec<KindArg>,
    /// Print what only moderators see, too
    #[arg(long)]
    moderation: bool,
    /// Begin after the item with this token, and not with the next event
    #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
    after: String,
    /// The address of the public services
    #[arg(long, value_name = "URL", env = "RIPOSTE_TARGET", default_value = "http://127.0.0.1:7171")]
    target: String,
}

/// A kind of event.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum KindArg {
    CommentPublished,
    CommentEdited,
    CommentWithdrawn,
    CommentRestored,
    CommentDeleted,
    CommentPinChanged,
    SubjectChanged,
    CommentHeld,
    CommentDecided,
    CommentReported,
    EditProposed,
}

impl From<KindArg> for EventKind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::CommentPublished => Self::CommentPublished,
            KindArg::CommentEdited => Self::CommentEdited,
            KindArg::CommentWithdrawn => Self::CommentWithdrawn,
            KindArg::CommentRestored => Self::CommentRestored,
            KindArg::CommentDeleted => Self::CommentDeleted,
            KindArg::CommentPinChanged => Self::CommentPinChanged,
            KindArg::SubjectChanged => Self::SubjectChanged,
            KindArg::CommentHeld => Self::CommentHeld,
            KindArg::CommentDecided => Self::CommentDecided,
            KindArg::CommentReported => Self::CommentReported,
            KindArg::EditProposed => Self::EditProposed,
        }
    }
}

impl Args {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let Self { object_types, kind, moderation, after, target } = self;
        let scope = if moderation { EventScope::Moderation } else { EventScope::Public };
        let kinds = kind.into_iter().map(|kind| EventKind::from(kind).into()).collect();
        let filter = EventFilter { object_types, kinds, scope: scope.into() };
        let request = SubscribeRequest { filter: Some(filter), token: after };
        let client = connect::public(&target)?;
        let mut stream = client.events().subscribe(request).await.map_err(Error::from)?.into_inner();
        let writer = JsonWriter::default();
        while let Some(item) = stream.message().await.map_err(Error::from)? {
            output::stream_line(&writer.write(&item).to_string())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
