use super::routes;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use riposte_sdk::DevServer;
use serde_json::{Value, json};
use tower::ServiceExt;

async fn call(app: &Router, method: &str, path: &str, member: &str, body: Value) -> (StatusCode, Value) {
    let request = Request::builder().method(method).uri(path).header("x-member", member);
    let request = request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    let (status, body) = (response.status(), to_bytes(response.into_body(), usize::MAX).await.unwrap());
    (status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_comment_is_listed_with_its_replies_and_the_like_of_its_reader() {
    let server = DevServer::start().await.unwrap();
    let app = routes(server.client().unwrap());
    let (status, comment) = call(&app, "POST", "/videos/1/comments", "ann", json!({ "text": "Hello" })).await;
    assert_eq!(status, StatusCode::OK, "{comment}");
    let id = comment["id"].as_str().expect("ids are strings");
    call(&app, "POST", &format!("/comments/{id}/replies"), "bob", json!({ "text": "Welcome" })).await;
    let (_, liked) = call(&app, "PUT", &format!("/comments/{id}/like"), "bob", json!({})).await;
    assert_eq!(liked, json!({ "likeCount": 1 }));
    let (_, page) = call(&app, "GET", "/videos/1/comments", "bob", json!({})).await;
    let first = &page["threads"][0];
    assert_eq!((&first["thread"]["comment"]["id"], &first["liked"]), (&json!(id), &json!(true)));
    assert_eq!(first["thread"]["replies"][0]["content"]["text"], "Welcome");
    let (status, _) = call(&app, "DELETE", &format!("/comments/{id}"), "ann", json!({})).await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_messages_for_readers() {
    let server = DevServer::start().await.unwrap();
    let app = routes(server.client().unwrap());
    let long = call(&app, "POST", "/videos/1/comments", "ann", json!({ "text": "x".repeat(5001) })).await;
    let detail = "Your comment has 5001 characters, and the limit is 5000.";
    assert_eq!(long, (StatusCode::BAD_REQUEST, json!({ "detail": detail })));
    let (_, gone) = call(&app, "DELETE", "/comments/1", "ann", json!({})).await;
    assert_eq!(gone, json!({ "detail": "This comment is not there any more." }));
    let (_, made) = call(&app, "POST", "/videos/1/comments", "ann", json!({ "text": "Mine" })).await;
    let mine = format!("/comments/{}", made["id"].as_str().unwrap());
    for (method, path, detail) in [
        ("DELETE", mine.as_str(), "You may not do this."),
        ("GET", "/videos/1/comments?page_token=old", "This list is too old. Please load the page again."),
        ("POST", "/videos/1/comments", "Please write something first."),
        ("PUT", "/comments/-1/like", "This is not possible."),
    ] {
        let response = call(&app, method, path, "bob", json!({ "text": " " })).await;
        assert_eq!(response, (StatusCode::BAD_REQUEST, json!({ "detail": detail })), "{method} {path}");
    }
}
