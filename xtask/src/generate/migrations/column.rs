//! The columns of tables and their types.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use yaml_serde::Mapping;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    kind: Kind,
    pub(super) nullable: bool,
}

/// The types that the schema uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    BigInt,
    Int,
    SmallInt,
    TinyInt,
    Double,
    Text,
    MediumText,
    MediumBlob,
    Binary(u32),
    VarBinary(u32),
}

/// Reads a mapping of names to types in the order of the file.
pub(super) fn ordered<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Column>, D::Error> {
    let columns = Mapping::deserialize(from)?;
    let column = |(name, text): (&yaml_serde::Value, &yaml_serde::Value)| {
        let name = name.as_str().context("a column has no name")?;
        let text = text.as_str().with_context(|| format!("{name} has no type"))?;
        Column::parse(name, text)
    };
    columns.iter().map(column).collect::<Result<_>>().map_err(D::Error::custom)
}

impl Column {
    /// Parses a type such as `varbinary(64) null`; a column without `null` is NOT NULL.
    fn parse(name: &str, text: &str) -> Result<Self> {
        let (kind, nullable) = text.strip_suffix(" null").map_or((text, false), |kind| (kind, true));
        let length = |prefix: &str| {
            let length = kind.strip_prefix(prefix)?.strip_prefix('(')?.strip_suffix(')')?;
            length.parse::<u32>().ok()
        };
        let kind = match kind {
            "bigint" => Kind::BigInt,
            "int" => Kind::Int,
            "smallint" => Kind::SmallInt,
            "tinyint" => Kind::TinyInt,
            "double" => Kind::Double,
            "text" => Kind::Text,
            "mediumtext" => Kind::MediumText,
            "mediumblob" => Kind::MediumBlob,
            _ => match (length("binary"), length("varbinary")) {
                (Some(length), _) => Kind::Binary(length),
                (None, Some(length)) => Kind::VarBinary(length),
                (None, None) => bail!("{name}: the type {kind:?} is unknown"),
            },
        };
        Ok(Self { name: name.to_owned(), kind, nullable })
    }

    /// Returns the column as a constant of the migrations.
    pub(super) fn constant(&self) -> String {
        let kind = match self.kind {
            Kind::BigInt => "BigInt".to_owned(),
            Kind::Int => "Int".to_owned(),
            Kind::SmallInt => "SmallInt".to_owned(),
            Kind::TinyInt => "TinyInt".to_owned(),
            Kind::Double => "Double".to_owned(),
            Kind::Text => "Text".to_owned(),
            Kind::MediumText => "Named(\"mediumtext\")".to_owned(),
            Kind::MediumBlob => "Named(\"mediumblob\")".to_owned(),
            Kind::Binary(length) => format!("Binary({length})"),
            Kind::VarBinary(length) => format!("VarBinary({length})"),
        };
        let Self { name, nullable, .. } = self;
        format!("ColumnSpec {{ name: {name:?}, kind: ColumnType::{kind}, nullable: {nullable} }}")
    }

    /// Returns the type of the entity's field.
    pub(super) fn rust(&self) -> String {
        let plain = match self.kind {
            Kind::BigInt => "i64",
            Kind::Int => "i32",
            Kind::SmallInt => "i16",
            Kind::TinyInt => "i8",
            Kind::Double => "f64",
            Kind::Text | Kind::MediumText => "String",
            Kind::MediumBlob | Kind::Binary(_) | Kind::VarBinary(_) => "Vec<u8>",
        };
        if self.nullable { format!("Option<{plain}>") } else { plain.to_owned() }
    }
}
