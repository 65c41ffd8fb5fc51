//! The last reads of comments that the policy judged, as their authors and as other members read
//! them, at both servers.

use anyhow::{Context, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::{CLIENT, READ, perform};
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{Call, PolicyCall};
use crate::histcheck::load::Environment;

/// The largest number of comments that are read.
const COMMENTS: usize = 300;

/// Reads the comments; any cached response is allowed.
///
/// # Errors
/// Fails when a read fails for another reason than that the comment is not found.
pub(super) async fn read(environment: &Environment, seed: u64) -> Result<()> {
    let mut comments = environment.judged.all();
    let (chosen, _) = comments.partial_shuffle(&mut StdRng::seed_from_u64(seed), COMMENTS);
    for (number, (subject, comment, author)) in chosen.iter().copied().enumerate() {
        for by_author in [false, true] {
            let call = Call::Policy { subject, call: PolicyCall::Get { comment, author, by_author } };
            let server = (number + usize::from(by_author)) % SERVERS;
            perform(environment, CLIENT + 40, (call, READ), server).await.with_context(|| comment.to_string())?;
        }
    }
    Ok(())
}
