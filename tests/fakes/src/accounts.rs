//! The account service.

use prost_types::Duration;
use riposte_sdk::account::v1::{
    AccountStanding, AccountState, BatchGetStandingsRequest, BatchGetStandingsResponse,
    account_service_server::AccountService,
};
use tonic::{Request, Response, Status};

use crate::script::{AccountScript, Fault};
use crate::served::Served;

#[tonic::async_trait]
impl AccountService for Served {
    async fn batch_get_standings(
        &self,
        request: Request<BatchGetStandingsRequest>,
    ) -> Result<Response<BatchGetStandingsResponse>, Status> {
        let script = self.script().accounts;
        let fault = self.account_calls.answer(&script.calls).await?;
        let members = request.into_inner().member_ids;
        let mut standings: Vec<_> = members.iter().map(|member| standing(&script, member)).collect();
        if let Some(fault) = fault {
            spoil(&mut standings, fault);
        }
        Ok(Response::new(BatchGetStandingsResponse { standings }))
    }
}

fn standing(script: &AccountScript, member: &str) -> AccountStanding {
    let fields = script.members.get(member).unwrap_or(&script.others);
    let valid_for = fields.valid_for.and_then(|span| Duration::try_from(span.duration()).ok());
    AccountStanding {
        member_id: member.to_owned(),
        exists: fields.exists,
        level: fields.level,
        state: AccountState::from(fields.state).into(),
        valid_for,
        ..AccountStanding::default()
    }
}

/// Breaks the answer about the first member.
fn spoil(standings: &mut Vec<AccountStanding>, fault: Fault) {
    let Some(first) = standings.first_mut() else { return };
    match fault {
        Fault::MissingKey => drop(standings.remove(0)),
        Fault::ForeignKey => first.member_id = "foreign".to_owned(),
        Fault::DoubleKey => {
            let double = first.clone();
            standings.push(double);
        }
        Fault::Undecided => first.state = 0,
        Fault::UnknownEnum => first.state = 99,
        Fault::NumberOutOfRange => first.level = 101,
        Fault::TooLong => first.valid_for = Some(Duration { seconds: 3_601, nanos: 0 }),
        Fault::Never | Fault::Unavailable | Fault::ResourceExhausted | Fault::Internal => {}
    }
}
