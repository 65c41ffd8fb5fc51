//! A deserializer without input: it supplies sample values and records the types that are
//! requested.

use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The forms of a text. Each has a sample that no earlier form accepts, and a pattern, or `None` if
/// it accepts any text.
pub(super) const FORMS: [(&str, Option<&str>); 6] = [
    ("any text", None),
    ("always", Some(r"^(always|\s*[0-9]+\s*(ms|s|min|h|d)\s*)$")),
    ("1s", Some(r"^\s*[0-9]+\s*(ms|s|min|h|d)\s*$")),
    ("1B", Some(r"^\s*[0-9]+\s*(B|KiB|MiB|GiB)\s*$")),
    ("0.0.0.0:1", Some("^.+:[0-9]+$")),
    ("0-1", Some(r"^\s*[0-9]+\s*(-\s*[0-9]+\s*)?$")),
];

/// The name of every member of a list, and of every entry of a table with user-defined names.
const ANY: &[&str] = &["*"];

/// The form that is being tried for each text.
#[derive(Debug, Default)]
pub(super) struct Tries {
    forms: BTreeMap<String, usize>,
    last: Option<String>,
}

/// The value at one path.
#[derive(Debug)]
pub(super) struct Probe<'p> {
    slot: &'p mut Value,
    path: String,
    tries: &'p mut Tries,
}

/// The named values below one path.
struct Inner<'p> {
    names: std::slice::Iter<'static, &'static str>,
    name: &'static str,
    found: &'p mut Map<String, Value>,
    path: &'p str,
    tries: &'p mut Tries,
}

impl Tries {
    /// Selects the next form for the text that was supplied last. Returns false if no form is left.
    pub(super) fn another(&mut self) -> bool {
        let Some(path) = self.last.take() else { return false };
        let form = self.forms.entry(path).or_default();
        *form += 1;
        *form < FORMS.len()
    }
}

impl<'p> Probe<'p> {
    /// A probe for the root; it stores its findings in `slot`.
    pub(super) fn new(slot: &'p mut Value, tries: &'p mut Tries) -> Self {
        Self { slot, path: String::new(), tries }
    }

    /// Passes `names` below this path to `visit` and stores the findings in the form that `form`
    /// gives them.
    fn below<T>(
        self,
        names: &'static [&'static str],
        visit: impl FnOnce(Inner<'_>) -> Result<T, Error>,
        form: impl FnOnce(Map<String, Value>) -> Value,
    ) -> Result<T, Error> {
        let mut found = Map::new();
        let inner = Inner { names: names.iter(), name: "", found: &mut found, path: &self.path, tries: self.tries };
        let made = visit(inner)?;
        *self.slot = form(found);
        Ok(made)
    }
}

impl Inner<'_> {
    fn next(&mut self) -> Option<&'static str> {
        self.name = self.names.next().copied()?;
        Some(self.name)
    }

    fn value<'de, S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let mut slot = Value::Null;
        let path = format!("{}.{}", self.path, self.name);
        let made = seed.deserialize(Probe { slot: &mut slot, path, tries: self.tries })?;
        self.found.insert(self.name.to_owned(), slot);
        Ok(made)
    }
}

impl<'de> MapAccess<'de> for Inner<'_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let key = |name: &'static str| seed.deserialize(IntoDeserializer::<Error>::into_deserializer(name));
        self.next().map(key).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        self.value(seed)
    }
}

impl<'de> SeqAccess<'de> for Inner<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        self.next().map(|_| self.value(seed)).transpose()
    }
}

/// Integers, each with the bounds of its type.
macro_rules! numbers {
    ($($method:ident $visit:ident $type:ty),+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            *self.slot = json!({ "type": "integer", "minimum": <$type>::MIN });
            // JSON parsers lose precision beyond 53 bits.
            if u128::from(<$type>::MAX) < 1 << 53 {
                self.slot["maximum"] = json!(<$type>::MAX);
            }
            visitor.$visit(1)
        })+
    };
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    numbers! {
        deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom(format!("{}: a type that no configuration has had yet", self.path)))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.slot = json!({ "type": "boolean" });
        visitor.visit_bool(false)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.slot = json!({ "type": "number" });
        visitor.visit_f64(1.0)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let form = self.tries.forms.get(&self.path).copied().unwrap_or(0);
        let (sample, pattern) = FORMS[form.min(FORMS.len() - 1)];
        *self.slot = json!({ "type": "string" });
        if let Some(pattern) = pattern {
            self.slot["pattern"] = json!(pattern);
        }
        self.tries.last = Some(self.path);
        visitor.visit_str(sample)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let form = |mut found: Map<String, Value>| json!({ "type": "array", "items": found.remove("*") });
        self.below(ANY, |inner| visitor.visit_seq(inner), form)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let form =
            |mut found: Map<String, Value>| json!({ "type": "object", "additionalProperties": found.remove("*") });
        self.below(ANY, |inner| visitor.visit_map(inner), form)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let form =
            |found| json!({ "type": "object", "properties": Value::Object(found), "additionalProperties": false });
        self.below(fields, |inner| visitor.visit_map(inner), form)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.slot = json!({ "enum": variants });
        let first: StrDeserializer<'static, Error> = variants.first().copied().unwrap_or_default().into_deserializer();
        visitor.visit_enum(first)
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}
