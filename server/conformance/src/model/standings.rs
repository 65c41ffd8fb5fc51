//! Standings in the oracle: a filter and a sort.

use std::cmp::Reverse;

use async_trait::async_trait;
use riposte_core::ports::{MemberStandings, StandingCursor, StandingQuery, StandingSelection};
use riposte_core::request::RequestIdentity;
use riposte_core::standing::{MemberStanding, StandingChange, StandingOrder, StandingRecord};
use riposte_core::{Millis, Result};

use super::Model;

#[async_trait]
impl MemberStandings for Model {
    async fn set(&self, order: &StandingOrder, request: RequestIdentity) -> Result<MemberStanding> {
        let now = self.shared.clock.now();
        let mut tables = self.tables();
        if let Some(record) = tables.standing_records.get(&request.key) {
            return order.replayed(request, *record);
        }
        let key = (order.of.object_type.clone(), order.of.member.clone());
        let set = order.after(tables.standings.get(&key), now)?;
        let record = StandingRecord { fingerprint: request.fingerprint, number: set.number, changed: set.changed };
        tables.standing_records.insert(request.key, record);
        tables.standings.insert(key, set.clone());
        Ok(set)
    }

    async fn list(&self, query: &StandingQuery) -> Result<Vec<MemberStanding>> {
        let StandingQuery { object_type, member, after, limit, now } = query;
        let position = |standing: &MemberStanding| (standing.changed, standing.of.member.clone());
        let is_listed = |standing: &&MemberStanding| {
            standing.of.object_type == *object_type
                && member
                    .as_ref()
                    .map_or_else(|| standing.in_force.at(*now).is_notable(), |member| standing.of.member == *member)
                && after.as_ref().is_none_or(|after| position(standing) < *after)
        };
        let mut found: Vec<MemberStanding> = self.tables().standings.values().filter(is_listed).cloned().collect();
        found.sort_by_key(|standing| Reverse(position(standing)));
        found.truncate(*limit);
        Ok(found)
    }

    async fn changes(
        &self,
        selection: StandingSelection,
        after: &StandingCursor,
        limit: usize,
    ) -> Result<Vec<StandingChange>> {
        let tables = self.tables();
        let selected =
            |standing: &&MemberStanding| selection == StandingSelection::All || standing.in_force.is_notable();
        let change = |MemberStanding { of, in_force, changed, .. }: &MemberStanding| StandingChange {
            of: of.clone(),
            in_force: *in_force,
            changed: *changed,
        };
        let mut found: Vec<StandingChange> = tables.standings.values().filter(selected).map(change).collect();
        found.retain(|change| StandingCursor::of(change) > *after);
        found.sort_by_key(StandingCursor::of);
        found.truncate(limit);
        Ok(found)
    }

    async fn changed_between(&self, after: Millis, until: Millis) -> Result<u64> {
        let is_between = |standing: &&MemberStanding| after < standing.changed && standing.changed <= until;
        Ok(self.tables().standings.values().filter(is_between).count() as u64)
    }
}
