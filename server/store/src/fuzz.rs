//! Fuzz entry point for the text of statements (`tests/fuzz`): a function that accepts any bytes
//! and panics where a guarantee is violated.

pub use crate::sql::statement_text;
