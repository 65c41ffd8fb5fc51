//! The columns of tables and their types.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use yaml_serde::Mapping;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    kind: ColumnKind,
    pub(super) nullable: bool,
}

/// The types that the schema uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnKind {
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
            "bigint" => ColumnKind::BigInt,
            "int" => ColumnKind::Int,
            "smallint" => ColumnKind::SmallInt,
            "tinyint" => ColumnKind::TinyInt,
            "double" => ColumnKind::Double,
            "text" => ColumnKind::Text,
            "mediumtext" => ColumnKind::MediumText,
            "mediumblob" => ColumnKind::MediumBlob,
            _ => match (length("binary"), length("varbinary")) {
                (Some(length), _) => ColumnKind::Binary(length),
                (None, Some(length)) => ColumnKind::VarBinary(length),
                (None, None) => bail!("{name}: the type {kind:?} is unknown"),
            },
        };
        Ok(Self { name: name.to_owned(), kind, nullable })
    }

    /// Returns the column as a constant of the migrations.
    pub(super) fn constant(&self) -> String {
        let kind = match self.kind {
            ColumnKind::BigInt => "BigInt".to_owned(),
            ColumnKind::Int => "Int".to_owned(),
            ColumnKind::SmallInt => "SmallInt".to_owned(),
            ColumnKind::TinyInt => "TinyInt".to_owned(),
            ColumnKind::Double => "Double".to_owned(),
            ColumnKind::Text => "Text".to_owned(),
            ColumnKind::MediumText => "Named(\"mediumtext\")".to_owned(),
            ColumnKind::MediumBlob => "Named(\"mediumblob\")".to_owned(),
            ColumnKind::Binary(length) => format!("Binary({length})"),
            ColumnKind::VarBinary(length) => format!("VarBinary({length})"),
        };
        let Self { name, nullable, .. } = self;
        format!("ColumnSpec {{ name: {name:?}, kind: ColumnType::{kind}, nullable: {nullable} }}")
    }

    /// Returns the type of the entity's field.
    pub(super) fn rust(&self) -> String {
        let plain = match self.kind {
            ColumnKind::BigInt => "i64",
            ColumnKind::Int => "i32",
            ColumnKind::SmallInt => "i16",
            ColumnKind::TinyInt => "i8",
            ColumnKind::Double => "f64",
            ColumnKind::Text | ColumnKind::MediumText => "String",
            ColumnKind::MediumBlob | ColumnKind::Binary(_) | ColumnKind::VarBinary(_) => "Vec<u8>",
        };
        if self.nullable { format!("Option<{plain}>") } else { plain.to_owned() }
    }
}
