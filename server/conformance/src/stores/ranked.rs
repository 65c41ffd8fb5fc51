//! Ranked orders: rank indexes match the comments whichever way they are built, rankings match
//! their formulas, and walks along them are exact during any writes.

mod actors;
mod boards;
mod platform;
mod rankings;
mod walks;

pub(super) use boards::*;
pub(super) use rankings::*;
pub(super) use walks::*;
