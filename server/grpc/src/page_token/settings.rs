//! The settings of page tokens: the keys that seal them.

use riposte_settings::{ConfigError, ConfigErrors, ErrorScope, KEY_FORM, Secret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The key ring. All processes of one deployment must have the same ring.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PageTokenSettings {
    /// Keys of 32 bytes each, in base64. The first one seals, all of them open. To change a key,
    /// append the new one in every process, then swap the two, then drop the old one. Without a
    /// key, each process generates its own.
    pub keys: Vec<Secret>,
    /// Alternative: files with one key each, in the order of the ring. They are read again when
    /// they change.
    pub key_files: Vec<PathBuf>,
}

impl PageTokenSettings {
    /// Returns the number of keys in the ring.
    pub fn count(&self) -> usize {
        self.keys.len() + self.key_files.len()
    }

    /// Returns the keys as bytes, read from their files if files are configured. The configuration
    /// must be valid.
    ///
    /// # Errors
    /// Every file that cannot be read or does not contain a key.
    pub fn ring(&self) -> Result<Vec<[u8; 32]>, ConfigErrors> {
        let mut ring: Vec<_> = self.keys.iter().filter_map(Secret::key).collect();
        let mut errors = Vec::new();
        for (index, path) in self.key_files.iter().enumerate() {
            let secret = Secret::read(path);
            match secret.and_then(|secret| secret.key().ok_or_else(|| format!("{} {KEY_FORM}", path.display()))) {
                Ok(key) => ring.push(key),
                Err(message) => errors.push(ConfigError::at(format!("page_tokens.key_files.{index}"), message)),
            }
        }
        if errors.is_empty() { Ok(ring) } else { Err(ConfigErrors(errors)) }
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        for (index, secret) in self.keys.iter().enumerate() {
            report.require(secret.key().is_some(), &format!("keys.{index}"), KEY_FORM);
        }
        let is_valid = self.keys.is_empty() || self.key_files.is_empty();
        report.require(is_valid, "key_files", "excludes keys: set one of them");
        for (index, file) in self.key_files.iter().enumerate() {
            report.path(&format!("key_files.{index}"), Some(file));
        }
    }
}
