//! Decide Madrid: 80 proposals of the city's citizens with 5,633 comments, as its files contain
//! them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result};
use riposte_sdk::v1::import_item::Kind;
use riposte_sdk::v1::{CommentState, DeletedBy, ImportItem, ImportedComment, ImportedSubject};

use super::{key, rows};
use crate::say::content;
use crate::thread_tree::{Node, Tree};

/// The object type of the subjects.
pub const OBJECT_TYPE: &str = "proposal";
const SOURCE: &str = "decide-madrid";

/// The treatment of a reply whose parent is not in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orphans {
    /// The reply is rejected, with all comments below it.
    Reject,
    /// The reply becomes a root.
    Root,
}

/// The content of the files, divided by the documented rules.
#[derive(Debug, Default)]
pub struct Madrid {
    /// All comments of the file by proposal, imported or not; orphans as roots.
    pub file: BTreeMap<String, Tree>,
    /// The imported comments, by proposal.
    pub trees: BTreeMap<String, Tree>,
    /// The rejected comments, with the reason.
    pub rejected: BTreeMap<String, &'static str>,
    /// The owner, the title and the earliest time of each proposal.
    pub proposals: BTreeMap<String, (String, String, i64)>,
}

struct Row {
    subject: String,
    node: Node,
}

impl Madrid {
    /// Reads both files and applies the rules of `riposte import --help`: a comment without text is
    /// rejected, unless a comment with text is below it, in which case it is a tombstone. With
    /// [`Orphans::Reject`] a reply whose chain of parents leaves the file is rejected too.
    ///
    /// # Errors
    /// If a file differs from the known format.
    pub fn read(data: &Path, orphans: Orphans) -> Result<Self> {
        let all = read_comments(&data.join("decide-madrid/comments.csv.gz"))?;
        let speaks = speaking(&all);
        let mut madrid = Self::default();
        for (id, row) in &all {
            let mut node = row.node.clone();
            node.parent = node.parent.filter(|parent| all.contains_key(parent));
            madrid.file.entry(row.subject.clone()).or_default().insert(id.clone(), node.clone());
            let reason = match orphan(&all, row).filter(|_| orphans == Orphans::Reject) {
                _ if !speaks.contains(id.as_str()) => Some("TEXT_EMPTY"),
                reason => reason,
            };
            if let Some(reason) = reason {
                madrid.rejected.insert(id.clone(), reason);
                continue;
            }
            if node.text.trim().is_empty() {
                node = Node { gone: true, member: String::new(), text: String::new(), ..node };
            }
            madrid.trees.entry(row.subject.clone()).or_default().insert(id.clone(), node);
        }
        for row in rows(&data.join("decide-madrid/proposals.csv.gz"))? {
            let (date, title) = (row["date"].as_str(), row["title"].trim());
            let proposal = (row["userId"].clone(), title.to_owned(), millis(date, "00:00:00").context("no date")?);
            madrid.proposals.insert(row["id"].clone(), proposal);
        }
        Ok(madrid)
    }

    /// Returns the comments and their subjects as items of an import, ordered by time, so that
    /// parents come first.
    #[must_use]
    pub fn items(&self) -> Vec<ImportItem> {
        let mut items = Vec::new();
        for (object_id, tree) in &self.trees {
            let subject = Some(key(OBJECT_TYPE, object_id));
            let (owner_id, _, created) = self.proposals.get(object_id).cloned().unwrap_or_default();
            let about = ImportedSubject {
                key: subject.clone(),
                owner_id,
                create_time: Some(timestamp(created)),
                ..ImportedSubject::default()
            };
            items.push(item(&format!("{OBJECT_TYPE}/{object_id}"), Kind::Subject(about)));
            let mut nodes: Vec<_> = tree.iter().collect();
            nodes.sort_by_key(|(id, node)| (node.created, id.parse::<u64>().unwrap_or(u64::MAX)));
            for (id, node) in nodes {
                let comment = ImportedComment {
                    subject: subject.clone(),
                    parent_external_id: node.parent.clone().unwrap_or_default(),
                    member_id: if node.gone { "deleted-member".to_owned() } else { node.member.clone() },
                    content: content(if node.gone { "[deleted]" } else { &node.text }),
                    state: if node.gone { CommentState::Deleted } else { CommentState::Active }.into(),
                    deleted_by: if node.gone { DeletedBy::Author } else { DeletedBy::Unspecified }.into(),
                    create_time: Some(timestamp(node.created)),
                    delete_time: node.gone.then(|| timestamp(node.created)),
                    ..ImportedComment::default()
                };
                items.push(item(id, Kind::Comment(comment)));
            }
        }
        items
    }

    /// Returns the imported comments of all proposals.
    pub fn comments(&self) -> impl Iterator<Item = &Node> {
        self.trees.values().flat_map(Tree::values)
    }
}

/// Returns the comments that have a text, and their ancestors.
fn speaking(all: &HashMap<String, Row>) -> HashSet<&str> {
    let texts = all.iter().filter(|(_, row)| !row.node.text.trim().is_empty());
    texts
        .flat_map(|(id, _)| std::iter::successors(Some(id), |id| all.get(*id)?.node.parent.as_ref()))
        .map(String::as_str)
        .collect()
}

/// Returns the reason why a comment is an orphan, if it is one: its parent is not in the file, or
/// an ancestor's is not.
fn orphan(all: &HashMap<String, Row>, row: &Row) -> Option<&'static str> {
    let mut chain = std::iter::successors(row.node.parent.as_ref(), |id| all.get(*id)?.node.parent.as_ref());
    let own = all.contains_key(row.node.parent.as_ref()?);
    let ends_outside = chain.any(|id| !all.contains_key(id));
    ends_outside.then_some(if own { "PARENT_REJECTED" } else { "PARENT_MISSING" })
}

fn item(external_id: &str, kind: Kind) -> ImportItem {
    ImportItem { source: SOURCE.to_owned(), external_id: external_id.to_owned(), kind: Some(kind) }
}

fn timestamp(ms: i64) -> prost_types::Timestamp {
    let nanos = i32::try_from(ms.rem_euclid(1000)).unwrap_or_default() * 1_000_000;
    prost_types::Timestamp { seconds: ms.div_euclid(1000), nanos }
}

fn read_comments(path: &Path) -> Result<HashMap<String, Row>> {
    let mut all = HashMap::new();
    for row in rows(path)? {
        let time = row["time"].strip_prefix("0 days ").context("an unknown time")?;
        let node = Node {
            parent: Some(row["parentId"].clone()).filter(|parent| parent != "-1"),
            member: row["userId"].clone(),
            text: row["text"].clone(),
            created: millis(&row["date"], time).context("an unknown time")?,
            likes: row["numPositiveVotes"].parse()?,
            dislikes: row["numNegativeVotes"].parse()?,
            gone: false,
        };
        all.insert(row["id"].clone(), Row { subject: row["proposalId"].clone(), node });
    }
    Ok(all)
}

/// Returns a date and a time of day in Madrid as ms since 1970. Madrid is two hours ahead of UTC
/// between the last Sundays of March and October, and one hour otherwise.
fn millis(date: &str, time: &str) -> Option<i64> {
    let numbers = |text: &str, by: char| text.split(by).map(|part| part.parse().ok()).collect::<Option<Vec<i64>>>();
    let [year, month, day] = numbers(date, '-')?.try_into().ok()?;
    let [hour, minute, second] = numbers(time, ':')?.try_into().ok()?;
    let local = (days(year, month, day) * 24 + hour) * 60 + minute;
    // Day 0 was a Thursday.
    let last_sunday = |month| (0..7).map(|n| days(year, month, 31) - n).find(|day| day.rem_euclid(7) == 3);
    let (from, until) = (last_sunday(3)? * 24 + 2, last_sunday(10)? * 24 + 3);
    let summer = (from * 60..until * 60).contains(&local);
    Some(((local - if summer { 120 } else { 60 }) * 60 + second) * 1000)
}

/// Returns the number of days from 1970-01-01 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years are counted from March, so that the leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day
        - 719_469
}

/// Returns the reasons with the number of comments for each.
#[must_use]
pub fn by_reason(rejected: &BTreeMap<String, &'static str>) -> HashMap<&'static str, usize> {
    let mut counts = HashMap::new();
    rejected.values().for_each(|reason| *counts.entry(*reason).or_insert(0) += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_madrid_is_read() {
        assert_eq!(millis("1970-01-01", "01:00:00"), Some(0));
        assert_eq!(millis("2015-09-15", "10:50:19"), Some(1_442_307_019_000));
        assert_eq!(millis("2016-02-29", "12:00:00"), Some(1_456_743_600_000));
        // The clocks went back at three in the morning, so half past two occurred twice; the first
        // one is used.
        assert_eq!(millis("2018-10-28", "02:30:00"), Some(1_540_686_600_000));
        assert_eq!(millis("2018-10-28", "03:00:00"), Some(1_540_692_000_000));
        assert_eq!(millis("2018-03-25", "03:00:00"), Some(1_521_939_600_000));
    }
}
