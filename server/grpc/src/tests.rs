//! The methods of the contract, and the properties of each, compared with a list that is maintained
//! by hand.

use std::time::Duration;

use prost::Message;
use prost::encoding::{bytes, int64, string};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet, MethodDescriptorProto};

use crate::admission::Timeouts;
use crate::generated::error_metadata::metadata_of;
use crate::generated::methods::method;

/// The properties of every method, one line each. A change of a line needs a reason.
const GOLDEN: &str = include_str!("golden/methods.txt");

#[test]
fn every_method_of_the_contract_is_named() {
    let methods = super::methods();
    assert!(methods.len() >= 38, "{methods:?}");
    assert!(methods.contains(&"riposte.v1.CommentService/ListComments".to_owned()), "{methods:?}");
}

#[test]
fn the_properties_of_every_method_equal_the_golden_file() {
    let set = FileDescriptorSet::decode(riposte_sdk::FILE_DESCRIPTOR_SET).unwrap();
    let services = set.file.iter().flat_map(|file| &file.service);
    let methods = services.flat_map(|service| service.method.iter().map(move |method| (service.name(), method)));
    let lines: Vec<String> = methods.map(|(service, method)| line(&set, service, method)).collect();
    assert_eq!(lines, GOLDEN.lines().collect::<Vec<_>>());
}

/// The messages whose calls are about one subject, which their answers do not name by a revision:
/// `min_revision` of GetComment is the subject's, a like moves the comment's revision only, and
/// reports and appeals move none.
const WITHOUT_REVISION: [&str; 4] =
    ["CommentService/GetComment", "LikeService/SetLike", "ReportService/ReportComment", "ReportService/AppealDecision"];

/// The services of operators and moderators.
const ADMIN: [&str; 3] = ["AdminService", "ModerationService", "PolicyService"];

#[test]
fn every_call_on_one_subject_that_reads_or_writes_its_row_answers_its_revision() {
    let set = FileDescriptorSet::decode(riposte_sdk::FILE_DESCRIPTOR_SET).unwrap();
    let message = |name: &str| {
        let has_name = |message: &&DescriptorProto| name == format!(".riposte.v1.{}", message.name());
        set.file.iter().flat_map(|file| &file.message_type).find(has_name).unwrap()
    };
    let has = |name: &str, field: &str| message(name).field.iter().any(|found| found.name() == field);
    let services = set.file.iter().flat_map(|file| &file.service).filter(|service| !ADMIN.contains(&service.name()));
    let mut with_revision = Vec::new();
    for (service, method) in services.flat_map(|service| service.method.iter().map(move |method| (service, method))) {
        let name = format!("{}/{}", service.name(), method.name());
        let (input, output) = (method.input_type(), method.output_type());
        // A write makes a revision, and a read that takes a revision shows one.
        let of_row = has(input, "request_id") || has(input, "min_revision");
        let expected = of_row && !WITHOUT_REVISION.contains(&&*name);
        assert_eq!(has(output, "subject_revision"), expected, "{name}");
        if expected {
            with_revision.push(name);
        }
    }
    assert_eq!(with_revision.len(), 17, "{with_revision:?}");
}

/// Returns the properties of a method in one line.
fn line(set: &FileDescriptorSet, service: &str, descriptor: &MethodDescriptorProto) -> String {
    let name = format!("{service}/{}", descriptor.name());
    let path = format!("/riposte.v1.{name}");
    let found = method(&path).unwrap_or_else(|| panic!("{path} is not a known method"));
    assert_eq!(found.name, name);
    let (policy, access) = (found.policy, format!("role({:?})", found.role).to_lowercase());
    let size = policy.profile.max_message(4 << 20);
    let second = Duration::from_secs;
    let timeouts = Timeouts { read: second(1), write: second(2), admin: second(3), call: second(4) };
    // A call that waits for its response has 20 s more.
    let deadline = ["", "read", "write", "admin", "call"][timeouts.of(Some(policy)).as_secs() as usize % 20];
    let audited = if found.audited { found.name } else { "no" };
    let request = descriptor.input_type().trim_start_matches(".riposte.v1.");
    let metadata = metadata_of(request, &sample(set, descriptor.input_type(), "")).unwrap().unwrap_or_default();
    let metadata: Vec<String> = metadata.all().map(|(name, value)| format!("{name}={value}")).collect();
    format!(
        "{name} access={access} pool={} class={} profile={:?} size={size} deadline={deadline} audited={audited} metadata={}",
        policy.pool.name(),
        policy.class.name(),
        policy.profile,
        metadata.join(",")
    )
}

/// Returns a message in which each text is the path of its field, and each number is the number of
/// its field. Of a oneof it contains the first field.
fn sample(set: &FileDescriptorSet, full_name: &str, path: &str) -> Vec<u8> {
    let has_name = |message: &&DescriptorProto| full_name == format!(".riposte.v1.{}", message.name());
    let message = set.file.iter().flat_map(|file| &file.message_type).find(has_name);
    let (mut buffer, mut oneofs) = (Vec::new(), Vec::new());
    for field in message.iter().flat_map(|message| &message.field).filter(|field| field.label() != Label::Repeated) {
        if field.oneof_index.is_none_or(|oneof| !oneofs.contains(&oneof)) {
            add(set, field, path, &mut buffer);
        }
        oneofs.extend(field.oneof_index);
    }
    buffer
}

fn add(set: &FileDescriptorSet, field: &FieldDescriptorProto, path: &str, buffer: &mut Vec<u8>) {
    let tag = field.number().unsigned_abs();
    let path = format!("{path}{}", field.name());
    if field.r#type() == Type::Message {
        let inner = sample(set, field.type_name(), &format!("{path}."));
        bytes::encode(tag, &inner, buffer);
    } else if field.r#type() == Type::String {
        string::encode(tag, &path, buffer);
    } else if field.r#type() == Type::Int64 {
        int64::encode(tag, &i64::from(tag), buffer);
    }
}
