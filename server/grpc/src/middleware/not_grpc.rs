//! The response to requests over HTTP/2 that are no calls of gRPC: browsers, grpc-web, JSON.

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use tonic::body::Body;

/// The sentence for a client that does not speak gRPC.
pub const GRPC_ONLY: &str =
    "This is a gRPC port: call it with a gRPC client, for example `grpcurl -plaintext HOST:PORT list`.";

/// The code UNIMPLEMENTED, for clients that read it.
const UNIMPLEMENTED: HeaderValue = HeaderValue::from_static("12");

/// Returns the response to a request that is no call; `None` for a call.
pub(super) fn response<B>(request: &Request<B>) -> Option<Response<Body>> {
    let content = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let rest = content.strip_prefix("application/grpc");
    let is_grpc = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', ';']));
    if is_grpc && request.method() == Method::POST {
        return None;
    }
    let mut rejected = Response::new(Body::new(Full::from(format!("{GRPC_ONLY}\n"))));
    *rejected.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    let headers = rejected.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert("grpc-status", UNIMPLEMENTED);
    headers.insert("grpc-message", HeaderValue::from_static(GRPC_ONLY));
    Some(rejected)
}

#[cfg(test)]
mod tests {
    use super::response;
    use http::{Request, StatusCode};

    #[test]
    fn only_calls_of_grpc_are_calls() {
        let request = |method: &str, content: &str| {
            response(&Request::builder().method(method).uri("/").header("content-type", content).body(()).unwrap())
        };
        for content in ["application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8"] {
            assert!(request("POST", content).is_none(), "{content}");
        }
        for content in ["", "application/grpc-web+proto", "application/json", "text/html"] {
            assert_eq!(request("POST", content).unwrap().status(), StatusCode::UNSUPPORTED_MEDIA_TYPE, "{content}");
        }
        assert!(request("GET", "application/grpc").is_some());
    }
}
