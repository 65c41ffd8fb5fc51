//! Requests of HTTP that are not calls of gRPC: another method than POST, or another content type.
//! They are rejected with a status of HTTP, as the protocol of gRPC over HTTP/2 demands.

use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};

use super::body::{self, CallBody};

/// The content type of gRPC, which a format such as `+proto` or a parameter may follow.
const GRPC: &str = "application/grpc";

/// Returns the response to a request that is not a call of gRPC; `None` for a call.
pub(super) fn reject<B>(request: &Request<B>) -> Option<Response<CallBody>> {
    if request.method() != Method::POST {
        let mut response = body::without_call(StatusCode::METHOD_NOT_ALLOWED);
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return Some(response);
    }
    (!is_grpc(request.headers())).then(|| body::without_call(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map_or(&[][..], HeaderValue::as_bytes);
    let head = content_type.split_at_checked(GRPC.len());
    let rest = head.filter(|(head, _)| head.eq_ignore_ascii_case(GRPC.as_bytes())).map(|(_, rest)| rest);
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'+' | b';' | b' ')))
}

#[cfg(test)]
mod tests {
    use http::{Request, StatusCode};

    use super::reject;

    fn rejected(method: &str, content_type: Option<&str>) -> Option<StatusCode> {
        let request = Request::builder().method(method).uri("/riposte.v1.CommentService/GetComment");
        let request = content_type.into_iter().fold(request, |request, value| request.header("content-type", value));
        reject(&request.body(()).expect("a request")).map(|response| response.status())
    }

    #[test]
    fn only_a_post_with_the_content_type_of_grpc_is_a_call() {
        for content_type in ["application/grpc", "application/grpc+proto", "application/grpc;v=1", "Application/GRPC"] {
            assert_eq!(rejected("POST", Some(content_type)), None, "{content_type}");
            assert_eq!(rejected("GET", Some(content_type)), Some(StatusCode::METHOD_NOT_ALLOWED));
        }
        for content_type in [None, Some("application/json"), Some("application/grpcish"), Some("application/grpc-web")]
        {
            assert_eq!(rejected("POST", content_type), Some(StatusCode::UNSUPPORTED_MEDIA_TYPE), "{content_type:?}");
        }
    }
}
