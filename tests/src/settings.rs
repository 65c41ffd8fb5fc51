//! Settings of servers as arguments of the command line.

/// Returns the `--set` arguments of a server on `servers`.
#[must_use]
pub fn on_databases(servers: &[String], name: &str) -> Vec<String> {
    on_sources(servers.iter().map(|url| format!("{url}/{name}")), [])
}

/// Returns the `--set` arguments of a server on a Vitess keyspace.
#[must_use]
pub fn on_vitess(keyspace: &str) -> Vec<String> {
    on_sources([keyspace.to_owned()], ["store.kind=vitess".to_owned()])
}

/// The object types with a policy of their own: a deep one, one with a short edit window, and some
/// whose comments wait for review, of which one takes no other text after a refusal. A queue
/// belongs to its type, so cases that claim have their own. `listed` has a word list, `ruled` the
/// same one and rules, `newcomers` rules about new members. Texts of new members wait in
/// `welcomed`, and in `counted` under subjects with that mode. Events of `followed` notify of
/// threads.
pub const OBJECT_TYPES: [&str; 17] = [
    "object_types.deep.max_depth=8",
    "object_types.brief.edit_window=1s",
    "object_types.held.moderation=pre",
    "object_types.answered.moderation=pre",
    "object_types.claimed.moderation=pre",
    "object_types.leased.moderation=pre",
    "object_types.skipped.moderation=pre",
    "object_types.final.moderation=pre",
    "object_types.final.resubmit_window=0s",
    "object_types.listed.moderation=post",
    "object_types.welcomed.moderation=pre_new_members",
    "object_types.welcomed.new_member_threshold=2",
    "object_types.counted.subject_modes=true",
    "object_types.followed.notify_thread=true",
    concat!(
        "policy.lists=[{name=\"listed\", object_types=[\"listed\", \"ruled\"], file=\"",
        env!("CARGO_MANIFEST_DIR"),
        "/words/listed.jsonl\"}]"
    ),
    concat!(
        "object_types.ruled.rules=[",
        r#"{id="links", when=[{fact="links", ge=2}, {fact="length", lt=100}], code="rule.links"},"#,
        r#"{id="run", when=[{fact="repeats", gt=9}], outcome="reject", code="rule.run"},"#,
        r#"{id="crowd", when=[{fact="mentions", ge=3}], outcome="refuse", code="rule.crowd"},"#,
        r#"{id="edits", when=[{fact="is_edit", eq=1}, {fact="length", le=3}], outcome="flag", code="rule.edit"},"#,
        r#"{id="tried", when=[{fact="length", ge=20}], outcome="refuse", code="rule.tried", stage="dry_run"}]"#
    ),
    concat!(
        "object_types.newcomers.rules=[",
        r#"{id="first", when=[{fact="first_post", eq=1}], outcome="flag", code="new.first"},"#,
        r#"{id="early", when=[{fact="approved", lt=2}, {fact="links", ge=1}], code="new.links"}]"#
    ),
];

fn on_sources<const N: usize>(urls: impl IntoIterator<Item = String>, more: [String; N]) -> Vec<String> {
    let sources: Vec<_> = urls.into_iter().map(|url| format!("{{url=\"{url}\"}}")).collect();
    let values = [
        format!("store.sources=[{}]", sources.join(",")),
        "server.listen=127.0.0.1:0".to_owned(),
        "server.admin_listen=127.0.0.1:0".to_owned(),
        "server.metrics_listen=127.0.0.1:0".to_owned(),
        "server.drain_delay=0s".to_owned(),
        "auth.allow_insecure=true".to_owned(),
        "open_object_types=true".to_owned(),
        "object_type_defaults.auto_create=true".to_owned(),
        "log.format=json".to_owned(),
    ];
    sets(values.into_iter().chain(OBJECT_TYPES.map(str::to_owned)).chain(more))
}

/// Returns the arguments for settings of the form `key=value`.
#[must_use]
pub fn sets<S: Into<String>>(settings: impl IntoIterator<Item = S>) -> Vec<String> {
    settings.into_iter().flat_map(|set| ["--set".to_owned(), set.into()]).collect()
}
