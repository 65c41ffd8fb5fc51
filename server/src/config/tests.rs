//! The complete path from sources to structs.

mod follow_ups;
mod rules;
mod secrets;

use super::{Config, EXAMPLE, Inputs, Profile, show};
use riposte_settings::{ConfigError, ConfigErrors, ValueOrigin};
use riposte_store::{StoreKind, layout::LayoutConfig, shard::TableCounts};
use std::{fs, path::PathBuf};

/// Inputs from the text of one file, variables and `--set` values. The file is removed together
/// with the returned folder.
fn inputs(profile: Profile, file: &str, variables: &[(&str, &str)], sets: &[&str]) -> (tempfile::TempDir, Inputs) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("riposte.toml");
    fs::write(&path, file).unwrap();
    let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    (folder, Inputs { profile, files: vec![path], variables, sets, ..Inputs::default() })
}

fn faults(file: &str, variables: &[(&str, &str)], sets: &[&str]) -> Vec<ConfigError> {
    let (_folder, inputs) = inputs(Profile::Dev, file, variables, sets);
    match Config::load(&inputs) {
        Ok(_) => Vec::new(),
        Err(ConfigErrors(faults)) => faults,
    }
}

fn paths(faults: &[ConfigError]) -> Vec<&str> {
    faults.iter().map(|fault| fault.path.as_str()).collect()
}

#[test]
fn the_defaults_hold_every_required_key_and_the_example_is_the_defaults() {
    let loaded = Config::load(&Inputs { profile: Profile::Dev, ..Inputs::default() }).unwrap();
    assert_eq!(loaded.config.store.kind, StoreKind::Sqlite);
    assert_eq!(loaded.config.server.listen.to_string(), "127.0.0.1:7171");

    let (_folder, from_example) = inputs(Profile::Serve, EXAMPLE, &[], &["store.sources=[{url='mysql://db/a'}]"]);
    let (_other, from_nothing) = inputs(Profile::Serve, "", &[], &["store.sources=[{url='mysql://db/a'}]"]);
    let shown = |inputs| show(&Config::load(inputs).unwrap(), false);
    assert_eq!(shown(&from_example), shown(&from_nothing));
}

#[test]
fn every_value_has_its_own_source_when_all_sources_are_mixed() {
    let file = "[server]\nreflection = false\n\n[object_types.video]\nmax_depth = 5\nedit_window = \"1h\"\n";
    let variables =
        [("RIPOSTE__LOG__FILTER", "info,riposte=debug"), ("RIPOSTE__OBJECT_TYPES__VIDEO__EDIT_WINDOW", "2h")];
    let (folder, mut inputs) = inputs(Profile::Dev, file, &variables, &["store.pools.read.connections=3"]);
    inputs.flag("--listen", "server.listen", "127.0.0.1:0");
    let loaded = Config::load(&inputs).unwrap();

    let path = folder.path().join("riposte.toml");
    for (key, source) in [
        ("server.max_request_size", ValueOrigin::Default),
        ("store.kind", ValueOrigin::Profile("dev".into())),
        ("server.reflection", ValueOrigin::File(path.clone(), Some(2))),
        ("object_types.video.max_depth", ValueOrigin::File(path, Some(5))),
        ("object_types.video.max_text_code_points", ValueOrigin::Default),
        ("object_types.video.auto_create", ValueOrigin::Profile("dev".into())),
        ("object_types.video.edit_window", ValueOrigin::Variable("RIPOSTE__OBJECT_TYPES__VIDEO__EDIT_WINDOW".into())),
        ("log.filter", ValueOrigin::Variable("RIPOSTE__LOG__FILTER".into())),
        ("store.pools.read.connections", ValueOrigin::Flag("--set store.pools.read.connections".into())),
        ("server.listen", ValueOrigin::Flag("--listen".into())),
    ] {
        assert_eq!(loaded.source_of(key), source, "{key}");
    }

    let text = show(&loaded, true).replace(&folder.path().display().to_string(), "/etc/riposte");
    let line = |key: &str| {
        text.lines().find(|line| line.starts_with(key)).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("server.max_request_size"), "server.max_request_size = \"4MiB\" # default");
    assert_eq!(line("store.kind"), "store.kind = \"sqlite\" # profile dev");
    assert_eq!(line("server.reflection"), "server.reflection = false # /etc/riposte/riposte.toml, line 2");
    assert_eq!(line("log.filter"), "log.filter = \"info,riposte=debug\" # variable RIPOSTE__LOG__FILTER");
    assert_eq!(line("server.listen"), "server.listen = \"127.0.0.1:0\" # flag --listen");
}

#[test]
fn later_sources_win_and_a_later_file_over_an_earlier_one() {
    let (folder, mut inputs) = inputs(Profile::Serve, "log.filter = 'a=info'\nlog.format = 'json'", &[], &[]);
    let second = folder.path().join("second.toml");
    fs::write(&second, "log.filter = 'b=info'").unwrap();
    inputs.files.push(second);
    inputs.sets.extend(["store.kind=sqlite".into(), "store.data_dir=data".into()]);
    let filter = |inputs: &Inputs| Config::load(inputs).unwrap().config.log.filter;
    assert_eq!(filter(&inputs), "b=info");
    inputs.variables.push(("RIPOSTE__LOG__FILTER".into(), "c=info".into()));
    assert_eq!(filter(&inputs), "c=info");
    inputs.sets.push("log.filter=d=info".into());
    assert_eq!(filter(&inputs), "d=info");
    inputs.flag("--filter", "log.filter", "e=info");
    assert_eq!(filter(&inputs), "e=info");
}

#[test]
fn an_unknown_key_is_refused_with_a_suggestion_at_every_depth_from_every_source() {
    let keys = [
        ("sevrer.listen", "sevrer", "server"),
        ("server.listn", "server.listn", "listen"),
        ("store.pool.read.connections", "store.pool", "pools"),
        ("store.pools.raed.connections", "store.pools.raed", "read"),
        ("store.pools.read.connectoins", "store.pools.read.connectoins", "connections"),
        ("object_types.video.max_dept", "object_types.video.max_dept", "max_depth"),
    ];
    for (key, path, suggestion) in keys {
        let variable = format!("RIPOSTE__{}", key.to_uppercase().replace('.', "__"));
        let (file, set) = (format!("{key} = 1\n"), format!("{key}=1"));
        let from_file = faults(&file, &[], &[]);
        let from_variable = faults("", &[(variable.as_str(), "1")], &[]);
        let from_flag = faults("", &[], &[&set]);
        for found in [&from_file, &from_variable, &from_flag] {
            assert_eq!(paths(found), [path]);
            assert!(found[0].message.ends_with(&format!("did you mean `{suggestion}`?")), "{}", found[0]);
        }
        assert!(matches!(&from_file[0].source, Some(ValueOrigin::File(_, Some(1)))), "{}", from_file[0]);
        assert_eq!(from_variable[0].source, Some(ValueOrigin::Variable(variable)));
        assert_eq!(from_flag[0].source, Some(ValueOrigin::Flag(format!("--set {key}"))));
    }
}

#[test]
fn an_unknown_key_that_resembles_none_gets_the_list_of_known_ones() {
    let found = faults("[auth]\nxyz = 1", &[], &[]);
    assert_eq!(found[0].message, "unknown key; known here: callers_file, jwt, reload_interval, allow_insecure");
}

#[test]
fn all_errors_of_all_kinds_are_reported_at_once() {
    let file = concat!(
        "[server]\nlisten = 'nowhere'\nreflection = 'yes'\nlisten_on = 1\n",
        "[object_type_defaults]\nmax_dept = 2\n",
        "[object_types.video]\nmax_depth = 64\n[object_types.post]\nmax_depth = 'deep'\n[object_types.Article]\n",
        "[page_tokens]\nkeys = ['short', 7]\n",
    );
    let variables = [("RIPOSTE__SERVER__DRAIN_TIMEOUT", "ten"), ("RIPOSTE__STORE____KIND", "x")];
    let found = faults(file, &variables, &["server.max_request_size=4", "nonsense"]);
    let mut paths = paths(&found);
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "",
            "",
            "object_type_defaults.max_dept",
            "object_types.Article",
            "object_types.post.max_depth",
            "object_types.video.max_depth",
            "page_tokens.keys.0",
            "page_tokens.keys.1",
            "server.drain_timeout",
            "server.listen",
            "server.listen_on",
            "server.max_request_size",
            "server.reflection",
        ]
    );
    assert!(found.iter().all(|fault| fault.source.is_some()));
}

#[test]
fn broken_lists_and_tables_do_not_hide_other_faults() {
    let file = concat!(
        "auth = 3\n[store]\nkind = 'mysql'\n",
        "[[store.sources]]\nurl = 5\n[[store.sources]]\nsubject_tables = 'x'\n[[store.sources]]\nuri = 'mysql://c'\n",
    );
    let found = faults(file, &[], &[]);
    let mut paths = paths(&found);
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "auth",
            "store.sources.0.url",
            "store.sources.1.subject_tables",
            "store.sources.1.url",
            "store.sources.2.uri",
            "store.sources.2.url"
        ]
    );
}

#[test]
fn an_unreadable_or_malformed_file_is_a_fault_with_its_line() {
    let found = faults("[server]\nlisten = \n", &[], &["log.format=xml"]);
    assert!(matches!(&found[0].source, Some(ValueOrigin::File(_, Some(2)))), "{}", found[0]);
    assert_eq!(found[1].message, "must be one of: auto, pretty, json");

    let absent = Inputs { files: vec![PathBuf::from("/nowhere/riposte.toml")], ..Inputs::default() };
    let ConfigErrors(found) = Config::load(&absent).unwrap_err();
    assert_eq!(found[0].to_string(), "/nowhere/riposte.toml: cannot be read: No such file or directory");
}

#[test]
fn one_variable_reaches_into_a_list_and_a_later_source_replaces_it_whole() {
    let file = "[[store.sources]]\nurl = 'mysql://a/r'\n[[store.sources]]\nurl = 'mysql://b/r'\n";
    let urls = |variables: &[(&str, &str)], sets: &[&str]| {
        let (_folder, inputs) = inputs(Profile::Serve, file, variables, sets);
        let sources = Config::load(&inputs).unwrap().config.store.sources;
        sources.iter().map(|source| source.url.as_ref().unwrap().expose().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(urls(&[("RIPOSTE__STORE__SOURCES__1__URL", "mysql://c/r")], &[]), ["mysql://a/r", "mysql://c/r"]);
    assert_eq!(
        urls(&[("RIPOSTE__STORE__SOURCES__2__URL", "mysql://c/r")], &[]),
        ["mysql://a/r", "mysql://b/r", "mysql://c/r"]
    );
    assert_eq!(urls(&[], &["store.sources=[{url='mysql://d/r'}]"]), ["mysql://d/r"]);
}

#[test]
fn the_shard_map_gives_each_subject_table_to_exactly_one_source() {
    let load = |sources: &str| {
        let file = "store.subject_tables = 50";
        let (_folder, inputs) = inputs(Profile::Serve, file, &[], &[&format!("store.sources=[{sources}]")]);
        Config::load(&inputs).map(|loaded| loaded.config.store.layout().ranges)
    };
    let bare = "{url='mysql://a/r'}";
    let with = |range: &str| format!("{{url='mysql://a/r', subject_tables='{range}'}}");
    assert_eq!(load(&[bare; 3].join(",")).unwrap(), [None, None, None]);
    assert_eq!(load(&[with("25-49"), with("0-24")].join(",")).unwrap(), [Some(25..=49), Some(0..=24)]);
    for wrong in [
        vec![with("0-24"), with("24-49")],
        vec![with("0-24"), with("26-49")],
        vec![with("0-24"), with("25-50")],
        vec![with("0-24"), bare.to_owned()],
        vec![with("49-0")],
        vec![bare.to_owned(); 51],
    ] {
        assert!(load(&wrong.join(",")).is_err(), "{wrong:?}");
    }
}

#[test]
fn production_is_refused_for_each_insecure_choice_and_all_other_faults_unless_all_are_accepted() {
    let refused = |sets: &[&str]| {
        let (_folder, inputs) = inputs(Profile::Serve, "store.pools.write.connections=1", &[], sets);
        match Config::load(&Inputs { production: true, ..inputs }) {
            Ok(_) => Vec::new(),
            Err(ConfigErrors(faults)) => faults.into_iter().map(|fault| fault.path).collect(),
        }
    };
    let (callers, tls) = ("auth.callers_file", "server.tls.cert_file");
    let sqlite = ["store.kind=sqlite", "store.data_dir=data"];
    assert_eq!(refused(&sqlite), [callers, tls, "store.kind", "page_tokens.keys"]);
    assert_eq!(refused(&[]), ["store.sources", callers, tls, "page_tokens.keys"]);
    assert_eq!(refused(&["store.sources=[{url='mysql://a/r'}]"]), [callers, tls, "page_tokens.keys"]);
    let named = ["store.sources=[{url='mysql://a/r'}]", "auth.callers_file=c.toml"];
    assert_eq!(refused(&[&named[..], &["server.plaintext=true"]].concat()), ["page_tokens.keys"]);
    let secure = ["server.tls.cert_file=c.pem", "server.tls.key_file=k.pem"];
    assert_eq!(refused(&[&named[..], &secure].concat()), ["page_tokens.keys"]);
    assert!(refused(&[&named[..], &secure[..1]].concat()).contains(&"server.tls.key_file".to_owned()));
    assert_eq!(refused(&[&sqlite[..], &["auth.allow_insecure=true"]].concat()), [""; 0]);
    // A process that serves no calls admits no callers.
    assert_eq!(refused(&["store.sources=[{url='mysql://a/r'}]", "server.roles=['worker']"]), [""; 0]);
}

#[test]
fn roles_are_a_nonempty_set_and_a_single_process_needs_both() {
    let found = |sets: &[&str]| {
        let (_folder, inputs) = inputs(Profile::Serve, "", &[], sets);
        match Config::load(&inputs) {
            Ok(_) => Vec::new(),
            Err(ConfigErrors(faults)) => faults,
        }
    };
    let mysql = "store.sources=[{url='mysql://a/r'}]";
    for roles in ["['api']", "['worker']", "['worker', 'api']", "['api', 'api']"] {
        let errors = found(&[mysql, &format!("server.roles={roles}")]);
        assert!(errors.is_empty(), "{roles}: {errors:?}");
    }
    for (sets, path, words) in [
        (&[mysql, "server.roles=[]"][..], "server.roles", "at least one of: api, worker"),
        (&[mysql, "server.roles=['relay']"], "server.roles.0", "must be one of: api, worker"),
        (&["store.kind=sqlite", "store.data_dir=data", "server.roles=['api']"], "server.roles", "SQLite"),
        (&[mysql, "cache.kind=memory", "server.roles=['worker']"], "server.roles", "in-process cache"),
    ] {
        let errors = found(sets);
        assert_eq!(paths(&errors), [path], "{sets:?}");
        assert!(errors[0].message.contains(words), "{}", errors[0]);
    }
}

#[test]
fn defaults_follow_the_store_where_no_source_sets_the_key() {
    let connections = |profile, file: &str, sets: &[&str]| {
        let (_folder, inputs) = inputs(profile, file, &[], sets);
        let loaded = Config::load(&inputs).map_err(|errors| errors.to_string())?;
        let source = loaded.source_of("store.pools.write.connections").to_string();
        Ok::<_, String>((loaded.config.store.pools.write.connections, source))
    };
    let default = |count: u32| Ok((count, "default".to_owned()));
    let sqlite = "store.kind = 'sqlite'\nstore.data_dir = 'data'";
    assert_eq!(connections(Profile::Serve, sqlite, &[]), default(1));
    assert_eq!(connections(Profile::Dev, "", &[]), default(1));
    let mysql = ["store.kind=mysql", "store.sources=[{url='mysql://a/r'}]"];
    assert_eq!(connections(Profile::Dev, "", &mysql), default(8));
    assert_eq!(connections(Profile::Serve, "", &mysql), default(8));
    let own = connections(Profile::Serve, sqlite, &["store.pools.write.connections=2"]);
    assert!(own.unwrap_err().contains("must be 1: SQLite has one writer"));
}

#[test]
fn the_store_is_opened_as_the_configuration_says() {
    let file = "[[store.sources]]\nurl = 'mysql://a/r'\n[[store.sources]]\nurl = 'mysql://b/r'\n";
    let (_folder, inputs) = inputs(Profile::Serve, file, &[], &["store.lock_wait_timeout=7s"]);
    let store = Config::load(&inputs).unwrap().config.store.to_config().unwrap();
    let LayoutConfig { subject, index, ranges, .. } = &store.layout;
    assert_eq!((subject, index, ranges.as_slice(), store.lock_wait.as_secs()), (&None, &None, &[None, None][..], 7));
    assert_eq!(store.layout.new_counts(), TableCounts { subject: 8, index: 32 });
    let riposte_store::config::DatabaseKind::MySql(sources) = store.kind else { panic!("{:?}", store.kind) };
    assert_eq!(sources, ["mysql://a/r", "mysql://b/r"]);
}

#[test]
fn a_vitess_keyspace_has_one_table_of_each_kind_and_transactions_of_one_partition() {
    let keyspace = ["store.kind=vitess", "store.sources=[{url='mysql://vtgate/r'}]"];
    let (_folder, given) = inputs(Profile::Serve, "", &[], &keyspace);
    let config = Config::load(&given).unwrap().config;
    assert_eq!(config.write_queue_limits().queues_per_batch, 1);
    let store = config.store.to_config().unwrap();
    assert_eq!(store.layout.new_counts(), TableCounts { subject: 1, index: 1 });
    let riposte_store::config::DatabaseKind::Vitess(url) = store.kind else { panic!("{:?}", store.kind) };
    assert_eq!((url.as_str(), store.text), ("mysql://vtgate/r", riposte_store::config::TextMode::Off));

    for (sources, tables, path) in [
        ("[{url='mysql://a/r'},{url='mysql://b/r'}]", "", "store.sources"),
        ("[{url='mysql://a/r',subject_tables='0'}]", "", "store.sources"),
        ("[{url='mysql://a/r'}]", "subject_tables = 8", "store.subject_tables"),
        ("[{url='mysql://a/r'}]", "index_tables = 32", "store.index_tables"),
        ("[]", "", "store.sources"),
    ] {
        let file = format!("[store]\nkind = 'vitess'\nsources = {sources}\n{tables}\n");
        let (_folder, given) = inputs(Profile::Serve, &file, &[], &[]);
        let ConfigErrors(found) = Config::load(&given).unwrap_err();
        assert_eq!(paths(&found), [path], "{file}");
    }
}

#[test]
fn any_layout_that_is_accepted_makes_a_new_database() {
    let accepted = |file: &str, sources: &str| {
        let (_folder, inputs) = inputs(Profile::Serve, file, &[], &[&format!("store.sources=[{sources}]")]);
        let layout = Config::load(&inputs).ok()?.config.store.layout();
        assert!(layout.new_map().is_ok(), "{file} {layout:?}");
        Some(layout.new_counts())
    };
    let bare = |count: usize| vec!["{url='mysql://a/r'}"; count].join(",");
    let counts = |subject, index| Some(TableCounts { subject, index });
    assert_eq!(accepted("", &bare(1)), counts(8, 32));
    assert_eq!(accepted("", &bare(9)), counts(16, 64));
    assert_eq!(accepted("", &bare(1024)), counts(1024, 1024));
    assert_eq!(accepted("store.subject_tables = 2", &bare(2)), counts(2, 8));
    assert_eq!(accepted("store.index_tables = 12", &bare(12)), counts(12, 12));
    let ranges = "{url='mysql://a/r', subject_tables='0-2'}, {url='mysql://b/r', subject_tables='3-9'}";
    assert_eq!(accepted("", ranges), counts(10, 40));
    assert_eq!(accepted("store.index_tables = 20", ranges), counts(10, 20));
    for (file, sources) in [
        ("", bare(1025)),
        ("", String::new()),
        ("store.subject_tables = 2", bare(3)),
        ("store.index_tables = 12", bare(13)),
        ("store.subject_tables = 0", bare(1)),
        ("store.index_tables = 0", bare(1)),
        ("store.index_tables = 1025", bare(1)),
        ("store.index_tables = 15", ranges.to_owned()),
        ("store.subject_tables = 8", ranges.to_owned()),
        ("", ranges.replace("3-9", "3-1024")),
    ] {
        assert_eq!(accepted(file, &sources), None, "{file} {sources}");
    }
}

#[test]
fn object_types_inherit_unset_values_and_become_policies() {
    let file = "object_type_defaults.max_depth = 4\n[object_types.video]\nedit_window = 'always'\n[object_types.post]\nmax_depth = 7\n";
    let (_folder, inputs) = inputs(Profile::Dev, file, &[], &[]);
    let policies = Config::load(&inputs).unwrap().config.policies();
    let policy =
        |name: &str| policies.of(&riposte_core::ObjectType::parse("object_type", name).unwrap()).unwrap().clone();
    assert_eq!((policy("video").max_depth, policy("video").edit_window), (4, None));
    assert_eq!((policy("post").max_depth, policy("post").auto_create), (7, true));
    assert_eq!(policy("never_registered").max_depth, 4);
}

#[test]
fn the_settings_of_an_exporter_are_checked_and_its_headers_are_never_shown() {
    let file = concat!(
        "[telemetry]\nendpoint = 'https://user@collector:4317/v1'\nheaders = 'no pairs'\nsampling_ratio = 1.5\n",
        "interval = '100ms'\ntimeout = '1min'\nservice_name = ''\n[telemetry.resource]\n'service.name' = 'x'\n",
    );
    let expected = ["endpoint", "headers", "sampling_ratio", "interval", "timeout", "service_name", "resource"]
        .map(|key| format!("telemetry.{key}"));
    assert_eq!(paths(&faults(file, &[], &[])), expected);
    assert_eq!(paths(&faults("[telemetry]\nca_file = 'ca.crt'", &[], &[])), ["telemetry.ca_file"]);
    assert_eq!(paths(&faults("[telemetry]\nendpoint = 'collector:4317'", &[], &[])), ["telemetry.endpoint"]);
    assert_eq!(paths(&faults("[telemetry]\nheaders = 'token-bin=AAA'", &[], &[])), ["telemetry.headers"]);

    let sound = "[telemetry]\nendpoint = 'http://collector:4317'\nheaders = 'authorization=Bearer hunter2, tenant=a=b'\nsampling_ratio = 1\n";
    let (_folder, inputs) = inputs(Profile::Dev, sound, &[("RIPOSTE__TELEMETRY__LOGS", "true")], &[]);
    let loaded = Config::load(&inputs).unwrap();
    let telemetry = &loaded.config.telemetry;
    let headers = telemetry.header_map().unwrap();
    assert_eq!(
        (headers["authorization"].as_bytes(), headers["tenant"].as_bytes()),
        (&b"Bearer hunter2"[..], &b"a=b"[..])
    );
    assert!(telemetry.pushes() && telemetry.logs && !format!("{headers:?}").contains("hunter2"));
    assert!(!show(&loaded, true).contains("hunter2"));
}

#[test]
fn a_path_that_is_the_empty_text_is_refused_by_its_key_and_never_opened() {
    let empty = [
        "auth.callers_file",
        "auth.jwt.jwks_file",
        "server.tls.cert_file",
        "server.tls.key_file",
        "server.tls.client_ca_file",
        "audit.file",
        "telemetry.ca_file",
        "store.data_dir",
        "cache.url_file",
    ];
    for key in empty {
        let found = faults("", &[], &[&format!("{key}=")]);
        assert!(
            found.iter().any(|fault| fault.path == key && fault.message.starts_with("is empty")),
            "{key}: {found:?}"
        );
    }
}

#[test]
fn rate_limits_are_off_by_default_and_their_values_have_bounds() {
    let (_folder, nothing) = inputs(Profile::Dev, "", &[], &[]);
    let config = Config::load(&nothing).unwrap().config;
    assert!(config.limits.caller().is_none() && config.object_type_defaults.member_rate().is_none());
    let file = "[object_type_defaults]\nwrites_per_minute = 30\n[object_types.chat]\nwrites_per_minute = 0\n";
    let (_folder, limited) = inputs(Profile::Dev, file, &[], &["limits.caller_calls_per_second=9"]);
    let config = Config::load(&limited).unwrap().config;
    assert!(config.limits.caller().is_some() && config.object_type_defaults.member_rate().is_some());
    assert!(config.object_types["chat"].member_rate().is_none());
    let wrong = [
        "limits.reads=1",
        "limits.read_wait=2s",
        "limits.body_time=1ms",
        "limits.connections=9",
        "server.max_write_time=1ms",
        "object_type_defaults.write_burst=0",
    ];
    let found = faults("", &[], &wrong);
    let mut paths = paths(&found);
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "limits.body_time",
            "limits.connections_per_identity",
            "limits.read_wait",
            "limits.reads",
            "object_type_defaults.write_burst",
            "server.max_write_time",
        ]
    );
}
