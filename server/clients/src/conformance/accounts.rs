//! The checks of an account service.

use std::time::Duration;

use riposte_core::ports::Account;
use riposte_sdk::account::v1::{BatchGetStandingsRequest, BatchGetStandingsResponse};
use uuid::Uuid;

use super::Check;
use super::target::Target;
use crate::accounts::{MAX_MEMBERS, answer};
use crate::endpoint::Connection;
use crate::fault::AnswerFault;

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

/// Runs all checks under an object type, with members that nobody is, and with one that exists if
/// it is known. The first call makes the service ready and is not measured.
pub async fn check_accounts(
    connection: Connection,
    deadline: Duration,
    object_type: &str,
    member: Option<&str>,
) -> Vec<Check> {
    let target = Target { connection, path: PATH, deadline };
    let asked = |members: &[String]| BatchGetStandingsRequest {
        object_type: object_type.to_owned(),
        member_ids: members.to_vec(),
    };
    drop(target.ask::<_, BatchGetStandingsResponse>(asked(&[nobody()]), &mut Vec::new()).await);
    let mut checks = Vec::new();
    if let Some(member) = member {
        let members = [member.to_owned()];
        let mut check = one(&target, "a member", "the member that was named".to_owned(), asked(&members)).await;
        let (answer, _) = target.ask(asked(&members), &mut Vec::new()).await;
        check.faults.extend(answer.and_then(|answer| absent(&members, &answer, false)));
        checks.push(check);
    }
    let unknown = [nobody()];
    let (mut faults, sent) = (Vec::new(), "1 member that nobody is, a random UUID".to_owned());
    let (answer, took) = target.ask(asked(&unknown), &mut faults).await;
    faults.extend(answer.as_ref().map(|answer| faults_of(&unknown, answer)).unwrap_or_default());
    faults.extend(answer.and_then(|answer| absent(&unknown, &answer, true)));
    checks.push(Check { name: "an unknown member", sent, took, faults });
    let many: Vec<String> = (0..MAX_MEMBERS).map(|_| nobody()).collect();
    checks.push(one(&target, "many members", format!("{MAX_MEMBERS} different members"), asked(&many)).await);
    let unusual = ["x".repeat(64), "a b".to_owned(), "会员七".to_owned(), "é@a.example".to_owned()];
    let sent = "ids of 64 bytes, with a space, of Han characters, and of an address".to_owned();
    checks.push(one(&target, "unusual members", sent, asked(&unusual)).await);
    let (members, mut faults) = ([nobody()], Vec::new());
    let BatchGetStandingsRequest { object_type, member_ids } = asked(&members);
    let (answer, took) = target.ask(LaterRequest { object_type, member_ids, later: "x".to_owned() }, &mut faults).await;
    faults.extend(answer.map(|answer| faults_of(&members, &answer)).unwrap_or_default());
    let sent = "a member, and a field that a later version may have".to_owned();
    checks.push(Check { name: "an unknown field", sent, took, faults });
    checks.push(at_once(&target, asked(&[nobody()])).await);
    checks
}

fn nobody() -> String {
    Uuid::new_v4().to_string()
}

async fn one(target: &Target, name: &'static str, sent: String, request: BatchGetStandingsRequest) -> Check {
    let (members, mut faults) = (request.member_ids.clone(), Vec::new());
    let (answer, took) = target.ask(request, &mut faults).await;
    faults.extend(answer.map(|answer| faults_of(&members, &answer)).unwrap_or_default());
    Check { name, sent, took, faults }
}

fn faults_of(members: &[String], response: &BatchGetStandingsResponse) -> Vec<AnswerFault> {
    let mut faults = Vec::new();
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    answer::accounts(&members, &response.standings, &mut faults);
    faults
}

/// Returns a breach if the one member exists and should not, or the other way round.
fn absent(members: &[String], response: &BatchGetStandingsResponse, expected: bool) -> Option<AnswerFault> {
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    let found = answer::accounts(&members, &response.standings, &mut Vec::new());
    let is_absent = found.first()?.ok()?.account == Account::Absent;
    let (what, change) = if expected {
        ("an account that nobody has exists", "answer members that are unknown with `exists` false")
    } else {
        (
            "the account does not exist",
            "answer members that are known with `exists` true, or name another with --member",
        )
    };
    (is_absent != expected).then(|| AnswerFault::new("standing 1", what, change))
}

async fn at_once(target: &Target, request: BatchGetStandingsRequest) -> Check {
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let (target, request) = (target.clone(), request.clone());
        calls.spawn(async move { one(&target, "", String::new(), request).await });
    }
    let ended = calls.join_all().await;
    let took = ended.iter().map(|check| check.took).max().unwrap_or_default();
    // One of many equal breaches says as much.
    let faults = ended.into_iter().find(|check| !check.faults.is_empty()).map_or_else(Vec::new, |check| check.faults);
    Check { name: "calls at once", sent: format!("{AT_ONCE} calls with 1 member each"), took, faults }
}

#[cfg(test)]
mod tests {
    use super::check_accounts;
    use crate::{Endpoint, EndpointFiles};
    use riposte_fakes::{AccountFields, AccountScript, CallScript, Fakes, Fault, Script};
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
        let failed = checks.iter().filter_map(|check| Some((check.name, check.faults.first()?.to_string())));
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
            (Fault::MissingKey, "item 1: has no answer"),
            (Fault::ForeignKey, "standing 1: `member_id` is that of no item of the request"),
            (Fault::DoubleKey, "item 1: has more than one answer"),
            (Fault::TooLong, "standing 1: `valid_for` is 3601 s"),
            (Fault::Internal, "the call failed with Internal: as the script says"),
        ] {
            fakes.set_script(script(false, CallScript::with(fault)));
            let failed = failed(&fakes, None).await;
            assert!(failed.len() >= 5 && failed.iter().all(|(_, found)| found == what), "{fault:?}: {failed:?}");
        }
        fakes.set_script(script(true, CallScript::default()));
        let unknown = ("an unknown member", "standing 1: an account that nobody has exists".to_owned());
        assert_eq!(failed(&fakes, None).await, [unknown]);
    }
}
