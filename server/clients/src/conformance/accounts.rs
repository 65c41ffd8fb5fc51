//! The checks of an account service.

use std::time::Duration;

use riposte_core::ports::Account;
use riposte_sdk::account::v1::{BatchGetStandingsRequest, BatchGetStandingsResponse};
use uuid::Uuid;

use super::Check;
use super::method::ServiceMethod;
use crate::accounts::{MAX_MEMBERS, response};
use crate::breach::Breach;
use crate::endpoint::Connection;

const PATH: &str = "/riposte.account.v1.AccountService/BatchGetStandings";
/// The number of calls at one time.
const AT_ONCE: usize = 32;

/// A request with a field that a later version of the contract may have.
#[derive(Clone, PartialEq, prost::Message)]
struct LaterRequest {
    #[prost(string, tag = "1")]
    object_type: String,
    #[prost(string, repeated, tag = "2")]
    member_ids: Vec<String>,
    #[prost(string, tag = "1000")]
    later: String,
}

/// Runs all checks under an object type, with unknown members, and with one that exists if it is
/// known. The first call makes the service ready and is not measured.
pub async fn check_accounts(
    connection: Connection,
    deadline: Duration,
    object_type: &str,
    member: Option<&str>,
) -> Vec<Check> {
    let method = ServiceMethod { connection, path: PATH, deadline };
    let request = |members: &[String]| BatchGetStandingsRequest {
        object_type: object_type.to_owned(),
        member_ids: members.to_vec(),
    };
    drop(method.call::<_, BatchGetStandingsResponse>(request(&[unknown_member()]), &mut Vec::new()).await);
    let mut checks = Vec::new();
    if let Some(member) = member {
        checks.push(existence(&method, request(&[member.to_owned()]), true).await);
    }
    checks.push(existence(&method, request(&[unknown_member()]), false).await);
    let many: Vec<String> = (0..MAX_MEMBERS).map(|_| unknown_member()).collect();
    checks.push(one(&method, "many members", format!("{MAX_MEMBERS} different members"), request(&many)).await);
    let unusual = ["x".repeat(64), "a b".to_owned(), "会员七".to_owned(), "é@a.example".to_owned()];
    let sent = "ids of 64 bytes, with a space, of Han characters, and of an address".to_owned();
    checks.push(one(&method, "unusual members", sent, request(&unusual)).await);
    checks.push(later_field(&method, request(&[unknown_member()])).await);
    checks.push(at_once(&method, request(&[unknown_member()])).await);
    checks
}

fn unknown_member() -> String {
    Uuid::new_v4().to_string()
}

async fn one(method: &ServiceMethod, name: &'static str, sent: String, request: BatchGetStandingsRequest) -> Check {
    let (members, mut breaches) = (request.member_ids.clone(), Vec::new());
    let (response, took) = method.call(request, &mut breaches).await;
    breaches.extend(response.map(|response| breaches_of(&members, &response)).unwrap_or_default());
    Check { name, sent, took, breaches }
}

/// Checks a request with one member, which must exist or must not.
async fn existence(method: &ServiceMethod, request: BatchGetStandingsRequest, exists: bool) -> Check {
    let (name, sent) = if exists {
        ("a member", "the member of --member")
    } else {
        ("an unknown member", "1 unknown member, a random UUID")
    };
    let (members, mut breaches) = (request.member_ids.clone(), Vec::new());
    let (response, took) = method.call(request, &mut breaches).await;
    if let Some(response) = response {
        breaches.extend(breaches_of(&members, &response));
        breaches.extend(wrong_existence(&members, &response, exists));
    }
    Check { name, sent: sent.to_owned(), took, breaches }
}

async fn later_field(method: &ServiceMethod, request: BatchGetStandingsRequest) -> Check {
    let (members, mut breaches) = (request.member_ids.clone(), Vec::new());
    let BatchGetStandingsRequest { object_type, member_ids } = request;
    let later = LaterRequest { object_type, member_ids, later: "x".to_owned() };
    let (response, took) = method.call(later, &mut breaches).await;
    breaches.extend(response.map(|response| breaches_of(&members, &response)).unwrap_or_default());
    let sent = "a member, and a field that a later version may have".to_owned();
    Check { name: "an unknown field", sent, took, breaches }
}

fn breaches_of(members: &[String], response: &BatchGetStandingsResponse) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    response::accounts(&members, &response.standings, &mut breaches);
    breaches
}

/// Returns a breach if the one member exists and should not, or the other way round.
fn wrong_existence(members: &[String], response: &BatchGetStandingsResponse, exists: bool) -> Option<Breach> {
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    let found = response::accounts(&members, &response.standings, &mut Vec::new());
    let is_absent = found.first()?.ok()?.account == Account::Absent;
    let (what, change) = if exists {
        ("the account does not exist", "send known members with `exists` true, or name another with --member")
    } else {
        ("the account of an unknown member exists", "send unknown members with `exists` false")
    };
    (is_absent == exists).then(|| Breach::new("standing 1", what, change))
}

async fn at_once(method: &ServiceMethod, request: BatchGetStandingsRequest) -> Check {
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let (method, request) = (method.clone(), request.clone());
        calls.spawn(async move { one(&method, "", String::new(), request).await });
    }
    let ended = calls.join_all().await;
    let took = ended.iter().map(|check| check.took).max().unwrap_or_default();
    // One of many equal breaches is enough.
    let failed = ended.into_iter().find(|check| !check.breaches.is_empty());
    let breaches = failed.map_or_else(Vec::new, |check| check.breaches);
    Check { name: "calls at once", sent: format!("{AT_ONCE} calls with 1 member each"), took, breaches }
}

#[cfg(test)]
mod tests {
    use super::check_accounts;
    use crate::{Endpoint, EndpointFiles};
    use riposte_fakes::{AccountFields, AccountScript, CallFault, CallScript, Fakes, Script};
    use std::time::Duration;

    fn script(exists: bool, calls: CallScript) -> Script {
        let fields = |exists| AccountFields { exists, ..AccountFields::default() };
        let members = [("m7".to_owned(), fields(true))].into();
        Script { accounts: AccountScript { calls, others: fields(exists), members }, ..Script::default() }
    }

    async fn failed(fakes: &Fakes, member: Option<&str>) -> Vec<(&'static str, String)> {
        let endpoint = Endpoint::parse(&fakes.address().to_string()).unwrap();
        let connection = endpoint.connect(&EndpointFiles::default()).await.unwrap();
        let checks = check_accounts(connection, Duration::from_secs(30), "video", member).await;
        let failed = checks.iter().filter_map(|check| Some((check.name, check.breaches.first()?.to_string())));
        failed.collect()
    }

    #[tokio::test]
    async fn a_service_that_keeps_the_contract_passes_and_each_breach_is_named() {
        let listen = "127.0.0.1:0".parse().unwrap();
        let fakes = Fakes::start(listen, script(false, CallScript::default())).await.unwrap();
        assert_eq!(failed(&fakes, Some("m7")).await, []);
        let missing = ("a member", "standing 1: the account does not exist".to_owned());
        assert_eq!(failed(&fakes, Some("m8")).await, [missing]);
        for (fault, what) in [
            (CallFault::MissingKey, "item 1: has no standing"),
            (CallFault::ForeignKey, "standing 1: `member_id` is that of no item of the request"),
            (CallFault::DoubleKey, "item 1: has more than one standing"),
            (CallFault::TooLong, "standing 1: `valid_for` is 3601 s"),
            (CallFault::Internal, "the call failed with Internal: as the script says"),
        ] {
            fakes.set_script(script(false, CallScript::with(fault)));
            let failed = failed(&fakes, None).await;
            assert!(failed.len() >= 5 && failed.iter().all(|(_, found)| found == what), "{fault:?}: {failed:?}");
        }
        fakes.set_script(script(true, CallScript::default()));
        let unknown = ("an unknown member", "standing 1: the account of an unknown member exists".to_owned());
        assert_eq!(failed(&fakes, None).await, [unknown]);
    }
}
