//! The context of a member's write. It is created only within the rate limit of the member.

use riposte_core::request::RequestId;
use riposte_core::submit::WriteContext;
use riposte_core::{Caller, MemberId, ObjectType};

use crate::Services;
use crate::rpc_error::{ErrorMetadata, RpcError};
use crate::status::QUOTA;

impl Services {
    /// Returns the context of a member's write under an object type, which a caller sends. Repeated
    /// requests count toward the rate limit too, because the first result has to be read.
    ///
    /// # Errors
    /// [`riposte_core::Error::RateLimited`] if the member has used up the rate that the type
    /// allows.
    pub(super) fn write_context(
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
