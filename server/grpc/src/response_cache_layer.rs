//! The response cache for first pages of ListComments: a call with a cached response does not reach
//! a handler, and concurrent requests for the same page share a response.
//!
//! The cached bytes are the handler's response with the head that gRPC puts before a message. A
//! first page is one that is requested without a page token, a position, `min_revision` or `fresh`.
//! A client that reads its own write with the returned revision therefore bypasses the cache.

use hyper::body::Bytes;
use prost::Message;
use riposte_core::{Caller, Error, SubjectId, SubjectKey};
use riposte_sdk::v1;
use riposte_sync::track_fallback;

use crate::Services;
use crate::error_metadata::ErrorSubject;
use crate::generated::methods::method;
use crate::generated::services::comment::list_comments;
use crate::response_cache::PageBytes;
use crate::rpc_error::RpcError;

/// The method whose pages are cached.
const METHOD: &str = "/riposte.v1.CommentService/ListComments";
/// The length of the head of a gRPC message: a compression flag (1 byte) and the message length (4
/// bytes, big-endian).
const HEAD: usize = 5;

/// Serves first pages of hot subjects.
#[derive(Debug, Clone)]
pub struct ResponseCacheLayer(pub Services);

impl ResponseCacheLayer {
    /// Returns true if the cache may serve calls of this path.
    pub(crate) fn serves(&self, path: &str) -> bool {
        path == METHOD
    }

    /// The largest request, with its head, that is checked for a cached response: it contains a
    /// subject's key and a few numbers.
    pub(crate) const MAX_REQUEST: usize = 512;

    /// Returns the complete response to a request, both with their heads; `None` leaves the call to
    /// its handler.
    ///
    /// # Errors
    /// Those of the handler.
    pub(crate) async fn respond(&self, caller: &Caller, request: &[u8]) -> Option<Result<Bytes, RpcError>> {
        let message = message_of(request)?;
        let pages = &self.0.response_cache;
        let cached = match pages.find(caller, message) {
            Some(cached) => Some(cached),
            None => pages.admit(caller, message, &self.first_page_of(message)?),
        };
        let owned_key = || (caller.clone(), Bytes::copy_from_slice(message));
        let response = match cached {
            Some(cached) => {
                let read_page = || {
                    let (caller, message) = owned_key();
                    self.0.clone().read_page(caller, message)
                };
                pages.read(&cached, read_page).await
            }
            None => {
                let ((caller, message), services) = (owned_key(), self.0.clone());
                let (of_caller, request) = (caller.clone(), message.clone());
                let read_page = move || services.read_in_pool(of_caller, request);
                if pages.is_enabled() {
                    pages.share(caller, message, read_page).await
                } else {
                    read_page().await.map(|page| page.bytes)
                }
            }
        };
        Some(response.map_err(|error| with_metadata(error, message)))
    }

    /// Returns the subject whose first page is requested. Every read of a page is counted here,
    /// including one that is left to its handler.
    fn first_page_of(&self, message: &[u8]) -> Option<SubjectKey> {
        let request = v1::ListCommentsRequest::decode(message).ok()?;
        let key = request.subject.as_ref()?;
        let subject = SubjectKey::parse("subject", &key.object_type, &key.object_id).ok()?;
        self.0.response_cache.count(&subject);
        is_first_page(&request).then_some(subject)
    }
}

impl Services {
    /// Produces the handler's response and encodes it.
    async fn read_page(self, caller: Caller, message: Bytes) -> Result<PageBytes, Error> {
        let request = v1::ListCommentsRequest::decode(message)
            .map_err(|_| Error::internal("a request that was decoded before cannot be decoded"))?;
        let limit = self.limits.max_response;
        let encoded = async {
            if let Some((subject, page)) = list_comments::rendered_page(&self, &caller, &request).await? {
                return Ok(encode(subject, &page, limit));
            }
            let (subject, page) = list_comments::list_page(&self, &caller, &request).await?;
            Ok(encode(subject, &page, limit))
        };
        track_fallback(encoded).await.map_err(|error: RpcError| error.error)?
    }

    /// Enters the admission pool once for all callers that share the read, and then produces the
    /// response. Reads that fill the response cache are few and do not enter the pool.
    async fn read_in_pool(self, caller: Caller, message: Bytes) -> Result<PageBytes, Error> {
        let _permit = match method(METHOD) {
            Some(method) => Some(self.admission.enter(method.policy, None, None).await?),
            None => None,
        };
        self.read_page(caller, message).await
    }
}

fn is_first_page(request: &v1::ListCommentsRequest) -> bool {
    let v1::ListCommentsRequest {
        subject: _,
        sort: _,
        page_size: _,
        page_token,
        reply_preview_size: _,
        around_comment_id,
        around_floor,
        min_revision,
        fresh,
    } = request;
    page_token.is_empty() && *around_comment_id == 0 && *around_floor == 0 && *min_revision == 0 && !fresh
}

/// Returns the single message of a request, if it is complete and not compressed.
fn message_of(request: &[u8]) -> Option<&[u8]> {
    let (head, message) = request.split_first_chunk::<HEAD>()?;
    let [compressed, length @ ..] = *head;
    (compressed == 0 && u32::from_be_bytes(length) as usize == message.len()).then_some(message)
}

fn encode(subject: SubjectId, page: &impl Message, limit: usize) -> Result<PageBytes, Error> {
    let length = page.encoded_len();
    let head = u32::try_from(length).ok().filter(|_| length <= limit).ok_or(Error::MessageTooLarge { limit })?;
    let mut bytes = Vec::with_capacity(HEAD + length);
    bytes.push(0);
    bytes.extend_from_slice(&head.to_be_bytes());
    page.encode(&mut bytes).map_err(|_| Error::internal("a page is longer than its computed length"))?;
    Ok(PageBytes { bytes: bytes.into(), subject })
}

/// Returns the error of a page with the metadata of its request.
fn with_metadata(error: Error, message: &[u8]) -> RpcError {
    let metadata = v1::ListCommentsRequest::decode(message).map(|request| request.error_metadata());
    RpcError::about(error, metadata.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use riposte_core::{Error, SubjectId};
    use riposte_sdk::v1::{ListCommentsRequest, ListCommentsResponse, Subject};

    use super::{encode, is_first_page, message_of};

    #[test]
    fn a_cached_page_is_the_message_after_its_head() {
        let page = ListCommentsResponse {
            subject: Some(Subject { revision: 7, ..Subject::default() }),
            ..ListCommentsResponse::default()
        };
        let page_bytes = encode(SubjectId::new(1).expect("positive"), &page, 1000).expect("it fits");
        let message = message_of(&page_bytes.bytes).expect("a complete message");
        assert_eq!(ListCommentsResponse::decode(message).expect("readable"), page);
        let limit = message.len() - 1;
        let rejected = encode(SubjectId::new(1).expect("positive"), &page, limit);
        assert_eq!(rejected.map(drop), Err(Error::MessageTooLarge { limit }));
    }

    #[test]
    fn only_one_complete_uncompressed_message_is_read() {
        assert_eq!(message_of(&[0, 0, 0, 0, 2, 8, 1]), Some(&[8, 1][..]));
        assert_eq!(message_of(&[0, 0, 0, 0, 0]), Some(&[][..]));
        for other in [&[][..], &[0, 0, 0, 0], &[1, 0, 0, 0, 1, 8], &[0, 0, 0, 0, 2, 8], &[0, 0, 0, 0, 1, 8, 1]] {
            assert_eq!(message_of(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_request_without_token_and_position_is_for_the_first_page() {
        let plain = ListCommentsRequest { page_size: 7, sort: 2, reply_preview_size: Some(0), ..Default::default() };
        assert!(is_first_page(&plain));
        for other in [
            ListCommentsRequest { page_token: "x".to_owned(), ..plain.clone() },
            ListCommentsRequest { around_comment_id: 1, ..plain.clone() },
            ListCommentsRequest { around_floor: 1, ..plain.clone() },
            ListCommentsRequest { min_revision: 1, ..plain.clone() },
            ListCommentsRequest { fresh: true, ..plain },
        ] {
            assert!(!is_first_page(&other), "{other:?}");
        }
    }
}
