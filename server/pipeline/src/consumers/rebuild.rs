//! The subjects of one data source, for consumers that rebuild their state from the rows.

use std::fmt;
use std::sync::Arc;

use riposte_core::ids::PARTITIONS;
use riposte_core::page::SubjectCursor;
use riposte_core::ports::{Reader, RebuildProgress};
use riposte_core::{CommentId, Partition, Result, SubjectKey};

/// The number of subjects that are listed at a time.
const SUBJECTS: usize = 100;
/// The number of comments that are rebuilt at a time.
pub(super) const COMMENTS: usize = 500;

/// Lists the subjects of a data source. Cloning is cheap.
#[derive(Clone)]
pub struct SourceSubjects {
    /// The reader of the rows.
    pub reader: Arc<dyn Reader>,
    /// Returns the data source of a partition, from 0 on.
    pub route: Arc<dyn Fn(Partition) -> usize + Send + Sync>,
}

impl fmt::Debug for SourceSubjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceSubjects").field("reader", &self.reader).finish_non_exhaustive()
    }
}

impl SourceSubjects {
    /// Calls `rebuild` for all comments of each subject of a source, some at a time.
    pub(super) async fn rebuild<F>(
        &self,
        source: usize,
        rebuild: impl Fn(SubjectKey, Option<CommentId>) -> F + Send + Sync,
    ) -> Result<()>
    where
        F: Future<Output = Result<RebuildProgress>> + Send,
    {
        let mut next = Some(SubjectCursor { table: 0, after: None });
        while let Some(at) = next.and_then(|at| self.on_source(at, source)) {
            let (subjects, following) = self.reader.list_subjects(None, at, SUBJECTS).await?;
            // A page may reach into the tables of the next source.
            let here =
                subjects.into_iter().map(|subject| subject.key).filter(|key| (self.route)(key.partition()) == source);
            for key in here {
                let mut after = None;
                loop {
                    let progress = rebuild(key.clone(), after).await?;
                    after = progress.next;
                    if after.is_none() {
                        break;
                    }
                }
            }
            next = following;
        }
        Ok(())
    }

    /// Skips the tables of other sources; returns `None` after the last table.
    fn on_source(&self, at: SubjectCursor, source: usize) -> Option<SubjectCursor> {
        let is_here = |table: &u16| (self.route)(Partition::number(*table)) == source;
        let table = (at.table..PARTITIONS).find(is_here)?;
        Some(SubjectCursor { table, after: at.after.filter(|_| table == at.table) })
    }
}
