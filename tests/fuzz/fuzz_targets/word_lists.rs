//! Fuzzes list files and the texts in which their entries are found.

#![no_main]

use std::sync::{Arc, LazyLock};

use riposte_policy::{Normalizer, fuzz};

static NORMALIZER: LazyLock<Arc<Normalizer>> = LazyLock::new(|| Arc::new(Normalizer::default()));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::list_and_text(&NORMALIZER, bytes));
