//! Fuzzes the parsers of import files of other systems.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| riposte_transfer::fuzz::import(bytes));
