//! Ranked orders: boards say what the comments say whichever way they are made, rankings are those of their formulas, and
//! walks along them are exact whatever is written meanwhile.

mod actors;
mod boards;
mod platform;
mod rankings;
mod walks;

pub(super) use boards::*;
pub(super) use rankings::*;
pub(super) use walks::*;
