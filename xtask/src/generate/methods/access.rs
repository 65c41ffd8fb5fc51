//! The table of docs/secure.md: the methods that each role may call.

use super::table::{Role, Table};
use crate::generate::contract::Contract;
use anyhow::{Context, Result};
use std::fmt::Write;

/// The page that has the table.
pub(super) const PAGE: &str = "docs/secure.md";

const BEGIN: &str = "<!-- access table: made by `cargo xtask gen` from proto/riposte/v1/methods.yaml -->\n";
const END: &str = "<!-- end of the access table -->\n";

/// Returns the page with a new table between its markers.
pub(super) fn page(page: &str, contract: &Contract<'_>, table: &Table) -> Result<String> {
    let around = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = around.with_context(|| format!("{PAGE} does not have the markers of the access table"))?;
    let mut text = format!("{before}{BEGIN}| role | may call |\n|---|---|\n");
    for (role, name) in [
        (Role::Reader, "reader"),
        (Role::Writer, "writer"),
        (Role::Moderator, "moderator"),
        (Role::Operator, "operator"),
        (Role::Subscriber, "subscriber"),
    ] {
        let mut parts = Vec::new();
        for service in &contract.services {
            let mut methods = Vec::new();
            for method in &service.methods {
                if table.row(method)?.role == role {
                    methods.push(method.says.name());
                }
            }
            if !methods.is_empty() {
                parts.push(format!("{}: {}", service.name, methods.join(", ")));
            }
        }
        writeln!(text, "| `{name}` | {} |", parts.join("<br>"))?;
    }
    Ok(text + END + after)
}
