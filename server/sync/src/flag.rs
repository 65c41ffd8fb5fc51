//! A flag that is set once.

use tokio::sync::watch;

/// Waits until `flag` is true. Waits forever if the sender is dropped before that.
pub async fn until_set(mut flag: watch::Receiver<bool>) {
    if flag.wait_for(|set| *set).await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::until_set;
    use futures::FutureExt;
    use tokio::sync::watch;

    #[test]
    fn a_flag_is_awaited_until_it_is_set_and_forever_without_a_sender() {
        let (sender, flag) = watch::channel(false);
        assert!(until_set(flag.clone()).now_or_never().is_none());
        sender.send_replace(true);
        assert!(until_set(flag).now_or_never().is_some());
        let (sender, flag) = watch::channel(false);
        drop(sender);
        assert!(until_set(flag).now_or_never().is_none());
    }
}
