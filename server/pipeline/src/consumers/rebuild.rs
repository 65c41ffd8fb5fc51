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
    /// Returns the number of a partition's data source, from 0.
    pub route: Arc<dyn Fn(Partition) -> usize + Send + Sync>,
}

impl fmt::Debug for SourceSubjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceSubjects").field("reader", &self.reader).finish_non_exhaustive()
    }
}

impl SourceSubjects {
    /// Calls `rebuild` for each subject of a source until it has rebuilt all comments of the
    /// subject.
    pub(super) async fn rebuild<F>(
        &self,
        source: usize,
        rebuild: impl Fn(SubjectKey, Option<CommentId>) -> F + Send + Sync,
    ) -> Result<()>
    where
        F: Future<Output = Result<RebuildProgress>> + Send,
    {
        let mut next = Some(SubjectCursor { table: 0, after: None });
        while let Some(cursor) = next.and_then(|cursor| self.skip_other_sources(cursor, source)) {
            let (subjects, following) = self.reader.list_subjects(None, cursor, SUBJECTS).await?;
            // A page may reach into the tables of the next source.
            let keys_of_source =
                subjects.into_iter().map(|subject| subject.key).filter(|key| (self.route)(key.partition()) == source);
            for key in keys_of_source {
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
    fn skip_other_sources(&self, cursor: SubjectCursor, source: usize) -> Option<SubjectCursor> {
        let is_of_source = |table: &u16| (self.route)(Partition::number(*table)) == source;
        let table = (cursor.table..PARTITIONS).find(is_of_source)?;
        Some(SubjectCursor { table, after: cursor.after.filter(|_| table == cursor.table) })
    }
}
