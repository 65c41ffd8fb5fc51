//! The routes: comments of a video as JSON.

use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use axum::{Json, Router};
use riposte_sdk::v1::{Comment, CommentSort, CommentThread, ErrorReason, LikeValue};
use riposte_sdk::{Client, Error, JsonWriter, SubjectPageOptions};
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use tonic::Code;

#[derive(Clone)]
struct App {
    riposte: Client,
    /// Writes ids as strings, which a browser does not round.
    json: JsonWriter,
}

/// The routes of this program.
pub fn routes(riposte: Client) -> Router {
    Router::new()
        .route("/videos/{video}/comments", get(list).post(create))
        .route("/comments/{id}/replies", post(reply))
        .route("/comments/{id}/like", put(like))
        .route("/comments/{id}", delete(remove))
        .with_state(App { riposte, json: JsonWriter::default() })
}

#[derive(Deserialize)]
struct PageQuery {
    #[serde(default)]
    page_token: String,
}

#[derive(Deserialize)]
struct NewText {
    text: String,
}

/// The user of the request. It stands for your session: a header that a browser cannot be trusted
/// with.
struct Member(String);

impl<S: Sync> FromRequestParts<S> for Member {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let header = parts.headers.get("x-member").and_then(|value| value.to_str().ok());
        Ok(Self(header.unwrap_or_default().to_owned()))
    }
}

/// A failed call, as a message for a reader.
struct Failure(Error);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Self(error) = self;
        eprintln!("{error}");
        let fact = |name: &str| error.metadata().get(name).cloned().unwrap_or_default();
        let is_about = |field: &str| error.violations().iter().any(|at| at.field == field);
        let message = match (error.reason(), error.code()) {
            (ErrorReason::ContentTooLong, _) => {
                format!("Your comment has {} characters, and the limit is {}.", fact("actual"), fact("limit"))
            }
            (ErrorReason::ContentBlocked, _) => "This text is not allowed.".to_owned(),
            (ErrorReason::FieldInvalid, _) if is_about("content.text") => "Please write something first.".to_owned(),
            (ErrorReason::RateLimited, _) => "You write too fast. Please wait a moment.".to_owned(),
            (ErrorReason::MemberNotAllowed, _) => "You may not do this.".to_owned(),
            (ErrorReason::CommentNotFound | ErrorReason::CommentUnavailable | ErrorReason::ParentUnavailable, _) => {
                "This comment is not there any more.".to_owned()
            }
            _ if is_about("page_token") => "This list is too old. Please load the page again.".to_owned(),
            // Another try does not change a refusal.
            (_, Code::InvalidArgument | Code::NotFound | Code::PermissionDenied | Code::FailedPrecondition) => {
                "This is not possible.".to_owned()
            }
            _ => {
                let detail = "Comments do not work at the moment. Please try again.";
                return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "detail": detail }))).into_response();
            }
        };
        (StatusCode::BAD_REQUEST, Json(json!({ "detail": message }))).into_response()
    }
}

type JsonResult = Result<Json<Value>, Failure>;

async fn list(
    State(app): State<App>,
    Path(video): Path<String>,
    Query(query): Query<PageQuery>,
    Member(member): Member,
) -> JsonResult {
    let options = SubjectPageOptions {
        sort: Some(CommentSort::Hot),
        page_size: Some(20),
        reply_preview_size: Some(3),
        page_token: Some(query.page_token),
        viewer: Some(member).filter(|member| !member.is_empty()),
        ..SubjectPageOptions::default()
    };
    let page = app.riposte.subject("video", video).page(options).await?;
    let threads = page.threads.iter().map(|thread| {
        let liked = thread.comment.own_like == LikeValue::Like;
        json!({ "thread": app.json.write::<CommentThread>(thread), "liked": liked })
    });
    Ok(Json(json!({ "threads": threads.collect::<Vec<_>>(), "next": page.next_page_token })))
}

async fn create(
    State(app): State<App>,
    Path(video): Path<String>,
    Member(member): Member,
    Json(new): Json<NewText>,
) -> JsonResult {
    let comment = app.riposte.subject("video", video).comment(member, new.text).await?;
    Ok(Json(app.json.write::<Comment>(&comment)))
}

async fn reply(
    State(app): State<App>,
    Path(id): Path<i64>,
    Member(member): Member,
    Json(new): Json<NewText>,
) -> JsonResult {
    let reply = app.riposte.comment(id).reply(member, new.text).await?;
    Ok(Json(app.json.write::<Comment>(&reply)))
}

async fn like(State(app): State<App>, Path(id): Path<i64>, Member(member): Member) -> JsonResult {
    let state = app.riposte.comment(id).like(member).await?;
    Ok(Json(json!({ "likeCount": state.like_count })))
}

async fn remove(State(app): State<App>, Path(id): Path<i64>, Member(member): Member) -> JsonResult {
    app.riposte.comment(id).delete(member).await?;
    Ok(Json(json!({})))
}

#[cfg(test)]
mod tests;
