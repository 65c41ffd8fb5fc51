//! Records, and the file they go to.

use std::path::Path;

use riposte_core::Error;
use riposte_telemetry::Metrics;
use serde_json::{Value, json};

use super::{AuditKind, AuditLog, AuditSettings, AuditedCall, CallOutcome};
use riposte_conformance::stores::StepClock;

fn open(path: &Path) -> std::io::Result<AuditLog> {
    let config = AuditSettings { kind: AuditKind::File, file: Some(path.to_owned()) };
    AuditLog::open(&config, StepClock::at(StepClock::START), Metrics::new().unwrap())
}

fn subject(about: Value) -> AuditedCall {
    AuditedCall { caller: "ops".to_owned(), method: "AdminService/HideComment", call_id: "call-1".to_owned(), about }
}

fn ok() -> CallOutcome {
    CallOutcome { code: "OK".to_owned(), reason: None }
}

fn records(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    // A process that started during a write of another process may have added an empty line.
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or(Value::Null)).collect()
}

#[tokio::test]
async fn a_call_is_recorded_at_its_beginning_and_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let audit = open(&path).unwrap();
    let mut entry = audit.begin(subject(json!({"moderator_reason": "two\nlines \u{2028}\""}))).await.unwrap();
    let begun = records(&path);
    assert_eq!(begun.len(), 1, "the record of the beginning");
    entry.count("created");
    entry.count("created");
    entry
        .end(CallOutcome { code: "NOT_FOUND".to_owned(), reason: Some("COMMENT_NOT_FOUND".to_owned()) })
        .await
        .unwrap();
    let [begin, end] = &records(&path)[..] else { panic!("two lines") };
    assert_eq!(begin, &begun[0]);
    assert_eq!(begin["about"]["moderator_reason"], "two\nlines \u{2028}\"");
    assert_eq!((&begin["event"], &end["event"]), (&json!("begin"), &json!("end")));
    assert_eq!(end["outcome"], json!({"code": "NOT_FOUND", "reason": "COMMENT_NOT_FOUND"}));
    assert_eq!(end["told"], json!({"created": 2}));
    for name in ["id", "caller", "method", "call_id"] {
        assert!(begin[name] == end[name] && begin[name].is_string(), "{name}");
    }
    let time: jiff::Timestamp = begin["time"].as_str().unwrap().parse().unwrap();
    assert!(time.as_second() > 1_577_836_800, "{time}");
}

#[tokio::test]
async fn a_cancelled_call_is_recorded_at_its_end_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let audit = open(&path).unwrap();
    drop(audit.begin(subject(json!({}))).await.unwrap());
    audit.flush().await;
    assert_eq!(records(&path)[1]["outcome"], json!({"code": "CANCELLED"}));
    let entry = audit.begin(subject(json!({}))).await.unwrap();
    let task = tokio::spawn(async move {
        let _entry = entry;
        panic!("a fault in a handler");
    });
    assert!(task.await.is_err());
    audit.flush().await;
    assert_eq!(records(&path)[3]["outcome"], json!({"code": "INTERNAL"}));
}

#[tokio::test]
async fn a_new_file_is_created_after_the_old_one_was_moved() {
    let folder = tempfile::tempdir().unwrap();
    let (path, moved) = (folder.path().join("audit.jsonl"), folder.path().join("audit.jsonl.1"));
    let audit = open(&path).unwrap();
    let entry = audit.begin(subject(json!({}))).await.unwrap();
    std::fs::rename(&path, &moved).unwrap();
    entry.end(ok()).await.unwrap();
    assert_eq!((records(&moved).len(), records(&path).len()), (1, 1));
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let rejected = audit.begin(subject(json!({}))).await;
    assert!(matches!(rejected, Err(Error::Internal(_))), "the name belongs to a folder");
    std::fs::remove_dir(&path).unwrap();
    drop(audit.begin(subject(json!({}))).await.unwrap());
    audit.flush().await;
    assert_eq!(records(&path).len(), 2, "no record of the rejected call");
}

#[tokio::test]
async fn a_torn_record_stays_on_a_line_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    std::fs::write(&path, "{\"time\": \"20").unwrap();
    let audit = open(&path).unwrap();
    audit.begin(subject(json!({}))).await.unwrap().end(ok()).await.unwrap();
    let found = records(&path);
    assert!(found.len() == 3 && found[0].is_null() && found[1].is_object() && found[2].is_object(), "{found:?}");
}

#[tokio::test]
async fn a_call_whose_record_cannot_be_written_is_rejected_and_counted() {
    let full = open(Path::new("/dev/full")).unwrap();
    for _ in 0..2 {
        let rejected = full.begin(subject(json!({}))).await.map(drop);
        assert!(matches!(&rejected, Err(Error::Internal(detail)) if detail.contains("os error 28")), "{rejected:?}");
    }
    let text = full.metrics.text().unwrap();
    assert!(text.lines().any(|line| line == "riposte_audit_failures_total 2"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    assert!(open(&folder.path().join("no folder/audit.jsonl")).is_err() && open(folder.path()).is_err());
}

#[tokio::test]
async fn several_writers_of_one_file_tear_no_line() {
    const CALLS: usize = 200;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    // Each writer opens the file separately, as processes do.
    let writers: Vec<AuditLog> = (0..4).map(|_| open(&path).unwrap()).collect();
    let long = json!({"moderator_reason": "x".repeat(4_000)});
    let calls = (0..CALLS).map(|n| {
        let (audit, about) = (writers[n % writers.len()].clone(), long.clone());
        tokio::spawn(async move { audit.begin(subject(about)).await.unwrap().end(ok()).await.unwrap() })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    let found = records(&path);
    assert_eq!(found.len(), 2 * CALLS);
    let is_complete = |id: &Value| found.iter().filter(|record| record["id"] == *id).count() == 2;
    assert!(found.iter().all(|record| record.is_object() && is_complete(&record["id"])));
}
