//! Who asks for a mutation: once for all verbs of members, within the rate of each.

use riposte_core::comments::WriteContext;
use riposte_core::request::RequestId;
use riposte_core::{Caller, MemberId, ObjectType};

use super::Services;
use super::rpc_error::{ErrorMetadata, RpcError};
use super::status::QUOTA;

impl Services {
    /// A member asks by a caller for something under an object type. Repeats count too: to find the first answer is work.
    ///
    /// # Errors
    /// [`riposte_core::Error::RateLimited`] where the member has written as much as the type allows.
    pub(super) fn asked(
        &self,
        caller: Caller,
        member: &MemberId,
        request_id: Option<RequestId>,
        object_type: &ObjectType,
    ) -> Result<WriteContext, RpcError> {
        let used_up =
            |error| RpcError::about(error, ErrorMetadata::default().with(QUOTA, format!("member:{}", member.as_str())));
        self.admission.member(object_type, member).map_err(used_up)?;
        Ok(WriteContext { caller, member: Some(member.clone()), request_id })
    }
}
