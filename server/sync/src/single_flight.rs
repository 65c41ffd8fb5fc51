//! Coalesces concurrent loads of the same key.
//!
//! A caller that arrives while a load is running does not join that load, whose result may be older
//! than what the caller has seen. The caller joins the next load, together with all others that
//! arrive meanwhile. So a key has at most two loads, and no load starts before the arrival of a
//! caller that shares its result. A load that has started runs to its end, even if no caller waits
//! for it; a load that has not started is dropped with its last waiting caller.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};

/// The running and the waiting loads, at most two for each key. `V` is the output of a load; each
/// caller of the load gets a clone of it. A load that can fail has a `Result` as its output.
#[derive(Debug)]
pub struct SingleFlight<K, V: Clone> {
    entries: Arc<Mutex<HashMap<K, Entry<V>>>>,
}

/// The error of a load that panicked, or that the shutdown of the runtime ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadAborted(Arc<str>);

impl fmt::Display for LoadAborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a shared load: {}", self.0)
    }
}

impl std::error::Error for LoadAborted {}

type Outcome<V> = Result<V, LoadAborted>;
type SharedLoad<V> = Shared<BoxFuture<'static, Outcome<V>>>;

#[derive(Debug)]
struct Entry<V: Clone> {
    running: Arc<tokio::sync::Mutex<()>>,
    /// The load that has not started, while a caller waits for it.
    next: Option<WeakShared<BoxFuture<'static, Outcome<V>>>>,
    /// The number of running and waiting loads.
    loads: usize,
}

/// Removes the entry of a key when its last load has ended.
struct EntryGuard<K: Eq + Hash, V: Clone> {
    entries: Arc<Mutex<HashMap<K, Entry<V>>>>,
    key: K,
}

impl<K: Eq + Hash, V: Clone> Drop for EntryGuard<K, V> {
    fn drop(&mut self) {
        let mut entries = locked(&self.entries);
        let Some(entry) = entries.get_mut(&self.key) else { return };
        entry.loads -= 1;
        if entry.loads == 0 {
            entries.remove(&self.key);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K, V> Default for SingleFlight<K, V>
where
    V: Clone,
{
    fn default() -> Self {
        Self { entries: Arc::default() }
    }
}

impl<K, V> SingleFlight<K, V>
where
    K: Eq + Hash + Clone + Send + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Returns the outcome of a load that starts after this call. `load` runs to its end in its own
    /// task, independently of the callers.
    ///
    /// # Errors
    /// [`LoadAborted`] if `load` panics, or the runtime shuts down before its end.
    pub async fn join<F>(&self, key: K, load: impl FnOnce() -> F + Send + 'static) -> Result<V, LoadAborted>
    where
        F: Future<Output = V> + Send + 'static,
    {
        let shared = {
            let mut entries = locked(&self.entries);
            let new = || Entry { running: Arc::default(), next: None, loads: 0 };
            let entry = entries.entry(key.clone()).or_insert_with(new);
            match entry.next.as_ref().and_then(WeakShared::upgrade) {
                Some(next) => next,
                None => {
                    entry.loads += 1;
                    let next = self.shared_load(key, Arc::clone(&entry.running), load);
                    entry.next = next.downgrade();
                    next
                }
            }
        };
        shared.await
    }

    fn shared_load<F>(
        &self,
        key: K,
        running: Arc<tokio::sync::Mutex<()>>,
        load: impl FnOnce() -> F + Send + 'static,
    ) -> SharedLoad<V>
    where
        F: Future<Output = V> + Send + 'static,
    {
        let guard = EntryGuard { entries: Arc::clone(&self.entries), key };
        async move {
            let running = running.lock_owned().await;
            if let Some(entry) = locked(&guard.entries).get_mut(&guard.key) {
                entry.next = None;
            }
            let load = load();
            let loaded = tokio::spawn(async move {
                let _running = (running, guard);
                load.await
            });
            loaded.await.map_err(|error| LoadAborted(error.to_string().into()))
        }
        .boxed()
        .shared()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::poll;
    use tokio::sync::Semaphore;

    use super::SingleFlight;

    #[tokio::test]
    async fn a_caller_that_arrives_during_a_load_shares_the_next_one() {
        let (shared_loads, loads, gate) = (
            Arc::new(SingleFlight::<u8, usize>::default()),
            Arc::new(AtomicUsize::new(0)),
            Arc::new(Semaphore::new(0)),
        );
        let join = || {
            let (shared_loads, loads, gate) = (Arc::clone(&shared_loads), Arc::clone(&loads), Arc::clone(&gate));
            let load = move || async move {
                let number = loads.fetch_add(1, Ordering::SeqCst) + 1;
                let permit = gate.acquire().await.expect("open");
                permit.forget();
                number
            };
            tokio::spawn(async move { shared_loads.join(7, load).await })
        };
        let first = join();
        while loads.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let later: Vec<_> = (0..100).map(|_| join()).collect();
        gate.add_permits(1);
        assert_eq!(first.await.expect("ends"), Ok(1));
        gate.add_permits(1);
        for one in later {
            assert_eq!(one.await.expect("ends"), Ok(2));
        }
        assert!(shared_loads.entries.lock().expect("not poisoned").is_empty(), "idle entries are removed");
    }

    #[tokio::test]
    async fn a_load_that_panics_is_an_error_and_leaves_no_entry() {
        let shared_loads = SingleFlight::<u8, usize>::default();
        let aborted = shared_loads.join(7, || async { panic!("lost") }).await.expect_err("it panics");
        let text = aborted.to_string();
        assert!(text.starts_with("a shared load: task ") && text.contains("lost"), "{text}");
        assert!(shared_loads.entries.lock().expect("not poisoned").is_empty());
    }

    #[tokio::test]
    async fn a_cancelled_caller_leaves_no_entry_and_the_load_continues() {
        let (shared_loads, gate) = (SingleFlight::<u8, usize>::default(), Arc::new(Semaphore::new(0)));
        let load = |number| {
            let gate = Arc::clone(&gate);
            move || async move {
                let permit = gate.acquire().await.expect("open");
                permit.forget();
                number
            }
        };
        {
            let mut first = pin!(shared_loads.join(7, load(1)));
            let mut second = pin!(shared_loads.join(7, load(2)));
            assert!(poll!(&mut first).is_pending() && poll!(&mut second).is_pending());
        }
        // The first load has started, and keeps the lock; no caller waits for the second.
        let mut third = pin!(shared_loads.join(7, load(3)));
        assert!(poll!(&mut third).is_pending());
        assert_eq!(shared_loads.entries.lock().expect("not poisoned")[&7].loads, 2);
        gate.add_permits(2);
        assert_eq!(third.await, Ok(3));
        assert!(shared_loads.entries.lock().expect("not poisoned").is_empty());
    }
}
