//! Secrets in the configuration: where they may stand, and that no output shows them.

use std::fs;

use riposte_settings::ConfigErrors;

use super::{faults, inputs, paths};
use crate::config::{Config, Profile, show};

#[test]
fn a_secret_is_never_shown_in_its_own_key_or_in_a_wrong_one() {
    const CANARY: &str = "Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5MTI=";
    let right = format!(
        "[store]\nkind='mysql'\nsources=[{{url='mysql://u:{CANARY}@db/a'}}]\n[page_tokens]\nkeys=['{CANARY}']\n"
    );
    let (_folder, inputs) = inputs(Profile::Dev, &right, &[], &[]);
    let loaded = Config::load(&inputs).unwrap();
    assert_eq!(loaded.config.page_tokens.ring().unwrap().len(), 1);
    let text = format!("{} {:?} {:?}", show(&loaded, true), loaded.config, loaded.config.insecure_settings());
    assert!(text.contains("mysql://********@db/a"), "{text}");
    assert!(!text.contains(CANARY), "{text}");

    let wrong = [
        format!("page_tokens.keys = '{CANARY}'"),
        format!("page_tokens.keys = [['{CANARY}']]"),
        format!("page_tokens.key = ['{CANARY}']"),
        format!("page_tokens.keys = ['{CANARY}{CANARY}']"),
        format!("page_tokens.keys = '{CANARY}"),
        format!("page_tokens = '{CANARY}'"),
        format!("store.sources = '{CANARY}'"),
        format!("store.sources = [{{url = 'postgres://u:{CANARY}@db/a'}}]\nstore.kind = 'mysql'"),
        format!("store.kind = '{CANARY}'"),
        format!("store.lock_wait_timeout = '{CANARY}'"),
        format!("server.listen = '{CANARY}'"),
        format!("object_types.video.edit_window = '{CANARY}'"),
        format!("log.filter = '{CANARY}=bad=worse'"),
    ];
    for file in wrong {
        let found = faults(&file, &[], &[]);
        assert!(!found.is_empty(), "{file}");
        assert!(
            !format!("{} {found:?}", ConfigErrors(found.clone())).contains(CANARY),
            "{file}\n{}",
            ConfigErrors(found)
        );
    }
    let loose = faults("", &[("RIPOSTE__PAGE_TOKENS__KEYS", CANARY)], &[&format!("page_tokens.keys={CANARY}")]);
    assert!(!ConfigErrors(loose.clone()).to_string().contains(CANARY), "{}", ConfigErrors(loose));
}

#[test]
fn a_secret_is_in_the_configuration_or_in_a_file_and_never_in_both() {
    let file = concat!(
        "cache.kind = 'redis'\ncache.url = 'redis://a'\ncache.url_file = 'c'\n",
        "[page_tokens]\nkeys = ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=']\nkey_files = ['k']\n",
        "[store]\nkind = 'mysql'\nsubject_tables = 2\nindex_tables = 2\n[[store.sources]]\nurl = 'mysql://a/r'\nurl_file = 's'\n[[store.sources]]\n",
    );
    let expected = ["store.sources.0.url_file", "store.sources.1.url", "cache.url_file", "page_tokens.key_files"];
    assert_eq!(paths(&faults(file, &[], &[])), expected);
}

#[test]
fn secrets_are_read_from_their_files_and_a_wrong_one_is_reported_by_key_and_path_alone() {
    const KEY: &str = "Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5MTI=";
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let files = format!(
        "cache.kind = 'redis'\ncache.url_file = '{}'\npage_tokens.key_files = ['{}', '{}']\n[[store.sources]]\nurl_file = '{}'\n",
        at("cache"),
        at("key"),
        at("key"),
        at("source"),
    );
    let (_folder, inputs) = inputs(Profile::Serve, &files, &[], &[]);
    let loaded = Config::load(&inputs).unwrap();
    let Config { store, cache, page_tokens, .. } = &loaded.config;
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("source", "mysql://u:hunter2@db/r\n");
    write("cache", "rediss://:hunter2@cache\n");
    write("key", &format!(" {KEY}\n"));
    assert_eq!(store.address(0).unwrap().expose(), "mysql://u:hunter2@db/r");
    assert_eq!(cache.address().unwrap().unwrap().expose(), "rediss://:hunter2@cache");
    assert_eq!(page_tokens.ring().unwrap(), [*b"canarycanarycanarycanarycanary12"; 2]);
    assert!(store.to_config().is_ok() && !show(&loaded, true).contains("hunter2"));

    let errors = || {
        let ring = page_tokens.ring().unwrap_err();
        [ConfigErrors::from(store.address(0).unwrap_err()), cache.address().unwrap_err().into(), ring]
            .map(|f| f.to_string())
    };
    let keys = ["store.sources.0.url_file", "cache.url_file", "page_tokens.key_files.1"];
    for text in ["hunter2", ""] {
        ["source", "cache", "key"].iter().for_each(|name| write(name, text));
        for ((error, key), name) in errors().iter().zip(keys).zip(["source", "cache", "key"]) {
            assert!(error.contains(key) && error.contains(&at(name)) && error.contains("must"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        assert!(store.to_config().is_err());
    }
    ["source", "cache", "key"].iter().for_each(|name| fs::remove_file(folder.path().join(name)).unwrap());
    assert!(errors().iter().zip(keys).all(|(error, key)| error.contains(key) && error.contains("cannot be read")));
}
