//! The server's tables: the properties of each method, and the metadata of each request.

use super::table::{MethodClass, Pool, Profile, Role, Row, Table};
use super::{HEAD, dispatch, folder};
use crate::generate::contract::{Contract, Message, short};
use crate::generate::files::Files;
use crate::repo::Repo;
use crate::run::filtered;
use anyhow::Result;
use std::fmt::Write;

/// The folder of the generated modules; with `.rs` it is their root.
const FOLDER: &str = "server/grpc/src/generated";
/// The module of admission control.
const ADMISSION: &str = "crate::admission";

/// Adds the modules of the server.
pub(super) fn add(repo: &Repo, contract: &Contract<'_>, table: &Table, files: &mut Files) -> Result<()> {
    let mut add = |path: String, text: String| {
        let mut rustfmt = repo.command("rustfmt");
        rustfmt.args(["--edition", "2024", "--config-path"]).arg(repo.at("rustfmt.toml"));
        files.add(path, filtered(&mut rustfmt, text)?)
    };
    let mounted: String =
        contract.services.iter().map(|service| format!("pub(crate) mod {};\n", folder(service))).collect();
    add(
        format!("{FOLDER}.rs"),
        format!("{HEAD}//! The tables of methods, and the dispatch of the services.\n\n{ROOT}"),
    )?;
    add(format!("{FOLDER}/services.rs"), format!("{HEAD}//! The services, each with its handlers.\n\n{mounted}"))?;
    add(format!("{FOLDER}/methods.rs"), methods(contract, table)?)?;
    add(format!("{FOLDER}/error_metadata.rs"), error_metadata(contract, table)?)?;
    for service in &contract.services {
        add(format!("{FOLDER}/services/{}.rs", folder(service)), dispatch::service(service, contract, table)?)?;
    }
    files.only_in(repo, FOLDER);
    files.only_in(repo, &format!("{FOLDER}/services"));
    Ok(())
}

const ROOT: &str = "pub(crate) mod error_metadata;\npub(crate) mod methods;\npub(crate) mod services;\n";

fn methods(contract: &Contract<'_>, table: &Table) -> Result<String> {
    let mut text = format!(
        "{HEAD}//! The properties of every method of the contract.

use riposte_core::Role;

use {ADMISSION}::{{AdmissionClass, MessageProfile, MethodPolicy, PoolName}};

/// The properties of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Method {{
    /// `CommentService/GetComment`.
    pub(crate) name: &'static str,
    /// The role that its callers need.
    pub(crate) role: Role,
    /// The admission policy of its calls.
    pub(crate) policy: MethodPolicy,
    /// True if the audit log records its calls.
    pub(crate) audited: bool,
}}

/// Returns the method at a path; `None` for health, reflection and unknown paths.
pub(crate) fn method(path: &str) -> Option<&'static Method> {{
    Some(match path.strip_prefix(\"/riposte.v1.\")? {{
"
    );
    let mut constants = String::new();
    for (service, method) in contract.services.iter().flat_map(|of| of.methods.iter().map(move |method| (of, method))) {
        let row = table.row(method)?;
        let constant = format!("{}_{}", super::snake(service.name), super::snake(method.says.name())).to_uppercase();
        writeln!(text, "{:?} => &{constant},", row.rpc)?;
        writeln!(constants, "\nconst {constant}: Method = {};", literal(row))?;
    }
    Ok(text + "_ => return None,\n})\n}\n" + &constants)
}

fn literal(row: &Row) -> String {
    let role = match row.role {
        Role::Reader => "Reader",
        Role::Writer => "Writer",
        Role::Moderator => "Moderator",
        Role::Operator => "Operator",
        Role::Subscriber => "Subscriber",
    };
    let pool = match row.pool {
        Pool::Reads => "Reads",
        Pool::Writes => "Writes",
        Pool::Streams => "Streams",
    };
    let class = match row.admission_class {
        MethodClass::Critical => "Critical",
        MethodClass::Sheddable => "Sheddable",
        MethodClass::BestEffort => "BestEffort",
    };
    let profile = match row.profile {
        Profile::Read => "Read",
        Profile::Batch => "Batch",
        Profile::Write => "Write",
        Profile::Review => "Review",
        Profile::Admin => "Admin",
        Profile::Wait => "Wait",
        Profile::Stream => "Stream",
        Profile::Trial => "Trial",
        Profile::Import => "Import",
    };
    format!(
        "Method {{ name: {:?}, role: Role::{role}, policy: MethodPolicy {{ pool: PoolName::{pool}, \
         class: AdmissionClass::{class}, profile: MessageProfile::{profile} }}, audited: {} }}",
        row.rpc, row.audited
    )
}

fn error_metadata(contract: &Contract<'_>, table: &Table) -> Result<String> {
    let mut text = format!(
        "{HEAD}//! The metadata of every request, for its errors and the audit log.

use riposte_sdk::v1;

use crate::error_metadata::{{AuditDetails, AuditField, ErrorSubject, MetadataField, named}};
use crate::rpc_error::ErrorMetadata;
"
    );
    let mut tested = String::new();
    for method in contract.services.iter().flat_map(|service| &service.methods) {
        if method.says.client_streaming() {
            continue;
        }
        let (row, request) = (table.row(method)?, short(method.says.input_type()));
        let mut metadata = "ErrorMetadata::default()".to_owned();
        for (fact, field) in &row.error_metadata {
            metadata = format!("self.{field}.add_to({metadata}, {fact:?})");
        }
        let details = audit_details(row, contract.message(method.says.input_type())?)?;
        writeln!(
            text,
            "\nimpl ErrorSubject for v1::{request} {{\nfn error_metadata(&self) -> ErrorMetadata {{\n{metadata}\n}}\n{details}}}"
        )?;
        writeln!(tested, "{request:?} => v1::{request}::decode(bytes)?.error_metadata(),")?;
    }
    write!(
        text,
        "
/// Returns the metadata of an encoded request; `None` for a message that is not the request of a
/// method.
#[cfg(test)]
pub(crate) fn metadata_of(request: &str, bytes: &[u8]) -> Result<Option<ErrorMetadata>, prost::DecodeError> {{
    use prost::Message;

    Ok(Some(match request {{
        {tested}_ => return Ok(None),
    }}))
}}
"
    )?;
    Ok(text)
}

/// Returns the method with the facts that only audit records report; empty if there are none.
fn audit_details(row: &Row, request: &Message<'_>) -> Result<String> {
    if row.audit_details.is_empty() {
        return Ok(String::new());
    }
    let mut fields = String::new();
    for (fact, name) in &row.audit_details {
        let field = request.field(name)?;
        let value = if field.is_enum() {
            format!("named(self.{name}, v1::{}::as_str_name)", field.type_name())
        } else {
            format!("self.{name}.to_audit()")
        };
        write!(fields, "({fact:?}, {value}),")?;
    }
    Ok(format!("\nfn audit_details(&self) -> AuditDetails {{\nvec![{fields}]\n}}\n"))
}
