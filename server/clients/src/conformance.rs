//! The checks of a filter or an account service that another team provides: requests as the
//! platform sends them, and more, and the rules of the contract for the responses.

mod accounts;
mod filter;
mod method;

use std::time::Duration;

pub use accounts::check_accounts;
pub use filter::check_filter;

use crate::breach::Breach;

/// The result of one check.
#[derive(Debug)]
pub struct Check {
    /// The name of the check.
    pub name: &'static str,
    /// The request, in words.
    pub sent: String,
    /// The time until the response.
    pub took: Duration,
    /// The breaches; none if the check passed.
    pub breaches: Vec<Breach>,
}
