//! The methods of the contract, and the facts of each, compared with a list that is kept by hand.

use std::time::Duration;

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, int64, string};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet, MethodDescriptorProto};
use riposte_sdk::v1;

use super::error_metadata::ErrorSubject;
use super::rpc_error::ErrorMetadata;
use crate::admission::{Timeouts, terms};
use crate::auth::needed;
use crate::auth::recorded;

/// The facts of every method: a line each, changed by hand and with a reason.
const GOLDEN: &str = include_str!("golden/methods.txt");

#[test]
fn every_method_of_the_contract_is_named() {
    let methods = super::methods();
    assert!(methods.len() >= 38, "{methods:?}");
    assert!(methods.contains(&"riposte.v1.CommentService/ListComments".to_owned()), "{methods:?}");
}

#[test]
fn the_facts_of_every_method_are_those_of_the_golden_file() {
    let set = FileDescriptorSet::decode(riposte_sdk::FILE_DESCRIPTOR_SET).unwrap();
    let services = set.file.iter().flat_map(|file| &file.service);
    let methods = services.flat_map(|service| service.method.iter().map(move |method| (service.name(), method)));
    let lines: Vec<String> = methods.map(|(service, method)| line(&set, service, method)).collect();
    assert_eq!(lines, GOLDEN.lines().collect::<Vec<_>>());
}

/// Returns the facts of a method in one line.
fn line(set: &FileDescriptorSet, service: &str, method: &MethodDescriptorProto) -> String {
    let name = format!("{service}/{}", method.name());
    let path = format!("/riposte.v1.{name}");
    let access = format!("{:?}", needed(&path)).to_lowercase();
    let policy = terms(&path).unwrap();
    let size = policy.kind.max_message(4 << 20);
    let second = Duration::from_secs;
    let times = Timeouts { read: second(1), write: second(2), admin: second(3), call: second(4) };
    let deadline = ["", "read", "write", "admin", "call"][times.of(Some(policy)).as_secs() as usize];
    let audited = recorded(&path).unwrap_or("no");
    let metadata: Vec<String> = if method.client_streaming() {
        Vec::new()
    } else {
        let sample = sample(set, method.input_type(), "");
        let facts = facts(method.input_type().trim_start_matches(".riposte.v1."), &sample);
        facts.all().map(|(fact, value)| format!("{fact}={value}")).collect()
    };
    format!(
        "{name} access={access} pool={} class={} profile={:?} size={size} deadline={deadline} audited={audited} metadata={}",
        policy.pool.name(),
        policy.class.name(),
        policy.kind,
        metadata.join(",")
    )
}

/// Returns a message in which each text is the path of its field and each number that of its field;
/// of a choice it has the first.
fn sample(set: &FileDescriptorSet, full_name: &str, path: &str) -> Vec<u8> {
    let named = |message: &&DescriptorProto| full_name == format!(".riposte.v1.{}", message.name());
    let message = set.file.iter().flat_map(|file| &file.message_type).find(named);
    let mut bytes = Vec::new();
    let mut chosen = Vec::new();
    for field in message.iter().flat_map(|message| &message.field).filter(|field| field.label() != Label::Repeated) {
        if field.oneof_index.is_none_or(|choice| !chosen.contains(&choice)) {
            add(set, field, path, &mut bytes);
        }
        chosen.extend(field.oneof_index);
    }
    bytes
}

fn add(set: &FileDescriptorSet, field: &FieldDescriptorProto, path: &str, bytes: &mut Vec<u8>) {
    let tag = field.number().unsigned_abs();
    let path = format!("{path}{}", field.name());
    if field.r#type() == Type::Message {
        let inner = sample(set, field.type_name(), &format!("{path}."));
        encode_key(tag, WireType::LengthDelimited, bytes);
        encode_varint(inner.len() as u64, bytes);
        bytes.extend(inner);
    } else if field.r#type() == Type::String {
        string::encode(tag, &path, bytes);
    } else if field.r#type() == Type::Int64 {
        int64::encode(tag, &i64::from(tag), bytes);
    }
}

fn facts(message: &str, bytes: &[u8]) -> ErrorMetadata {
    match message {
        "CreateSubjectRequest" => v1::CreateSubjectRequest::decode(bytes).unwrap().facts(),
        "GetSubjectRequest" => v1::GetSubjectRequest::decode(bytes).unwrap().facts(),
        "BatchGetSubjectsRequest" => v1::BatchGetSubjectsRequest::decode(bytes).unwrap().facts(),
        "UpdateSubjectRequest" => v1::UpdateSubjectRequest::decode(bytes).unwrap().facts(),
        "DeleteSubjectRequest" => v1::DeleteSubjectRequest::decode(bytes).unwrap().facts(),
        "UndeleteSubjectRequest" => v1::UndeleteSubjectRequest::decode(bytes).unwrap().facts(),
        "WatchSubjectRequest" => v1::WatchSubjectRequest::decode(bytes).unwrap().facts(),
        "CreateCommentRequest" => v1::CreateCommentRequest::decode(bytes).unwrap().facts(),
        "GetCommentRequest" => v1::GetCommentRequest::decode(bytes).unwrap().facts(),
        "BatchGetCommentsRequest" => v1::BatchGetCommentsRequest::decode(bytes).unwrap().facts(),
        "ListCommentsRequest" => v1::ListCommentsRequest::decode(bytes).unwrap().facts(),
        "UpdateCommentRequest" => v1::UpdateCommentRequest::decode(bytes).unwrap().facts(),
        "ListCommentRevisionsRequest" => v1::ListCommentRevisionsRequest::decode(bytes).unwrap().facts(),
        "DeleteCommentRequest" => v1::DeleteCommentRequest::decode(bytes).unwrap().facts(),
        "UndeleteCommentRequest" => v1::UndeleteCommentRequest::decode(bytes).unwrap().facts(),
        "PinCommentRequest" => v1::PinCommentRequest::decode(bytes).unwrap().facts(),
        "UnpinCommentRequest" => v1::UnpinCommentRequest::decode(bytes).unwrap().facts(),
        "ListMemberCommentsRequest" => v1::ListMemberCommentsRequest::decode(bytes).unwrap().facts(),
        "CreateReplyRequest" => v1::CreateReplyRequest::decode(bytes).unwrap().facts(),
        "ListRepliesRequest" => v1::ListRepliesRequest::decode(bytes).unwrap().facts(),
        "GetThreadRequest" => v1::GetThreadRequest::decode(bytes).unwrap().facts(),
        "ListConversationRequest" => v1::ListConversationRequest::decode(bytes).unwrap().facts(),
        "SetLikeRequest" => v1::SetLikeRequest::decode(bytes).unwrap().facts(),
        "BatchGetLikeStatesRequest" => v1::BatchGetLikeStatesRequest::decode(bytes).unwrap().facts(),
        "ListLikersRequest" => v1::ListLikersRequest::decode(bytes).unwrap().facts(),
        "ListMemberLikesRequest" => v1::ListMemberLikesRequest::decode(bytes).unwrap().facts(),
        "ExportSubjectRequest" => v1::ExportSubjectRequest::decode(bytes).unwrap().facts(),
        "ListSubjectsRequest" => v1::ListSubjectsRequest::decode(bytes).unwrap().facts(),
        "HideCommentRequest" => v1::HideCommentRequest::decode(bytes).unwrap().facts(),
        "UnhideCommentRequest" => v1::UnhideCommentRequest::decode(bytes).unwrap().facts(),
        "AdminServiceDeleteCommentRequest" => v1::AdminServiceDeleteCommentRequest::decode(bytes).unwrap().facts(),
        "VerifyCountsRequest" => v1::VerifyCountsRequest::decode(bytes).unwrap().facts(),
        "RepairCountsRequest" => v1::RepairCountsRequest::decode(bytes).unwrap().facts(),
        "RebuildMemberHistoryRequest" => v1::RebuildMemberHistoryRequest::decode(bytes).unwrap().facts(),
        "RebuildRanksRequest" => v1::RebuildRanksRequest::decode(bytes).unwrap().facts(),
        "RebuildCacheRequest" => v1::RebuildCacheRequest::decode(bytes).unwrap().facts(),
        "ListHotSubjectsRequest" => v1::ListHotSubjectsRequest::decode(bytes).unwrap().facts(),
        _ => panic!("{message}"),
    }
}
