//! The account service.

use std::time::SystemTime;

use prost_types::{Duration, Timestamp};
use riposte_sdk::account::v1::{
    AccountStanding, AccountState, BatchGetStandingsRequest, BatchGetStandingsResponse,
    account_service_server::AccountService,
};
use tonic::{Request, Response, Status};

use crate::script::{AccountScript, CallFault};
use crate::served::Served;

#[tonic::async_trait]
impl AccountService for Served {
    async fn batch_get_standings(
        &self,
        request: Request<BatchGetStandingsRequest>,
    ) -> Result<Response<BatchGetStandingsResponse>, Status> {
        let script = self.script().accounts;
        let fault = self.account_calls.begin(&script.calls).await?;
        let members = request.into_inner().member_ids;
        let mut standings: Vec<_> = members.iter().map(|member| standing(&script, member)).collect();
        if let Some(fault) = fault {
            spoil(&mut standings, fault);
        }
        Ok(Response::new(BatchGetStandingsResponse { standings }))
    }
}

#[expect(clippy::disallowed_methods, reason = "a script says how long a member is known")]
fn standing(script: &AccountScript, member: &str) -> AccountStanding {
    let fields = script.members.get(member).unwrap_or(&script.others);
    let valid_for = fields.valid_for.and_then(|span| Duration::try_from(span.duration()).ok());
    AccountStanding {
        member_id: member.to_owned(),
        exists: fields.exists,
        level: fields.level,
        state: AccountState::from(fields.state).into(),
        valid_for,
        review_priority: fields.review_priority,
        member_since: fields.age.map(|age| Timestamp::from(SystemTime::now() - age.duration())),
        ..AccountStanding::default()
    }
}

/// Breaks the standing of the first member.
fn spoil(standings: &mut Vec<AccountStanding>, fault: CallFault) {
    let Some(first) = standings.first_mut() else { return };
    match fault {
        CallFault::MissingKey => drop(standings.remove(0)),
        CallFault::ForeignKey => first.member_id = "foreign".to_owned(),
        CallFault::DoubleKey => {
            let double = first.clone();
            standings.push(double);
        }
        CallFault::Undecided => first.state = 0,
        CallFault::UnknownEnum => first.state = 99,
        CallFault::NumberOutOfRange => first.level = 101,
        CallFault::TooLong => first.valid_for = Some(Duration { seconds: 3_601, nanos: 0 }),
        CallFault::Never | CallFault::Unavailable | CallFault::ResourceExhausted | CallFault::Internal => {}
    }
}
