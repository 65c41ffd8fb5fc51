//! The client of the account service.

mod cache;
pub(crate) mod response;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use cache::AccountCache;
use response::ReceivedAccount;
use riposte_core::ports::{Account, AccountClient, NoResult};
use riposte_core::{MemberId, ObjectType};
use riposte_sdk::account::v1::BatchGetStandingsRequest;
use riposte_sdk::account::v1::account_service_client::AccountServiceClient;
use tokio::time::Instant;
use tonic::Request;

use crate::endpoint::{Endpoint, EndpointError, EndpointFiles};
use crate::guard::{Guard, Limits, outcome_of_items};
use crate::link::Link;
use crate::observer::CallObserver;

/// The largest number of members of a call.
pub(crate) const MAX_MEMBERS: usize = 100;
/// The largest response, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Asks an account service by gRPC. Keeps each account for as long as the service allows, and
/// returns the last one, if it is not older than 15 minutes, where no newer one comes.
#[derive(Debug)]
pub struct GrpcAccountClient {
    link: Link,
    guard: Guard,
    cache: AccountCache,
    observer: Arc<dyn CallObserver>,
}

impl GrpcAccountClient {
    /// Creates a client.
    ///
    /// # Errors
    /// A file cannot be used.
    pub fn new(
        endpoint: Endpoint,
        files: EndpointFiles,
        limits: Limits,
        observer: Arc<dyn CallObserver>,
    ) -> Result<Self, EndpointError> {
        let link = Link::new(endpoint, files)?;
        Ok(Self { link, guard: Guard::new(limits), cache: AccountCache::new(), observer })
    }

    /// Reads the files again. Calls from now on use the new connection.
    ///
    /// # Errors
    /// A file cannot be used; the earlier connection stays in use.
    pub fn reload(&self) -> Result<(), EndpointError> {
        self.link.reload()
    }

    /// Makes one call and keeps its accounts.
    async fn ask(&self, object_type: &ObjectType, members: &[&MemberId]) -> Vec<Result<Account, NoResult>> {
        let member_ids: Vec<String> = members.iter().map(|member| member.as_str().to_owned()).collect();
        let object_type_name = object_type.as_str().to_owned();
        let message = BatchGetStandingsRequest { object_type: object_type_name, member_ids };
        let connection = self.link.connection(&self.guard);
        let client = AccountServiceClient::new(connection).max_decoding_message_size(MAX_BYTES);
        let call = || {
            let mut request = Request::new(message.clone());
            request.set_timeout(self.guard.limits().timeout);
            let mut client = client.clone();
            async move { client.batch_get_standings(request).await }
        };
        let (outcome, results) = match self.guard.call(call).await {
            Ok(response) => {
                let names: Vec<&str> = members.iter().map(|member| member.as_str()).collect();
                let results = response::accounts(&names, &response.get_ref().standings, &mut Vec::new());
                (outcome_of_items(&results), results)
            }
            Err(outcome) => (outcome, vec![Err(NoResult::Unavailable); members.len()]),
        };
        self.observer.called(outcome);
        let account = |(member, result): (&&MemberId, Result<ReceivedAccount, NoResult>)| match result {
            Ok(received) => {
                self.cache.insert(object_type, member, received, Instant::now());
                Ok(received.account)
            }
            Err(reason) => self.cache.last(object_type, member, Instant::now()).ok_or(reason),
        };
        members.iter().zip(results).map(account).collect()
    }
}

#[async_trait]
impl AccountClient for GrpcAccountClient {
    async fn accounts(&self, object_type: &ObjectType, members: &[MemberId]) -> Vec<Result<Account, NoResult>> {
        let now = Instant::now();
        let mut found: Vec<Option<Result<Account, NoResult>>> =
            members.iter().map(|member| self.cache.valid(object_type, member, now).map(Ok)).collect();
        // A member may be there twice, and the service is asked once.
        let mut missing: Vec<&MemberId> =
            members.iter().zip(&found).filter(|(_, slot)| slot.is_none()).map(|(m, _)| m).collect();
        missing.sort_unstable();
        missing.dedup();
        for batch in missing.chunks(MAX_MEMBERS) {
            let results = self.ask(object_type, batch).await;
            for (member, slot) in members.iter().zip(&mut found).filter(|(_, slot)| slot.is_none()) {
                *slot = batch.binary_search(&member).ok().and_then(|place| results.get(place).copied());
            }
        }
        found.into_iter().map(|slot| slot.unwrap_or(Err(NoResult::Unavailable))).collect()
    }

    fn cached(&self, object_type: &ObjectType, member: &MemberId) -> Option<Account> {
        self.cache.last(object_type, member, Instant::now())
    }
}
