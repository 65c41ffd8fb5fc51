//! Many who look for the same thing at the same time share one look.
//!
//! Who comes while a look is under way does not share its outcome, which may be older than what he has seen: he waits for the
//! next look with all others who come meanwhile. So there are never more than two for a key, and each is newer than
//! everybody who shares it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use riposte_core::{Error, Result};

/// The looks under way and those that wait.
#[derive(Debug)]
pub struct Flights<K, V: Clone> {
    places: Arc<Mutex<HashMap<K, Place<V>>>>,
}

type Flight<V> = Shared<BoxFuture<'static, Result<V>>>;

#[derive(Debug)]
struct Place<V: Clone> {
    turn: Arc<tokio::sync::Mutex<()>>,
    /// The look that has not begun.
    next: Option<Flight<V>>,
}

/// Takes an idle place away.
struct Leave<K: Eq + Hash, V: Clone> {
    places: Arc<Mutex<HashMap<K, Place<V>>>>,
    key: K,
}

impl<K: Eq + Hash, V: Clone> Drop for Leave<K, V> {
    fn drop(&mut self) {
        let mut places = locked(&self.places);
        if places.get(&self.key).is_some_and(|place| place.next.is_none()) {
            places.remove(&self.key);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K, V> Default for Flights<K, V>
where
    V: Clone,
{
    fn default() -> Self {
        Self { places: Arc::default() }
    }
}

impl<K, V> Flights<K, V>
where
    K: Eq + Hash + Clone + Send + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// The outcome of a look that begins after this call. `look` runs to its end in a task of its own, whoever waits.
    ///
    /// # Errors
    /// Those of `look`; [`Error::Internal`] where it panics.
    pub async fn join<F>(&self, key: K, look: impl FnOnce() -> F + Send + 'static) -> Result<V>
    where
        F: Future<Output = Result<V>> + Send + 'static,
    {
        let flight = {
            let mut places = locked(&self.places);
            let place = places.entry(key.clone()).or_insert_with(|| Place { turn: Arc::default(), next: None });
            match &place.next {
                Some(next) => next.clone(),
                None => {
                    let next = self.flight(key, Arc::clone(&place.turn), look);
                    place.next.insert(next).clone()
                }
            }
        };
        flight.await
    }

    fn flight<F>(
        &self,
        key: K,
        turn: Arc<tokio::sync::Mutex<()>>,
        look: impl FnOnce() -> F + Send + 'static,
    ) -> Flight<V>
    where
        F: Future<Output = Result<V>> + Send + 'static,
    {
        let places = Arc::clone(&self.places);
        async move {
            let _turn = turn.lock_owned().await;
            if let Some(place) = locked(&places).get_mut(&key) {
                place.next = None;
            }
            let _leave = Leave { places, key };
            let looked = tokio::spawn(look()).await;
            looked.unwrap_or_else(|died| Err(Error::internal(format!("a look at the rows: {died}"))))
        }
        .boxed()
        .shared()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Semaphore;

    use super::Flights;

    #[tokio::test]
    async fn who_comes_meanwhile_shares_the_next_look_and_not_the_present_one() {
        let (flights, looks, gate) =
            (Arc::new(Flights::<u8, usize>::default()), Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let join = || {
            let (flights, looks, gate) = (Arc::clone(&flights), Arc::clone(&looks), Arc::clone(&gate));
            let look = move || async move {
                let number = looks.fetch_add(1, Ordering::SeqCst) + 1;
                gate.acquire().await.expect("open").forget();
                Ok(number)
            };
            tokio::spawn(async move { flights.join(7, look).await })
        };
        let first = join();
        while looks.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let later: Vec<_> = (0..100).map(|_| join()).collect();
        gate.add_permits(1);
        assert_eq!(first.await.expect("ends"), Ok(1));
        gate.add_permits(1);
        for one in later {
            assert_eq!(one.await.expect("ends"), Ok(2));
        }
        assert!(flights.places.lock().expect("whole").is_empty(), "idle places are taken away");
    }
}
