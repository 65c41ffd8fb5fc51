//! The store that would lose its data, and errors that only follow from others.

use super::{inputs, paths};
use crate::config::{Config, Inputs, Profile};
use riposte_settings::ConfigErrors;

#[test]
fn a_store_that_would_lose_its_data_is_for_dev_alone_and_an_empty_folder_is_not_to_be_left_out() {
    let faults = |profile, sets: &[&str]| {
        let (_folder, inputs) = inputs(profile, "store.kind='sqlite'\nauth.allow_insecure=true", &[], sets);
        match Config::load(&inputs) {
            Ok(_) => Vec::new(),
            Err(ConfigErrors(faults)) => faults,
        }
    };
    assert_eq!(faults(Profile::Dev, &[]), []);
    assert_eq!(faults(Profile::Serve, &["store.data_dir=data"]), []);
    let lost = faults(Profile::Serve, &[]);
    assert_eq!(paths(&lost), ["store.data_dir"]);
    assert!(lost[0].message.contains("would be lost at the stop"), "{}", lost[0]);
    let empty = faults(Profile::Serve, &["store.data_dir="]);
    assert_eq!(paths(&empty), ["store.data_dir"]);
    assert!(!empty[0].message.contains("omit"), "{}", empty[0]);
}

#[test]
fn what_only_follows_from_a_broken_file_or_kind_is_not_reported() {
    let faults = |file: &str, sets: &[&str]| {
        let (_folder, inputs) = inputs(Profile::Serve, file, &[], sets);
        match Config::load(&Inputs { production: true, ..inputs }) {
            Ok(_) => Vec::new(),
            Err(ConfigErrors(faults)) => faults,
        }
    };
    assert_eq!(paths(&faults("[server\n", &[])), [""]);
    assert_eq!(paths(&faults("[server\n", &["log.format=loud"])), ["", "log.format"]);
    let rest = "auth.allow_insecure=true\nstore.data_dir='data'\nstore.pools.write.connections=1\n";
    let kind = faults(&format!("{rest}store.kind='sqllite'"), &[]);
    assert_eq!(paths(&kind), ["store.kind"]);
    assert!(kind[0].message.ends_with("; did you mean `sqlite`?"), "{}", kind[0]);
    let cache = faults(&format!("{rest}store.kind='sqlite'\ncache.kind='radis'\ncache.url='redis://a'"), &[]);
    assert_eq!(paths(&cache), ["cache.kind"]);
    assert_eq!(
        paths(&faults("auth.allow_insecure='maybe'\nstore.sources=[{url='mysql://a/r'}]", &[])),
        ["auth.allow_insecure"]
    );
}
