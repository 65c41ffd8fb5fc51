//! SubjectService.

mod watch;

use riposte_core::comments::{NewSubject, WriteContext};
use riposte_core::{Caller, Error};
use riposte_sdk::v1;
use riposte_sdk::v1::subject_service_server::SubjectService;
use tonic::{Request, Response, Status};

use super::call::{opened, serve};
use super::parse::Violations;
use super::rpc_error::RpcError;
use super::{Services, convert, error_metadata, parse};

/// The handlers of SubjectService.
#[derive(Debug)]
pub(super) struct SubjectHandlers(pub(super) Services);

impl SubjectHandlers {
    async fn create(
        &self,
        caller: Caller,
        request: v1::CreateSubjectRequest,
    ) -> Result<v1::CreateSubjectResponse, RpcError> {
        let mut v = Violations::default();
        let key = v.subject(&self.0.comments, &caller, "key", request.key.as_ref())?;
        let owner = v.take(parse::optional_member("owner_id", &request.owner_id));
        let metadata = v.take(parse::metadata("metadata", request.metadata));
        let request_id = v.take(parse::request_id(&request.request_id));
        let ((key, _), owner, metadata, request_id) = v.all((key, owner, metadata, request_id))?;
        let asked = WriteContext { caller, member: None, request_id };
        let written = self.0.comments.create_subject(&asked, NewSubject { key, owner, metadata }).await?;
        let subject = Some(convert::subject(&written.value));
        Ok(v1::CreateSubjectResponse { subject, subject_revision: written.revision })
    }

    async fn get(&self, caller: Caller, request: v1::GetSubjectRequest) -> Result<v1::GetSubjectResponse, RpcError> {
        let mut v = Violations::default();
        let key = v.subject(&self.0.comments, &caller, "key", request.key.as_ref())?;
        let min_revision = v.take(parse::min_revision(request.min_revision));
        let ((key, _), min_revision) = v.all((key, min_revision))?;
        let found = self.0.answering(request.fresh).subjects(&caller, &[key], min_revision).await?.pop().flatten();
        let subject = found.ok_or(Error::SubjectNotFound)?;
        Ok(v1::GetSubjectResponse { subject: Some(convert::subject(&subject)), degraded: self.0.degraded() })
    }

    async fn batch_get(
        &self,
        caller: Caller,
        request: v1::BatchGetSubjectsRequest,
    ) -> Result<v1::BatchGetSubjectsResponse, RpcError> {
        let mut v = Violations::default();
        let keys = v.take(parse::batch("keys", &request.keys, |field, key| parse::subject_key(field, Some(key))));
        if keys.is_some() {
            for (n, key) in request.keys.iter().enumerate() {
                let known = v.subject(&self.0.comments, &caller, &format!("keys[{n}]"), Some(key));
                known.map_err(|error| RpcError::about(error, error_metadata::subject(key)))?;
            }
        }
        let (keys,) = v.all((keys,))?;
        let found = self.0.answering(request.fresh).subjects(&caller, &keys, 0).await?;
        let (mut subjects, mut missing) = (Vec::with_capacity(found.len()), Vec::new());
        for (key, subject) in request.keys.into_iter().zip(found) {
            match subject {
                Some(subject) => subjects.push(convert::subject(&subject)),
                None if request.allow_missing => missing.push(key),
                None => return Err(RpcError::about(Error::SubjectNotFound, error_metadata::subject(&key))),
            }
        }
        Ok(v1::BatchGetSubjectsResponse { subjects, missing, degraded: self.0.degraded() })
    }

    async fn update(
        &self,
        caller: Caller,
        request: v1::UpdateSubjectRequest,
    ) -> Result<v1::UpdateSubjectResponse, RpcError> {
        let mut v = Violations::default();
        let subject = request.subject.unwrap_or_default();
        let key = v.subject(&self.0.comments, &caller, "subject.key", subject.key.as_ref())?;
        let patch = v.take(parse::patch(&subject, request.update_mask.as_ref()));
        let request_id = v.take(parse::request_id(&request.request_id));
        let ((key, _), patch, request_id) = v.all((key, patch, request_id))?;
        let asked = WriteContext { caller, member: None, request_id };
        let written = self.0.comments.update_subject(&asked, key, patch).await?;
        let subject = Some(convert::subject(&written.value));
        Ok(v1::UpdateSubjectResponse { subject, subject_revision: written.revision })
    }

    async fn delete(
        &self,
        caller: Caller,
        request: v1::DeleteSubjectRequest,
    ) -> Result<v1::DeleteSubjectResponse, RpcError> {
        let mut v = Violations::default();
        let key = v.subject(&self.0.comments, &caller, "key", request.key.as_ref())?;
        let request_id = v.take(parse::request_id(&request.request_id));
        let ((key, _), request_id) = v.all((key, request_id))?;
        let asked = WriteContext { caller, member: None, request_id };
        let written = self.0.comments.delete_subject(&asked, key, request.etag).await?;
        let subject = Some(convert::subject(&written.value));
        Ok(v1::DeleteSubjectResponse { subject, subject_revision: written.revision })
    }

    async fn undelete(
        &self,
        caller: Caller,
        request: v1::UndeleteSubjectRequest,
    ) -> Result<v1::UndeleteSubjectResponse, RpcError> {
        let mut v = Violations::default();
        let key = v.subject(&self.0.comments, &caller, "key", request.key.as_ref())?;
        let request_id = v.take(parse::request_id(&request.request_id));
        let ((key, _), request_id) = v.all((key, request_id))?;
        let asked = WriteContext { caller, member: None, request_id };
        let written = self.0.comments.undelete_subject(&asked, key).await?;
        let subject = Some(convert::subject(&written.value));
        Ok(v1::UndeleteSubjectResponse { subject, subject_revision: written.revision })
    }
}

#[tonic::async_trait]
impl SubjectService for SubjectHandlers {
    type WatchSubjectStream = watch::SubjectChangeStream;

    async fn create_subject(
        &self,
        request: Request<v1::CreateSubjectRequest>,
    ) -> Result<Response<v1::CreateSubjectResponse>, Status> {
        serve(request, |caller, request| self.create(caller, request)).await
    }

    async fn get_subject(
        &self,
        request: Request<v1::GetSubjectRequest>,
    ) -> Result<Response<v1::GetSubjectResponse>, Status> {
        serve(request, |caller, request| self.get(caller, request)).await
    }

    async fn batch_get_subjects(
        &self,
        request: Request<v1::BatchGetSubjectsRequest>,
    ) -> Result<Response<v1::BatchGetSubjectsResponse>, Status> {
        serve(request, |caller, request| self.batch_get(caller, request)).await
    }

    async fn update_subject(
        &self,
        request: Request<v1::UpdateSubjectRequest>,
    ) -> Result<Response<v1::UpdateSubjectResponse>, Status> {
        serve(request, |caller, request| self.update(caller, request)).await
    }

    async fn delete_subject(
        &self,
        request: Request<v1::DeleteSubjectRequest>,
    ) -> Result<Response<v1::DeleteSubjectResponse>, Status> {
        serve(request, |caller, request| self.delete(caller, request)).await
    }

    async fn undelete_subject(
        &self,
        request: Request<v1::UndeleteSubjectRequest>,
    ) -> Result<Response<v1::UndeleteSubjectResponse>, Status> {
        serve(request, |caller, request| self.undelete(caller, request)).await
    }

    async fn watch_subject(
        &self,
        request: Request<v1::WatchSubjectRequest>,
    ) -> Result<Response<Self::WatchSubjectStream>, Status> {
        let (call, request) = opened(request)?;
        watch::run(self.0.clone(), call, request).await.map(Response::new)
    }
}
