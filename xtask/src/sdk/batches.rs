//! Reads of many messages by their ids.

use super::model::MethodModel;
use crate::generate::contract::Contract;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// A function of a client that reads messages by their ids, with the names of its fields.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Batch {
    pub(super) name: String,
    about: String,
    /// As it is listed: `Service.Method`.
    call: String,
    ids: String,
    /// The most ids that one call takes.
    at_most: usize,
    /// The field that lets ids have no message.
    missing: String,
    items: String,
    /// The handle of an item.
    pub(super) handle: String,
    /// The place in an item of the subject of which a member can be asked for.
    viewer: String,
    /// The parts of `call` and its messages: filled in from the contract.
    #[serde(skip_deserializing)]
    service: String,
    #[serde(skip_deserializing)]
    method: String,
    #[serde(skip_deserializing)]
    request: String,
    #[serde(skip_deserializing)]
    response: String,
}

impl Batch {
    /// Returns the function, completed from the contract. `contains` is the message that its handle
    /// holds. An unknown name is an error.
    pub(super) fn resolve<'a>(
        &self,
        contract: &Contract<'_>,
        contains: &str,
        find: &dyn Fn(&str, &str) -> Option<&'a MethodModel>,
    ) -> Result<Self> {
        let (service, name) = self.call.split_once('.').with_context(|| format!("{} is not a method", self.call))?;
        let method = find(service, name).with_context(|| format!("the contract has no method {}", self.call))?;
        let (request, response) = (contract.named(&method.request)?, contract.named(&method.response)?);
        request.field(&self.missing)?;
        let (ids, items) = (request.field(&self.ids)?, response.field(&self.items)?);
        ensure!(ids.is_repeated() && ids.type_name() == "int64", "{} has no list of ids {}", request.name, self.ids);
        let found = items.type_name();
        ensure!(items.is_repeated() && found == contains, "{} are {found}, no list of {contains}", self.items);
        super::handles::walk(contract, contract.named(&found)?, &self.viewer)?;
        Ok(Self {
            service: service.to_owned(),
            method: name.to_owned(),
            request: method.request.clone(),
            response: method.response.clone(),
            ..self.clone()
        })
    }
}
