//! Fuzzes the words and filters of searches, and the texts in which the words are found.

#![no_main]

use std::sync::LazyLock;

use riposte_policy::{Normalizer, fuzz};

static NORMALIZER: LazyLock<Normalizer> = LazyLock::new(Normalizer::default);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::search(&NORMALIZER, bytes));
