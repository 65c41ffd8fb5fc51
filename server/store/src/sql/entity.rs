//! The tables as SeaORM entities, generated from migrations/steps, which explains their columns.

#![expect(unreachable_pub, reason = "the derive needs public items; none leaves the crate")]

#[rustfmt::skip]
mod generated;

pub(crate) use generated::*;
