//! Messages as JSON.

use crate::FILE_DESCRIPTOR_SET;
use prost::Name;
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};
use serde_json::Value;
use std::sync::LazyLock;

static POOL: LazyLock<Option<DescriptorPool>> = LazyLock::new(|| DescriptorPool::decode(FILE_DESCRIPTOR_SET).ok());

/// Returns a message of the contract in the JSON form of proto3: ids and revisions are strings,
/// which JavaScript does not round, enums are names, and times are RFC 3339. Fields with their
/// default are written too. Returns null for a message of another contract.
pub fn to_json<M: Name>(message: &M) -> Value {
    let written = || {
        let kind = POOL.as_ref()?.get_message_by_name(&M::full_name())?;
        let message = DynamicMessage::decode(kind, message.encode_to_vec().as_slice()).ok()?;
        let options = SerializeOptions::new().skip_default_fields(false);
        message.serialize_with_options(serde_json::value::Serializer, &options).ok()
    };
    written().unwrap_or_default()
}
