//! The checks of a filter.

use std::time::Duration;

use riposte_sdk::filter::v1::{
    CheckContentsRequest, CheckContentsResponse, ContentItem, ContentKind, FilterOutcome, LocalHit,
};
use uuid::Uuid;

use super::Check;
use super::method::ServiceMethod;
use crate::breach::Breach;
use crate::endpoint::Connection;
use crate::filter::{MAX_ITEMS, response};

const PATH: &str = "/riposte.filter.v1.FilterService/CheckContents";
/// The longest text of a comment, in code points.
const LONGEST_TEXT: usize = 16_000;
/// The number of calls at one time.
const AT_ONCE: usize = 32;

/// A request with a field that a later version of the contract may have.
#[derive(Clone, PartialEq, prost::Message)]
struct LaterRequest {
    #[prost(message, repeated, tag = "1")]
    items: Vec<ContentItem>,
    #[prost(string, tag = "1000")]
    later: String,
}

/// Runs all checks. The first call makes the filter ready and is not measured.
pub async fn check_filter(connection: Connection, deadline: Duration) -> Vec<Check> {
    let method = ServiceMethod { connection, path: PATH, deadline };
    drop(method.call::<_, CheckContentsResponse>(request(vec![item("Hello")]), &mut Vec::new()).await);
    let mut checks = Vec::new();
    for (name, sent, items) in cases() {
        checks.push(one(&method, name, sent.to_owned(), items).await);
    }
    checks.push(later_field(&method).await);
    checks.push(repeated(&method).await);
    checks.push(at_once(&method).await);
    checks
}

/// Returns the requests of the checks that send one request each.
fn cases() -> Vec<(&'static str, &'static str, Vec<ContentItem>)> {
    let texts: [String; 5] = [
        "😀".repeat(LONGEST_TEXT),
        "x".to_owned(),
        "𠮷 مرحبا שלום".to_owned(),
        "a\n\tb".to_owned(),
        "\u{200b}".to_owned(),
    ];
    let kinds = [ContentKind::Create, ContentKind::Reply, ContentKind::Edit, ContentKind::Recheck];
    let hits = [FilterOutcome::Allow, FilterOutcome::Flag, FilterOutcome::Hold].map(|outcome| LocalHit {
        source: "list".to_owned(),
        version: "1".to_owned(),
        id: "entry".to_owned(),
        outcome: outcome.into(),
    });
    let of_kind = |kind: ContentKind| ContentItem {
        kind: kind.into(),
        text_before: if kind == ContentKind::Edit { "Hello before".to_owned() } else { String::new() },
        root_id: i64::from(kind == ContentKind::Reply),
        parent_id: i64::from(kind == ContentKind::Reply),
        ..item("Hello")
    };
    vec![
        ("one item", "1 new comment", vec![item("Hello")]),
        (
            "many items",
            "64 new comments with different texts",
            (0..MAX_ITEMS).map(|n| item(&format!("Hello {n}"))).collect(),
        ),
        ("equal texts", "2 items with one text and two keys", vec![item("Hello"), item("Hello")]),
        ("every kind", "a new comment, a reply, an edit and a text that is judged again", kinds.map(of_kind).into()),
        (
            "unusual texts",
            "texts of 16,000 emoji, of 1 letter, with scripts from right to left, with line ends, and \
          of an invisible character",
            texts.iter().map(|text| item(text)).collect(),
        ),
        (
            "local hits and metadata",
            "an item with 3 hits of word lists and a key of metadata",
            vec![ContentItem {
                local_hits: hits.into(),
                metadata: [("language".to_owned(), "de".to_owned())].into(),
                ..item("Hello")
            }],
        ),
        (
            "an unknown kind",
            "an item with the kind 99, which a later version may have",
            vec![ContentItem { kind: 99, ..item("Hello") }],
        ),
    ]
}

fn item(text: &str) -> ContentItem {
    ContentItem {
        key: Uuid::new_v4().to_string(),
        object_type: "video".to_owned(),
        object_id: "42".to_owned(),
        comment_id: i64::MAX - 1,
        member_token: "conformance".to_owned(),
        text: text.to_owned(),
        kind: ContentKind::Create.into(),
        ..ContentItem::default()
    }
}

fn request(items: Vec<ContentItem>) -> CheckContentsRequest {
    CheckContentsRequest { items }
}

async fn one(method: &ServiceMethod, name: &'static str, sent: String, items: Vec<ContentItem>) -> Check {
    let keys: Vec<String> = items.iter().map(|item| item.key.clone()).collect();
    let mut breaches = Vec::new();
    let (response, took) = method.call(request(items), &mut breaches).await;
    breaches.extend(response.map(|response| breaches_of(&keys, &response)).unwrap_or_default());
    Check { name, sent, took, breaches }
}

fn breaches_of(keys: &[String], response: &CheckContentsResponse) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    response::judgements(&keys, &response.verdicts, &mut breaches);
    let in_order = response.verdicts.iter().map(|verdict| verdict.key.as_str()).eq(keys.iter().copied());
    if breaches.is_empty() && !in_order {
        breaches.push(Breach::new("", "the verdicts are in another order", "send them in the order of the items"));
    }
    breaches
}

async fn later_field(method: &ServiceMethod) -> Check {
    let items = vec![item("Hello")];
    let keys = [items[0].key.clone()];
    let mut breaches = Vec::new();
    let (response, took) = method.call(LaterRequest { items, later: "x".to_owned() }, &mut breaches).await;
    breaches.extend(response.map(|response| breaches_of(&keys, &response)).unwrap_or_default());
    Check {
        name: "an unknown field",
        sent: "an item, and a field that a later version may have".to_owned(),
        took,
        breaches,
    }
}

async fn repeated(method: &ServiceMethod) -> Check {
    let items = vec![item("Hello")];
    let first = one(method, "", String::new(), items.clone()).await;
    let mut check = one(method, "a repeat", "one request, with equal keys, two times".to_owned(), items).await;
    check.breaches.splice(0..0, first.breaches);
    check
}

async fn at_once(method: &ServiceMethod) -> Check {
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let method = method.clone();
        calls.spawn(async move { one(&method, "", String::new(), vec![item("Hello")]).await });
    }
    let ended = calls.join_all().await;
    let took = ended.iter().map(|check| check.took).max().unwrap_or_default();
    // One of many equal breaches is enough.
    let failed = ended.into_iter().find(|check| !check.breaches.is_empty());
    let breaches = failed.map_or_else(Vec::new, |check| check.breaches);
    Check { name: "calls at once", sent: format!("{AT_ONCE} calls with 1 item each"), took, breaches }
}

#[cfg(test)]
mod tests {
    use super::check_filter;
    use crate::{Endpoint, EndpointFiles};
    use riposte_fakes::{CallFault, CallScript, Fakes, FilterScript, Script};
    use std::time::Duration;

    async fn failed(fakes: &Fakes, deadline: Duration) -> Vec<(&'static str, String)> {
        let endpoint = Endpoint::parse(&fakes.address().to_string()).unwrap();
        let connection = endpoint.connect(&EndpointFiles::default()).await.unwrap();
        let checks = check_filter(connection, deadline).await;
        assert!(checks.len() >= 10 && checks.iter().all(|check| !check.sent.is_empty()));
        let failed = checks.iter().filter_map(|check| Some((check.name, check.breaches.first()?.to_string())));
        failed.collect()
    }

    #[tokio::test]
    async fn a_filter_that_keeps_the_contract_passes_and_each_breach_is_named() {
        let fakes = Fakes::start("127.0.0.1:0".parse().unwrap(), Script::default()).await.unwrap();
        let patient = Duration::from_secs(30);
        assert_eq!(failed(&fakes, patient).await, []);
        for (fault, what) in [
            (CallFault::MissingKey, "item 1: has no verdict"),
            (CallFault::ForeignKey, "verdict 1: `key` is that of no item of the request"),
            (CallFault::DoubleKey, "item 1: has more than one verdict"),
            (CallFault::UnknownEnum, "verdict 1: `outcome` is 99, which the contract does not have"),
            (CallFault::NumberOutOfRange, "verdict 1: `review_priority` is 101"),
            (CallFault::TooLong, "verdict 1: `explanation` has 257 code points"),
            (CallFault::Unavailable, "the call failed with Unavailable: as the script says"),
        ] {
            let filter = FilterScript { calls: CallScript::with(fault), ..FilterScript::default() };
            fakes.set_script(Script { filter, ..Script::default() });
            let failed = failed(&fakes, patient).await;
            assert!(failed.len() >= 10 && failed.iter().all(|(_, found)| found == what), "{fault:?}: {failed:?}");
        }
    }

    #[tokio::test]
    async fn a_late_response_fails_every_check() {
        let fakes = Fakes::start("127.0.0.1:0".parse().unwrap(), Script::default()).await.unwrap();
        let failed = failed(&fakes, Duration::ZERO).await;
        assert!(
            failed.len() >= 10 && failed.iter().all(|(_, found)| found.starts_with("the response took ")),
            "{failed:?}"
        );
    }
}
