//! The partitions of a data source.

use std::fmt;

use riposte_core::Partition;

/// The partitions of one data source, determined anew at each use. A store whose configuration
/// leaves its layout open knows them only after it has read a data source, which is later than the
/// start of the process.
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
