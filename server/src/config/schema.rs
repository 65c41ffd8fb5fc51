//! The JSON Schema of a configuration file, for editors and for checks of a file before a server
//! reads it. It is derived from the settings structs. Bounds that only `validate` checks are not
//! part of it.

use super::Config;
use schemars::{
    Schema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform},
};
use serde_json::{Value, json};

/// Annotations of the derive that constrain no value, or that do not hold for one file: files,
/// variables and defaults are merged, so a file requires no key.
const DROPPED: [&str; 5] = ["title", "description", "default", "required", "format"];

/// Returns the schema of one file (draft 7). No key is required; no unknown key is allowed, at any
/// depth. Secrets are `writeOnly`.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Config>();
    RecursiveTransform(simplify).transform(&mut schema);
    schema.to_value()
}

/// Reduces one schema to its constraints in their shortest form.
fn simplify(schema: &mut Schema) {
    // The derive bounds integers of 32 bits and more by their format only. JSON parsers lose
    // precision beyond 53 bits, so larger types stay without a maximum.
    if schema.get("format").is_some_and(|format| format == "uint32") {
        schema.insert("maximum".to_owned(), json!(u32::MAX));
    }
    // An optional key is left out; TOML has no null.
    let optional =
        schema.get("type").and_then(Value::as_array).and_then(|types| types.iter().find(|name| *name != "null"));
    if let Some(name) = optional.cloned() {
        schema.insert("type".to_owned(), name);
    }
    // An optional enum is one of two forms, of which TOML has the other one only.
    let form = schema
        .remove("anyOf")
        .and_then(|forms| forms.as_array().and_then(|forms| forms.iter().find(|form| form["type"] != "null").cloned()));
    for (word, value) in form.as_ref().and_then(Value::as_object).into_iter().flatten() {
        schema.insert(word.clone(), value.clone());
    }
    // Variants with a doc comment each have a schema of their own.
    let variants = schema.remove("oneOf").and_then(|variants| {
        variants.as_array().map(|list| list.iter().map(|variant| variant["const"].clone()).collect::<Vec<_>>())
    });
    if let Some(variants) = variants {
        schema.insert("enum".to_owned(), Value::Array(variants));
    }
    if schema.get("enum").is_some() {
        schema.remove("type");
    }
    for annotation in DROPPED {
        schema.remove(annotation);
    }
}

#[cfg(test)]
mod tests {
    use super::schema;
    use crate::config::{EXAMPLE, renamed};
    use serde_json::{Map, Value, json};
    use std::collections::BTreeMap;

    /// Returns the constraints at every path of a schema, without those of the paths below; `*`
    /// stands for any name and any item.
    fn constraints(schema: &Value) -> BTreeMap<String, Map<String, Value>> {
        let mut found = BTreeMap::new();
        collect(schema, "", &mut found);
        found
    }

    fn collect(schema: &Value, path: &str, found: &mut BTreeMap<String, Map<String, Value>>) {
        let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let mut own = schema.as_object().cloned().unwrap_or_default();
        for (name, inner) in own.remove("properties").iter().filter_map(Value::as_object).flatten() {
            collect(inner, &join(name), found);
        }
        for word in ["items", "additionalProperties"] {
            if schema[word].is_object() {
                collect(&schema[word], &join("*"), found);
                own.remove(word);
            }
        }
        found.insert(path.to_owned(), own);
    }

    fn keys(table: &toml::Table, path: &str, found: &mut Vec<String>) {
        for (name, value) in table {
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            value.as_table().into_iter().for_each(|inner| keys(inner, &path, found));
            found.push(path);
        }
    }

    #[test]
    fn every_key_of_the_example_is_in_the_schema_and_no_object_takes_another() {
        let constraints = constraints(&schema());
        let mut named = Vec::new();
        keys(&EXAMPLE.parse().unwrap(), "", &mut named);
        let missing: Vec<_> = named.iter().filter(|path| !constraints.contains_key(*path)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        for path in ["store.sources.*.url", "server.tls.cert_file", "object_types.*.max_depth"] {
            assert!(constraints.contains_key(path), "{path} is not in {constraints:?}");
        }
        for (path, own) in &constraints {
            let tables_of_users = ["object_types", "telemetry.resource"];
            let open = own.get("type").is_some_and(|name| name == "object")
                && own.get("additionalProperties") != Some(&json!(false))
                && !tables_of_users.contains(&path.as_str());
            assert!(!open, "{path} takes any key");
        }
    }

    /// The keys and tables that revision ed6c35b does not have.
    const ADDED: [&str; 66] = [
        "events",
        "events.retention",
        "store.text",
        "object_type_defaults.moderation",
        "object_type_defaults.new_member_threshold",
        "object_type_defaults.subject_modes",
        "object_type_defaults.report_threshold",
        "object_type_defaults.reports_per_hour",
        "object_type_defaults.appeal_window",
        "object_type_defaults.notify_thread",
        "object_type_defaults.resubmit_window",
        "object_types.*.moderation",
        "object_types.*.new_member_threshold",
        "object_types.*.subject_modes",
        "object_types.*.report_threshold",
        "object_types.*.reports_per_hour",
        "object_types.*.appeal_window",
        "object_types.*.notify_thread",
        "object_types.*.resubmit_window",
        "policy",
        "policy.lists",
        "policy.lists.*",
        "policy.lists.*.code",
        "policy.lists.*.file",
        "policy.lists.*.mode",
        "policy.lists.*.name",
        "policy.lists.*.object_types",
        "policy.lists.*.object_types.*",
        "policy.lists.*.outcome",
        "policy.lists.*.stage",
        "object_type_defaults.filter",
        "object_types.*.filter",
        "filter",
        "filter.endpoint",
        "filter.timeout",
        "filter.in_flight",
        "filter.wait",
        "filter.may_release",
        "filter.send_metadata",
        "filter.send_metadata.*",
        "filter.member_key_file",
        "filter.ca_file",
        "filter.cert_file",
        "filter.key_file",
        "filter.token_file",
        "accounts",
        "accounts.endpoint",
        "accounts.timeout",
        "accounts.in_flight",
        "accounts.wait",
        "accounts.ca_file",
        "accounts.cert_file",
        "accounts.key_file",
        "accounts.token_file",
        "object_type_defaults.accounts",
        "object_types.*.accounts",
        "object_type_defaults.min_level",
        "object_type_defaults.min_level.create",
        "object_type_defaults.min_level.reply",
        "object_type_defaults.min_level.like",
        "object_type_defaults.min_level.report",
        "object_types.*.min_level",
        "object_types.*.min_level.create",
        "object_types.*.min_level.reply",
        "object_types.*.min_level.like",
        "object_types.*.min_level.report",
    ];

    /// Takes the constraints of rules out of a schema, and checks them.
    fn check_rules(schema: &mut BTreeMap<String, Map<String, Value>>) {
        let table = json!({"type": "object", "additionalProperties": false});
        let [text, list] = [json!({"type": "string"}), json!({"type": "array"})];
        let number = json!({"type": "integer", "minimum": 0, "maximum": u32::MAX});
        let names = ["links", "approved", "mentions", "length", "repeats", "age", "first_post", "is_edit"];
        for owner in ["object_type_defaults.rules", "object_types.*.rules"] {
            let mut expected = vec![
                ("", list.clone()),
                (".*", table.clone()),
                (".*.id", text.clone()),
                (".*.when", list.clone()),
                (".*.when.*", table.clone()),
                (".*.when.*.fact", json!({"enum": names})),
                (".*.outcome", json!({"enum": ["flag", "hold", "reject", "refuse"]})),
                (".*.code", text.clone()),
                (".*.stage", json!({"enum": ["live", "dry_run"]})),
            ];
            let comparisons = [".*.when.*.lt", ".*.when.*.le", ".*.when.*.eq", ".*.when.*.ge", ".*.when.*.gt"];
            expected.extend(comparisons.map(|path| (path, number.clone())));
            for (path, constraints) in expected {
                let path = format!("{owner}{path}");
                assert_eq!(schema.remove(&path).map(Value::Object), Some(constraints), "{path}");
            }
        }
    }

    /// Takes the constraints of the topic out of a schema, and checks them.
    fn check_topic(schema: &mut BTreeMap<String, Map<String, Value>>) {
        let [text, list] = [json!({"type": "string"}), json!({"type": "array"})];
        let mechanisms = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];
        let expected = [
            ("deployment", text.clone()),
            ("kafka", json!({"type": "object", "additionalProperties": false})),
            ("kafka.brokers", list),
            ("kafka.brokers.*", text.clone()),
            ("kafka.topic", text.clone()),
            ("kafka.partitions", json!({"type": "integer", "minimum": 0, "maximum": u16::MAX})),
            ("kafka.create_topic", json!({"type": "boolean"})),
            ("kafka.ca_file", text.clone()),
            ("kafka.cert_file", text.clone()),
            ("kafka.key_file", text.clone()),
            ("kafka.sasl_mechanism", json!({"enum": mechanisms})),
            ("kafka.sasl_user", text.clone()),
            ("kafka.sasl_password_file", text),
        ];
        for (path, constraints) in expected {
            let path = format!("events.{path}");
            assert_eq!(schema.remove(&path).map(Value::Object), Some(constraints), "{path}");
        }
    }

    /// The golden schema is that of revision ed6c35b, from before keys were renamed and added.
    #[test]
    fn the_schema_equals_the_golden_schema_except_for_listed_changes() {
        let golden: Value = serde_json::from_str(include_str!("../../golden/config_schema.json")).unwrap();
        let golden: BTreeMap<_, _> = constraints(&golden)
            .into_iter()
            .map(|(path, own)| (renamed::successor(&path).unwrap_or(path), own))
            .collect();
        let mut schema = constraints(&schema());
        let added = ADDED.map(|path| schema.remove(path));
        check_rules(&mut schema);
        check_topic(&mut schema);
        // A kind of store was added.
        let kinds = schema.insert("store.kind".to_owned(), golden["store.kind"].clone()).map(Value::Object);
        assert_eq!(kinds, Some(json!({"enum": ["sqlite", "mysql", "vitess"]})));
        assert_eq!(schema, golden);
        let table = json!({"type": "object", "additionalProperties": false});
        let span = schema["server.drain_delay"].clone();
        let form = json!({"enum": ["auto", "off"]});
        let mode = json!({"enum": ["post", "pre_new_members", "pre"]});
        let number = schema["object_type_defaults.writes_per_minute"].clone();
        let span = Value::Object(span);
        let number = Value::Object(number);
        let boolean = json!({"type": "boolean"});
        let of_type = [
            mode,
            number.clone(),
            boolean.clone(),
            number.clone(),
            number.clone(),
            span.clone(),
            boolean,
            span.clone(),
        ];
        let [text, list] = [json!({"type": "string"}), json!({"type": "array"})];
        let of_policy = [
            table.clone(),
            list.clone(),
            table.clone(),
            text.clone(),
            text.clone(),
            json!({"enum": ["word", "part"]}),
            text.clone(),
            list.clone(),
            text.clone(),
            json!({"enum": ["allow", "mask", "flag", "hold", "reject", "refuse"]}),
            json!({"enum": ["live", "dry_run"]}),
        ];
        let filter = json!({"enum": ["off", "hold", "flag", "refuse"]});
        let of_filter = [
            filter.clone(),
            filter,
            table.clone(),
            text.clone(),
            span.clone(),
            number.clone(),
            span.clone(),
            json!({"type": "boolean"}),
            list,
        ];
        let of_filter = of_filter.into_iter().chain(std::iter::repeat_n(text.clone(), 6));
        let of_accounts = [table.clone(), text.clone(), span.clone(), number, span.clone()];
        let of_accounts = of_accounts.into_iter().chain(std::iter::repeat_n(text, 4));
        let level = json!({"type": "integer", "minimum": 0, "maximum": u8::MAX});
        let min_level = || std::iter::once(table.clone()).chain(std::iter::repeat_n(level.clone(), 4));
        let accounts = json!({"enum": ["off", "pre_moderate", "refuse"]});
        let of_accounts = of_accounts.chain([accounts.clone(), accounts]).chain(min_level()).chain(min_level());
        let of_accounts: Vec<_> = of_accounts.collect();
        let values = [table, span, form].into_iter().chain(of_type.clone()).chain(of_type).chain(of_policy);
        let values = values.chain(of_filter).chain(of_accounts);
        let added: Vec<_> = added.into_iter().map(|own| own.map(Value::Object)).collect();
        assert_eq!(added, values.map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn each_type_has_its_constraints() {
        let constraints = constraints(&schema());
        let of_key = |path: &str| Value::Object(constraints[path].clone());
        assert_eq!(of_key("response_cache.enabled"), json!({"type": "boolean"}));
        assert_eq!(of_key("store.index_tables"), json!({"type": "integer", "minimum": 0, "maximum": 65_535}));
        assert_eq!(of_key("limits.principals"), json!({"type": "integer", "minimum": 0}));
        assert_eq!(of_key("log.filter"), json!({"type": "string"}));
        assert_eq!(of_key("telemetry.sampling_ratio"), json!({"type": "number"}));
        assert_eq!(of_key("cache.kind"), json!({"enum": ["none", "memory", "redis"]}));
        for (path, like) in [
            ("server.drain_delay", "(ms|s|min|h|d)"),
            ("response_cache.memory", "(B|KiB|MiB|GiB)"),
            ("server.listen", ":[0-9]+$"),
            ("object_type_defaults.edit_window", "always"),
            ("store.sources.*.subject_tables", "-"),
        ] {
            assert!(of_key(path)["pattern"].as_str().unwrap().contains(like), "{path}: {}", of_key(path));
        }
    }

    #[test]
    fn object_types_have_names() {
        let schema = schema();
        let object_types = &schema["properties"]["object_types"];
        assert_eq!(object_types["propertyNames"]["pattern"], "^[a-z][a-z0-9_]{0,31}$");
        assert!(object_types["additionalProperties"]["properties"]["max_depth"].is_object(), "{object_types}");
    }

    #[test]
    fn secrets_are_marked_and_nothing_else_is() {
        let constraints = constraints(&schema());
        let marked: Vec<_> = constraints
            .iter()
            .filter(|(_, own)| own.contains_key("writeOnly"))
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(marked, ["cache.url", "page_tokens.keys.*", "store.sources.*.url", "telemetry.headers"]);
    }
}
