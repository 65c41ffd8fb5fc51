//! The last reads of subjects with an owner: each one and its first page, at both servers.

use anyhow::{Context, Result};

use super::{CLIENT, READ, perform};
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{Call, OwnedCall};
use crate::histcheck::load::Environment;

/// Reads the subjects; any cached response is allowed.
///
/// # Errors
/// Fails when a read fails, since no fault is injected any more.
pub(super) async fn read(environment: &Environment) -> Result<()> {
    for subject in environment.owned.all() {
        for number in 0..SERVERS {
            for call in [OwnedCall::Subject { fresh: false }, OwnedCall::List { fresh: false }] {
                let call = Call::Owned { subject, call };
                perform(environment, CLIENT + 30, (call, READ), number).await.with_context(|| subject.to_string())?;
            }
        }
    }
    Ok(())
}
