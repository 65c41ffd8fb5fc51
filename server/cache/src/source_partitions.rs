//! The partitions of a data source.

use std::fmt;

use riposte_core::Partition;

/// Returns the partitions of one data source. A store whose configuration leaves its layout open
/// knows them only once it has read what its data sources record, so they must be requested when
/// they are needed and not when a process starts.
pub struct SourcePartitions(Box<dyn Fn() -> Vec<Partition> + Send + Sync>);

impl SourcePartitions {
    /// Requests the partitions from `partitions`.
    #[must_use]
    pub fn new(partitions: impl Fn() -> Vec<Partition> + Send + Sync + 'static) -> Self {
        Self(Box::new(partitions))
    }

    pub(crate) fn get(&self) -> Vec<Partition> {
        (self.0)()
    }
}

impl FromIterator<Partition> for SourcePartitions {
    fn from_iter<I: IntoIterator<Item = Partition>>(partitions: I) -> Self {
        let partitions: Vec<Partition> = partitions.into_iter().collect();
        Self::new(move || partitions.clone())
    }
}

impl fmt::Debug for SourcePartitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourcePartitions").finish_non_exhaustive()
    }
}
