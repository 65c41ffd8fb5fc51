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

/// The number of floors that one statement reads in addition to the wanted floors and the ranked
/// floors nearby. If some floors are not listed, the statement reaches further, and more of its
/// floors are ranked. Floors are read from the index alone, without their rows.
const EXTRA_FLOORS: usize = 16;

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
        let (mut unranked, mut remaining) = (Vec::with_capacity(self.limit), self.floors.clone());
        loop {
            self.skip_ranked(&mut remaining);
            let wanted = self.limit - unranked.len();
            let limit = wanted + self.ranked_near(&remaining, wanted) + EXTRA_FLOORS;
            let listed = listed(tx, listing.subject, listing.root_id())
                .select_only()
                .column(Column::Floor)
                .filter(Column::Floor.gte(remaining.start))
                .filter(Column::Floor.lt(remaining.end))
                .limit(limit as u64);
            let listed = match self.order {
                ListOrder::Oldest => listed.order_by_asc(Column::Floor),
                ListOrder::Newest => listed.order_by_desc(Column::Floor),
            };
            let found: Vec<i32> = listed.into_tuple().all(tx).await?;
            let (is_full, last) = (found.len() == limit, found.last().copied());
            unranked.extend(self.ranking.unranked(found));
            match last {
                Some(last) if is_full && unranked.len() < self.limit => self.continue_after(&mut remaining, last),
                Some(_) | None => break,
            }
        }
        unranked.truncate(self.limit);
        Ok(unranked)
    }
}

impl UnrankedFloors {
    /// Shortens the range by the ranked floors that it begins with, without reading any. Floors are
    /// dense, and in most lists the newest are all ranked.
    fn skip_ranked(&self, remaining: &mut Range<i32>) {
        match self.order {
            ListOrder::Oldest => {
                while remaining.start < remaining.end && self.ranking.contains(remaining.start) {
                    remaining.start += 1;
                }
            }
            ListOrder::Newest => {
                while remaining.start < remaining.end && self.ranking.contains(remaining.end - 1) {
                    remaining.end -= 1;
                }
            }
        }
    }

    /// Returns the number of ranked floors among the next `2 * wanted` floors.
    fn ranked_near(&self, remaining: &Range<i32>, wanted: usize) -> usize {
        let distance = i32::try_from(2 * wanted).unwrap_or(i32::MAX);
        self.ranking.count_within(match self.order {
            ListOrder::Oldest => remaining.start..remaining.end.min(remaining.start.saturating_add(distance)),
            ListOrder::Newest => remaining.start.max(remaining.end.saturating_sub(distance))..remaining.end,
        })
    }

    /// Moves the range behind the last floor that was read.
    fn continue_after(&self, remaining: &mut Range<i32>, last: i32) {
        match self.order {
            ListOrder::Oldest => remaining.start = last + 1,
            ListOrder::Newest => remaining.end = last,
        }
    }
}
