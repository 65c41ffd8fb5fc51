use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use riposte_core::ports::{FilterClient, FilterItem, FilterKind, FilterOutcome, LocalHit, NoResult};
use riposte_core::{CommentId, MemberId, SubjectKey};
use riposte_fakes::{CallFault, CallScript, Fakes, FilterScript, Outcome, Script};
use riposte_sdk::filter::v1 as proto;

use super::GrpcFilterClient;
use crate::{CallObserver, CallOutcome, Endpoint, EndpointFiles, Limits, MemberTokens};

#[derive(Debug, Default)]
pub(crate) struct OutcomeLog(Mutex<Vec<CallOutcome>>);

impl CallObserver for OutcomeLog {
    fn called(&self, outcome: CallOutcome) {
        self.0.lock().unwrap().push(outcome);
    }
}

impl OutcomeLog {
    pub(crate) fn take(&self) -> Vec<CallOutcome> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Limits for a machine with much else to do: only a call without a response reaches its deadline.
pub(crate) fn patient() -> Limits {
    Limits { timeout: Limits::MAX_TIMEOUT, ..Limits::FILTER }
}

async fn fakes(filter: FilterScript) -> Fakes {
    let script = Script { filter, ..Script::default() };
    Fakes::start("127.0.0.1:0".parse().unwrap(), script).await.unwrap()
}

fn client(fakes: &Fakes, seen: &Arc<OutcomeLog>) -> GrpcFilterClient {
    let endpoint = Endpoint::parse(&fakes.address().to_string()).unwrap();
    let metadata = BTreeSet::from(["language".to_owned()]);
    let observer: Arc<OutcomeLog> = Arc::clone(seen);
    let tokens = MemberTokens::new(&[7; 32]);
    GrpcFilterClient::new(endpoint, EndpointFiles::default(), patient(), tokens, metadata, observer).unwrap()
}

fn item(key: usize, text: &str) -> FilterItem {
    FilterItem {
        key: format!("k{key}"),
        subject: SubjectKey::stored("video".to_owned(), "42".to_owned()),
        comment: CommentId::new(9).unwrap(),
        root: CommentId::new(7),
        parent: CommentId::new(8),
        member: MemberId::stored("member7".to_owned()),
        text: text.to_owned(),
        metadata: [("language", "de"), ("account", "member7")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
        local_hits: vec![LocalHit {
            source: "spam".to_owned(),
            version: "1".to_owned(),
            entry: "e".to_owned(),
            outcome: FilterOutcome::Flag,
        }],
        kind: FilterKind::Edit { text_before: "before".to_owned() },
    }
}

#[tokio::test]
async fn judgements_are_in_the_order_of_the_items() {
    let words = [("spam".to_owned(), Outcome::Hold), ("scam".to_owned(), Outcome::Refuse)].into();
    let fakes = fakes(FilterScript { words, ..FilterScript::default() }).await;
    let seen = Arc::default();
    let found = client(&fakes, &seen).judge(&[item(1, "spam"), item(2, "good"), item(3, "spam scam")]).await;
    let outcomes: Vec<_> = found.into_iter().map(|judgement| judgement.unwrap().outcome).collect();
    assert_eq!(outcomes, [FilterOutcome::Hold, FilterOutcome::Allow, FilterOutcome::Refuse]);
    assert_eq!(seen.take(), [CallOutcome::Decided]);
}

#[tokio::test]
async fn the_filter_gets_no_member_and_only_the_named_metadata() {
    let fakes = fakes(FilterScript::default()).await;
    client(&fakes, &Arc::default()).judge(&[item(1, "text")]).await;
    let requests = fakes.filter_requests();
    let sent = &requests[0].items[0];
    assert!(!format!("{requests:?}").contains("member7"), "{requests:?}");
    assert_eq!(sent.metadata, [("language".to_owned(), "de".to_owned())].into());
    assert_eq!((sent.comment_id, sent.root_id, sent.parent_id), (9, 7, 8));
    assert_eq!((sent.object_type.as_str(), sent.object_id.as_str(), sent.text.as_str()), ("video", "42", "text"));
    assert_eq!((sent.kind(), sent.text_before.as_str()), (proto::ContentKind::Edit, "before"));
    assert_eq!(sent.local_hits[0].outcome(), proto::FilterOutcome::Flag);
}

#[tokio::test]
async fn garbage_about_one_item_affects_no_other() {
    let fakes = fakes(FilterScript::default()).await;
    let seen = Arc::default();
    let client = client(&fakes, &seen);
    for fault in CallFault::GARBAGE {
        let filter = FilterScript { calls: CallScript::with(fault), ..FilterScript::default() };
        fakes.set_script(Script { filter, ..Script::default() });
        let found = client.judge(&[item(1, "a"), item(2, "b")]).await;
        assert_eq!(found[0], Err(NoResult::Undecided), "{fault:?}");
        assert!(found[1].is_ok(), "{fault:?}");
        assert_eq!(seen.take(), [CallOutcome::Undecided], "{fault:?}");
    }
}

#[tokio::test]
async fn a_call_that_fails_has_one_attempt_and_no_result() {
    let fakes = fakes(FilterScript::default()).await;
    let seen = Arc::default();
    let client = client(&fakes, &seen);
    for (number, (fault, outcome)) in [
        (CallFault::Never, CallOutcome::Timeout),
        (CallFault::Unavailable, CallOutcome::Unavailable),
        (CallFault::ResourceExhausted, CallOutcome::ResourceExhausted),
        (CallFault::Internal, CallOutcome::Failed),
    ]
    .into_iter()
    .enumerate()
    {
        let filter = FilterScript { calls: CallScript::with(fault), ..FilterScript::default() };
        fakes.set_script(Script { filter, ..Script::default() });
        let found = client.judge(&[item(1, "a"), item(2, "b")]).await;
        assert_eq!(found, [Err(NoResult::Unavailable), Err(NoResult::Unavailable)], "{fault:?}");
        assert_eq!(seen.take(), [outcome]);
        assert_eq!(fakes.filter_calls() as usize, number + 1);
    }
}

#[tokio::test]
async fn a_filter_that_fails_is_not_asked_again_for_a_while() {
    let fakes =
        fakes(FilterScript { calls: CallScript::with(CallFault::Unavailable), ..FilterScript::default() }).await;
    let seen = Arc::default();
    let client = client(&fakes, &seen);
    for _ in 0..25 {
        client.judge(&[item(1, "a")]).await;
    }
    let outcomes = seen.take();
    assert_eq!(outcomes[..20], [CallOutcome::Unavailable; 20]);
    assert_eq!(outcomes[20..], [CallOutcome::BreakerOpen; 5]);
    assert_eq!(fakes.filter_calls(), 20);
}

#[tokio::test]
async fn many_and_long_items_are_sent_in_several_calls() {
    let fakes = fakes(FilterScript::default()).await;
    let client = client(&fakes, &Arc::default());
    let many: Vec<_> = (0..130).map(|key| item(key, "a")).collect();
    assert_eq!(client.judge(&many).await.iter().filter(|judgement| judgement.is_ok()).count(), 130);
    let long: Vec<_> = (0..20).map(|key| item(key, &"😀".repeat(16_000))).collect();
    assert_eq!(client.judge(&long).await.iter().filter(|judgement| judgement.is_ok()).count(), 20);
    let sizes: Vec<_> = fakes.filter_requests().iter().map(|request| request.items.len()).collect();
    assert_eq!(sizes, [64, 64, 2, 16, 4]);
}

#[tokio::test]
async fn a_service_that_is_not_there_has_no_result() {
    let seen = Arc::default();
    let client = client(&fakes(FilterScript::default()).await, &seen);
    // The fakes stopped when they were dropped; a connection attempt is refused or reset.
    let found = client.judge(&[item(1, "a")]).await;
    assert_eq!(found, [Err(NoResult::Unavailable)]);
    assert!(matches!(seen.take()[..], [CallOutcome::Unavailable | CallOutcome::Failed | CallOutcome::Timeout]));
}

#[tokio::test]
async fn files_are_read_again() {
    let fakes = fakes(FilterScript::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "secret").unwrap();
    let endpoint = Endpoint::parse(&fakes.address().to_string()).unwrap();
    let files = EndpointFiles { token_file: Some(token.clone()), ..EndpointFiles::default() };
    let limits = Limits { wait: Duration::ZERO, ..patient() };
    let (tokens, seen) = (MemberTokens::new(&[7; 32]), Arc::<OutcomeLog>::default());
    let client = GrpcFilterClient::new(endpoint, files, limits, tokens, BTreeSet::new(), seen).unwrap();
    std::fs::write(&token, "another").unwrap();
    assert!(client.reload().is_ok() && client.judge(&[item(1, "a")]).await[0].is_ok());
    assert_eq!(fakes.tokens(), ["Bearer another"]);
    std::fs::remove_file(&token).unwrap();
    assert!(client.reload().is_err() && client.judge(&[item(1, "a")]).await[0].is_ok());
}
