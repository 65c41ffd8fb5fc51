//! Fuzz entry point for page tokens (`tests/fuzz`): a function that accepts any bytes and panics
//! where a guarantee is violated.

pub use crate::page_token::fuzz::page_token;
