//! `riposte events backfill`: the rows of an object type, and what happened to them meanwhile.

use super::super::exit::{ERROR, Failure};
use super::super::{connect, output};
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::export_subject_response::Item as Exported;
use riposte_sdk::v1::subscribe_response::Item;
use riposte_sdk::v1::{
    EventFilter, ExportSubjectRequest, ListSubjectsRequest, Subject, SubjectKey, SubscribeRequest, SubscribeResponse,
};
use riposte_sdk::{Client, Connection, Error, JsonWriter};
use std::collections::HashMap;
use std::process::ExitCode;
use tonic::{Code, Status, Streaming};

pub(super) const EXAMPLES: &str = "\
First come the rows as lines of ExportSubject: each subject, and then its comments in all states. Then come the events of the time that the walk took, as lines of Subscribe, without those that the rows \
have already. Applied in their order, the lines give the rows as they are now. The last line is a heartbeat, whose \
token `riposte events tail --after` continues.

The caller needs the roles subscriber and operator. The addresses come from RIPOSTE_TARGET and RIPOSTE_ADMIN_TARGET, \
the token of the caller from RIPOSTE_TOKEN and the certificate authority for https:// from RIPOSTE_TLS_CA, as in the \
SDKs.

Examples:
  riposte events backfill video > video.jsonl
  riposte events tail video --after \"$(tail -n 1 video.jsonl | jq -r .token)\"";

/// The rows to write.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The object type
    #[arg(value_name = "TYPE")]
    object_type: String,
    /// The address of the public services
    #[arg(long, value_name = "URL", env = "RIPOSTE_TARGET", default_value = "http://127.0.0.1:7171")]
    target: String,
    /// The address of the admin port [default: http://127.0.0.1:7172, unless RIPOSTE_TARGET names
    /// another server]
    #[arg(long, value_name = "URL", env = "RIPOSTE_ADMIN_TARGET")]
    admin_target: Option<String>,
}

/// A walk over the subjects of a type.
struct Backfill {
    client: Client,
    admin: AdminServiceClient<Connection>,
    object_type: String,
    writer: JsonWriter,
    /// The revision of each subject whose rows were written.
    revisions: HashMap<SubjectKey, i64>,
}

impl Args {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let client = connect::public(&self.target)?;
        let admin = connect::admin(self.admin_target)?;
        let writer = JsonWriter::default();
        let mut backfill = Backfill { client, admin, object_type: self.object_type, writer, revisions: HashMap::new() };
        // The position comes first: what happens from now on is in the rows or in the events.
        let (_, begin) = backfill.subscribe("").await?;
        backfill.write_rows().await?;
        backfill.write_events(&begin.token).await?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Backfill {
    /// Opens a stream after a token, or with the next event without one. Returns its first item as
    /// well.
    async fn subscribe(&self, token: &str) -> Result<(Streaming<SubscribeResponse>, SubscribeResponse), Error> {
        let filter = EventFilter { object_types: vec![self.object_type.clone()], ..EventFilter::default() };
        let request = SubscribeRequest { filter: Some(filter), token: token.to_owned() };
        let mut stream = self.client.events().subscribe(request).await.map_err(Error::from)?.into_inner();
        let opened = next(&mut stream).await?;
        Ok((stream, opened))
    }

    async fn write_rows(&mut self) -> anyhow::Result<()> {
        let mut page_token = String::new();
        loop {
            let request = ListSubjectsRequest { object_type: self.object_type.clone(), page_size: 100, page_token };
            let page = self.admin.list_subjects(request).await.map_err(Error::from)?.into_inner();
            for Subject { key, .. } in page.subjects {
                self.write_subject(key.unwrap_or_default()).await?;
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(());
            }
        }
    }

    async fn write_subject(&mut self, key: SubjectKey) -> anyhow::Result<()> {
        let request = ExportSubjectRequest { key: Some(key.clone()) };
        let mut rows = self.admin.export_subject(request).await.map_err(Error::from)?.into_inner();
        while let Some(row) = rows.message().await.map_err(Error::from)? {
            match &row.item {
                Some(Exported::Subject(exported)) => {
                    let revision = exported.subject.as_ref().map_or(0, |subject| subject.revision);
                    self.revisions.insert(key.clone(), revision);
                }
                Some(Exported::Comment(_)) => {}
                // Likes are no events, and come last.
                Some(Exported::Like(_)) | None => return Ok(()),
            }
            output::stream_line(&self.writer.write(&row).to_string())?;
        }
        Ok(())
    }

    /// Writes the events after a token, up to those of the end of the walk.
    async fn write_events(&self, token: &str) -> anyhow::Result<()> {
        // Everything committed before this time was committed before it is delivered by the other
        // stream.
        let (_, end) = self.subscribe("").await?;
        let end = match end.item {
            Some(Item::Opened(opened)) => opened.time.unwrap_or_default(),
            Some(Item::Event(_) | Item::Gap(_) | Item::Heartbeat(_)) | None => Default::default(),
        };
        let (mut stream, _) = self.subscribe(token).await?;
        loop {
            let item = next(&mut stream).await?;
            let is_last = match &item.item {
                Some(Item::Event(event)) => {
                    let known = event.subject.as_ref().and_then(|key| self.revisions.get(key));
                    if known.is_some_and(|known| event.subject_revision <= *known) {
                        continue;
                    }
                    false
                }
                Some(Item::Gap(_)) => {
                    let message = "the walk took longer than events are kept, or the data was restored meanwhile: \
                                   start again, with less at a time or with a longer events.retention";
                    return Err(Failure::new(ERROR, message).into());
                }
                Some(Item::Heartbeat(heartbeat)) => {
                    let time = |time: prost_types::Timestamp| (time.seconds, time.nanos);
                    heartbeat.time.is_some_and(|reached| time(reached) >= time(end))
                }
                Some(Item::Opened(_)) | None => continue,
            };
            if is_last || !matches!(item.item, Some(Item::Heartbeat(_))) {
                output::stream_line(&self.writer.write(&item).to_string())?;
            }
            if is_last {
                return Ok(());
            }
        }
    }
}

async fn next(stream: &mut Streaming<SubscribeResponse>) -> Result<SubscribeResponse, Error> {
    let next = stream.message().await.map_err(Error::from)?;
    next.ok_or_else(|| Error::from(Status::new(Code::Unavailable, "the stream ended")))
}
