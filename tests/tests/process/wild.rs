//! Requests that no SDK client would send: every method receives values from the edges of every
//! field's type, and the same with some bytes changed. Each gets a response or an error, and none
//! breaks the server.

use anyhow::{Result, ensure};
use prost::Message;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value};
use rand::rngs::StdRng;
use rand::seq::{IndexedMutRandom, IndexedRandom};
use rand::{RngExt, SeedableRng};
use riposte_sdk::Error;
use riposte_sdk::v1::CommentSort;
use riposte_tests::raw::{self, Raw};
use riposte_tests::{Say, Server};

/// The number of requests to each method.
const EACH: usize = 150;
/// A depth above that of any message of the contract.
const DEEPEST: usize = 6;
const INTEGERS: [i64; 10] = [0, 1, -1, 2, 20, 1_000, i32::MAX as i64, i32::MIN as i64, i64::MAX, i64::MIN];
const TEXTS: [&str; 12] =
    ["", "1", "m", "article", "No Type", "0", "\u{0}", "\u{202e}x", "👩‍👩‍👧‍👦", "' OR 1=1 --", "../..", "%00"];

/// A generator of requests that is determined by its seed.
struct Wild {
    random: StdRng,
    /// The ids of comments that exist.
    ids: Vec<i64>,
}

impl Wild {
    fn message(&mut self, of: &MessageDescriptor, depth: usize) -> DynamicMessage {
        let mut message = DynamicMessage::new(of.clone());
        for field in of.fields() {
            if depth < DEEPEST && self.random.random_bool(0.7) {
                let value = self.field(&field, depth);
                message.set_field(&field, value);
            }
        }
        message
    }

    fn field(&mut self, field: &FieldDescriptor, depth: usize) -> Value {
        let many = || [0, 1, 2, 100, 101, 600];
        if let Kind::Message(entry) = field.kind()
            && field.is_map()
        {
            let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
            let count = *many().choose(&mut self.random).unwrap_or(&0);
            let entries = (0..count).filter_map(|_| {
                let key = self.one(&key, depth + 1).into_map_key()?;
                Some((key, self.one(&value, depth + 1)))
            });
            return Value::Map(entries.collect());
        }
        if field.is_list() {
            let count = *many().choose(&mut self.random).unwrap_or(&0);
            return Value::List((0..count).map(|_| self.one(field, depth + 1)).collect());
        }
        self.one(field, depth)
    }

    fn one(&mut self, field: &FieldDescriptor, depth: usize) -> Value {
        let integer = self.integer();
        match field.kind() {
            Kind::Message(of) => Value::Message(self.message(&of, depth + 1)),
            Kind::Enum(_) => Value::EnumNumber(integer as i32),
            Kind::Bool => Value::Bool(self.random.random()),
            Kind::String => Value::String(self.text()),
            Kind::Bytes => Value::Bytes(self.text().into()),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(integer as i32),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(integer),
            Kind::Uint32 | Kind::Fixed32 => Value::U32(integer as u32),
            Kind::Uint64 | Kind::Fixed64 => Value::U64(integer as u64),
            Kind::Double => Value::F64(f64::from_bits(integer as u64)),
            Kind::Float => Value::F32(f32::from_bits(integer as u32)),
        }
    }

    fn integer(&mut self) -> i64 {
        let from = if self.random.random_bool(0.3) { &self.ids[..] } else { &INTEGERS[..] };
        from.choose(&mut self.random).copied().unwrap_or_default()
    }

    fn text(&mut self) -> String {
        let text = TEXTS.choose(&mut self.random).copied().unwrap_or_default();
        match self.random.random_range(0..12) {
            0 => text.repeat(700),
            1 => uuid::Uuid::from_u128(self.random.random()).to_string(),
            _ => text.to_owned(),
        }
    }

    /// Changes some bytes, or cuts the end off.
    fn spoil(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.random.random_range(1..4) {
            let random: u8 = self.random.random();
            if let Some(byte) = bytes.choose_mut(&mut self.random) {
                *byte = random;
            }
        }
        if self.random.random_bool(0.3) {
            bytes.truncate(self.random.random_range(0..=bytes.len()));
        }
    }
}

/// Reads the corpus as the target `requests` of `tests/fuzz` reads its inputs: the first byte
/// selects the method.
#[tokio::test(flavor = "multi_thread")]
async fn no_request_of_the_corpus_breaks_the_server() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "log.filter=error"]).await?;
    let (public, admin) = (Raw::to(server.target(), None)?, Raw::to(server.admin_target(), None)?);
    let names: Vec<String> = raw::methods()?.iter().map(raw::name).collect();
    let mut called = 0;
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/requests"))? {
        let bytes = std::fs::read(file?.path())?;
        let Some((method, message)) = bytes.split_first() else { continue };
        let name = &names[usize::from(*method) % names.len()];
        let raw = if raw::is_admin(name) { &admin } else { &public };
        if let Err(error) = raw.call(name, message.to_vec()).await.map_err(Error::from) {
            ensure!(!raw::is_broken(&error), "{name} says {error:?} to {message:?}");
        }
        called += 1;
    }
    ensure!(called > 0, "the corpus is empty");
    ensure!(server.stop().await? == Some(0));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_method_responds_to_or_refuses_any_input() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "log.filter=error"]).await?;
    let say = Say::on(&server.client()?, "article");
    let root = say.comment("m", "the first").await?;
    let reply = say.reply(root.id, "m", "answer").await?;
    let seed = rand::random();
    println!("seed {seed}");
    let mut wild = Wild { random: StdRng::seed_from_u64(seed), ids: vec![root.id, reply.id, root.id + 1] };
    let mut outcomes = std::collections::BTreeMap::new();
    for method in raw::methods()? {
        let name = raw::name(&method);
        let admin = raw::is_admin(&name);
        let raw = Raw::to(if admin { server.admin_target() } else { server.target() }, None)?;
        for number in 0..EACH {
            let request = wild.message(&method.input(), 0);
            let mut bytes = request.encode_to_vec();
            if number % 3 == 0 {
                wild.spoil(&mut bytes);
            }
            let Err(status) = raw.call(&name, bytes).await else {
                *outcomes.entry("OK".to_owned()).or_insert(0) += 1;
                continue;
            };
            let error = Error::from(status);
            let (code, reason) = (error.code(), error.reason());
            let fields: Vec<_> = request.fields().map(|(field, value)| format!("{}: {value}", field.name())).collect();
            ensure!(!raw::is_broken(&error), "{name} says {error:?} to request {number} of seed {seed}: {fields:?}");
            *outcomes.entry(format!("{code:?} {reason:?}")).or_insert(0) += 1;
        }
    }
    println!("{outcomes:?}");
    ensure!(outcomes.contains_key("OK"), "no call succeeded: {outcomes:?}");
    // Everything else continues to work.
    let other = Say::on(&server.client()?, "video");
    other.comment("m", "the last").await?;
    ensure!(other.page(CommentSort::Newest, 20).await?.threads.len() == 1);
    ensure!(server.stop().await? == Some(0));
    Ok(())
}
