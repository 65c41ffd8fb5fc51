//! The subjects of one data source, for consumers that rebuild their state from the rows.

use std::fmt;
use std::sync::Arc;

use riposte_core::ids::PARTITIONS;
use riposte_core::page::SubjectCursor;
use riposte_core::ports::{Reader, RebuildProgress};
use riposte_core::{CommentId, Error, Partition, Result, SubjectId, SubjectKey};

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
    /// subject. A subject that cannot be rebuilt does not prevent the others; the error names the
    /// first of them and their number.
    pub(super) async fn rebuild<F>(
        &self,
        source: usize,
        rebuild: impl Fn(SubjectKey, Option<CommentId>) -> F + Send + Sync,
    ) -> Result<()>
    where
        F: Future<Output = Result<RebuildProgress>> + Send,
    {
        let mut failed: Option<(SubjectId, Error, usize)> = None;
        let mut next = Some(SubjectCursor { table: 0, after: None });
        while let Some(cursor) = next.and_then(|cursor| self.skip_other_sources(cursor, source)) {
            let (subjects, following) = self.reader.subject_keys(None, cursor, SUBJECTS).await?;
            // A page may reach into the tables of the next source.
            let of_source = subjects.into_iter().filter(|(_, key)| (self.route)(key.partition()) == source);
            for (id, key) in of_source {
                match rebuild_subject(key, &rebuild).await {
                    Ok(()) => {}
                    Err(error @ Error::Internal(_)) => {
                        failed = Some(failed.map_or((id, error, 1), |(id, first, count)| (id, first, count + 1)));
                    }
                    Err(error) => return Err(error),
                }
            }
            next = following;
        }
        match failed {
            None => Ok(()),
            Some((id, error, count)) => Err(Error::internal(format!(
                "{count} subjects could not be rebuilt, the first is subject {}: {}",
                id.get(),
                error.log_text()
            ))),
        }
    }

    /// Skips the tables of other sources; returns `None` after the last table.
    fn skip_other_sources(&self, cursor: SubjectCursor, source: usize) -> Option<SubjectCursor> {
        let is_of_source = |table: &u16| (self.route)(Partition::number(*table)) == source;
        let table = (cursor.table..PARTITIONS).find(is_of_source)?;
        Some(SubjectCursor { table, after: cursor.after.filter(|_| table == cursor.table) })
    }
}

/// Rebuilds all comments of a subject.
async fn rebuild_subject<F>(
    key: SubjectKey,
    rebuild: &(impl Fn(SubjectKey, Option<CommentId>) -> F + Sync),
) -> Result<()>
where
    F: Future<Output = Result<RebuildProgress>> + Send,
{
    let mut after = None;
    loop {
        after = rebuild(key.clone(), after).await?.next;
        if after.is_none() {
            return Ok(());
        }
    }
}
