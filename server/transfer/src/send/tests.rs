//! Tests of the sender against a server that breaks connections on purpose. Imports into the real
//! server are tested in riposte-tests; only a stand-in can lose a response at a chosen item.

mod stand_in;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use riposte_sdk::{Client, Options};

use self::stand_in::StandIn;
use super::*;
use crate::format::ImportFormat;
use crate::ordering::Orphans;
use crate::read::ReadRequest;
use crate::rejects::Rejects;
use crate::throttle::Throttle;
use crate::totals::ImportTotals;
use crate::votes::VotePolicy;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// 40 subjects, each with a root with two votes, a chain of replies, an orphan with a reply, and a
/// like.
fn input() -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    for subject in 0..40 {
        let key = format!("\"subject\":{{\"object_type\":\"t\",\"object_id\":\"{subject}\"}}");
        let mut comment = |id: u32, parent: &str, votes: &str| {
            let time = format!("2020-01-01T00:00:{id:02}Z");
            writeln!(
                file,
                "{{\"comment\":{{{key},\"external_id\":\"{id}\",{parent}\"member_id\":\"m\",\"text\":\"x\",{votes}\"create_time\":\"{time}\"}}}}"
            )
            .unwrap();
        };
        comment(1, "", "\"votes\":{\"up\":1,\"down\":1},");
        for id in 2..20 {
            comment(id, &format!("\"parent_external_id\":\"{}\",", id - 1), "");
        }
        comment(30, "\"parent_external_id\":\"99\",", "\"votes\":{\"up\":5},");
        comment(31, "\"parent_external_id\":\"30\",", "");
        writeln!(file, "{{\"like\":{{{key},\"comment_external_id\":\"2\",\"member_id\":\"n\",\"value\":\"LIKE\"}}}}")
            .unwrap();
        writeln!(file, "{{\"like\":{{{key},\"comment_external_id\":\"31\",\"member_id\":\"n\",\"value\":\"LIKE\"}}}}")
            .unwrap();
    }
    file
}

struct Outcome {
    shared: Arc<ImportShared>,
    by_reason: BTreeMap<String, u64>,
    result: Result<()>,
}

async fn import(server: &StandIn, file: PathBuf, orphans: Orphans, rejects: Option<PathBuf>) -> Outcome {
    let (_stop, stopped) = watch::channel(false);
    import_until(server, file, orphans, rejects, stopped).await
}

async fn import_until(
    server: &StandIn,
    file: PathBuf,
    orphans: Orphans,
    rejects: Option<PathBuf>,
    stopped: watch::Receiver<bool>,
) -> Outcome {
    let request = ReadRequest::new(vec![file], ImportFormat::Jsonl, std::env::temp_dir(), 4_000_000_000_000);
    let prepared = request.prepare().unwrap();
    let shared = Arc::new(ImportShared {
        totals: Arc::new(ImportTotals::default()),
        source: prepared.settings.source.clone(),
        votes: VotePolicy::Synthetic,
        orphans,
        window: 8,
        throttle: Throttle::new(None),
        outage_limit: Duration::from_secs(2),
        outage: AtomicBool::new(false),
        report: Box::new(|_| {}),
        rejects: Mutex::new(Some(Rejects::new(rejects, "riposte"))),
    });
    let client =
        Client::open(Options { admin_target: server.address(), ..Options::default() }).unwrap().admin().unwrap();
    let result = run(prepared, &client, 4, &shared, &stopped).await;
    let rejects = shared.rejects.lock().unwrap().take().unwrap();
    Outcome { by_reason: rejects.finish(true).unwrap(), shared, result }
}

fn reasons(outcome: &Outcome) -> Vec<(&str, u64)> {
    outcome.by_reason.iter().map(|(reason, count)| (reason.as_str(), *count)).collect()
}

const REJECTED: [(&str, u64); 3] = [("COMMENT_REJECTED", 40), ("PARENT_MISSING", 40), ("PARENT_REJECTED", 40)];

#[tokio::test(flavor = "multi_thread")]
async fn a_second_import_changes_nothing() {
    let (server, file) = (StandIn::start(&[]).await, input());
    let first = import(&server, file.path().to_owned(), Orphans::Reject, None).await;
    first.result.as_ref().unwrap();
    let totals = &first.shared.totals;
    assert_eq!((totals.comments.created.get(), totals.comments.unchanged.get()), (40 * 19, 0));
    assert_eq!((totals.likes.created.get(), totals.synthetic.get()), (40 * 3, 40 * 2));
    assert_eq!(reasons(&first), REJECTED);
    // The 5 votes of each orphan are in its line of the rejects file.
    assert_eq!(totals.done.get(), totals.total.get());
    let state = server.state();

    let second = import(&server, file.path().to_owned(), Orphans::Reject, None).await;
    let totals = &second.shared.totals;
    assert_eq!((totals.comments.created.get(), totals.comments.unchanged.get()), (0, 40 * 19));
    assert_eq!((totals.likes.created.get(), totals.likes.unchanged.get()), (0, 40 * 3));
    assert_eq!(reasons(&second), REJECTED);
    assert_eq!(server.state(), state);
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_connections_lose_no_item_and_double_none() {
    let sound = StandIn::start(&[]).await;
    let file = input();
    import(&sound, file.path().to_owned(), Orphans::Root, None).await.result.unwrap();
    let broken = StandIn::start(&[0, 1, 7, 8, 50, 51, 300, 700, 701, 702]).await;
    let outcome = import(&broken, file.path().to_owned(), Orphans::Root, None).await;
    outcome.result.as_ref().unwrap();
    assert!(outcome.shared.totals.resent.get() > 0);
    assert_eq!(outcome.shared.totals.done.get(), outcome.shared.totals.total.get());
    assert_eq!(broken.state(), sound.state());
}

#[tokio::test(flavor = "multi_thread")]
async fn orphans_become_roots_in_their_place_on_request() {
    let (server, file) = (StandIn::start(&[]).await, input());
    let outcome = import(&server, file.path().to_owned(), Orphans::Root, None).await;
    assert!(outcome.by_reason.is_empty());
    let state = server.state();
    let orphan = &state[&("0".to_owned(), "30".to_owned())];
    assert_eq!((orphan.floor, orphan.parent.as_str(), orphan.orphan_of.as_str()), (20, "", "99"));
    assert_eq!(state[&("0".to_owned(), "31".to_owned())].floor, 21);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_corrected_rejects_file_is_imported_as_it_is() {
    let (server, file) = (StandIn::start(&[]).await, input());
    let folder = tempfile::tempdir().unwrap();
    let rejects = folder.path().join("rejects.jsonl");
    import(&server, file.path().to_owned(), Orphans::Reject, Some(rejects.clone())).await.result.unwrap();
    let corrected = std::fs::read_to_string(&rejects)
        .unwrap()
        .replace("\"parent_external_id\":\"99\"", "\"parent_external_id\":\"1\"");
    std::fs::write(&rejects, corrected).unwrap();
    let outcome = import(&server, rejects, Orphans::Reject, None).await;
    outcome.result.as_ref().unwrap();
    assert!(outcome.by_reason.is_empty(), "{:?}", outcome.by_reason);
    let totals = &outcome.shared.totals;
    assert_eq!((totals.comments.created.get(), totals.likes.created.get()), (80, 40 * 6));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_server_ends_the_import_when_its_time_is_over() {
    let (server, file) = (StandIn::start(&[]).await, input());
    server.stop();
    let outcome = import(&server, file.path().to_owned(), Orphans::Reject, None).await;
    let error = outcome.result.unwrap_err();
    assert_eq!(error.downcast_ref::<tonic::Status>().map(tonic::Status::code), Some(tonic::Code::Unavailable));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_breaks_every_stream_is_not_tried_for_ever() {
    let always: Vec<u64> = (0..10_000).collect();
    let (server, file) = (StandIn::start(&always).await, input());
    let outcome = import(&server, file.path().to_owned(), Orphans::Reject, None).await;
    assert!(format!("{:#}", outcome.result.unwrap_err()).contains("broken on purpose"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_loses_no_item_with_a_response_and_the_next_run_resumes() {
    let (server, file) = (StandIn::start(&[]).await, input());
    let (stop, stopped) = watch::channel(false);
    let importing = import_until(&server, file.path().to_owned(), Orphans::Reject, None, stopped);
    let stopping = async {
        server.wait_until_received(200).await;
        stop.send_replace(true);
    };
    let (outcome, ()) = tokio::join!(importing, stopping);
    outcome.result.unwrap();
    let totals = &outcome.shared.totals;
    assert_eq!(u64::try_from(server.state().len()).unwrap(), totals.comments.created.get());
    import(&server, file.path().to_owned(), Orphans::Reject, None).await.result.unwrap();
    assert_eq!(server.state().len(), 40 * 19);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_file_that_is_cut_off_is_imported() {
    let (server, mut file) = (StandIn::start(&[]).await, input());
    writeln!(file, "{{\"comment\":").unwrap();
    let outcome = import(&server, file.path().to_owned(), Orphans::Reject, None).await;
    let error = format!("{:#}", outcome.result.unwrap_err());
    assert!(error.contains("line 921, ") && error.contains("cut off"), "{error}");
    assert!(server.state().is_empty());
}
