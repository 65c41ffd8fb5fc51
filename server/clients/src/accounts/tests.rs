use std::sync::Arc;

use riposte_core::ports::{Account, AccountClient, AccountState, NoResult};
use riposte_core::{MemberId, ObjectType};
use riposte_fakes::{AccountFields, AccountScript, CallFault, CallScript, Fakes, Script, State};

use super::GrpcAccountClient;
use crate::filter::tests::{OutcomeLog, patient};
use crate::{CallOutcome, Endpoint, EndpointFiles};

fn script(calls: CallScript) -> Script {
    let members = [
        ("m7".to_owned(), AccountFields { state: State::Banned, level: 3, ..AccountFields::default() }),
        ("m8".to_owned(), AccountFields { exists: false, ..AccountFields::default() }),
    ];
    let accounts = AccountScript { calls, members: members.into(), ..AccountScript::default() };
    Script { accounts, ..Script::default() }
}

async fn fakes() -> (Fakes, GrpcAccountClient, Arc<OutcomeLog>) {
    let fakes = Fakes::start("127.0.0.1:0".parse().unwrap(), script(CallScript::default())).await.unwrap();
    let endpoint = Endpoint::parse(&fakes.address().to_string()).unwrap();
    let seen = Arc::<OutcomeLog>::default();
    let observer: Arc<OutcomeLog> = Arc::clone(&seen);
    let client = GrpcAccountClient::new(endpoint, EndpointFiles::default(), patient(), observer).unwrap();
    (fakes, client, seen)
}

fn video() -> ObjectType {
    ObjectType::stored("video".to_owned())
}

fn members(names: &[&str]) -> Vec<MemberId> {
    names.iter().map(|name| MemberId::stored((*name).to_owned())).collect()
}

#[tokio::test]
async fn accounts_are_in_the_order_of_the_members_and_each_is_asked_once() {
    let (fakes, client, seen) = fakes().await;
    let found = client.accounts(&video(), &members(&["m8", "m7", "m9", "m7"])).await;
    assert_eq!(found[0], Ok(Account::Absent));
    assert!(matches!(found[1], Ok(Account::Present { state: AccountState::Banned, level: 3, .. })), "{found:?}");
    assert!(matches!(found[2], Ok(Account::Present { state: AccountState::Normal, level: 0, .. })));
    assert_eq!(found[1], found[3]);
    assert_eq!(client.accounts(&video(), &members(&["m7", "m9"])).await[..], [found[1], found[2]]);
    assert_eq!((fakes.account_calls(), seen.take()), (1, vec![CallOutcome::Decided]));
}

#[tokio::test]
async fn many_members_are_asked_about_in_several_calls() {
    let (fakes, client, _) = fakes().await;
    let names: Vec<String> = (0..250).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = client.accounts(&video(), &members(&names)).await;
    assert_eq!((found.iter().filter(|account| account.is_ok()).count(), fakes.account_calls()), (250, 3));
}

#[tokio::test]
async fn garbage_about_one_member_affects_no_other() {
    let (fakes, client, seen) = fakes().await;
    for (number, fault) in CallFault::GARBAGE.into_iter().enumerate() {
        fakes.set_script(script(CallScript::with(fault)));
        // An account is kept, so that each pass names other members.
        let [first, second] = [format!("a{number}"), format!("b{number}")];
        let found = client.accounts(&video(), &members(&[&first, &second])).await;
        assert_eq!(found[0], Err(NoResult::Undecided), "{fault:?}");
        assert!(found[1].is_ok(), "{fault:?}");
        assert_eq!(seen.take(), [CallOutcome::Undecided], "{fault:?}");
    }
}

#[tokio::test]
async fn a_service_that_fails_leaves_members_unknown() {
    let (fakes, client, seen) = fakes().await;
    fakes.set_script(script(CallScript::with(CallFault::Unavailable)));
    assert_eq!(client.accounts(&video(), &members(&["m7"])).await, [Err(NoResult::Unavailable)]);
    assert_eq!(seen.take(), [CallOutcome::Unavailable]);
}
