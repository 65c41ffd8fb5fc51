//! The cost of a statement for the server that runs it.

use std::fmt;

/// The first versions that add a column without rewriting its table.
const INSTANT_MARIADB: [u32; 3] = [10, 3, 2];
const INSTANT_MYSQL: [u32; 3] = [8, 0, 12];

/// The cost of a statement on a table that is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementCost {
    /// The statement reads and writes no rows of a table in use: it creates a table, or drops one
    /// that is not used any more.
    Instant,
    /// The definition of the table changes, and no row is rewritten.
    InstantColumn,
    /// The server reads the whole table, while reads and writes continue.
    OnlineBuild,
    /// The database reads the whole table, while writes wait.
    LockedBuild,
    /// A server of this version would rewrite the table, so it refuses the statement.
    Refused(String),
}

impl StatementCost {
    /// Returns the cost on a server of this version, as `SELECT VERSION()` returns it.
    pub(crate) fn on(self, version: &str) -> Self {
        if self == Self::InstantColumn && !adds_columns_instantly(version) {
            return Self::Refused(version.to_owned());
        }
        self
    }
}

impl fmt::Display for StatementCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instant => f.write_str("instant"),
            Self::InstantColumn => f.write_str("instant: the server rewrites no row"),
            Self::OnlineBuild => f.write_str("slow, online: the server reads the whole table; reads and writes go on"),
            Self::LockedBuild => f.write_str("slow: the whole table is read; writes wait"),
            Self::Refused(version) => {
                let [[a, b, c], [x, y, z]] = [INSTANT_MYSQL, INSTANT_MARIADB];
                write!(f, "refused by {version}, which would rewrite the table; ")?;
                write!(f, "needs MySQL {a}.{b}.{c} or MariaDB {x}.{y}.{z}")
            }
        }
    }
}

fn adds_columns_instantly(version: &str) -> bool {
    let since = if version.contains("MariaDB") { INSTANT_MARIADB } else { INSTANT_MYSQL };
    let number = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
    let mut parts = version.split('.').map(number);
    std::array::from_fn(|_| parts.next().unwrap_or(0)) >= since
}

#[cfg(test)]
mod tests {
    use super::StatementCost;

    #[test]
    fn a_column_is_instant_where_the_server_can_add_it_without_a_rewrite() {
        for (version, instant) in [
            ("10.11.19-MariaDB-0+deb12u1", true),
            ("10.3.2-MariaDB", true),
            ("10.2.44-MariaDB-log", false),
            ("9.7.4", true),
            ("8.0.12-log", true),
            ("8.0.11", false),
            ("5.7.44", false),
        ] {
            let cost = StatementCost::InstantColumn.on(version);
            assert_eq!(cost == StatementCost::InstantColumn, instant, "{version}: {cost}");
            assert_eq!(cost.to_string().contains(version), !instant, "{cost}");
            assert_eq!(StatementCost::OnlineBuild.on(version), StatementCost::OnlineBuild);
        }
    }
}
