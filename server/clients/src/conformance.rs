//! The checks of a filter or an account service that another team provides: what the platform would
//! send it, and more, and what its contract says about the answers.

mod accounts;
mod filter;
mod target;

use std::time::Duration;

pub use accounts::check_accounts;
pub use filter::check_filter;

use crate::fault::AnswerFault;

/// The result of one check.
#[derive(Debug)]
pub struct Check {
    /// What is checked.
    pub name: &'static str,
    /// What was sent, in words.
    pub sent: String,
    /// The time until the answer.
    pub took: Duration,
    /// The breaches; none if the check passed.
    pub faults: Vec<AnswerFault>,
}
