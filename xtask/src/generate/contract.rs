//! The public contract with its comments, in the form that the generators need.

use anyhow::{Context, Result};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto,
};

/// The paths of elements in a file descriptor, by which comments are found: field numbers of
/// descriptor.proto.
const MESSAGE: i32 = 4;
const ENUM: i32 = 5;
const SERVICE: i32 = 6;
const MEMBER: i32 = 2;

/// All services, messages and enums of a set of files.
#[derive(Debug)]
pub(crate) struct Contract<'a> {
    pub(crate) services: Vec<Service<'a>>,
    messages: Vec<Message<'a>>,
    pub(crate) enums: Vec<Enum>,
}

/// A service.
#[derive(Debug)]
pub(crate) struct Service<'a> {
    pub(crate) name: &'a str,
    pub(crate) full_name: String,
    pub(crate) about: String,
    pub(crate) methods: Vec<Method<'a>>,
}

/// A method of a service.
#[derive(Debug)]
pub(crate) struct Method<'a> {
    /// The path in HTTP/2: `/riposte.v1.CommentService/GetComment`.
    pub(crate) path: String,
    pub(crate) about: String,
    pub(crate) says: &'a MethodDescriptorProto,
}

/// A message.
#[derive(Debug)]
pub(crate) struct Message<'a> {
    pub(crate) name: &'a str,
    pub(crate) about: String,
    full_name: String,
    pub(crate) fields: Vec<Field<'a>>,
    says: &'a DescriptorProto,
}

/// A field of a message.
#[derive(Debug)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) about: String,
    pub(crate) says: &'a FieldDescriptorProto,
}

/// An enum.
#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) name: String,
    pub(crate) about: String,
    /// Name, number and comment of each value.
    pub(crate) values: Vec<(String, i32, String)>,
}

impl<'a> Contract<'a> {
    /// Reads a set of files.
    pub(crate) fn of(set: &'a FileDescriptorSet) -> Self {
        let mut contract = Self { services: Vec::new(), messages: Vec::new(), enums: Vec::new() };
        for file in &set.file {
            contract.services.extend(services(file));
            contract.messages.extend(messages(file));
            if !file.package().starts_with("google.") {
                contract.enums.extend(enums(file));
            }
        }
        contract
    }

    /// Returns the message of a full name in the form of descriptors: `.riposte.v1.Comment`.
    pub(crate) fn message(&self, full_name: &str) -> Result<&Message<'a>> {
        let found = self.messages.iter().find(|message| message.full_name == full_name);
        found.with_context(|| format!("the contract has no message {full_name}"))
    }

    /// Returns all messages of the contract itself, without the Google messages that it imports.
    pub(crate) fn own_messages(&self) -> impl Iterator<Item = &Message<'a>> {
        self.messages.iter().filter(|message| !message.full_name.starts_with(".google."))
    }

    /// Returns the public message of a short name.
    pub(crate) fn named(&self, name: &str) -> Result<&Message<'a>> {
        let found = self.messages.iter().find(|message| message.name == name);
        found.with_context(|| format!("the contract has no message {name}"))
    }

    /// Returns the enum of a short name.
    pub(crate) fn enumeration(&self, name: &str) -> Result<&Enum> {
        let found = self.enums.iter().find(|known| known.name == name);
        found.with_context(|| format!("the contract has no enum {name}"))
    }
}

impl<'a> Message<'a> {
    /// Returns the field of a name. The error names the message and the field.
    pub(crate) fn field(&self, name: &str) -> Result<&Field<'a>> {
        self.find(name).with_context(|| format!("{} has no field {name}", self.name))
    }

    /// Returns the types of key and value of a map field; `None` for any other field.
    pub(crate) fn map(&self, field: &Field<'_>) -> Option<(String, String)> {
        let entry = short(field.says.type_name());
        let entry = self.says.nested_type.iter().find(|nested| field.is_message() && nested.name() == entry)?;
        let kind = |says| Field { name: "", about: String::new(), says }.type_name();
        Some((kind(entry.field.first()?), kind(entry.field.get(1)?)))
    }

    /// Returns the oneof that a field belongs to, if any.
    pub(crate) fn oneof_of(&self, field: &Field<'_>) -> Option<&'a str> {
        let place = usize::try_from(field.says.oneof_index?).ok()?;
        self.oneofs().nth(place).filter(|_| !field.says.proto3_optional())
    }

    /// Returns the names of its oneofs.
    pub(crate) fn oneofs(&self) -> impl Iterator<Item = &'a str> {
        self.says.oneof_decl.iter().map(|oneof| oneof.name())
    }

    /// Returns the field of a name, if it exists.
    pub(crate) fn find(&self, name: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Field<'_> {
    /// Returns the name of its type: that of a scalar (`string`, `int64`), of a message or of an
    /// enum.
    pub(crate) fn type_name(&self) -> String {
        match self.says.r#type() {
            Type::Message | Type::Enum => short(self.says.type_name()).to_owned(),
            Type::Double
            | Type::Float
            | Type::Int64
            | Type::Uint64
            | Type::Int32
            | Type::Fixed64
            | Type::Fixed32
            | Type::Bool
            | Type::String
            | Type::Group
            | Type::Bytes
            | Type::Uint32
            | Type::Sfixed32
            | Type::Sfixed64
            | Type::Sint32
            | Type::Sint64 => self.says.r#type().as_str_name().trim_start_matches("TYPE_").to_lowercase(),
        }
    }

    /// Returns `true` if the field contains a message.
    pub(crate) fn is_message(&self) -> bool {
        self.says.r#type() == Type::Message
    }

    /// Returns `true` if the field contains a value of an enum.
    pub(crate) fn is_enum(&self) -> bool {
        self.says.r#type() == Type::Enum
    }

    /// Returns `true` if it is a list.
    pub(crate) fn is_repeated(&self) -> bool {
        self.says.label() == Label::Repeated
    }
}

/// Returns the last part of a full name.
pub(crate) fn short(full_name: &str) -> &str {
    full_name.rsplit('.').next().unwrap_or(full_name)
}

fn services(file: &FileDescriptorProto) -> impl Iterator<Item = Service<'_>> {
    file.service.iter().zip(0..).map(move |(service, at)| {
        let full_name = format!("{}.{}", file.package(), service.name());
        let methods = service.method.iter().zip(0..).map(|(method, index)| Method {
            path: format!("/{full_name}/{}", method.name()),
            about: comment(file, &[SERVICE, at, MEMBER, index]),
            says: method,
        });
        let methods = methods.collect();
        Service { name: service.name(), about: comment(file, &[SERVICE, at]), full_name, methods }
    })
}

fn messages(file: &FileDescriptorProto) -> impl Iterator<Item = Message<'_>> {
    file.message_type.iter().zip(0..).map(move |(message, at)| {
        let fields = message.field.iter().zip(0..).map(|(field, index)| Field {
            name: field.name(),
            about: comment(file, &[MESSAGE, at, MEMBER, index]),
            says: field,
        });
        let full_name = format!(".{}.{}", file.package(), message.name());
        let (about, fields) = (comment(file, &[MESSAGE, at]), fields.collect());
        Message { name: message.name(), about, full_name, fields, says: message }
    })
}

fn enums(file: &FileDescriptorProto) -> impl Iterator<Item = Enum> {
    file.enum_type.iter().zip(0..).map(move |(listed, at)| {
        let values =
            listed.value.iter().zip(0..).map(|(value, index)| {
                (value.name().to_owned(), value.number(), comment(file, &[ENUM, at, MEMBER, index]))
            });
        Enum { name: listed.name().to_owned(), about: comment(file, &[ENUM, at]), values: values.collect() }
    })
}

/// Returns the comment before the element at a path, lines joined. Paragraphs are separated by an
/// empty line.
fn comment(file: &FileDescriptorProto, place: &[i32]) -> String {
    let info = file.source_code_info.iter().flat_map(|info| &info.location);
    let text = info.filter(|location| location.path == place).find_map(|location| location.leading_comments.as_deref());
    let lines: Vec<&str> = text.unwrap_or_default().lines().map(str::trim).collect();
    let paragraphs = lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty());
    paragraphs.map(|lines| lines.join(" ")).collect::<Vec<_>>().join("\n\n")
}
