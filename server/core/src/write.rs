//! The write path: commands, the rows that they lock, and the changes that they make.
//!
//! A store loads the rows that a batch may touch into a [`UnitOfWork`](unit_of_work::UnitOfWork)
//! under lock, runs each [`Command`](verbs::Command) on them, and writes the rows that the
//! [`WriteSet`](write_set::WriteSet) names.

pub mod change;
pub mod command_log;
pub mod command_output;
mod comment_batch;
mod like_batch;
pub mod lock_set;
pub mod maintenance;
pub mod member_gate;
pub mod moderation_control;
pub mod reports;
pub mod ruling;
pub mod standing_control;
pub mod submit;
pub mod unit_of_work;
pub mod verbs;
pub mod write_set;
