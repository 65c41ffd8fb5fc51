//! The bugs that the server can be started with.

/// Where the server names them.
const SOURCE: &str = include_str!("../../../server/src/planted.rs");

/// All of them, by the names that the server knows.
pub(super) fn all() -> Vec<&'static str> {
    SOURCE.lines().filter_map(|line| line.trim().strip_prefix("(\"")?.split('"').next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_names_its_bugs_where_they_are_looked_for() {
        assert!(all().len() >= 15 && all().contains(&"late-likes"), "{:?}", all());
    }
}
