//! Ranked orders: rank indexes match the comments however they are updated, rankings match their
//! formulas, and walks in ranked order are exact during writes.

mod actors;
mod platform;
mod rank_indexes;
mod rankings;
mod walks;

pub(super) use rank_indexes::*;
pub(super) use rankings::*;
pub(super) use walks::*;
