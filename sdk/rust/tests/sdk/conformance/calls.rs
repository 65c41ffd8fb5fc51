//! Calls by name, with messages as JSON.

use prost::Message;
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, FieldDescriptor, MessageDescriptor, MethodDescriptor,
    SerializeOptions,
};
use riposte_sdk::{
    Client, Comment, Connection, Error, FILE_DESCRIPTOR_SET, List, OwnComment, SubjectPageOptions, Watch, v1,
};
use serde_json::Value;
use std::time::Duration;
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;

/// A client that calls methods by name.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) client: Client,
    pool: DescriptorPool,
    /// The address of the server, as `host:port`.
    pub(crate) server: String,
    /// The longest time between the return of a server and a call that succeeds.
    pub(crate) back_within: Duration,
}

impl Caller {
    pub(crate) fn new(client: Client, target: &str, back_within_ms: u64) -> Self {
        let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).unwrap();
        let server = target.trim_start_matches("http://").to_owned();
        Self { client, pool, server, back_within: Duration::from_millis(back_within_ms) }
    }

    /// Returns a caller that requests a fault; the key separates it from the faults of other calls.
    pub(crate) fn with_fault(&self, fault: Option<&str>, key: &str) -> Self {
        let Some(fault) = fault else { return self.clone() };
        let (name, value) = ("riposte-fault".parse().unwrap(), format!("{fault};key={key}").parse().unwrap());
        Self { client: self.client.with_metadata(name, value), ..self.clone() }
    }

    /// Returns a caller that calls by another client.
    pub(crate) fn by(&self, client: Client) -> Self {
        Self { client, ..self.clone() }
    }

    /// A new request id, which is a UUID.
    pub(crate) fn uuid(&self) -> String {
        self.client.request_ids().next()
    }

    fn method(&self, name: &str) -> MethodDescriptor {
        let (service, method) = name.split_once('.').unwrap();
        let service = self.pool.get_service_by_name(&format!("riposte.v1.{service}")).unwrap();
        service.methods().find(|found| found.name() == method).unwrap_or_else(|| panic!("no method {name}"))
    }

    /// The connection of a method, and its path.
    fn route(&self, method: &MethodDescriptor) -> Result<(Connection, PathAndQuery), Error> {
        let service = method.parent_service();
        let admin = ["AdminService", "ModerationService", "PolicyService"].contains(&service.name());
        let connection = if admin { self.client.admin_connection()? } else { self.client.connection() };
        Ok((connection, format!("/{}/{}", service.full_name(), method.name()).parse().unwrap()))
    }

    /// All responses of one call.
    pub(crate) async fn stream(&self, name: &str, request: &Value) -> Result<Vec<Value>, Error> {
        let method = self.method(name);
        let (connection, path) = self.route(&method)?;
        let mut grpc = tonic::client::Grpc::new(connection);
        grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let request = tonic::Request::new(message(method.input(), request));
        let mut stream = grpc.server_streaming(request, path, Dynamic(method.output())).await?.into_inner();
        let mut responses = Vec::new();
        while let Some(response) = stream.message().await? {
            responses.push(json(&response));
        }
        Ok(responses)
    }

    /// One unary call.
    pub(crate) async fn call(&self, name: &str, request: &Value, limit: Option<Duration>) -> Result<Value, Error> {
        let method = self.method(name);
        let (connection, path) = self.route(&method)?;
        let mut request = tonic::Request::new(message(method.input(), request));
        if let Some(limit) = limit {
            request.set_timeout(limit);
        }
        let response = tonic::client::Grpc::new(connection).unary(request, path, Dynamic(method.output())).await?;
        Ok(json(response.get_ref()))
    }

    /// The items that a list yields, and the number of its pages; none of both if the walk is only
    /// made.
    pub(crate) async fn list(&self, name: &str, request: &Value, walked: bool) -> Result<(Vec<Value>, usize), Error> {
        let method = self.method(name);
        let request = message(method.input(), request).encode_to_vec();
        let given = (request.as_slice(), walked);
        match name {
            "AdminService.ListSubjects" => self.walk::<v1::ListSubjectsRequest>(&method, given).await,
            "CommentService.ListCommentRevisions" => self.walk::<v1::ListCommentRevisionsRequest>(&method, given).await,
            "CommentService.ListComments" => self.walk::<v1::ListCommentsRequest>(&method, given).await,
            "CommentService.ListMemberComments" => self.walk::<v1::ListMemberCommentsRequest>(&method, given).await,
            "CommentService.ListUnlistedComments" => self.walk::<v1::ListUnlistedCommentsRequest>(&method, given).await,
            "LikeService.ListLikers" => self.walk::<v1::ListLikersRequest>(&method, given).await,
            "LikeService.ListMemberLikes" => self.walk::<v1::ListMemberLikesRequest>(&method, given).await,
            "ModerationService.ListDecisions" => self.walk::<v1::ListDecisionsRequest>(&method, given).await,
            "ModerationService.ListReports" => self.walk::<v1::ListReportsRequest>(&method, given).await,
            "ModerationService.ListReviewItems" => self.walk::<v1::ListReviewItemsRequest>(&method, given).await,
            "PolicyService.ListMemberStandings" => self.walk::<v1::ListMemberStandingsRequest>(&method, given).await,
            "ReplyService.GetThread" => self.walk::<v1::GetThreadRequest>(&method, given).await,
            "ReplyService.ListReplies" => self.walk::<v1::ListRepliesRequest>(&method, given).await,
            "ReportService.ListOwnDecisions" => self.walk::<v1::ListOwnDecisionsRequest>(&method, given).await,
            "ReportService.ListOwnReports" => self.walk::<v1::ListOwnReportsRequest>(&method, given).await,
            other => panic!("{other} is no list"),
        }
    }

    async fn walk<R>(
        &self,
        method: &MethodDescriptor,
        (request, walked): (&[u8], bool),
    ) -> Result<(Vec<Value>, usize), Error>
    where
        R: List<Item: Message> + Message + Default,
    {
        let request = R::decode(request).unwrap();
        let items = |field: FieldDescriptor| field.kind().as_message().filter(|_| field.is_list()).cloned();
        let listed = method.output().fields().find_map(items);
        let (listed, mut found) = (listed.unwrap(), Vec::new());
        let (mut items, mut walk) = (self.client.list(request.clone())?.items(), self.client.list(request)?);
        if !walked {
            return Ok((found, 0));
        }
        while let Some(item) = items.next().await? {
            found.push(json(&DynamicMessage::decode(listed.clone(), item.encode_to_vec().as_slice()).unwrap()));
        }
        let mut pages = 0;
        while walk.next().await?.is_some() {
            pages += 1;
        }
        Ok((found, pages))
    }

    /// A page with its reader's own comments, each in the form of an `UnlistedComment`, and the
    /// response. `made` are the ids of comments that were just made; with some, own likes are
    /// requested.
    pub(crate) async fn page(
        &self,
        subject: &Value,
        request: &Value,
        member: &str,
        made: Vec<i64>,
    ) -> Result<(Value, Value), Error> {
        let viewer = (!made.is_empty()).then_some(member);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let size = |name: &str| request[name].as_i64().and_then(|size| size.try_into().ok());
        let [object_type, object_id] = ["objectType", "objectId"].map(|name| text(&subject[name]).unwrap());
        let subject = self.client.subject(object_type, object_id);
        let options = SubjectPageOptions {
            sort: Some(v1::CommentSort::Oldest),
            page_size: size("pageSize"),
            page_token: text(&request["pageToken"]),
            reply_preview_size: size("replyPreviewSize"),
            viewer: viewer.map(str::to_owned),
            ..SubjectPageOptions::default()
        };
        let page = subject.page(options).await?;
        let (mut own, mut unlisted) = (Vec::new(), subject.unlisted(member)?.items());
        while let Some(one) = unlisted.next().await? {
            own.push(OwnComment::from(one));
        }
        own.extend(self.client.comments_by_id(made, viewer).await?.into_iter().map(OwnComment::from));
        let shown = |one: &Comment| {
            let (comment, proposed_edit) = (Some(one.clone().into_message()), one.proposed_edit.clone());
            let mut item = self.written("UnlistedComment", &v1::UnlistedComment { comment, proposed_edit });
            item["ownLike"] = one.own_like.as_str_name().into();
            item
        };
        let mut threads = Vec::new();
        for thread in page.with_just_made(own) {
            let mut one = shown(&thread.comment);
            one["replies"] = thread.replies.iter().map(shown).collect();
            threads.push(one);
        }
        Ok((threads.into(), self.written("ListCommentsResponse", &page.into_response())))
    }

    fn written(&self, name: &str, message: &impl Message) -> Value {
        let kind = self.pool.get_message_by_name(&format!("riposte.v1.{name}")).unwrap();
        json(&DynamicMessage::decode(kind, message.encode_to_vec().as_slice()).unwrap())
    }

    /// An open stream.
    pub(crate) async fn watch(&self, name: &str, request: &Value) -> Result<OpenWatch, Error> {
        let method = self.method(name);
        assert_eq!(name, "SubjectService.WatchSubject");
        let request = v1::WatchSubjectRequest::decode(message(method.input(), request).encode_to_vec().as_slice());
        Ok(OpenWatch { watch: self.client.follow(request.unwrap()).await?, kind: method.output() })
    }
}

/// An open stream, whose events are JSON.
#[derive(Debug)]
pub(crate) struct OpenWatch {
    watch: Watch<v1::WatchSubjectRequest>,
    kind: MessageDescriptor,
}

impl OpenWatch {
    /// The first events.
    pub(crate) async fn events(mut self, count: usize) -> Result<Vec<Value>, Error> {
        let mut events = Vec::new();
        while events.len() < count {
            let event = self.watch.next().await?.encode_to_vec();
            events.push(json(&DynamicMessage::decode(self.kind.clone(), event.as_slice()).unwrap()));
        }
        Ok(events)
    }
}

fn message(kind: MessageDescriptor, json: &Value) -> DynamicMessage {
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    DynamicMessage::deserialize_with_options(kind, json, &options).unwrap_or_else(|error| panic!("{json}: {error}"))
}

fn json(message: &DynamicMessage) -> Value {
    let options = SerializeOptions::new().skip_default_fields(false);
    message.serialize_with_options(serde_json::value::Serializer, &options).unwrap()
}

/// Messages of a kind that is known only when the tests run.
#[derive(Debug, Clone)]
struct Dynamic(MessageDescriptor);

impl Codec for Dynamic {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        self.clone()
    }

    fn decoder(&mut self) -> Self {
        self.clone()
    }
}

impl Encoder for Dynamic {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, item: DynamicMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

impl Decoder for Dynamic {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let message = DynamicMessage::decode(self.0.clone(), buffer);
        message.map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}
