//! The listed floors of a list that a ranking does not contain: a ranked walk shows them after the
//! ranking.

use std::ops::Range;

use riposte_core::Partition;
use riposte_core::page::ListOrder;
use riposte_core::rank::{RankedList, Ranking};
use sea_orm::{ColumnTrait, QueryFilter, QueryOrder, QuerySelect};

use super::Listing;
use crate::error::StoreError;
use crate::sql::entity::comment_index::Column;
use crate::sql::pool::Tx;
use crate::sql::read::ReadQuery;
use crate::sql::read::listed::listed;

/// The number of floors that one statement reads in addition to the wanted ones and the ranked ones
/// nearby. Where some floors are not listed, more of the rows it reads are ranked. Floors are read
/// from the key alone, without their rows.
const SPARE: usize = 16;

#[derive(Debug)]
pub(super) struct UnrankedFloors {
    pub(super) list: RankedList,
    pub(super) ranking: Ranking,
    pub(super) floors: Range<i32>,
    pub(super) order: ListOrder,
    pub(super) limit: usize,
}

impl ReadQuery for UnrankedFloors {
    type Output = Vec<i32>;
    const NAME: &'static str = "read unranked floors";

    fn partition(&self) -> Partition {
        self.list.subject().partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(listing) = Listing::of(tx, &self.list).await? else { return Ok(Vec::new()) };
        let (mut others, mut rest) = (Vec::with_capacity(self.limit), self.floors.clone());
        loop {
            self.skip_ranked(&mut rest);
            let wanted = self.limit - others.len();
            let most = wanted + self.ranked_near(&rest, wanted) + SPARE;
            let listed = listed(tx, listing.subject, listing.root_id())
                .select_only()
                .column(Column::Floor)
                .filter(Column::Floor.gte(rest.start))
                .filter(Column::Floor.lt(rest.end))
                .limit(most as u64);
            let listed = match self.order {
                ListOrder::Oldest => listed.order_by_asc(Column::Floor),
                ListOrder::Newest => listed.order_by_desc(Column::Floor),
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

impl UnrankedFloors {
    /// Shortens the range by the ranked floors that it begins with, without reading any. Floors are
    /// dense, and in most lists the newest are all ranked.
    fn skip_ranked(&self, rest: &mut Range<i32>) {
        match self.order {
            ListOrder::Oldest => {
                while rest.start < rest.end && self.ranking.holds(rest.start) {
                    rest.start += 1;
                }
            }
            ListOrder::Newest => {
                while rest.start < rest.end && self.ranking.holds(rest.end - 1) {
                    rest.end -= 1;
                }
            }
        }
    }

    /// Returns the number of ranked floors among the next `2 * wanted` floors.
    fn ranked_near(&self, rest: &Range<i32>, wanted: usize) -> usize {
        let reach = i32::try_from(2 * wanted).unwrap_or(i32::MAX);
        self.ranking.count_within(match self.order {
            ListOrder::Oldest => rest.start..rest.end.min(rest.start.saturating_add(reach)),
            ListOrder::Newest => rest.start.max(rest.end.saturating_sub(reach))..rest.end,
        })
    }

    /// Moves the range behind the last floor that was read.
    fn go_on(&self, rest: &mut Range<i32>, last: i32) {
        match self.order {
            ListOrder::Oldest => rest.start = last + 1,
            ListOrder::Newest => rest.end = last,
        }
    }
}
