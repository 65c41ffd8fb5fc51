//! The settings of the store: the database, its tables and its connections.

use crate::config::{DatabaseKind, PoolConfig, StoreConfig, TextMode};
use crate::layout::LayoutConfig;
use crate::sql::{SQLITE_FILE, is_address};
use riposte_settings::{ConfigError, ConfigErrors, ErrorScope, SourceUrl, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{fmt, ops::RangeInclusive, path::PathBuf, str::FromStr, time::Duration};

/// The error text of an invalid address.
const INVALID_ADDRESS: &str = "must have the form mysql://user:password@host:port/database, with no options but \
                               ssl-mode, ssl-ca, ssl-cert, ssl-key, charset, collation, socket and timezone";

/// The database, and the distribution of its tables.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct StoreSettings {
    /// The kind of database.
    pub kind: StoreKind,
    /// For SQLite: the folder of the database file. Without it the data is lost when the process
    /// ends.
    pub data_dir: Option<PathBuf>,
    /// For MySQL: the data sources. For Vitess: one, the keyspace.
    pub sources: Vec<SourceSettings>,
    /// The number of tables for subjects; the first migration fixes it permanently. Without it the
    /// number is that of the database.
    pub subject_tables: Option<u16>,
    /// The number of tables for comments; a multiple of `subject_tables`, and fixed with it.
    pub index_tables: Option<u16>,
    /// For MySQL: the form in which statements over many tables are sent.
    pub text: TextForm,
    /// Connections to each data source.
    pub pools: PoolsSettings,
    /// The longest time that a transaction waits for a row that another one has locked.
    pub lock_wait_timeout: TimeSpan,
    /// The longest duration of a writing transaction, and of its COMMIT.
    pub transaction_timeout: TimeSpan,
    /// The number of the data's history. It is raised by one after the rows were set back to an
    /// older state, so that nothing derived from the lost history is used any more.
    pub timeline: u16,
}

/// The kind of database.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    /// One file, one process.
    Sqlite,
    /// One or more servers of the MySQL family.
    Mysql,
    /// A keyspace that Vitess may distribute over shards.
    Vitess,
}

/// The form in which statements over many tables are sent.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum TextForm {
    /// As one query of several statements, if the server and the proxies before it take such
    /// queries.
    Auto,
    /// Each statement by itself, prepared.
    Off,
}

/// One data source.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SourceSettings {
    /// Its address, with the credentials.
    pub url: Option<SourceUrl>,
    /// Alternative: a file that contains the address. It is read again when it changes.
    pub url_file: Option<PathBuf>,
    /// The subject tables on this source. Without it they are those that the source has; in a new
    /// database the tables are distributed evenly over the sources, in their order.
    pub subject_tables: Option<TableRange>,
}

/// Connections to each data source.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PoolsSettings {
    /// Connections that read, at REPEATABLE READ.
    pub read: PoolSettings,
    /// Connections that write, at READ COMMITTED.
    pub write: PoolSettings,
}

/// One pool of connections.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PoolSettings {
    /// The largest number of open connections.
    pub connections: u32,
    /// The longest wait for a free connection.
    pub acquire_timeout: TimeSpan,
    /// Prepared statements that each connection keeps.
    pub statements: usize,
}

/// A range of subject tables, first and last, as in `0-24`; a single table is `7`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq)]
#[schemars(inline)]
pub struct TableRange(
    #[schemars(with = "String", extend("pattern" = r"^\s*[0-9]+\s*(-\s*[0-9]+\s*)?$"))] pub RangeInclusive<u16>,
);

impl StoreSettings {
    /// Converts the settings into the configuration of the store, and reads addresses from their
    /// files. The settings must have passed [`Self::validate`].
    ///
    /// # Errors
    /// An error for each file that cannot be read or does not contain an address.
    pub fn to_config(&self) -> Result<StoreConfig, ConfigErrors> {
        let StoreSettings {
            kind,
            data_dir,
            sources,
            // Both counts are in the layout.
            subject_tables: _,
            index_tables: _,
            // It is in the form.
            text: _,
            pools,
            lock_wait_timeout,
            transaction_timeout,
            // The timeline concerns the cache, not the store.
            timeline: _,
        } = self;
        let kind = match kind {
            StoreKind::Sqlite => DatabaseKind::Sqlite { folder: data_dir.clone(), durable: data_dir.is_some() },
            StoreKind::Vitess => {
                DatabaseKind::Vitess(self.address(0).map_err(|fault| ConfigErrors(vec![fault]))?.expose().to_owned())
            }
            StoreKind::Mysql => {
                let (mut open_sources, mut faults) = (Vec::new(), Vec::new());
                for index in 0..sources.len() {
                    match self.address(index) {
                        Ok(url) => open_sources.push(url.expose().to_owned()),
                        Err(fault) => faults.push(fault),
                    }
                }
                if !faults.is_empty() {
                    return Err(ConfigErrors(faults));
                }
                DatabaseKind::MySql(open_sources)
            }
        };
        Ok(StoreConfig {
            kind,
            layout: self.layout(),
            text: match self.text_form() {
                TextForm::Auto => TextMode::Auto,
                TextForm::Off => TextMode::Off,
            },
            read: pools.read.to_config(),
            write: pools.write.to_config(),
            lock_wait: lock_wait_timeout.duration(),
            transaction_limit: transaction_timeout.duration(),
        })
    }

    /// Returns true for SQLite whose file does not exist yet. To open the store makes it.
    #[must_use]
    pub fn is_new_file(&self) -> bool {
        let folder = self.data_dir.as_ref().filter(|_| self.kind == StoreKind::Sqlite);
        folder.is_some_and(|folder| !folder.join(SQLITE_FILE).exists())
    }

    /// Returns the address of a data source (from 0), from its file if one is configured.
    ///
    /// # Errors
    /// The source has no address, or its file cannot be read or contains none.
    pub fn address(&self, index: usize) -> Result<SourceUrl, ConfigError> {
        let path = format!("store.sources.{index}");
        let source = self.sources.get(index).ok_or_else(|| ConfigError::at(&path, "does not exist"))?;
        match (&source.url_file, &source.url) {
            (Some(file), _) => SourceUrl::read(file, is_mysql, INVALID_ADDRESS)
                .map_err(|message| ConfigError::at(format!("{path}.url_file"), message)),
            (None, Some(url)) => Ok(url.clone()),
            (None, None) => Err(ConfigError::at(format!("{path}.url"), INVALID_ADDRESS)),
        }
    }

    /// Returns the form in which statements over many tables are sent. To Vitess a query of several
    /// statements is no transaction of one partition.
    #[must_use]
    pub fn text_form(&self) -> TextForm {
        if self.kind == StoreKind::Vitess { TextForm::Off } else { self.text }
    }

    /// Returns the layout, with what it leaves to the database. The address of no source is needed.
    pub fn layout(&self) -> LayoutConfig {
        let open = match self.kind {
            StoreKind::Sqlite => LayoutConfig::sqlite(),
            StoreKind::Vitess => return LayoutConfig::vitess(),
            StoreKind::Mysql => LayoutConfig {
                ranges: self.sources.iter().map(|source| Some(source.subject_tables.as_ref()?.0.clone())).collect(),
                ..LayoutConfig::mysql(0)
            },
        };
        LayoutConfig { subject: self.subject_tables, index: self.index_tables, ..open }
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        for (name, count) in [("subject_tables", self.subject_tables), ("index_tables", self.index_tables)] {
            report.require(count.is_none_or(|count| (1..=1024).contains(&count)), name, "must be 1 to 1024");
        }
        // Ranges of the sources say the number of subject tables as well.
        let subject_tables = self.subject_tables.or(self.layout().covered());
        if let (Some(subject_tables @ 1..), Some(index_tables)) = (subject_tables, self.index_tables)
            && !index_tables.is_multiple_of(subject_tables)
        {
            report.fault(
                "index_tables",
                format!("must be a multiple of store.subject_tables, which is {subject_tables}"),
            );
        }
        if self.kind != StoreKind::Sqlite {
            // A migration keeps its lock on one connection and reads on another.
            report.require(self.pools.read.connections >= 2, "pools.read.connections", "must be at least 2");
        }
        for (name, pool) in [("read", &self.pools.read), ("write", &self.pools.write)] {
            let connections = (1..=1_000).contains(&pool.connections);
            report.require(connections, &format!("pools.{name}.connections"), "must be 1 to 1000");
            let wait = (Duration::from_millis(10)..=Duration::from_secs(60)).contains(&pool.acquire_timeout.duration());
            report.require(wait, &format!("pools.{name}.acquire_timeout"), "must be 10ms to 1min");
            let statements = (64..=16_384).contains(&pool.statements);
            report.require(statements, &format!("pools.{name}.statements"), "must be 64 to 16384");
        }
        // The servers count this timeout in whole seconds.
        let wait = self.lock_wait_timeout.duration();
        let is_valid = wait.subsec_nanos() == 0 && (1..=50).contains(&wait.as_secs());
        report.require(is_valid, "lock_wait_timeout", "must be 1s to 50s, in whole seconds");
        // A transaction that waits for a lock must not be mistaken for one on a server that does
        // not respond.
        let limit = self.transaction_timeout.duration();
        let in_range = (wait * 2..=Duration::from_secs(600)).contains(&limit);
        report.require(in_range, "transaction_timeout", "must be at least twice lock_wait_timeout, and at most 10min");
        match self.kind {
            StoreKind::Sqlite => self.validate_sqlite(report),
            StoreKind::Mysql => self.validate_sources(report),
            StoreKind::Vitess => {
                self.validate_sources(report);
                self.validate_keyspace(report);
            }
        }
    }

    fn validate_sqlite(&self, report: &mut ErrorScope<'_>) {
        // Without the key the data is temporary, so an empty one is never to be left out.
        let is_named = self.data_dir.as_ref().is_none_or(|folder| !folder.as_os_str().is_empty());
        report.require(is_named, "data_dir", "is empty: set the folder of the comments, as \"/var/lib/riposte\"");
        report.require(
            self.pools.write.connections == 1,
            "pools.write.connections",
            "must be 1: SQLite has one writer",
        );
        report.require(
            self.sources.is_empty(),
            "sources",
            "requires store.kind = \"mysql\" or \"vitess\"; SQLite uses store.data_dir",
        );
    }

    fn validate_keyspace(&self, report: &mut ErrorScope<'_>) {
        report.require(
            self.sources.len() <= 1,
            "sources",
            "must have one entry: Vitess distributes the keyspace itself",
        );
        for (name, count) in [("subject_tables", self.subject_tables), ("index_tables", self.index_tables)] {
            let cure = "must be 1 or unset: Vitess distributes the rows of one table of each kind";
            report.require(count.is_none_or(|count| count == 1), name, cure);
        }
        let ranges = self.sources.iter().any(|source| source.subject_tables.is_some());
        report.require(!ranges, "sources", "must not set subject_tables: a keyspace has one table of each kind");
    }

    fn validate_sources(&self, report: &mut ErrorScope<'_>) {
        report.require(self.data_dir.is_none(), "data_dir", "requires store.kind = \"sqlite\"");
        if self.sources.is_empty() {
            return report.fault("sources", "contains no data source: write [[store.sources]] url = \"mysql://…\"");
        }
        for (index, source) in self.sources.iter().enumerate() {
            let has_address = source.url.as_ref().map_or(source.url_file.is_some(), is_mysql);
            report.require(has_address, &format!("sources.{index}.url"), INVALID_ADDRESS);
            let not_both = source.url.is_none() || source.url_file.is_none();
            let conflict = "excludes url: set one of them";
            report.require(not_both, &format!("sources.{index}.url_file"), conflict);
            report.path(&format!("sources.{index}.url_file"), source.url_file.as_ref());
        }
        let configured = self.sources.iter().filter(|source| source.subject_tables.is_some()).count();
        if configured != 0 && configured != self.sources.len() {
            return report.fault("sources", "must set subject_tables for every source, or for none");
        }
        let tables = self.subject_tables.or(self.index_tables).unwrap_or(1024);
        if self.sources.len() > usize::from(tables) {
            return report.fault("sources", "must not have more entries than there are subject tables");
        }
        let mut ranges: Vec<_> = self.sources.iter().filter_map(|source| source.subject_tables.as_ref()).collect();
        ranges.sort_by_key(|TableRange(range)| *range.start());
        let mut next = 0;
        let is_dense = ranges.iter().all(|TableRange(range)| {
            let follows = *range.start() == next;
            next = range.end().saturating_add(1);
            follows
        });
        if !ranges.is_empty() && (!is_dense || self.subject_tables.is_some_and(|count| count != next)) {
            let last = self.subject_tables.unwrap_or(next).saturating_sub(1);
            report.fault("sources", format!("must assign each subject table, 0 to {last}, to exactly one source"));
        } else if next > 1024 {
            report.fault("sources", "must not assign more than 1024 subject tables");
        }
    }
}

impl PoolSettings {
    fn to_config(&self) -> PoolConfig {
        let PoolSettings { connections, acquire_timeout, statements } = self;
        PoolConfig { connections: *connections, acquire_timeout: acquire_timeout.duration(), statements: *statements }
    }
}

/// Returns true if the address names a server of the MySQL family.
fn is_mysql(address: &SourceUrl) -> bool {
    let text = address.expose();
    text.starts_with("mysql://") && text.len() > "mysql://".len() && is_address(text)
}

/// Formats the address without its secret parts, or the path of its file.
impl fmt::Display for SourceSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.url_file, &self.url) {
            (Some(file), _) => write!(f, "{}", file.display()),
            (None, Some(url)) => write!(f, "{url}"),
            (None, None) => Ok(()),
        }
    }
}

impl FromStr for TableRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(TableRange(first..=last)),
            _ => Err("is not a range of tables: write the first and the last, as in \"0-24\""),
        }
    }
}

impl fmt::Display for TableRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0.start(), self.0.end())
    }
}

impl<'de> Deserialize<'de> for TableRange {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}

impl Serialize for TableRange {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}
