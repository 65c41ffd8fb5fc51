//! Many plain operations send the statements of the version before moderation, each of them as
//! often as that version.

use std::collections::BTreeSet;

use riposte_core::LikeValue;
use riposte_core::page::{ListOrder, PageQuery, PageStart};
use riposte_store::shard::TableCounts;

use crate::databases::{ManualClock, TestDatabase};
use crate::statements::{
    BEFORE_MODERATION, GENERAL_LOG, PLAIN_CREATE, PLAIN_LIKE, PLAIN_PAGE, is_of_comments, logged_statements, query,
    shapes, unnumbered, without_later_parts,
};
use crate::subject::{Subject, member};

/// The creates, the likes and the pages.
const OPERATIONS: usize = 1_000;

/// Returns a statement with a `?` in place of each value: numbers, texts and NULL.
fn without_values(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '`' => rest.get(1..).and_then(|name| name.find('`')).map_or(rest.len(), |end| end + 2),
            '\'' => text_end(rest),
            _ if first.is_ascii_alphanumeric() || first == '_' => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        if first == '\'' || first.is_ascii_digit() || token == "NULL" {
            // The sign of a value, but no operator.
            if out.ends_with("(-") || out.ends_with(" -") && !out.ends_with("` -") {
                out.pop();
            }
            out.push('?');
        } else {
            out.push_str(token);
        }
        rest = after;
    }
    out
}

/// Returns a statement without values in which every list of keys has one key: a page of more
/// comments reads more of them.
fn with_short_lists(sql: &str) -> String {
    let mut parts = sql.split(" IN (?");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(" IN (?");
        out.push_str(part.trim_start_matches(", ?"));
    }
    out
}

/// Returns the length of the quoted text at the beginning. Quotes in it are escaped.
fn text_end(sql: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in sql.char_indices().skip(1) {
        match c {
            '\'' if !is_escaped => return at + 1,
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    sql.len()
}

#[test]
fn values_are_recognised_and_operators_are_not() {
    let sql =
        r"SELECT `a_0`.`b1` FROM `a_0` WHERE `x` = -5 AND `y` IN ('it\'s \\', 12, NULL) AND `n` - 1 > (-3) LIMIT 2";
    let expected = "SELECT `a_0`.`b1` FROM `a_0` WHERE `x` = ? AND `y` IN (?, ?, ?) AND `n` - ? > (?) LIMIT ?";
    assert_eq!(without_values(sql), expected);
    let expected = "SELECT `a_0`.`b1` FROM `a_0` WHERE `x` = ? AND `y` IN (?) AND `n` - ? > (?) LIMIT ?";
    assert_eq!(with_short_lists(&without_values(sql)), expected);
}

#[tokio::test]
async fn many_creates_likes_and_pages_send_the_statements_of_before_moderation() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    // Before the migration, so that the log has no statement of it.
    let _alone = GENERAL_LOG.lock().await;
    let first = database.migrated(&clock).await;
    let admin = first.sources().all()[0].write_pool();
    query(admin, "SET GLOBAL log_output = 'TABLE'".to_owned()).await;
    query(admin, "SET GLOBAL general_log = 1".to_owned()).await;
    let TestDatabase::Servers(urls, _) = &database else { unreachable!("servers") };
    let name = urls[0].rsplit('/').next().expect("a database").to_owned();
    let store = database.open(&clock);
    let subject = Subject::new(&store, "plain");
    let root = subject.create_roots(1).await[0];
    // The first operations of each kind also read ids.
    subject.create_roots(1).await;
    subject.set_like(root, member(0), LikeValue::Like).await;
    let page = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: 20 };
    let list = async || store.reader().roots(&subject.key, page, 3).await.expect("read").expect("the subject exists");
    list().await;
    let mut ends = vec![logged_statements(admin, &name).await.len()];
    for _ in 0..OPERATIONS {
        subject.create_roots(1).await;
    }
    ends.push(logged_statements(admin, &name).await.len());
    for n in 1..=OPERATIONS {
        subject.set_like(root, member(n), LikeValue::Like).await;
    }
    ends.push(logged_statements(admin, &name).await.len());
    for _ in 0..OPERATIONS {
        list().await;
    }
    let all = logged_statements(admin, &name).await;
    query(admin, "SET GLOBAL general_log = 0".to_owned()).await;
    ends.push(all.len());
    for (kind, expected) in [PLAIN_CREATE.as_slice(), PLAIN_LIKE.as_slice(), PLAIN_PAGE.as_slice()].iter().enumerate() {
        let shapes = shapes(&all[ends[kind]..ends[kind + 1]]);
        let different = shapes.chunks(expected.len()).position(|operation| operation != *expected);
        assert_eq!(different.map(|n| &shapes[n * expected.len()..]).map(|rest| &rest[..rest.len().min(9)]), None);
        assert_eq!(shapes.len(), OPERATIONS * expected.len(), "{expected:?}");
    }

    // A server first tries to lock a subject without waiting.
    let comparable = |sql: &str| with_short_lists(&without_values(sql.trim_end_matches(" NOWAIT")));
    let before: BTreeSet<String> = BEFORE_MODERATION.lines().map(comparable).collect();
    let sent: BTreeSet<String> = all.iter().map(|sql| unnumbered(sql)).filter(|sql| is_of_comments(sql)).collect();
    let now: BTreeSet<String> = sent.iter().map(|sql| without_later_parts(&comparable(sql))).collect();
    assert!(now.len() >= PLAIN_CREATE.len() + PLAIN_LIKE.len() + PLAIN_PAGE.len() - 1, "{now:#?}");
    let new: Vec<&String> = now.difference(&before).collect();
    assert!(new.is_empty(), "statements or columns that the version before moderation did not have: {new:#?}");
    assert!(sent.iter().any(|sql| sql.contains("`policy`")), "the column is read");
    store.close().await;
    first.close().await;
    database.drop().await;
}
