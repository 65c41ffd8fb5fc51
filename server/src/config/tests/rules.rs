//! The rules of object types: their faults, and the types that have them.

use super::*;

/// Returns the settings of a type with one rule.
fn rule(rest: &str) -> String {
    format!("[[object_types.video.rules]]\nid = 'a'\n{rest}\n")
}

#[test]
fn each_fault_of_a_rule_is_reported_by_its_key() {
    let when = |terms: &str| rule(&format!("when = [{terms}]"));
    let sound = "{ fact = 'links', ge = 2 }";
    let many = [sound; 9].join(",");
    for (file, key, message) in [
        (when(""), "when", "has no term"),
        (when(&many), "when", "at most 8"),
        (when("{ fact = 'links' }"), "when.0", "must have one of lt, le, eq, ge and gt"),
        (when("{ fact = 'links', ge = 2, lt = 4 }"), "when.0", "must have one of lt, le, eq, ge and gt"),
        (when("{ fact = 'color', ge = 2 }"), "when.0.fact", "must be one of: links, approved"),
        (when("{ fact = 'links', ge = -1 }"), "when.0.ge", "out of bounds"),
        (when("{ fact = 'links', above = 1 }"), "when.0.above", ""),
        (when("{ fact = 'links', lt = 0 }"), "when.0", "is true for no text"),
        (when("{ fact = 'is_edit', gt = 1 }"), "when.0", "is true for no text"),
        (when("{ fact = 'mentions', ge = 51 }"), "when.0", "is true for no text"),
        (when(&format!("{sound}, {{ fact = 'age', lt = 7 }}")), "when.1.fact", "is known of accounts only"),
        (when("{ fact = 'approved', ge = 51 }"), "when.0", "is true for no text"),
        (when("{ fact = 'first_post', eq = 2 }"), "when.0", "is true for no text"),
        (rule(&format!("when = [{sound}]\noutcome = 'mask'")), "outcome", "must be one of: flag, hold, reject, refuse"),
        (rule(&format!("when = [{sound}]\noutcome = 'allow'")), "outcome", "must be one of: flag, hold"),
        (rule(&format!("when = [{sound}]\nstage = 'off'")), "stage", "must be one of: live, dry_run"),
        (rule(&format!("when = [{sound}]\ncode = 'Spam'")), "code", "small letters"),
        (rule(&format!("when = [{sound}]\ncode = 'moderation.off'")), "code", "turn moderation off"),
        (rule(""), "when", "is missing"),
    ] {
        let found = faults(&file, &[], &[]);
        let path = format!("object_types.video.rules.0.{key}");
        assert!(found.iter().any(|fault| fault.path == path && fault.message.contains(message)), "{file}{found:?}");
    }
    // Other faults of the rule would follow from that one.
    let unknown = faults(&when("{ fact = 'color', ge = 2 }"), &[], &[]);
    assert_eq!(paths(&unknown), ["object_types.video.rules.0.when.0.fact"], "{unknown:?}");
    let twice = when(sound) + &when(sound);
    assert_eq!(paths(&faults(&twice, &[], &[])), ["object_types.video.rules.1.id"]);
    assert_eq!(paths(&faults(&when(sound).replace("'a'", "'A'"), &[], &[])), ["object_types.video.rules.0.id"]);
    assert!(faults(&when(sound), &[], &[]).is_empty());
    let of_member = "{ fact = 'approved', lt = 3 }, { fact = 'first_post', eq = 1 }, { fact = 'approved', ge = 50 }";
    assert!(faults(&when(of_member), &[], &[]).is_empty());
}

#[test]
fn a_type_has_at_most_64_rules_and_no_name_of_a_list_is_the_id_of_one() {
    let rules = |count: usize| -> String {
        (0..count).map(|n| rule("when = [{ fact = 'links', ge = 2 }]").replace("'a'", &format!("'r{n}'"))).collect()
    };
    assert!(faults(&rules(64), &[], &[]).is_empty());
    assert_eq!(paths(&faults(&rules(65), &[], &[])), ["object_types.video.rules"]);
    let list = "[[policy.lists]]\nname = 'r0'\nfile = 'words.txt'\n";
    let found = faults(&(rules(1) + list), &[], &[]);
    assert_eq!(paths(&found), ["object_types.video.rules.0.id"]);
    assert!(found[0].message.contains("the name of a word list"), "{found:?}");
}

#[test]
fn a_type_without_rules_has_those_of_the_defaults() {
    let term = "when = [{ fact = 'links', ge = 2 }]\n";
    let file = format!(
        "[[object_type_defaults.rules]]\nid = 'all'\n{term}[[object_types.video.rules]]\nid = 'video'\n{term}\
         [object_types.post]\nmax_depth = 3\n[object_types.note]\nrules = []\n"
    );
    let (_folder, given) = inputs(Profile::Dev, &file, &[], &[]);
    let config = Config::load(&given).unwrap().config;
    let ids = |name: &str| config.object_types[name].rules.iter().map(|rule| rule.id.clone()).collect::<Vec<_>>();
    assert_eq!((ids("video"), ids("post"), ids("note")), (vec!["video".into()], vec!["all".into()], Vec::new()));
    assert_eq!(config.object_type_defaults.rules.len(), 1);
    assert!(config.rules().is_ok());
}

#[test]
fn a_number_in_place_of_a_table_is_reported_with_the_keys_of_the_table() {
    for table in ["object_type_defaults", "object_types.video"] {
        let found = faults(&format!("[{table}]\nmin_level = 3\n"), &[], &[]);
        assert_eq!(paths(&found), [format!("{table}.min_level")]);
        assert!(found[0].message.ends_with("its keys are create, like, reply, report"), "{found:?}");
    }
}
