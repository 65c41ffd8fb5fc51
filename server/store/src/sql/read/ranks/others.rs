//! The listed floors of a list that a ranking does not hold: what a ranked walk shows behind the ranking.

use std::ops::Range;

use riposte_core::Partition;
use riposte_core::page::Order;
use riposte_core::rank::{RankedList, Ranking};
use sea_orm::{ColumnTrait, QueryFilter, QueryOrder, QuerySelect};

use super::Listing;
use crate::error::Fault;
use crate::sql::entity::comment_index::Column;
use crate::sql::pool::Tx;
use crate::sql::read::Query;
use crate::sql::read::listed::listed;

/// Floors that one statement reads beside those that are wanted: as many of them may be ranked. They are read from the
/// key alone, without their rows.
const SPARE: usize = 256;

#[derive(Debug)]
pub(super) struct Others {
    pub(super) list: RankedList,
    pub(super) ranking: Ranking,
    pub(super) floors: Range<i32>,
    pub(super) order: Order,
    pub(super) limit: usize,
}

impl Query for Others {
    type Answer = Vec<i32>;
    const NAME: &'static str = "read floors beyond ranking";

    fn partition(&self) -> Partition {
        self.list.subject().partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Answer, Fault> {
        let Some(listing) = Listing::of(tx, &self.list).await? else { return Ok(Vec::new()) };
        let (mut others, mut rest) = (Vec::with_capacity(self.limit), self.floors.clone());
        loop {
            self.skip_ranked(&mut rest);
            let most = self.limit - others.len() + SPARE;
            let listed = listed(tx, listing.subject, listing.root_id())
                .select_only()
                .column(Column::Floor)
                .filter(Column::Floor.gte(rest.start))
                .filter(Column::Floor.lt(rest.end))
                .limit(most as u64);
            let listed = match self.order {
                Order::Oldest => listed.order_by_asc(Column::Floor),
                Order::Newest => listed.order_by_desc(Column::Floor),
            };
            let found: Vec<i32> = listed.into_tuple().all(tx).await?;
            let (full, last) = (found.len() == most, found.last().copied());
            others.extend(self.ranking.leaves(found));
            match last {
                Some(last) if full && others.len() < self.limit => self.go_on(&mut rest, last),
                Some(_) | None => break,
            }
        }
        others.truncate(self.limit);
        Ok(others)
    }
}

impl Others {
    /// Floors are dense and the newest are all ranked in most lists: where the range begins with ranked ones, it is
    /// shortened by them without reading any.
    fn skip_ranked(&self, rest: &mut Range<i32>) {
        let mut ranked: Vec<i32> = self.ranking.floors.to_vec();
        ranked.sort_unstable();
        let ranked = |floor: i32| ranked.binary_search(&floor).is_ok();
        match self.order {
            Order::Oldest => {
                while rest.start < rest.end && ranked(rest.start) {
                    rest.start += 1;
                }
            }
            Order::Newest => {
                while rest.start < rest.end && ranked(rest.end - 1) {
                    rest.end -= 1;
                }
            }
        }
    }

    /// The range behind the last floor that was read.
    fn go_on(&self, rest: &mut Range<i32>, last: i32) {
        match self.order {
            Order::Oldest => rest.start = last + 1,
            Order::Newest => rest.end = last,
        }
    }
}
