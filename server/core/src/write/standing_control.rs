//! The use cases of moderators about what members may do.

use std::sync::Arc;

use crate::domain::caller::Caller;
use crate::domain::error::Result;
use crate::domain::member::MemberOfType;
use crate::domain::object_type::Policies;
use crate::domain::request::{IdempotencyKey, RequestId, RequestIdentity};
use crate::domain::standing::{MemberStanding, StandingOrder};
use crate::ports::{IdSource, MemberStandings, StandingQuery, Standings};

/// Sets and lists the standings of members.
#[derive(Debug, Clone)]
pub struct StandingControl {
    ports: Arc<StandingPorts>,
    policies: Arc<Policies>,
}

/// The ports of [`StandingControl`].
#[derive(Debug)]
pub struct StandingPorts {
    /// The rows.
    pub rows: Arc<dyn MemberStandings>,
    /// The standings in the memory of this process.
    pub standings: Arc<dyn Standings>,
    /// The source of new ids.
    pub ids: Arc<dyn IdSource>,
}

impl StandingControl {
    /// Creates the use cases on `ports`, under `policies`.
    #[must_use]
    pub fn new(ports: StandingPorts, policies: Arc<Policies>) -> Self {
        Self { ports: Arc::new(ports), policies }
    }

    /// Sets the standing of a member. A repeat returns the first result.
    ///
    /// # Errors
    /// Those of [`Caller::policy`] and of [`MemberStandings::set`].
    pub async fn set(
        &self,
        caller: &Caller,
        request_id: Option<RequestId>,
        order: &StandingOrder,
    ) -> Result<MemberStanding> {
        caller.policy(&self.policies, &order.of.object_type)?;
        let id = request_id.unwrap_or_else(|| RequestId::from_bytes(self.ports.ids.request()));
        let key = IdempotencyKey::of(caller, Some(&order.moderator), &id);
        let set = self.ports.rows.set(order, RequestIdentity { key, fingerprint: order.fingerprint() }).await?;
        self.ports.standings.was_set();
        Ok(set)
    }

    /// Returns standings of an object type that are not NORMAL or set a weight, the newest first.
    /// Of a query for one member, returns its standing, whatever it is.
    ///
    /// # Errors
    /// Those of [`Caller::policy`].
    pub async fn list(&self, caller: &Caller, query: &StandingQuery) -> Result<Vec<MemberStanding>> {
        caller.policy(&self.policies, &query.object_type)?;
        let found = self.ports.rows.list(query).await?;
        let member = query.member.as_ref().filter(|_| found.is_empty() && query.after.is_none());
        let unset = member.map(|member| {
            let (object_type, member) = (query.object_type.clone(), member.clone());
            MemberStanding::unset(MemberOfType { object_type, member })
        });
        Ok(found.into_iter().chain(unset).collect())
    }
}
