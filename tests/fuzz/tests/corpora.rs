//! Passes the stored corpora of the fuzz targets, and similar inputs, to the functions that the
//! targets call. Only the target of requests needs a whole server and is left out.

use proptest::prelude::*;
use proptest::sample::Index;
use riposte_grpc::fuzz::page_token;
use riposte_policy::Normalizer;
use riposte_policy::fuzz::{list_and_text, search};
use riposte_store::fuzz::statement_text;
use riposte_transfer::fuzz::import;
use std::sync::{Arc, LazyLock};

static NORMALIZER: LazyLock<Arc<Normalizer>> = LazyLock::new(|| Arc::new(Normalizer::default()));

/// Returns the inputs found by coverage-guided runs, and the initial ones.
fn corpus(of: &str) -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/").to_owned() + of;
    let files = std::fs::read_dir(&folder).expect("a corpus").map(|file| file.expect("a file").path());
    files.map(|file| std::fs::read(file).expect("readable")).collect()
}

/// Returns an input of the corpus with some bytes changed and its end cut off, or random bytes.
fn near(mut corpus: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    corpus.retain(|bytes| !bytes.is_empty());
    let changes = prop::collection::vec((any::<Index>(), any::<u8>()), 0..6);
    let changed = (prop::sample::select(corpus), changes, any::<Index>(), any::<bool>()).prop_map(
        |(mut bytes, changes, end, cut)| {
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if cut {
                bytes.truncate(end.index(bytes.len()));
            }
            bytes
        },
    );
    prop_oneof![4 => changed, 1 => prop::collection::vec(any::<u8>(), 0..200)]
}

#[test]
fn no_input_of_the_corpora_causes_a_panic() {
    corpus("page_tokens").iter().for_each(|bytes| page_token(bytes));
    corpus("imports").iter().for_each(|bytes| import(bytes));
    corpus("statements").iter().for_each(|bytes| statement_text(bytes));
    corpus("word_lists").iter().for_each(|bytes| list_and_text(&NORMALIZER, bytes));
    corpus("searches").iter().for_each(|bytes| search(&NORMALIZER, bytes));
    for bytes in corpus("cache_entries") {
        riposte_cache::fuzz::stored_comment(&bytes);
        riposte_cache::fuzz::subject(&bytes);
        riposte_cache::fuzz::response(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_input_similar_to_a_page_token_causes_a_panic(bytes in near(corpus("page_tokens"))) {
        page_token(&bytes);
    }

    #[test]
    fn no_input_similar_to_a_statement_has_other_values(bytes in near(corpus("statements"))) {
        statement_text(&bytes);
    }

    #[test]
    fn no_input_similar_to_a_word_list_has_a_hit_outside_its_text(bytes in near(corpus("word_lists"))) {
        list_and_text(&NORMALIZER, &bytes);
    }

    #[test]
    fn no_input_similar_to_a_search_finds_what_an_index_does_not(bytes in near(corpus("searches"))) {
        search(&NORMALIZER, &bytes);
    }

    #[test]
    fn no_input_similar_to_an_import_file_causes_a_panic(bytes in near(corpus("imports"))) {
        import(&bytes);
    }
}
