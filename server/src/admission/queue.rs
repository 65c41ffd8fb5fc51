//! Who waits for room: the highest class first, in each the one that has waited longest.

use std::collections::VecDeque;

use tokio::sync::oneshot::Sender;
use tokio::time::Instant;

use super::method::Class;

/// One who waits, until a moment.
#[derive(Debug)]
pub(super) struct Waiter<T> {
    pub(super) until: Instant,
    pub(super) turn: Sender<T>,
}

/// See the module. Its length is bounded; who was pushed out learns it by the loss of the sender.
#[derive(Debug)]
pub(super) struct Queue<T> {
    length: usize,
    best_effort: VecDeque<Waiter<T>>,
    sheddable: VecDeque<Waiter<T>>,
    critical: VecDeque<Waiter<T>>,
}

impl<T> Queue<T> {
    pub(super) fn new(length: usize) -> Self {
        let line = VecDeque::new;
        Self { length, best_effort: line(), sheddable: line(), critical: line() }
    }

    /// Takes one in; `false` if there is no place. Those whose time is over go first, then the last who came of the lowest class
    /// below.
    pub(super) fn push(&mut self, class: Class, waiter: Waiter<T>, now: Instant) -> bool {
        if self.waiting() >= self.length {
            for class in Class::DOWNWARD {
                self.line(class).retain(|waiter| waiter.until > now && !waiter.turn.is_closed());
            }
        }
        if self.waiting() >= self.length {
            let mut lower = Class::DOWNWARD.into_iter().rev().take_while(|lower| *lower < class);
            let dropped = lower.find_map(|lower| self.line(lower).pop_back());
            if dropped.is_none() {
                return false;
            }
        }
        self.line(class).push_back(waiter);
        true
    }

    /// Whoever waits in a class and has time left.
    pub(super) fn pop(&mut self, class: Class, now: Instant) -> Option<Sender<T>> {
        let line = self.line(class);
        while let Some(waiter) = line.pop_front() {
            if waiter.until > now && !waiter.turn.is_closed() {
                return Some(waiter.turn);
            }
        }
        None
    }

    /// Whether somebody stands before one who comes now.
    pub(super) fn is_before(&mut self, class: Class, now: Instant) -> bool {
        let waits = |waiter: &Waiter<T>| waiter.until > now && !waiter.turn.is_closed();
        Class::DOWNWARD.into_iter().filter(|other| *other >= class).any(|other| self.line(other).iter().any(waits))
    }

    fn waiting(&self) -> usize {
        self.best_effort.len() + self.sheddable.len() + self.critical.len()
    }

    fn line(&mut self, class: Class) -> &mut VecDeque<Waiter<T>> {
        match class {
            Class::BestEffort => &mut self.best_effort,
            Class::Sheddable => &mut self.sheddable,
            Class::Critical => &mut self.critical,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::oneshot::{self, Receiver};
    use tokio::time::Instant;

    use super::{Class, Queue, Waiter};

    struct Scene {
        queue: Queue<()>,
        now: Instant,
        alive: Vec<Receiver<()>>,
    }

    impl Scene {
        fn new(length: usize) -> Self {
            Self { queue: Queue::new(length), now: Instant::now(), alive: Vec::new() }
        }

        /// Whether one is taken in who waits so long.
        fn comes(&mut self, class: Class, wait_ms: u64) -> bool {
            let (turn, receiver) = oneshot::channel();
            let until = self.now + Duration::from_millis(wait_ms);
            self.alive.push(receiver);
            self.queue.push(class, Waiter { until, turn }, self.now)
        }

        /// Whether the waiter of this number, in the order of coming, was pushed out.
        fn dropped(&mut self, number: usize) -> bool {
            self.alive[number].try_recv() == Err(oneshot::error::TryRecvError::Closed)
        }
    }

    #[test]
    fn the_lowest_class_is_dropped_first_and_never_for_its_equal() {
        let mut scene = Scene::new(2);
        assert!(scene.comes(Class::BestEffort, 9) && scene.comes(Class::Sheddable, 9));
        assert!(!scene.comes(Class::BestEffort, 9));
        assert!(scene.comes(Class::Sheddable, 9));
        assert!(scene.dropped(0) && !scene.dropped(1));
        assert!(!scene.comes(Class::Sheddable, 9));
        assert!(scene.comes(Class::Critical, 9));
        assert!(!scene.dropped(1) && scene.dropped(3), "the last who came goes first");
    }

    #[test]
    fn those_whose_time_is_over_make_room_before_anybody_is_dropped() {
        let mut scene = Scene::new(2);
        assert!(scene.comes(Class::BestEffort, 9) && scene.comes(Class::Critical, 1));
        scene.now += Duration::from_millis(2);
        assert!(scene.comes(Class::Critical, 9));
        assert!(!scene.dropped(0) && scene.dropped(1));
    }

    #[test]
    fn nobody_gets_a_turn_who_went_away_or_is_late() {
        let mut scene = Scene::new(9);
        for wait in [1, 9, 9] {
            assert!(scene.comes(Class::Sheddable, wait));
        }
        scene.now += Duration::from_millis(2);
        scene.alive[1].close();
        assert!(
            scene.queue.is_before(Class::BestEffort, scene.now) && !scene.queue.is_before(Class::Critical, scene.now)
        );
        assert!(scene.queue.pop(Class::Sheddable, scene.now).is_some_and(|turn| turn.send(()).is_ok()));
        assert!(scene.alive[2].try_recv().is_ok());
        assert!(scene.queue.pop(Class::Sheddable, scene.now).is_none());
        assert!(!scene.queue.is_before(Class::Sheddable, scene.now));
    }
}
