//! A Kafka broker that all tests of a run share, and the jars for brokers of their own.

use super::DIES_WITH_US;
use crate::live::{Folder, Live};
use anyhow::Result;
use riposte_test_support::kafka::{Kafka as Brokers, Program};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A broker and the folder of its data.
#[derive(Debug)]
pub(crate) struct Kafka {
    jars: PathBuf,
    broker: Brokers,
    // Dropped after the broker.
    _data: Folder,
}

impl Kafka {
    /// Returns the environment by which the tests find the broker and the jars.
    pub(crate) fn exports(&self) -> [(&'static str, String); 2] {
        [("RIPOSTE_TEST_KAFKA", self.broker.brokers()), ("RIPOSTE_TEST_KAFKA_JARS", self.jars.display().to_string())]
    }

    /// Returns the address of the broker.
    pub(crate) fn brokers(&self) -> String {
        self.broker.brokers()
    }

    /// Returns when the broker serves.
    pub(crate) fn ready(&mut self) -> Result<()> {
        self.broker.ready()
    }
}

/// Begins to start a broker, which takes some ten seconds: call [`Kafka::ready`] before its use.
pub(crate) fn begin(jars: &Path, live: &Arc<Live>) -> Result<Kafka> {
    let data = live.folder()?;
    let broker = Brokers::begin(&Program::new(&DIES_WITH_US, jars, data.path()), 1)?;
    Ok(Kafka { jars: jars.to_owned(), broker, _data: data })
}
