//! Long computations beside the calls of a server.

use anyhow::Context;
use tokio::sync::oneshot;

/// The niceness of the thread, the greatest one. Threads that answer calls have 0, and run first.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 19;

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

/// Lowers the priority of this thread. The work is done at any priority, so a failure has no
/// consequence. On Linux a niceness is that of a thread, elsewhere that of the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICENESS);
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
    async fn the_thread_alone_has_a_low_priority() {
        let of_thread = || rustix::process::getpriority_process(None).unwrap();
        let before = of_thread();
        assert_eq!((run("low", of_thread).await.unwrap(), of_thread()), (super::NICENESS, before));
    }
}
