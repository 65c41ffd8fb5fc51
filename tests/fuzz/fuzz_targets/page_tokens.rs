//! Fuzzes the text and the content of page tokens.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| riposte_grpc::fuzz::page_token(bytes));
