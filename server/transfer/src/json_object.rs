//! Values of JSON that are objects.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de;

/// A value that is read from an object alone. A derived reader takes a list, too, whose elements it
/// takes for the members in their order.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: de::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        object(from).map(Self)
    }
}

/// Reads a member as [`Object`] does.
pub(crate) fn object<'de, D: de::Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    struct Members<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Members<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: de::MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
            T::deserialize(de::value::MapAccessDeserializer::new(members))
        }
    }

    from.deserialize_map(Members(PhantomData))
}

/// Reads a member that may be missing or null as [`Object`] does.
pub(crate) fn optional_object<'de, D: de::Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(from)?.map(|Object(value)| value))
}
