//! Checks of one data source.

use super::check_result::CheckResult;
use riposte_store::{Diagnosis, SourceTransport, StoreKind, TextForm, TextQueries, schema::SourceSchema};

/// A variable of the database server, its correct values, and the effect of any other value.
struct Rule {
    variable: &'static str,
    allowed: &'static [&'static str],
    effect: &'static str,
}

/// The time by which ids may be ahead of the clock: the length of a worker lease, the second that a
/// partition may borrow, and some seconds between two clocks.
const IDS_AHEAD_MAX_MS: i64 = 20_000;

/// The limit of prepared statements over all connections of a database server.
const STATEMENT_LIMIT: &str = "max_prepared_stmt_count";

/// The limits of open tables over all connections of a database server. Each table is one file.
const TABLE_LIMITS: [&str; 4] = ["table_definition_cache", "table_open_cache", "innodb_open_files", "open_files_limit"];

/// Without these settings an acknowledged comment can be lost, or a transaction can see data that
/// it must not see.
const RULES: &[Rule] = &[
    Rule {
        variable: "innodb_flush_log_at_trx_commit",
        allowed: &["1"],
        effect: "an acknowledged write can be lost in a crash: set it to 1",
    },
    Rule {
        variable: "sync_binlog",
        allowed: &["1"],
        effect: "after a crash a replica can lack acknowledged writes: set it to 1",
    },
    Rule {
        variable: "isolation",
        allowed: &["READ-COMMITTED"],
        effect: "connections that write must be at READ COMMITTED; something between this process and the server changes it",
    },
    Rule {
        variable: "synchronous",
        allowed: &["2", "3"],
        effect: "an acknowledged write can be lost when the machine stops: it must be FULL (2)",
    },
    Rule { variable: "journal_mode", allowed: &["wal"], effect: "readers and the writer would wait for each other" },
];

/// Checks one source: that it can be reached, its schema, each relevant setting, that its limit of
/// prepared statements covers the statements that one process may prepare, and that it can keep its
/// tables open.
pub(super) fn examine(
    label: &str,
    kind: StoreKind,
    diagnosis: &Diagnosis,
    schema: &SourceSchema,
    statements: u64,
) -> Vec<CheckResult> {
    if let Some(reason) = &diagnosis.unreachable {
        return vec![CheckResult::fail(label, format!("cannot be reached: {reason}"))];
    }
    let version = variable(diagnosis, "version").unwrap_or("of unknown version");
    let latency = format!("answers in {} µs, server {version}", diagnosis.latency_micros);
    let mut results = vec![CheckResult::ok(label, latency), self::schema(label, kind, schema)];
    let known = RULES.iter().filter_map(|rule| Some((rule, variable(diagnosis, rule.variable)?)));
    results.extend(
        known.filter(|(rule, _)| !is_irrelevant(rule, diagnosis)).map(|(rule, value)| assess(label, rule, value)),
    );
    results.extend(variable(diagnosis, STATEMENT_LIMIT).map(|value| prepared_statements(label, value, statements)));
    let limits = TABLE_LIMITS.iter().filter_map(|name| Some((name, variable(diagnosis, name)?, diagnosis.tables?)));
    results.extend(limits.map(|(name, value, tables)| open_tables(label, name, value, tables)));
    results.extend(diagnosis.transport.as_ref().map(|transport| self::transport(label, transport)));
    results.extend(diagnosis.ids_ahead_ms.map(|ahead_ms| clock(label, ahead_ms)));
    results
}

/// The bytes of a packet below which a batch with long texts is divided into several queries.
const PACKET_BYTES_MIN: u64 = 16 << 20;

/// Checks that the server takes queries of several statements, if `store.text` wants them. The
/// result of a server that cannot be reached is that of [`examine`].
pub(super) fn text_queries(label: &str, diagnosis: &Diagnosis, form: TextForm) -> Option<CheckResult> {
    let name = format!("{label}, queries of several statements");
    Some(match (form, diagnosis.text_queries?) {
        (TextForm::Off, _) => CheckResult::ok(name, "not used (store.text)"),
        (TextForm::Auto, TextQueries::Refused) => CheckResult::warn(
            name,
            "refused by the server or by a proxy before it, so each statement over many tables is a round trip: allow \
             them, or set store.text to \"off\"",
        ),
        (TextForm::Auto, TextQueries::Taken { packet_bytes }) if packet_bytes < PACKET_BYTES_MIN => CheckResult::warn(
            name,
            format!("taken, of up to {packet_bytes} bytes: raise max_allowed_packet to at least {PACKET_BYTES_MIN}"),
        ),
        (TextForm::Auto, TextQueries::Taken { packet_bytes }) => {
            CheckResult::ok(name, format!("taken, of up to {packet_bytes} bytes (max_allowed_packet)"))
        }
    })
}

fn transport(label: &str, transport: &SourceTransport) -> CheckResult {
    let name = format!("{label}, transport");
    match transport {
        SourceTransport { tls: Some(tls), .. } => CheckResult::ok(name, format!("TLS ({tls})")),
        SourceTransport { tls: None, is_local: true } => CheckResult::ok(name, "plaintext, within this machine"),
        SourceTransport { tls: None, is_local: false } => CheckResult::warn(
            name,
            "plaintext over a network: enable TLS on the server, and add ssl-mode=VERIFY_IDENTITY and ssl-ca=FILE to \
             the address (docs/secure.md)",
        ),
    }
}

fn clock(label: &str, ahead_ms: i64) -> CheckResult {
    let name = format!("{label}, clock");
    if ahead_ms > IDS_AHEAD_MAX_MS {
        let ahead = ahead_ms / 1_000;
        CheckResult::warn(
            name,
            format!(
                "ids were generated for a time that is {ahead} s ahead of the clock of this machine: the clock here is \
                 behind, or that of a process was ahead; such a process writes few comments until it takes another \
                 worker number"
            ),
        )
    } else {
        CheckResult::ok(name, "no id is ahead of the clock of this machine")
    }
}

fn open_tables(label: &str, name: &str, value: &str, tables: u64) -> CheckResult {
    let name = format!("{label}, {name}");
    match value.parse::<u64>() {
        Ok(limit) if limit < tables => CheckResult::warn(
            name,
            format!(
                "{value}: the layout has {tables} tables, and the server is slow when it must close and open them: \
                 raise it"
            ),
        ),
        Ok(_) | Err(_) => CheckResult::ok(name, format!("{value}, for {tables} tables")),
    }
}

fn prepared_statements(label: &str, value: &str, statements: u64) -> CheckResult {
    let name = format!("{label}, {STATEMENT_LIMIT}");
    match value.parse::<u64>() {
        Ok(limit) if limit < statements => CheckResult::warn(
            name,
            format!(
                "{value}: one process may prepare {statements} (store.pools), and the server rejects more: raise it"
            ),
        ),
        Ok(limit) => CheckResult::ok(name, format!("{value}, enough for {} processes", limit / statements.max(1))),
        Err(_) => CheckResult::ok(name, value),
    }
}

fn schema(label: &str, kind: StoreKind, schema: &SourceSchema) -> CheckResult {
    let name = format!("{label}, schema");
    match schema {
        SourceSchema::Ready => CheckResult::ok(name, "is what this version needs"),
        SourceSchema::Missing(steps) if kind == StoreKind::Sqlite => {
            CheckResult::ok(name, format!("lacks {}, which the start of the server adds", steps.join(", ")))
        }
        SourceSchema::Missing(steps) => {
            CheckResult::fail(name, format!("lacks {}: run `riposte migrate up`", steps.join(", ")))
        }
        SourceSchema::Mismatch(reason) => {
            CheckResult::fail(name, format!("{reason}: the configuration must be corrected"))
        }
        SourceSchema::Unreadable(reason) | SourceSchema::Unreachable(reason) => {
            CheckResult::fail(name, format!("cannot be read: {reason}"))
        }
    }
}

fn assess(label: &str, rule: &Rule, value: &str) -> CheckResult {
    let name = format!("{label}, {}", rule.variable);
    if rule.allowed.contains(&value) {
        CheckResult::ok(name, value)
    } else {
        CheckResult::warn(name, format!("{value}: {}", rule.effect))
    }
}

/// Returns true for `sync_binlog` on a server without a binary log, which has nothing to sync.
fn is_irrelevant(rule: &Rule, diagnosis: &Diagnosis) -> bool {
    rule.variable == "sync_binlog" && matches!(variable(diagnosis, "log_bin"), Some("0" | "OFF"))
}

fn variable<'d>(diagnosis: &'d Diagnosis, name: &str) -> Option<&'d str> {
    diagnosis.variables.iter().find(|(known, _)| *known == name)?.1.as_deref()
}

#[cfg(test)]
mod tests {
    use super::{
        super::check_result::{CheckLevel, CheckResult},
        examine,
    };
    use riposte_store::{Diagnosis, SourceTransport, StoreKind, TextForm, TextQueries, schema::SourceSchema};

    fn healthy() -> Diagnosis {
        let values = [
            ("version", "10.11.19-MariaDB"),
            ("innodb_flush_log_at_trx_commit", "1"),
            ("sync_binlog", "1"),
            ("log_bin", "1"),
            ("isolation", "READ-COMMITTED"),
            ("max_prepared_stmt_count", "16382"),
            ("table_definition_cache", "2255"),
            ("table_open_cache", "2255"),
            ("innodb_open_files", "2255"),
            ("open_files_limit", "2255"),
        ];
        let values = values.map(|(name, value)| (name, Some(value.to_owned()))).to_vec();
        let transport = Some(SourceTransport { tls: Some("TLSv1.3".to_owned()), is_local: false });
        let ids_ahead_ms = Some(12_000);
        Diagnosis {
            latency_micros: 120,
            variables: values,
            tables: Some(2_255),
            text_queries: Some(TextQueries::Taken { packet_bytes: 16 << 20 }),
            transport,
            ids_ahead_ms,
            unreachable: None,
        }
    }

    fn with(name: &str, value: &str) -> Diagnosis {
        let mut diagnosis = healthy();
        let named = diagnosis.variables.iter_mut().filter(|(known, _)| *known == name);
        named.for_each(|(_, old)| *old = Some(value.to_owned()));
        diagnosis
    }

    /// Returns the names of the lines that are not ok.
    fn findings(diagnosis: &Diagnosis, schema: &SourceSchema) -> Vec<(CheckLevel, String)> {
        let finding = |result: CheckResult| (result.level != CheckLevel::Ok).then_some((result.level, result.name));
        examine("source 1", StoreKind::Mysql, diagnosis, schema, 6_144).into_iter().filter_map(finding).collect()
    }

    #[test]
    fn each_wrong_value_changes_exactly_its_own_line() {
        let (ready, warn, fail) = (SourceSchema::Ready, CheckLevel::Warn, CheckLevel::Fail);
        assert_eq!(findings(&healthy(), &ready), []);
        for (name, value) in [
            ("innodb_flush_log_at_trx_commit", "2"),
            ("sync_binlog", "0"),
            ("isolation", "REPEATABLE-READ"),
            ("max_prepared_stmt_count", "6143"),
            ("table_definition_cache", "400"),
            ("table_open_cache", "2254"),
            ("innodb_open_files", "2254"),
            ("open_files_limit", "1024"),
        ] {
            assert_eq!(findings(&with(name, value), &ready), [(warn, format!("source 1, {name}"))]);
        }
        for schema in [SourceSchema::Missing(vec!["m0001_schema"]), SourceSchema::Mismatch("50/200".into())] {
            assert_eq!(findings(&healthy(), &schema), [(fail, "source 1, schema".to_owned())]);
        }
        let down = Diagnosis { unreachable: Some("refused".into()), ..Diagnosis::default() };
        assert_eq!(findings(&down, &SourceSchema::Unreachable("refused".into())), [(fail, "source 1".to_owned())]);
    }

    #[test]
    fn plaintext_over_a_network_and_ids_ahead_of_the_clock_are_warnings() {
        let plaintext = |is_local| Some(SourceTransport { tls: None, is_local });
        let ready = SourceSchema::Ready;
        assert_eq!(findings(&Diagnosis { transport: plaintext(true), ..healthy() }, &ready), []);
        let over_network = Diagnosis { transport: plaintext(false), ..healthy() };
        assert_eq!(findings(&over_network, &ready), [(CheckLevel::Warn, "source 1, transport".to_owned())]);
        let ahead = Diagnosis { ids_ahead_ms: Some(3_600_000), ..healthy() };
        assert_eq!(findings(&ahead, &ready), [(CheckLevel::Warn, "source 1, clock".to_owned())]);
    }

    #[test]
    fn sync_binlog_is_not_checked_on_a_server_without_a_binary_log() {
        let mut unlogged = with("log_bin", "0");
        unlogged
            .variables
            .iter_mut()
            .filter(|(name, _)| *name == "sync_binlog")
            .for_each(|(_, value)| *value = Some("0".into()));
        assert_eq!(findings(&unlogged, &SourceSchema::Ready), []);
    }

    #[test]
    fn queries_of_several_statements_that_are_refused_are_a_warning_unless_they_are_off() {
        let level = |text_queries, form| {
            let diagnosis = Diagnosis { text_queries, ..healthy() };
            super::text_queries("source 1", &diagnosis, form).map(|result| result.level)
        };
        let taken = |packet_bytes| Some(TextQueries::Taken { packet_bytes });
        assert_eq!(level(taken(16 << 20), TextForm::Auto), Some(CheckLevel::Ok));
        assert_eq!(level(taken(1 << 20), TextForm::Auto), Some(CheckLevel::Warn));
        assert_eq!(level(Some(TextQueries::Refused), TextForm::Auto), Some(CheckLevel::Warn));
        assert_eq!(level(Some(TextQueries::Refused), TextForm::Off), Some(CheckLevel::Ok));
        assert_eq!(level(None, TextForm::Auto), None);
    }
}
