//! Lines of the keys of a TOML file, so that an error can name its line.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::{collections::BTreeMap, fmt};
use toml::Spanned;

/// The line of every key of one file, by its path (`store.sources.0.url`).
#[derive(Clone, Debug, Default)]
pub(super) struct KeyLines(BTreeMap<String, usize>);

/// A TOML value reduced to its shape and the positions of its keys.
enum Node {
    Table(Vec<(Spanned<String>, Node)>),
    List(Vec<Spanned<Node>>),
    Leaf,
}

impl KeyLines {
    /// Finds the line of each key of `text`. A text that is not TOML has no lines.
    pub(super) fn of(text: &str) -> Self {
        let mut lines = KeyLines::default();
        if let Ok(root) = toml::from_str::<Node>(text) {
            lines.record_lines(text, "", &root);
        }
        lines
    }

    /// Returns the line, counted from 1, of the key at `path` or of the nearest enclosing table.
    pub(super) fn line(&self, path: &str) -> Option<usize> {
        let mut path = path;
        loop {
            if let Some(line) = self.0.get(path) {
                return Some(*line);
            }
            path = path.rsplit_once('.')?.0;
        }
    }

    fn record_lines(&mut self, text: &str, prefix: &str, node: &Node) {
        let mut record_key = |key: &str, offset: usize, node: &Node| {
            let path = if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
            self.0.insert(path.clone(), line_at(text, offset));
            self.record_lines(text, &path, node);
        };
        match node {
            Node::Table(entries) => {
                entries.iter().for_each(|(key, node)| record_key(key.get_ref(), key.span().start, node))
            }
            Node::List(items) => items
                .iter()
                .enumerate()
                .for_each(|(index, item)| record_key(&index.to_string(), item.span().start, item.get_ref())),
            Node::Leaf => {}
        }
    }
}

/// Returns the line, counted from 1, that contains the byte at `offset`.
pub(super) fn line_at(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a TOML value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Table(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_str<E>(self, _: &str) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, input: D) -> Result<Node, D::Error> {
        IgnoredAny::deserialize(input).map(|_| Node::Leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::KeyLines;

    #[test]
    fn every_key_knows_its_line_and_an_absent_key_that_of_its_table() {
        let lines = KeyLines::of(concat!(
            "[server]\n",                    // 1
            "listen = '127.0.0.1:1'\n",      // 2
            "\n",                            // 3
            "[[store.sources]]\n",           // 4
            "url = 'mysql://a'\n",           // 5
            "[[store.sources]]\n",           // 6
            "# a comment\n",                 // 7
            "url = 'mysql://b'\n",           // 8
            "[store.pools.read]\n",          // 9
            "connections = 4\n",             // 10
            "[object_types]\n",              // 11
            "video = { max_depth = 3 }\n",   // 12
            "[page_tokens]\n",               // 13
            "keys = [\n  'a',\n  'b',\n]\n", // 14 to 17
        ));
        for (path, line) in [
            ("server", 1),
            ("server.listen", 2),
            ("server.absent", 1),
            ("store.sources.0.url", 5),
            ("store.sources.1.url", 8),
            ("store.pools.read.connections", 10),
            ("object_types.video.max_depth", 12),
            ("page_tokens.keys.1", 16),
        ] {
            assert_eq!(lines.line(path), Some(line), "{path}");
        }
        assert_eq!(lines.line("nowhere"), None);
    }
}
