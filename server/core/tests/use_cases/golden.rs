//! Golden idempotency keys and fingerprints of every verb, as [`Mutations`] passes them to the
//! command log.
//!
//! Both are stored permanently. If a key changed, a repeat of an older request would take effect
//! once more; if a fingerprint changed, the repeat would be rejected. Lines of the golden file may
//! therefore only be added.

#[path = "golden/imports.rs"]
mod imports;
#[path = "golden/requests.rs"]
mod requests;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::fakes::{FixedStandings, ManualClock, SequentialIds};
use super::{AllowAll, Model, Mutations, WriteContext, member, policies, run, unrestricted};
use riposte_core::location::CommentLocation;
use riposte_core::member_gate::MemberGate;
use riposte_core::object_type::{Policies, Policy};
use riposte_core::request::{Fingerprint, RequestId, RequestIdentity};
use riposte_core::subject::Metadata;
use riposte_core::submit::WritePorts;
use riposte_core::{Batch, Command, CommandLog, CommandOutput, CommentId, Content, Error, Path, Result, SubjectKey};

const GOLDEN: &str = include_str!("../../golden/fingerprints.txt");
/// The request id of all golden requests that have one.
const REQUEST_ID: &str = "018f4a2e-0000-7000-8000-000000000001";

/// A command log that records the commands and rejects each of them.
#[derive(Debug, Default)]
struct RecordingLog(Mutex<Vec<RecordedCommand>>);

/// The stored name and code of the verb of a command, its identity, and the fingerprint of earlier
/// versions for it.
type RecordedCommand = (&'static str, i8, RequestIdentity, Option<Fingerprint>);

#[async_trait]
impl CommandLog for RecordingLog {
    async fn submit(&self, batch: Batch) -> Result<Vec<Result<CommandOutput>>> {
        let commands: Vec<_> = match batch {
            Batch::Comments(batch) => {
                let former = |command: &Command| command.verb.former_fingerprint(&command.subject);
                batch.iter().map(|c| (c.verb.name(), c.verb.code(), c.request, former(c))).collect()
            }
            Batch::Likes(batch) => batch.iter().map(|c| (c.verb.name(), c.verb.code(), c.request, None)).collect(),
        };
        let rejections = commands.iter().map(|_| Err(Error::internal("the log only records"))).collect();
        self.0.lock().expect("not poisoned").extend(commands);
        Ok(rejections)
    }
}

/// The use cases over a recording log, and a line for each recorded command.
struct Recorder {
    mutations: Mutations,
    model: Arc<Model>,
    clock: Arc<ManualClock>,
    ids: Arc<SequentialIds>,
    log: Arc<RecordingLog>,
    lines: String,
    codes: BTreeSet<i8>,
}

impl Recorder {
    fn new() -> Self {
        let (clock, ids) = (Arc::new(ManualClock::default()), Arc::new(SequentialIds::default()));
        let (model, log) = (Arc::new(Model::new(Arc::clone(&clock) as _)), Arc::new(RecordingLog::default()));
        let ports = WritePorts {
            reader: Arc::clone(&model) as _,
            log: Arc::clone(&log) as _,
            clock: Arc::clone(&clock) as _,
            ids: Arc::clone(&ids) as _,
            content: Arc::new(AllowAll) as _,
            members: MemberGate { standings: Arc::new(FixedStandings::default()) as _, accounts: None },
        };
        let types = [("video".to_owned(), Policy::default())].into();
        let mutations = Mutations::new(ports, Arc::new(Policies::closed(types)));
        Self { mutations, model, clock, ids, log, lines: String::new(), codes: BTreeSet::new() }
    }

    /// Sends a request and adds a line for each command that reaches the log, and one more if an
    /// earlier version gave it another fingerprint.
    fn record<T>(&mut self, case: &str, request: impl AsyncFnOnce(&Mutations) -> T) {
        drop(run(request(&self.mutations)));
        let commands = std::mem::take(&mut *self.log.0.lock().expect("not poisoned"));
        assert!(!commands.is_empty(), "{case}: no command reaches the log");
        for (name, code, request, former) in commands {
            let key = u128::from_be_bytes(request.key.0);
            self.codes.insert(code);
            let line = |case: &str, fingerprint: Fingerprint| {
                format!("{name} {code} {case} {key:032x} {:016x}\n", fingerprint.0)
            };
            let former = former.map(|former| line("former", former)).filter(|line| !self.lines.contains(line));
            self.lines.extend(former.into_iter().chain([line(case, request.fingerprint)]));
        }
    }

    /// Returns use cases that write to the oracle instead of the recording log.
    fn over_oracle(&self) -> Mutations {
        let ports = WritePorts {
            reader: Arc::clone(&self.model) as _,
            log: Arc::clone(&self.model) as _,
            clock: Arc::clone(&self.clock) as _,
            ids: Arc::clone(&self.ids) as _,
            content: Arc::new(AllowAll) as _,
            members: MemberGate { standings: Arc::new(FixedStandings::default()) as _, accounts: None },
        };
        Mutations::new(ports, policies())
    }

    /// Returns the fingerprint on the line of a case.
    fn fingerprint(&self, name: &str, case: &str) -> &str {
        let fields = self.lines.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let line = fields.into_iter().find(|fields| fields[0] == name && fields[2] == case);
        line.unwrap_or_else(|| panic!("{name} {case} is recorded"))[4]
    }
}

fn write_context() -> WriteContext {
    let request_id = RequestId::parse("request_id", REQUEST_ID).expect("a UUID");
    WriteContext { caller: unrestricted(), member: Some(member("ann")), request_id }
}

/// Returns the context of a request without a member.
fn context_without_member() -> WriteContext {
    WriteContext { member: None, ..write_context() }
}

fn subject() -> SubjectKey {
    SubjectKey::stored("video".to_owned(), "4711".to_owned())
}

fn location(id: i64) -> CommentLocation {
    let id = CommentId::new(id).expect("a positive number");
    let (path, ancestor_ids) = (Path::root(id), vec![id]);
    CommentLocation { id, subject: subject(), path, floor: 1, ancestor_ids, parent_id: None, member: member("ann") }
}

fn metadata() -> Metadata {
    [("b", "2"), ("a", "é")].map(|(key, value)| (key.to_owned(), value.to_owned())).into()
}

fn plain() -> Content {
    Content::stored("楼 1".to_owned(), Vec::new(), Metadata::new())
}

fn rich() -> Content {
    Content::stored("楼 1".to_owned(), vec![member("zoe"), member("bob")], metadata())
}

fn record_all() -> Recorder {
    let mut recorder = Recorder::new();
    requests::subjects(&mut recorder);
    requests::comments(&mut recorder);
    requests::changes(&mut recorder);
    requests::moderation(&mut recorder);
    requests::likes(&mut recorder);
    requests::callers(&mut recorder);
    imports::items(&mut recorder);
    imports::likes(&mut recorder);
    recorder
}

#[test]
fn keys_and_fingerprints_of_all_verbs_keep_their_golden_values() {
    let recorder = record_all();
    assert_eq!(recorder.codes, (1..=16).collect(), "every verb has a golden line");
    let (golden, lines) = (GOLDEN.lines(), recorder.lines.lines());
    let changed: Vec<_> = golden.zip(lines).filter(|(golden, line)| golden != line).collect();
    assert!(GOLDEN == recorder.lines, "changed: {changed:#?}; all lines as they are now:\n{}", recorder.lines);
}

#[test]
fn a_fingerprint_covers_the_body_and_not_the_client() {
    let recorder = record_all();
    for verb in ["Create", "Reply"] {
        let [plain, client, rich] = ["plain", "client", "rich"].map(|case| recorder.fingerprint(verb, case));
        assert_eq!(plain, client, "{verb}");
        assert_ne!(plain, rich, "{verb}");
    }
    let [plain, member, caller, without_id] = ["plain", "other_member", "other_caller", "without_request_id"]
        .map(|case| recorder.fingerprint("Create", case));
    assert_eq!([member, caller, without_id], [plain; 3]);
}
