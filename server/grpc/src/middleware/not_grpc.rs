//! The response to requests over HTTP/2 that are no calls of gRPC: browsers, grpc-web, JSON. The
//! protocol of gRPC over HTTP/2 demands a status of HTTP for them.

use std::time::Duration;

use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use tonic::body::Body;

/// The sentence for a client that does not speak gRPC.
pub const GRPC_ONLY: &str =
    "This is a gRPC port: call it with a gRPC client, for example `grpcurl -plaintext HOST:PORT list`.";

/// The content type of gRPC, which its format or a parameter may follow.
const GRPC: &str = "application/grpc";
/// The only format of messages that is served.
const PROTO: &[u8] = b"+proto";
/// The bytes of a body that are read before the response, as many as the largest message of gRPC
/// may have by default.
const DRAINED_BYTES_MAX: usize = 4 << 20;
/// The code UNIMPLEMENTED, for clients that read it.
const UNIMPLEMENTED: HeaderValue = HeaderValue::from_static("12");

/// Returns the response to a request that is no call, because of its method or its content type;
/// `None` for a call.
pub(super) fn response<B>(request: &Request<B>) -> Option<Response<Body>> {
    let is_post = request.method() == Method::POST;
    if is_post && is_grpc(request.headers()) {
        return None;
    }
    let mut rejected = Response::new(Body::new(Full::from(format!("{GRPC_ONLY}\n"))));
    *rejected.status_mut() = if is_post { StatusCode::UNSUPPORTED_MEDIA_TYPE } else { StatusCode::METHOD_NOT_ALLOWED };
    let headers = rejected.headers_mut();
    if !is_post {
        headers.insert(ALLOW, HeaderValue::from_static("POST"));
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert("grpc-status", UNIMPLEMENTED);
    headers.insert("grpc-message", HeaderValue::from_static(GRPC_ONLY));
    Some(rejected)
}

/// Reads the body of a request that is no call, up to a limit. A stream that ends before its
/// request has arrived is reset, and clients such as `curl` then report the reset instead of the
/// response.
pub(super) async fn drain(mut body: Body, time: Duration) {
    let read = async {
        let mut length = 0;
        while length <= DRAINED_BYTES_MAX
            && let Some(Ok(frame)) = body.frame().await
        {
            length += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    // A client that takes longer gets the response at once, or the reset.
    let _ = tokio::time::timeout(time, read).await;
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map_or(&[][..], HeaderValue::as_bytes);
    let head = content_type.split_at_checked(GRPC.len());
    let rest = head.filter(|(head, _)| head.eq_ignore_ascii_case(GRPC.as_bytes())).map(|(_, rest)| rest);
    let parameters = rest.map(|rest| rest.strip_prefix(PROTO).unwrap_or(rest));
    parameters.is_some_and(|parameters| matches!(parameters.first(), None | Some(b';' | b' ')))
}

#[cfg(test)]
mod tests {
    use super::response;
    use http::{Request, StatusCode};

    fn rejected(method: &str, content_type: Option<&str>) -> Option<StatusCode> {
        let request = Request::builder().method(method).uri("/riposte.v1.CommentService/GetComment");
        let request = content_type.into_iter().fold(request, |request, value| request.header("content-type", value));
        let rejected = response(&request.body(()).expect("a request"))?;
        let allows_post = rejected.headers().get("allow").is_some_and(|allow| allow == "POST");
        assert_eq!(allows_post, rejected.status() == StatusCode::METHOD_NOT_ALLOWED, "{method} {content_type:?}");
        assert_eq!(rejected.headers()["grpc-status"], "12");
        Some(rejected.status())
    }

    #[test]
    fn only_a_post_with_the_content_type_of_grpc_is_a_call() {
        for content_type in [
            "application/grpc",
            "application/grpc+proto",
            "application/grpc+proto;v=1",
            "application/grpc;v=1",
            "application/grpc;charset=utf-8",
            "Application/GRPC",
        ] {
            assert_eq!(rejected("POST", Some(content_type)), None, "{content_type}");
            assert_eq!(rejected("GET", Some(content_type)), Some(StatusCode::METHOD_NOT_ALLOWED));
        }
        for content_type in [
            None,
            Some(""),
            Some("application/json"),
            Some("application/grpcish"),
            Some("application/grpc+json"),
            Some("application/grpc+protocol"),
            Some("application/grpc-web"),
            Some("application/grpc-web+proto"),
            Some("text/html"),
        ] {
            assert_eq!(rejected("POST", content_type), Some(StatusCode::UNSUPPORTED_MEDIA_TYPE), "{content_type:?}");
        }
        assert_eq!(rejected("GET", None), Some(StatusCode::METHOD_NOT_ALLOWED));
    }
}
