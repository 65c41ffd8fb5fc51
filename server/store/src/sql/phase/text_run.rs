//! A phase as text: queries of several statements, and their results.

use riposte_core::Error;
use sea_orm::{DbErr, QueryResult, RuntimeErr, SqlxError};
use sqlx::{Column, Either, Row};

use super::results::{GroupResult, PhaseResults};
use super::run::{CommitFailure, PhaseEnds, unmatched};
use super::text::{RowShape, write_text};
use super::{BoundStatement, StatementForm, StatementGroup, StatementKind};
use crate::error::StoreError;
use crate::sql::pool::{MysqlTx, TextResult};

/// A phase whose queries are written. Each fits into one packet.
pub(super) struct TextPhase {
    queries: Vec<TextQuery>,
    /// The statements of all queries, in order.
    statements: Vec<TextStatement>,
    groups: Vec<StatementKind>,
    /// True from the moment at which a query with COMMIT is sent.
    pub(super) commit_sent: bool,
}

/// One query, and the statements in it.
#[derive(Default)]
struct TextQuery {
    text: String,
    /// The statements whose results the server sends, in order.
    parts: Vec<QueryPart>,
}

/// One statement of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueryPart {
    Begin,
    /// The statement with this number.
    Statement(usize),
    /// The check that the statement with this number matched as many rows as it must. The error
    /// that it causes ends the query, so that a COMMIT in it is not reached.
    Check(usize),
    Commit,
}

/// A statement without its values.
struct TextStatement {
    group: usize,
    template: String,
    /// True for a SELECT: only such a statement returns rows.
    is_read: bool,
    rows: Vec<QueryResult>,
}

/// The bytes of a query that are not part of its statements: BEGIN, COMMIT and one check.
const FRAME_LEN_MAX: usize = 128;

impl TextPhase {
    /// Writes the queries of a phase, each of at most `len_max` bytes. If `begins`, the first one
    /// starts with BEGIN; if `commits`, the last one ends with COMMIT.
    ///
    /// # Errors
    /// A statement is longer than a query may be, or has no text.
    pub(super) fn of(groups: Vec<StatementGroup>, len_max: usize, ends: PhaseEnds) -> Result<Self, Error> {
        let len_max = len_max.saturating_sub(FRAME_LEN_MAX);
        let first = TextQuery::default();
        let mut phase = Self { queries: vec![first], statements: Vec::new(), groups: Vec::new(), commit_sent: false };
        if ends.begins {
            phase.last_query().append("BEGIN", QueryPart::Begin);
        }
        for (number, group) in groups.into_iter().enumerate() {
            let kind = group.kind;
            phase.groups.push(kind);
            for built in group.into_statements(StatementForm::Text { len_max }) {
                phase.add((number, kind), built, len_max)?;
            }
        }
        if ends.commits {
            phase.last_query().append("COMMIT", QueryPart::Commit);
        }
        Ok(phase)
    }

    fn add(
        &mut self,
        (group, kind): (usize, StatementKind),
        BoundStatement { statement, expected }: BoundStatement,
        len_max: usize,
    ) -> Result<(), Error> {
        let number = self.statements.len();
        let query = self.last_query();
        let start = query.start();
        write_text(&mut query.text, &statement)?;
        let len = query.text.len() - start;
        if len > len_max {
            return Err(Error::internal(format!("a statement of {len} bytes exceeds a query of {len_max}")));
        }
        if query.text.len() > len_max {
            let next = TextQuery { text: query.text.split_off(start), parts: Vec::new() };
            query.text.pop(); // the semicolon before the statement
            self.queries.push(next);
        }
        self.last_query().parts.push(QueryPart::Statement(number));
        if let Some(expected) = expected {
            // A subquery of two rows is an error where one value is wanted. DO would ignore it.
            let check = format!("SET @matched = IF(ROW_COUNT()={expected},0,(SELECT 1 UNION ALL SELECT 2))");
            self.last_query().append(&check, QueryPart::Check(number));
        }
        let (is_read, template) = (kind == StatementKind::Read, statement.sql);
        self.statements.push(TextStatement { group, template, is_read, rows: Vec::new() });
        Ok(())
    }

    fn last_query(&mut self) -> &mut TextQuery {
        if self.queries.is_empty() {
            self.queries.push(TextQuery::default());
        }
        let last = self.queries.len() - 1;
        &mut self.queries[last]
    }

    /// Sends the queries one after the other, and returns the results of their statements.
    ///
    /// # Errors
    /// The error of the first statement that failed. The outcome is unknown if COMMIT was sent and
    /// no statement before it is known to have failed.
    pub(super) async fn run(&mut self, tx: &MysqlTx) -> Result<PhaseResults, CommitFailure> {
        for TextQuery { text, parts } in std::mem::take(&mut self.queries) {
            let commits = parts.last() == Some(&QueryPart::Commit);
            self.commit_sent |= commits;
            let mut reader = ResultReader { parts: &parts, position: 0, statements: &mut self.statements };
            let sent = if parts.first() == Some(&QueryPart::Begin) {
                tx.query_first_text(text, commits, &mut |result| reader.receive(result)).await
            } else {
                tx.query_text(text, commits, &mut |result| reader.receive(Some(result))).await
            };
            if let Err(error) = sent {
                return Err(reader.failure(error));
            }
            if reader.position < parts.len() {
                let fault = StoreError::from(DbErr::Custom(MISMATCH.to_owned()));
                return Err(CommitFailure { fault, outcome_unknown: commits });
            }
        }
        Ok(self.take_results())
    }

    fn take_results(&mut self) -> PhaseResults {
        let mut results = PhaseResults::default();
        let mut statements = std::mem::take(&mut self.statements).into_iter().peekable();
        for (number, kind) in self.groups.iter().enumerate() {
            let mut rows = Vec::new();
            while let Some(mut statement) = statements.next_if(|statement| statement.group == number) {
                if rows.is_empty() { rows = statement.rows } else { rows.append(&mut statement.rows) }
            }
            results.push(match kind {
                StatementKind::Read => GroupResult::Rows(rows),
                StatementKind::Write => GroupResult::Written,
            });
        }
        results
    }
}

impl TextQuery {
    /// Separates the next statement from those before it, and returns the place of its text.
    fn start(&mut self) -> usize {
        if !self.text.is_empty() {
            self.text.push(';');
        }
        self.text.len()
    }

    fn append(&mut self, statement: &str, part: QueryPart) {
        self.start();
        self.text.push_str(statement);
        self.parts.push(part);
    }
}

/// The error text of results that are not those of the statements sent.
const MISMATCH: &str = "the results of a query are not those of its statements";

/// Assigns the results of one query to its statements.
struct ResultReader<'r> {
    parts: &'r [QueryPart],
    /// The number of the part whose results are received.
    position: usize,
    statements: &'r mut [TextStatement],
}

impl ResultReader<'_> {
    /// Receives one result; `None` says that the query is sent, and may have been sent before.
    fn receive(&mut self, result: Option<TextResult>) -> Result<(), DbErr> {
        let Some(result) = result else {
            self.position = 0;
            self.statements.iter_mut().for_each(|statement| statement.rows.clear());
            return Ok(());
        };
        let mismatch = || DbErr::Custom(MISMATCH.to_owned());
        let part = self.parts.get(self.position).ok_or_else(mismatch)?;
        match (result, part) {
            (Either::Right(row), QueryPart::Statement(number)) => {
                let statement = self.statements.get_mut(*number).ok_or_else(mismatch)?;
                let is_first = statement.rows.is_empty();
                let accepts = || RowShape::of(&statement.template).accepts(row.columns().iter().map(Column::name));
                if !statement.is_read || is_first && !accepts() {
                    return Err(mismatch());
                }
                statement.rows.push(row.into());
            }
            (Either::Right(_), QueryPart::Begin | QueryPart::Check(_) | QueryPart::Commit) => return Err(mismatch()),
            (Either::Left(_), _) => self.position += 1,
        }
        Ok(())
    }

    /// Returns the failure of a query that ended with an error while the results of the part at the
    /// position were expected.
    fn failure(&self, error: DbErr) -> CommitFailure {
        let part = self.parts.get(self.position);
        let is_of_server =
            matches!(&error, DbErr::Query(RuntimeErr::SqlxError(cause)) if matches!(**cause, SqlxError::Database(_)));
        let commits = self.parts.last() == Some(&QueryPart::Commit);
        let outcome_unknown = commits && (!is_of_server || part == Some(&QueryPart::Commit));
        let template = |number: &usize| self.statements.get(*number).map_or("", |statement| &statement.template);
        let fault = match part {
            Some(QueryPart::Statement(number)) => StoreError::of_statement(error, template(number)),
            Some(QueryPart::Check(number)) if is_of_server => unmatched(template(number)),
            Some(QueryPart::Check(number)) => StoreError::of_statement(error, template(number)),
            Some(QueryPart::Begin) => StoreError::of_statement(error, "BEGIN"),
            Some(QueryPart::Commit) => StoreError::of_statement(error, "COMMIT"),
            None => error.into(),
        };
        CommitFailure { fault, outcome_unknown }
    }
}
