//! The client of the filter.

pub(crate) mod response;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use prost::Message;
use riposte_core::ports::{FilterClient, FilterItem, FilterJudgement, FilterKind, FilterOutcome, NoResult};
use riposte_sdk::filter::v1 as proto;
use riposte_sdk::filter::v1::filter_service_client::FilterServiceClient;
use tonic::Request;

use crate::endpoint::{Endpoint, EndpointError, EndpointFiles};
use crate::guard::{Guard, Limits, outcome_of_items};
use crate::link::Link;
use crate::member_token::MemberTokens;
use crate::observer::CallObserver;

/// The largest number of items of a call.
pub(crate) const MAX_ITEMS: usize = 64;
/// The largest request and response, in bytes.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// Asks a filter by gRPC.
#[derive(Debug)]
pub struct GrpcFilterClient {
    link: Link,
    guard: Guard,
    tokens: MemberTokens,
    sent_metadata: BTreeSet<String>,
    observer: Arc<dyn CallObserver>,
}

impl GrpcFilterClient {
    /// Creates a client. Of the metadata of a content it sends the keys of `sent_metadata` only.
    ///
    /// # Errors
    /// A file cannot be used.
    pub fn new(
        endpoint: Endpoint,
        files: EndpointFiles,
        limits: Limits,
        tokens: MemberTokens,
        sent_metadata: BTreeSet<String>,
        observer: Arc<dyn CallObserver>,
    ) -> Result<Self, EndpointError> {
        let link = Link::new(endpoint, files)?;
        Ok(Self { link, guard: Guard::new(limits), tokens, sent_metadata, observer })
    }

    /// Reads the files again. Calls from now on use the new connection.
    ///
    /// # Errors
    /// A file cannot be used; the earlier connection stays in use.
    pub fn reload(&self) -> Result<(), EndpointError> {
        self.link.reload()
    }

    fn sent(&self, item: &FilterItem) -> proto::ContentItem {
        let FilterItem { key, subject, comment, root, parent, member, text, metadata, local_hits, kind } = item;
        let (kind, text_before) = match kind {
            FilterKind::Create => (proto::ContentKind::Create, ""),
            FilterKind::Reply => (proto::ContentKind::Reply, ""),
            FilterKind::Edit { text_before } => (proto::ContentKind::Edit, text_before.as_str()),
            FilterKind::Recheck => (proto::ContentKind::Recheck, ""),
        };
        let metadata = metadata.iter().filter(|(key, _)| self.sent_metadata.contains(*key));
        let hits = local_hits.iter().map(|hit| proto::LocalHit {
            source: hit.source.clone(),
            version: hit.version.clone(),
            id: hit.entry.clone(),
            outcome: sent_outcome(hit.outcome).into(),
        });
        proto::ContentItem {
            key: key.clone(),
            object_type: subject.object_type().as_str().to_owned(),
            object_id: subject.object_id().to_owned(),
            comment_id: comment.get(),
            root_id: root.map_or(0, |id| id.get()),
            parent_id: parent.map_or(0, |id| id.get()),
            member_token: self.tokens.token(subject.object_type(), member),
            text: text.clone(),
            metadata: metadata.map(|(key, value)| (key.clone(), value.clone())).collect(),
            local_hits: hits.collect(),
            kind: kind.into(),
            text_before: text_before.to_owned(),
        }
    }

    /// Makes one call.
    async fn ask(&self, items: Vec<proto::ContentItem>) -> Vec<Result<FilterJudgement, NoResult>> {
        let keys: Vec<String> = items.iter().map(|item| item.key.clone()).collect();
        let message = proto::CheckContentsRequest { items };
        let connection = self.link.connection(&self.guard);
        let client = FilterServiceClient::new(connection).max_decoding_message_size(MAX_BYTES);
        let call = || {
            let mut request = Request::new(message.clone());
            request.set_timeout(self.guard.limits().timeout);
            let mut client = client.clone();
            async move { client.check_contents(request).await }
        };
        let (outcome, results) = match self.guard.call(call).await {
            Ok(response) => {
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                let results = response::judgements(&keys, &response.get_ref().verdicts, &mut Vec::new());
                (outcome_of_items(&results), results)
            }
            Err(outcome) => (outcome, vec![Err(NoResult::Unavailable); keys.len()]),
        };
        self.observer.called(outcome);
        results
    }
}

#[async_trait]
impl FilterClient for GrpcFilterClient {
    async fn judge(&self, items: &[FilterItem]) -> Vec<Result<FilterJudgement, NoResult>> {
        let mut results = Vec::with_capacity(items.len());
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for item in items {
            let item = self.sent(item);
            // Tag and length of an item take at most 6 bytes.
            let size = item.encoded_len() + 6;
            if batch.len() == MAX_ITEMS || bytes + size > MAX_BYTES {
                results.extend(self.ask(std::mem::take(&mut batch)).await);
                bytes = 0;
            }
            bytes += size;
            batch.push(item);
        }
        if !batch.is_empty() {
            results.extend(self.ask(batch).await);
        }
        results
    }
}

fn sent_outcome(outcome: FilterOutcome) -> proto::FilterOutcome {
    match outcome {
        FilterOutcome::Allow => proto::FilterOutcome::Allow,
        FilterOutcome::Flag => proto::FilterOutcome::Flag,
        FilterOutcome::Hold => proto::FilterOutcome::Hold,
        FilterOutcome::Reject => proto::FilterOutcome::Reject,
        FilterOutcome::Refuse => proto::FilterOutcome::Refuse,
    }
}
