//! Messages as JSON.

use prost::Name;
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};
use serde_json::Value;

/// The descriptors of the contract.
const DESCRIPTORS: &[u8] = include_bytes!("gen/riposte.v1.descriptors.bin");

/// A writer of messages as JSON. It reads the descriptors of the contract once: create one and keep
/// it; threads may share it.
#[derive(Debug, Clone)]
pub struct JsonWriter {
    pool: Option<DescriptorPool>,
}

impl Default for JsonWriter {
    fn default() -> Self {
        Self { pool: DescriptorPool::decode(DESCRIPTORS).ok() }
    }
}

impl JsonWriter {
    /// Returns a message of the contract in the JSON form of proto3: ids and revisions are strings,
    /// which JavaScript does not round, enums are names, and times are RFC 3339. Fields with their
    /// default are written too. Returns null for a message of another contract.
    pub fn write<M: Name>(&self, message: &M) -> Value {
        let written = || {
            let kind = self.pool.as_ref()?.get_message_by_name(&M::full_name())?;
            let message = DynamicMessage::decode(kind, message.encode_to_vec().as_slice()).ok()?;
            let options = SerializeOptions::new().skip_default_fields(false);
            message.serialize_with_options(serde_json::value::Serializer, &options).ok()
        };
        written().unwrap_or_default()
    }
}
