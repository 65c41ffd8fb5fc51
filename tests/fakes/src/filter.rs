//! The filter.

use riposte_sdk::filter::v1::{
    CheckContentsRequest, CheckContentsResponse, ContentItem, ContentVerdict, FilterOutcome, FilterScore,
    filter_service_server::FilterService,
};
use tonic::{Request, Response, Status};

use crate::script::{CallFault, FilterScript};
use crate::served::Served;

#[tonic::async_trait]
impl FilterService for Served {
    async fn check_contents(
        &self,
        request: Request<CheckContentsRequest>,
    ) -> Result<Response<CheckContentsResponse>, Status> {
        let script = self.script().filter;
        let fault = self.filter_calls.begin(&script.calls).await?;
        let token = request.metadata().get("authorization").and_then(|value| value.to_str().ok());
        self.tokens().extend(token.map(str::to_owned));
        let request = request.into_inner();
        let mut verdicts: Vec<_> = request.items.iter().map(|item| verdict(&script, item)).collect();
        if let Some(fault) = fault {
            spoil(&mut verdicts, fault);
        }
        // A fault is about the first item.
        let sound = request.items.iter().zip(&verdicts).skip(usize::from(fault.is_some()));
        let allowed = sound.filter(|(_, verdict)| verdict.outcome() == FilterOutcome::Allow);
        self.allowed_comments().extend(allowed.map(|(item, _)| item.comment_id));
        self.filter_requests().push(request);
        Ok(Response::new(CheckContentsResponse { verdicts }))
    }
}

fn verdict(script: &FilterScript, item: &ContentItem) -> ContentVerdict {
    let words = script.words.iter().filter(|(word, _)| item.text.contains(word.as_str()));
    let outcome = words.map(|(_, outcome)| *outcome).max().unwrap_or(script.outcome);
    ContentVerdict {
        key: item.key.clone(),
        outcome: FilterOutcome::from(outcome).into(),
        scores: vec![FilterScore { name: "fake".to_owned(), value: 0.5 }],
        provider: "riposte-fakes".to_owned(),
        model_version: "1".to_owned(),
        code: "fake.word".to_owned(),
        review_priority: script.review_priority,
        ..ContentVerdict::default()
    }
}

/// Breaks the verdict on the first item.
fn spoil(verdicts: &mut Vec<ContentVerdict>, fault: CallFault) {
    let Some(first) = verdicts.first_mut() else { return };
    match fault {
        CallFault::MissingKey => drop(verdicts.remove(0)),
        CallFault::ForeignKey => first.key = "foreign".to_owned(),
        CallFault::DoubleKey => {
            let double = first.clone();
            verdicts.push(double);
        }
        CallFault::Undecided => first.outcome = 0,
        CallFault::UnknownEnum => first.outcome = 99,
        CallFault::NumberOutOfRange => first.review_priority = 101,
        CallFault::TooLong => first.explanation = "x".repeat(257),
        CallFault::Never | CallFault::Unavailable | CallFault::ResourceExhausted | CallFault::Internal => {}
    }
}
