//! Fuzzes the text of SQL statements with the values of callers.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| riposte_store::fuzz::statement_text(bytes));
