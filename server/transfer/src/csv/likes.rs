//! Votes as events: of one member's votes for one comment, the latest counts.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;

use super::value::{Compiler, RowReader, parse_enum};
use super::{Columns, CsvRows, GroupEntry, Key, Map, ReadSettings, Record};
use crate::map::LikeMap;
use crate::record::{Like, LikeValue};

/// The latest vote of each member for each comment, in the order of first votes.
#[derive(Debug, Default)]
pub(super) struct LatestVotes {
    /// The index in `latest` for each subject, comment and member.
    index_by_vote: HashMap<(Key, String, String), usize>,
    /// Each vote, with false if it was withdrawn.
    latest: Vec<(Like, bool)>,
    rejected: Vec<GroupEntry>,
}

impl LatestVotes {
    /// Reads all events.
    ///
    /// # Errors
    /// Same as for [`CsvRows`]; or the map names an unknown column.
    pub(super) fn read(path: &Path, likes: &LikeMap, map: &Map, settings: &ReadSettings) -> Result<Self> {
        let mut rows = CsvRows::open(path, map)?;
        let mut columns = Columns::default();
        columns.add("", rows.header().clone());
        let compiler = Compiler { columns: &columns, map };
        let compile = || -> Result<_> {
            let object_type = compiler.optional(likes.object_type.as_ref())?;
            let texts = [&likes.subject, &likes.comment, &likes.member, &likes.value, &likes.time];
            let values: Vec<_> = texts.into_iter().map(|field| compiler.value(field)).collect::<Result<_>>()?;
            Ok((object_type, values))
        };
        let (object_type, values) = compile().context("in [like] of the mapping file")?;
        let mut votes = Self::default();
        let [subject, comment, member, value, time] = values.as_slice() else { return Ok(votes) };
        while let Some((row, line)) = rows.next()? {
            let cells = [Some(&row)];
            let mut row = RowReader::new(&cells, map, line);
            let value_name = row.text(Some(value));
            let like = Like {
                key: row.key(object_type.as_ref(), subject, settings),
                source: None,
                comment_external_id: row.text(Some(comment)),
                member_id: row.text(Some(member)),
                value: parse_enum(&value_name).unwrap_or(LikeValue::Like),
                time: row.time(Some(time)),
                synthetic: false,
            };
            if value_name != "NONE" && parse_enum::<LikeValue>(&value_name).is_none() {
                row.report_problem("VALUE_UNKNOWN", &format!("{value_name:?} is neither LIKE, DISLIKE nor NONE"));
            }
            votes.add(row.entry(Record::Like(like)), value_name != "NONE");
        }
        Ok(votes)
    }

    fn add(&mut self, entry: GroupEntry, is_cast: bool) {
        let like = match entry {
            GroupEntry { record: Record::Like(like), problem: None } => like,
            rejected => return self.rejected.push(rejected),
        };
        let vote = (like.key.clone(), like.comment_external_id.clone(), like.member_id.clone());
        let index = *self.index_by_vote.entry(vote).or_insert(self.latest.len());
        match self.latest.get_mut(index) {
            None => self.latest.push((like, is_cast)),
            // Of two votes at the same time, the later one in the file counts.
            Some(stored) if stored.0.time <= like.time => *stored = (like, is_cast),
            Some(_) => {}
        }
    }

    /// Passes the remaining votes to `out`, ordered by time.
    pub(super) fn emit(self, out: &mut dyn FnMut(GroupEntry)) {
        self.rejected.into_iter().for_each(&mut *out);
        let mut likes: Vec<Like> =
            self.latest.into_iter().filter_map(|(like, is_cast)| is_cast.then_some(like)).collect();
        likes.sort_by_key(|like| like.time.unwrap_or(Timestamp::MIN));
        likes.into_iter().for_each(|like| out(GroupEntry::valid(Record::Like(like))));
    }
}
