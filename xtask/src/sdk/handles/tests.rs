use super::*;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    field_descriptor_proto::Type,
};

fn field(name: &str, kind: Type, type_name: &str) -> prost_types::FieldDescriptorProto {
    let mut field = prost_types::FieldDescriptorProto { name: Some(name.into()), ..Default::default() };
    field.set_type(kind);
    field.type_name = (!type_name.is_empty()).then(|| format!(".a.{type_name}"));
    field
}

fn contract() -> FileDescriptorSet {
    let message = |name: &str, field| DescriptorProto { name: Some(name.into()), field, ..Default::default() };
    let value = EnumValueDescriptorProto { name: Some("MOOD_GOOD".into()), ..Default::default() };
    let file = FileDescriptorProto {
        package: Some("a".into()),
        message_type: vec![
            message("Key", vec![field("id", Type::String, "")]),
            message("Request", vec![field("key", Type::Message, "Key"), field("mood", Type::Enum, "Mood")]),
            message("Response", vec![field("key", Type::Message, "Key")]),
            message("Comment", vec![field("root_id", Type::Int64, ""), field("mood", Type::Enum, "Mood")]),
            message(
                "Item",
                vec![field("comment", Type::Message, "Comment"), field("replies", Type::Message, "Comment")],
            ),
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
        enum_type: vec![EnumDescriptorProto { name: Some("Mood".into()), value: vec![value], ..Default::default() }],
        ..Default::default()
    };
    FileDescriptorSet { file: vec![file] }
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
        ("set: [], returns: {kind: made, unless: GONE}", "no enum ErrorReason"),
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
fn resolved_page(replies: &str, listed: &str) -> Result<serde_json::Value> {
    let text = format!(
        "clients: {{}}\nadmin: {{}}\nhandles:\n- {{name: P, about: p, contains: {{name: page, message: Page}}, \
         just_made: {{items: items, subject: key, first_page: before, item: I, comment: comment, replies: {replies}, \
         unlisted: {{message: Own, comment: comment, edit: edit, state: mood, listed: {listed}}}}}, verbs: []}}"
    );
    let set = contract();
    let handles = Listed::parse(&text)?.resolve(&Contract::of(&set), &|_, _| None)?;
    Ok(serde_json::to_value(&handles)?[0]["just_made"]["unlisted"].clone())
}

#[test]
fn own_comments_of_a_page_are_filled_in_from_the_contract() {
    let unlisted = resolved_page("replies", "MOOD_GOOD").unwrap();
    assert_eq!((&unlisted["edit_type"], &unlisted["state_type"]), (&"Key".into(), &"Mood".into()));
    assert_eq!(unlisted["short"], "GOOD");
    for (replies, listed, message) in
        [("answers", "MOOD_GOOD", "Item has no field answers"), ("replies", "MOOD_BAD", "Mood has no value MOOD_BAD")]
    {
        let error = format!("{:#}", resolved_page(replies, listed).unwrap_err());
        assert!(error.contains(message), "{error}");
    }
}

/// Returns the checks of a walk that has this entry.
fn checked(entry: &str) -> Result<serde_json::Value> {
    let text = format!("clients: {{}}\nadmin: {{}}\nhandles: []\nwalks: {{S.M: {entry}}}");
    let set = contract();
    let contract = Contract::of(&set);
    let checks = Listed::parse(&text)?.checks(&contract, "S.M", contract.named("Request")?)?;
    Ok(serde_json::to_value(&checks)?)
}

#[test]
fn the_checks_of_a_walk_are_filled_in_from_the_contract() {
    let checks = checked("{required: [key.id], values: {mood: [GOOD]}}").unwrap();
    assert_eq!((&checks[0]["rule"], &checks[0]["path"][1]), (&"text".into(), &"id".into()));
    assert_eq!((&checks[1]["enum"], &checks[1]["description"]), (&"Mood".into(), &"must be one of GOOD".into()));
    let checks = checked("{required: [key.id], left: [mood]}").unwrap();
    assert_eq!(checks.as_array().map(Vec::len), Some(1));
    for (entry, message) in [
        ("{required: [kay]}", "Request has no field kay"),
        ("{required: [key]}", "key is a Key"),
        ("{values: {mood: [BAD]}}", "Mood has no value BAD"),
        ("{left: [key]}", "key of Request has no values"),
    ] {
        let error = format!("{:#}", checked(entry).unwrap_err());
        assert!(error.contains(message) && error.contains("walks, S.M"), "{error}");
    }
}
