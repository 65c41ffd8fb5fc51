//! Creates at a steady rate that wait for review, beside a measured load.

use crate::clients::TargetArgs;
use crate::prepare;
use anyhow::{Context, Result, ensure};
use riposte_sdk::v1;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

/// The number of due creates without a response above which the load fails.
const BEHIND_MAX: usize = 5_000;

/// The creates, until they are ended.
pub(crate) struct HeldCreates {
    is_ended: Arc<AtomicBool>,
    calls: JoinHandle<Result<()>>,
}

impl HeldCreates {
    /// Sets the mode of the target's first subject to PRE and begins to create comments on it.
    pub(crate) async fn begin(target: &TargetArgs, rate: u32) -> Result<Self> {
        let clients = target.open()?;
        let key = target.keys(1).pop().context("no subject")?;
        let moderation_mode = v1::ModerationMode::Pre.into();
        let subject = v1::Subject { key: Some(key.clone()), moderation_mode, ..Default::default() };
        let request = v1::UpdateSubjectRequest { subject: Some(subject), ..Default::default() };
        clients.of(0).subjects().update_subject(request).await.context("UpdateSubject")?;
        let is_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&is_ended);
        let calls = tokio::spawn(async move {
            let (begin, mut running) = (Instant::now(), JoinSet::new());
            for number in 0.. {
                sleep_until(begin + Duration::from_secs(1) * number / rate).await;
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                let (mut comments, request) =
                    (clients.of(number as usize).comments(), prepare::comment(&key, number as usize));
                running.spawn(async move { comments.create_comment(request).await });
                while let Some(one) = running.try_join_next() {
                    is_held(one??.into_inner())?;
                }
                ensure!(running.len() <= BEHIND_MAX, "the service does not follow {rate} creates per second");
            }
            while let Some(one) = running.join_next().await {
                is_held(one??.into_inner())?;
            }
            Ok(())
        });
        Ok(Self { is_ended, calls })
    }

    /// Ends the creates. Fails if one of them failed or did not wait for review.
    pub(crate) async fn end(self) -> Result<()> {
        self.is_ended.store(true, Ordering::Relaxed);
        self.calls.await?
    }
}

fn is_held(response: v1::CreateCommentResponse) -> Result<()> {
    let comment = response.comment.context("no comment")?;
    ensure!(comment.state() == v1::CommentState::Pending, "a comment that does not wait: {:?}", comment.state());
    Ok(())
}
