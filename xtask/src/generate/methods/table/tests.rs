use super::*;
use prost::Message as _;
use tonic_prost_build::FileDescriptorSet;

const ROWS: &str = include_str!("../../../../../proto/riposte/v1/methods.yaml");
const CONTRACT: &[u8] = include_bytes!("../../../../../sdk/rust/src/gen/riposte.v1.descriptors.bin");

fn parsed(text: &str) -> Result<Table> {
    let set = FileDescriptorSet::decode(CONTRACT)?;
    Table::parse(text, &Contract::of(&set))
}

/// Returns the error of the rows after one replacement.
fn refused(rpc: &str, from: &str, to: &str) -> String {
    let at = ROWS.find(&format!("- {{ rpc: {rpc},")).unwrap();
    let end = ROWS[at..].find("\n- ").map_or(ROWS.len(), |end| at + end);
    let row = &ROWS[at..end];
    assert!(row.contains(from), "{row}");
    let text = format!("{}{}{}", &ROWS[..at], row.replacen(from, to, 1), &ROWS[end..]);
    format!("{:#}", parsed(&text).unwrap_err())
}

#[test]
fn the_rows_fit_the_contract() {
    let table = parsed(ROWS).unwrap();
    assert!(table.0.len() >= 38, "{}", table.0.len());
    // After an incident the records show which data was read, so reads are recorded too.
    let admin = table.0.values().filter(|row| row.rpc.starts_with("AdminService/"));
    assert!(admin.into_iter().all(|row| row.audited));
}

#[test]
fn every_rpc_has_one_row_and_every_row_an_rpc() {
    let get = "CommentService/GetComment";
    assert!(refused(get, get, "CommentService/DropAll").contains("CommentService/DropAll has no RPC in the contract"));
    assert!(refused(get, get, "CommentService/ListComments").contains("CommentService/ListComments has two rows"));
    let row = ROWS.find("- { rpc: AdminService/ListHotSubjects").unwrap();
    let error = format!("{:#}", parsed(&ROWS[..row]).unwrap_err());
    assert!(error.contains("no row for /riposte.v1.AdminService/ListHotSubjects"), "{error}");
}

#[test]
fn an_unknown_value_is_refused() {
    let get = "CommentService/GetComment";
    for (from, to) in [
        ("role: reader", "role: god"),
        ("pool: reads", "pool: calls"),
        ("admission_class: critical", "admission_class: high"),
        ("profile: READ", "profile: SMALL"),
        ("retry: read", "retry: always"),
        ("audited: false", "audited: sometimes"),
        ("role: reader", "rule: reader"),
    ] {
        let error = refused(get, from, to);
        assert!(error.contains("unknown") || error.contains("invalid type"), "{to}: {error}");
    }
}

#[test]
fn a_retried_write_has_a_request_id() {
    let error = refused("AdminService/ListHotSubjects", "retry: read", "retry: write");
    assert!(error.contains("ListHotSubjectsRequest has no request_id, so a repeat would write twice"), "{error}");
    assert!(refused("CommentService/CreateComment", "retry: write", "retry: read").contains("are reads"));
}

#[test]
fn a_deadline_that_some_clients_begin_to_count_too_early_is_refused() {
    for timeout in ["1.5s", "1s", "2.5s", "2000ms", "none"] {
        let error = refused("CommentService/GetComment", "client_timeout: 2s", &format!("client_timeout: {timeout}"));
        assert!(error.contains("client_timeout"), "{timeout}: {error}");
    }
    assert!(refused("SubjectService/WatchSubject", "client_timeout: none", "client_timeout: 2s").contains("streams"));
}

#[test]
fn streams_have_the_pool_and_the_profile_of_streams() {
    assert!(refused("SubjectService/WatchSubject", "profile: STREAM", "profile: READ").contains("STREAM"));
    assert!(refused("SubjectService/WatchSubject", "profile: STREAM", "profile: IMPORT").contains("IMPORT"));
    assert!(refused("SubjectService/WatchSubject", "pool: streams", "pool: reads").contains("pool"));
    assert!(refused("CommentService/GetComment", "pool: reads", "pool: streams").contains("pool"));
    assert!(refused("SubjectService/WatchSubject", "retry: none", "retry: read").contains("retry"));
}

#[test]
fn metadata_comes_from_fields_that_can_give_it() {
    let get = "CommentService/GetComment";
    assert!(refused(get, "comment_id: id", "comment_id: comment").contains("GetCommentRequest has no field comment"));
    assert!(refused(get, "comment_id: id", "subject: id").contains("cannot be its source"));
    assert!(refused("CommentService/CreateComment", "subject: subject", "comment_id: subject").contains("subject"));
    let import = "AdminService/ImportComments";
    assert!(refused(import, "error_metadata: {}", "error_metadata: { a: item }").contains("stream of requests"));
}
