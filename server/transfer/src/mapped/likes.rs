//! Votes as events, of which the latest of a member for a comment counts.

use anyhow::{Context, Result};

use super::RowReader;
use super::value::{Compiler, Value, parse_enum};
use crate::group::GroupEntry;
use crate::map::{LikeMap, Map};
use crate::read_settings::ReadSettings;
use crate::record::{Like, LikeEvent, LikeValue, Original, Record};
use crate::template::Columns;

/// The fields of a vote.
#[derive(Debug)]
pub(crate) struct LikeFields {
    object_type: Option<Value>,
    subject: Value,
    comment: Value,
    member: Value,
    value: Value,
    time: Value,
}

impl LikeFields {
    /// Compiles the fields against the columns of their table.
    ///
    /// # Errors
    /// The map names an unknown column.
    pub(crate) fn compile(like: &LikeMap, columns: &Columns, map: &Map) -> Result<Self> {
        let compiler = Compiler { columns, map };
        let fields = || -> Result<Self> {
            Ok(Self {
                object_type: compiler.optional(like.object_type.as_ref())?,
                subject: compiler.page(&like.subject)?,
                comment: compiler.value(&like.comment)?,
                member: compiler.value(&like.member)?,
                value: compiler.value(&like.value)?,
                time: compiler.value(&like.time)?,
            })
        };
        fields().context("in [like] of the mapping file")
    }

    /// Returns the vote of a row. A vote that was withdrawn is an event too.
    pub(crate) fn entry(&self, row: &mut RowReader<'_>, settings: &ReadSettings) -> GroupEntry {
        let value_name = row.text(Some(&self.value));
        let value = parse_enum::<LikeValue>(&value_name);
        let like = Like {
            key: row.key(self.object_type.as_ref(), &self.subject, settings),
            source: None,
            comment_external_id: row.text(Some(&self.comment)),
            member_id: row.text(Some(&self.member)),
            value: value.unwrap_or(LikeValue::Like),
            time: row.time(Some(&self.time)),
            synthetic: false,
            event: Some(if value.is_some() { LikeEvent::Cast } else { LikeEvent::Withdrawn }),
            original: Original::new(),
        };
        if value_name != "NONE" && value.is_none() {
            row.report_problem("VALUE_UNKNOWN", &format!("{value_name:?} is neither LIKE, DISLIKE nor NONE"));
        }
        row.entry(Record::Like(like))
    }
}
