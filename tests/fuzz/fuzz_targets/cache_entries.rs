//! Fuzzes the decoders of data that Redis returns.

#![no_main]

use riposte_cache::fuzz;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzz::stored_comment(bytes);
    fuzz::subject(bytes);
    fuzz::response(bytes);
});
