//! The keys that seal page tokens.

use super::{faults::Under, secret::Secret};
use serde::{Deserialize, Serialize};

/// The key ring. Every process of one deployment must hold the same.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PageTokens {
    /// 32 bytes each, in base64. The first seals, all of them open. To change a key, add the new one behind it
    /// everywhere, then swap the two, then drop the old one. Without a key each process makes up its own.
    pub keys: Vec<Secret>,
}

impl PageTokens {
    /// The keys as bytes. A text that is no key is left out: [`super::Config::validate`] has refused it before.
    pub fn bytes(&self) -> Vec<[u8; 32]> {
        self.keys.iter().filter_map(Secret::key).collect()
    }

    pub(super) fn validate(&self, report: &mut Under<'_>) {
        for (index, secret) in self.keys.iter().enumerate() {
            report.require(
                secret.key().is_some(),
                &format!("keys.{index}"),
                "must be 32 bytes in base64, as `openssl rand -base64 32` makes them",
            );
        }
    }
}
