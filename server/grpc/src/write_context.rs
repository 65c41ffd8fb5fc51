//! The context of a member's write. It is created only within the rate limit of the member.

use riposte_core::request::RequestId;
use riposte_core::submit::WriteContext;
use riposte_core::{Caller, Error, MemberId, ObjectType};

use crate::Services;
use crate::rpc_error::{ErrorMetadata, RpcError};
use crate::status::QUOTA;

impl Services {
    /// Returns the context of a member's write under an object type. Repeated requests count
    /// towards the rate limit too, because a repeat reads the first result.
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
        self.admission.count_member(object_type, member).map_err(|error| of_member(error, member))?;
        Ok(WriteContext { caller, member: Some(member.clone()), request_id })
    }
}

/// Returns the refusal by a rate limit of a member, which names the quota.
pub(crate) fn of_member(error: Error, member: &MemberId) -> RpcError {
    RpcError::about(error, ErrorMetadata::default().with(QUOTA, format!("member:{}", member.as_str())))
}
