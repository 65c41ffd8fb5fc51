use super::*;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    field_descriptor_proto::{Label, Type},
};

fn field(name: &str, kind: Type, type_name: &str) -> prost_types::FieldDescriptorProto {
    let mut field = prost_types::FieldDescriptorProto { name: Some(name.into()), ..Default::default() };
    field.set_type(kind);
    field.type_name = (!type_name.is_empty()).then(|| format!(".a.{type_name}"));
    field
}

fn repeated(name: &str, kind: Type, type_name: &str) -> prost_types::FieldDescriptorProto {
    let mut field = field(name, kind, type_name);
    field.set_label(Label::Repeated);
    field
}

fn contract() -> FileDescriptorSet {
    let message = |name: &str, field| DescriptorProto { name: Some(name.into()), field, ..Default::default() };
    let enumeration = |name: &str, value: &str| {
        let value = EnumValueDescriptorProto { name: Some(value.into()), ..Default::default() };
        EnumDescriptorProto { name: Some(name.into()), value: vec![value], ..Default::default() }
    };
    let file = FileDescriptorProto {
        package: Some("a".into()),
        message_type: vec![
            message("Key", vec![field("id", Type::String, "")]),
            message("Request", vec![field("key", Type::Message, "Key"), field("mood", Type::Enum, "Mood")]),
            message(
                "Filter",
                vec![
                    field("object_type", Type::String, ""),
                    field("member_id", Type::String, ""),
                    field("size", Type::Int32, ""),
                ],
            ),
            one_of("OneOf", vec![field("key", Type::Message, "Key"), field("number", Type::Int64, "")]),
            message("Response", vec![field("key", Type::Message, "Key")]),
            message("Comment", vec![field("root_id", Type::Int64, ""), field("mood", Type::Enum, "Mood")]),
            message(
                "Item",
                vec![field("comment", Type::Message, "Comment"), field("replies", Type::Message, "Comment")],
            ),
            message("Ids", vec![repeated("ids", Type::Int64, ""), field("missing", Type::Bool, "")]),
            message("Found", vec![repeated("items", Type::Message, "Key"), field("one", Type::Message, "Key")]),
            message("Own", vec![field("comment", Type::Message, "Comment"), field("edit", Type::Message, "Key")]),
            message(
                "Page",
                vec![
                    field("items", Type::Message, "Item"),
                    field("key", Type::Message, "Key"),
                    field("before", Type::String, ""),
                ],
            ),
        ],
        enum_type: vec![enumeration("Mood", "MOOD_GOOD"), enumeration("ErrorReason", "ERROR_REASON_LIKE_INVALID")],
        ..Default::default()
    };
    FileDescriptorSet { file: vec![file] }
}

/// Returns a message whose fields are the arms of a oneof.
fn one_of(name: &str, mut field: Vec<prost_types::FieldDescriptorProto>) -> DescriptorProto {
    field.iter_mut().for_each(|arm| arm.oneof_index = Some(0));
    let oneof_decl = vec![prost_types::OneofDescriptorProto { name: Some("of".into()), ..Default::default() }];
    DescriptorProto { name: Some(name.into()), field, oneof_decl, ..Default::default() }
}

/// Resolves a file whose only verb has this list of fields.
fn resolved(set: &str) -> Result<Vec<Handle>> {
    resolved_with("", &format!("set: {set}, returns: {{kind: message}}"))
}

/// Resolves a file with a handle of a key, whose only verb and whose other entries are these, and a
/// handle of a response.
fn resolved_with(entries: &str, verb: &str) -> Result<Vec<Handle>> {
    let text = format!(
        "clients: {{}}\nadmin: {{}}\nhandles:\n- {{name: H, about: h, contains: {{name: key, message: Key}}, {entries} \
         verbs: [{{name: v, about: w, call: S.M, {verb}}}]}}\n- {{name: P, about: p, contains: {{name: response, \
         message: Response}}, parts: [[key, H]], verbs: []}}"
    );
    let set = contract();
    let mut method = MethodModel::example("M", "Request", "Response");
    method.server_streaming = verb.contains("listener");
    Listed::parse(&text)?.resolve(&Contract::of(&set), &|_, name| (name == "M").then_some(&method))
}

#[test]
fn a_verb_is_filled_in_from_the_contract() {
    let handles = resolved("[[key.id, member], [mood, =MOOD_GOOD]]").unwrap();
    let verb = &handles[0].verbs[0];
    assert_eq!((verb.arguments[0].name.as_str(), verb.arguments[0].kind.as_str()), ("member", "string"));
    assert_eq!((verb.set[0].messages[0].as_str(), verb.set[1].source), ("Key", "constant"));
}

#[test]
fn a_name_that_is_not_in_the_contract_is_an_error() {
    for (set, message) in [
        ("[[kay, self]]", "Request has no field kay"),
        ("[[key, self.ed]]", "Key has no field ed"),
        ("[[mood, =MOOD_BAD]]", "Mood has no value MOOD_BAD"),
        ("[[key, self.id]]", "key is a Key, and self.id is a string"),
        ("[[key.id, a], [key.id, b]]", "key is set twice"),
    ] {
        let error = format!("{:#}", resolved(set).unwrap_err());
        assert!(error.contains(message) && error.contains("sdk/handles.yaml, H: verb v"), "{error}");
    }
}

#[test]
fn a_page_has_its_handle_and_its_parts() {
    let handles =
        resolved_with("made_by_client: [id],", "set: [], returns: {kind: page, handle: P, viewer: key}").unwrap();
    let written = serde_json::to_value(&handles).unwrap();
    assert_eq!(written[0]["made_by_client"][0]["type"], "string");
    assert_eq!(written[0]["verbs"][0]["returns"]["viewer"], serde_json::json!(["key"]));
    assert_eq!((&written[1]["fields"][0]["handle"], &written[1]["fields"][0]["message"]), (&"H".into(), &true.into()));
}

#[test]
fn an_answer_that_does_not_fit_the_contract_is_an_error() {
    for (verb, message) in [
        ("set: [], returns: {kind: page, handle: H}", "H contains a Key, no Response"),
        ("set: [], returns: {kind: page, handle: P, viewer: kay}", "Response has no field kay"),
        ("set: [], returns: {kind: page, handle: Q}", "there is no handle Q"),
        ("set: [], returns: {kind: items, handle: H}", "M has no pages"),
        ("set: [], returns: {kind: made, unless: GONE}", "there is no reason GONE"),
        (
            "set: [], options: [{field: mood, as: Good, values: [BAD]}], returns: {kind: message}",
            "Mood has no value BAD",
        ),
        (
            "set: [], options: [{field: mood, values: [GOOD]}], returns: {kind: message}",
            "mood needs both values and as",
        ),
    ] {
        let error = format!("{:#}", resolved_with("", verb).unwrap_err());
        assert!(error.contains(message), "{error}");
    }
    let error = format!("{:#}", resolved_with("parts: [[id, H]],", "set: [], returns: {kind: message}").unwrap_err());
    assert!(error.contains("id is a string, and H contains a Key"), "{error}");
}

#[test]
fn a_listener_needs_the_watch_of_its_call() {
    let error = resolved_with("", "set: [], returns: {kind: listener, buffer: 4}").unwrap_err();
    assert!(format!("{error:#}").contains("no verb watches by S.M"), "{error:#}");
}

/// Resolves a file with a page, below which the replies and the listed state of own comments are
/// these.
fn resolved_page(replies: &str, listed: &str, gone: &str) -> Result<serde_json::Value> {
    let text = format!(
        "clients: {{}}\nadmin: {{}}\nhandles:\n- {{name: P, about: p, contains: {{name: page, message: Page}}, \
         just_made: {{items: items, subject: key, first_page: before, item: I, comment: comment, replies: {replies}, \
         unlisted: {{message: Own, comment: comment, edit: edit, state: mood, listed: {listed}, gone: [{gone}]}}}}, \
         verbs: []}}"
    );
    let set = contract();
    let handles = Listed::parse(&text)?.resolve(&Contract::of(&set), &|_, _| None)?;
    Ok(serde_json::to_value(&handles)?[0]["just_made"]["unlisted"].clone())
}

#[test]
fn own_comments_of_a_page_are_filled_in_from_the_contract() {
    let unlisted = resolved_page("replies", "MOOD_GOOD", "MOOD_GOOD").unwrap();
    assert_eq!((&unlisted["edit_type"], &unlisted["state_type"]), (&"Key".into(), &"Mood".into()));
    assert_eq!((&unlisted["short"], &unlisted["gone_short"]), (&"GOOD".into(), &serde_json::json!(["GOOD"])));
    for (replies, listed, gone, message) in [
        ("answers", "MOOD_GOOD", "", "Item has no field answers"),
        ("replies", "MOOD_BAD", "", "Mood has no value MOOD_BAD"),
        ("replies", "MOOD_GOOD", "MOOD_UGLY", "Mood has no value MOOD_UGLY"),
    ] {
        let error = format!("{:#}", resolved_page(replies, listed, gone).unwrap_err());
        assert!(error.contains(message), "{error}");
    }
}

/// Resolves a file with a handle of a key, and a read of many keys that has these names.
fn batch([ids, missing, items, handle, viewer]: [&str; 5]) -> Result<serde_json::Value> {
    let text = format!(
        "clients: {{}}\nadmin: {{}}\nbatches:\n- {{name: b, about: a, call: S.M, ids: {ids}, at_most: 2, missing: \
         {missing}, items: {items}, handle: {handle}, viewer: {viewer}}}\nhandles:\n- {{name: H, about: h, contains: \
         {{name: key, message: Key}}, verbs: []}}"
    );
    let (set, method) = (contract(), MethodModel::example("M", "Ids", "Found"));
    let batches = Listed::parse(&text)?.batches(&Contract::of(&set), &|_, _| Some(&method))?;
    Ok(serde_json::to_value(&batches)?)
}

#[test]
fn a_read_of_many_is_filled_in_from_the_contract() {
    let batches = batch(["ids", "missing", "items", "H", "id"]).unwrap();
    assert_eq!((&batches[0]["service"], &batches[0]["request"]), (&"S".into(), &"Ids".into()));
    for (names, message) in [
        (["missing", "missing", "items", "H", "id"], "Ids has no list of ids missing"),
        (["ids", "lacking", "items", "H", "id"], "Ids has no field lacking"),
        (["ids", "missing", "one", "H", "id"], "one are Key, no list of Key"),
        (["ids", "missing", "items", "Q", "id"], "there is no handle Q"),
        (["ids", "missing", "items", "H", "ego"], "Key has no field ego"),
    ] {
        let error = format!("{:#}", batch(names).unwrap_err());
        assert!(error.contains(message) && error.contains("batches, b"), "{error}");
    }
}

/// Returns the checks of a walk that has this entry.
fn checked(entry: &str) -> Result<serde_json::Value> {
    checked_of("Request", entry)
}

fn checked_of(request: &str, entry: &str) -> Result<serde_json::Value> {
    let text = format!("clients: {{}}\nadmin: {{}}\nhandles: []\nwalks: {{S.M: {entry}}}");
    let set = contract();
    let contract = Contract::of(&set);
    let checks = Listed::parse(&text)?.checks(&contract, "S.M", contract.named(request)?)?;
    Ok(serde_json::to_value(&checks)?)
}

#[test]
fn the_checks_of_a_walk_are_filled_in_from_the_contract() {
    let checks = checked("{required: [key.id], values: {mood: [GOOD]}}").unwrap();
    assert_eq!((&checks[0]["rule"], &checks[0]["path"][1]), (&"caller_id".into(), &"id".into()));
    assert_eq!((&checks[1]["enum"], &checks[1]["description"]), (&"Mood".into(), &"must be one of GOOD".into()));
    let checks = checked("{required: [key.id], reasons: {mood: LIKE_INVALID}}").unwrap();
    assert_eq!((&checks[0]["reason"], &checks[1]["reason"]), (&"FIELD_INVALID".into(), &"LIKE_INVALID".into()));
    for (entry, message) in [
        ("{required: [kay]}", "Request has no field kay"),
        ("{required: [key]}", "key is a Key"),
        ("{values: {mood: [BAD]}}", "Mood has no value BAD"),
        ("{values: {key: [GOOD]}}", "key of Request has no values"),
        ("{reasons: {mood: LIKE_INVALD}}", "there is no reason LIKE_INVALD"),
        ("{reasons: {key: LIKE_INVALID}}", "key of Request has no check"),
    ] {
        let error = format!("{:#}", checked(entry).unwrap_err());
        assert!(error.contains(message) && error.contains("walks, S.M"), "{error}");
    }
}

#[test]
fn texts_are_object_types_and_ids_of_callers_and_numbers_have_bounds() {
    let checks = checked_of("Filter", "{required: [object_type], at_most: {size: 10}}").unwrap();
    let rules = ["object_type", "caller_id", "number"].map(serde_json::Value::from);
    assert_eq!([0, 1, 2].map(|at: usize| checks[at]["rule"].clone()), rules);
    assert_eq!((&checks[0]["empty"], &checks[1]["empty"]), (&false.into(), &true.into()));
    let bound = (&checks[2]["at_most"], &checks[2]["description"]);
    assert_eq!(bound, (&10.into(), &"must lie between 0 and 10".into()));
    let error = format!("{:#}", checked_of("Filter", "{at_most: {member_id: 10}}").unwrap_err());
    assert!(error.contains("member_id of Filter is no number"), "{error}");
}

#[test]
fn one_arm_of_a_oneof_is_set_and_all_that_it_holds_is_required() {
    let checks = checked_of("OneOf", "{}").unwrap();
    let shown = |at: usize| format!("{} {} {}", checks[at]["rule"], checks[at]["field"], checks[at]["arm_of"]);
    let expected = [r#""one_of" "of" null"#, r#""caller_id" "key.id" "of""#, r#""id" "number" "of""#];
    assert_eq!([0, 1, 2].map(shown), expected);
}
