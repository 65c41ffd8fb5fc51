//! Long computations beside the calls of a server.

use anyhow::Context;
#[cfg(target_os = "linux")]
use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};
use tokio::sync::oneshot;

#[cfg(target_os = "linux")]
const IDLE: ThreadSchedulePolicy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);

/// Computes `work` in a thread of its own with this name, and of low priority: on a machine whose
/// cores are all busy, calls come first.
///
/// # Errors
/// Fails when no thread can be started, or `work` panics.
pub(super) async fn run<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> anyhow::Result<T> {
    let (sender, receiver) = oneshot::channel();
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread
        .spawn(move || {
            lower_priority();
            // A server that stops does not wait for the result.
            let _ = sender.send(work());
        })
        .with_context(|| format!("cannot start the thread {name}"))?;
    receiver.await.with_context(|| format!("the thread {name} panicked"))
}

/// Makes this an idle thread, where the system has them: any other thread that wakes up takes the
/// core of this one at once, as it would take a core that does nothing (SCHED_IDLE in sched(7)).
/// The work is done at any priority, so a failure has no consequence.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, IDLE);
}

#[cfg(test)]
mod tests {
    use super::run;

    #[tokio::test]
    async fn work_returns_its_result_or_the_name_of_the_thread_that_panicked() {
        assert_eq!(run("sum", || 1 + 1).await.unwrap(), 2);
        let error = run("broken", || -> u8 { panic!("of the test") }).await.unwrap_err();
        assert_eq!(error.to_string(), "the thread broken panicked");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_thread_alone_is_idle() {
        let of_thread = || thread_priority::thread_schedule_policy().unwrap();
        let before = of_thread();
        assert_eq!((run("low", of_thread).await.unwrap(), of_thread()), (super::IDLE, before));
        assert_ne!(before, super::IDLE);
    }
}
