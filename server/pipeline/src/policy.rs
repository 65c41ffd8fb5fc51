//! The local policy of a process: the word lists of the configuration, compiled for each object
//! type. The files are read at the start and when they change; a text is searched without a lock.

mod check;
mod judge;
mod load;
pub(crate) mod settings;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;
use riposte_core::object_type::ObjectType;
use riposte_policy::{Day, Matcher, Normalizer};
use riposte_settings::ConfigErrors;
use riposte_telemetry::Metrics;

use load::ListsInForce;
use settings::PolicySettings;

/// The word lists in force. A clone shares them.
#[derive(Debug, Clone)]
pub struct LocalPolicy(Arc<PolicyState>);

#[derive(Debug)]
struct PolicyState {
    settings: PolicySettings,
    /// The object types that metrics name.
    types: BTreeSet<String>,
    metrics: Metrics,
    /// Built when it is first needed: a process without lists never pays for it.
    normalizer: OnceLock<Arc<Normalizer>>,
    /// `None` without lists.
    lists: ArcSwapOption<ListsInForce>,
}

impl LocalPolicy {
    /// Reads and compiles the lists for a day. Metrics name the object types `types`. This takes up
    /// to seconds: call it in a blocking thread.
    ///
    /// # Errors
    /// Every list that cannot be used, by the key of its file.
    pub fn open(
        settings: &PolicySettings,
        types: BTreeSet<String>,
        today: Day,
        metrics: Metrics,
    ) -> Result<Self, ConfigErrors> {
        let state = PolicyState {
            settings: settings.clone(),
            types,
            metrics,
            normalizer: OnceLock::new(),
            lists: ArcSwapOption::empty(),
        };
        let policy = Self(Arc::new(state));
        policy.reload(today)?;
        Ok(policy)
    }

    /// Reads and compiles the lists again. Searches use the earlier ones meanwhile, and also
    /// afterwards if a file cannot be used. Call it in a blocking thread.
    ///
    /// # Errors
    /// Every list that cannot be used, by the key of its file.
    pub fn reload(&self, today: Day) -> Result<(), ConfigErrors> {
        let Self(state) = self;
        if state.settings.lists.is_empty() {
            return Ok(());
        }
        let loaded = load::load(&state.settings, self.normalizer(), today);
        state.metrics.word_lists_refused(loaded.as_ref().err().map_or(0, |errors| errors.0.len()));
        let loaded = loaded?;
        for (list, version) in loaded.versions() {
            state.metrics.word_list_version(list, version);
        }
        state.lists.store(Some(Arc::new(loaded)));
        Ok(())
    }

    /// Returns `true` if the lists in force were compiled for another day: entries may have
    /// expired since.
    #[must_use]
    pub fn is_outdated(&self, today: Day) -> bool {
        self.0.lists.load().as_ref().is_some_and(|lists| lists.day() != today)
    }

    /// Returns the lists of an object type; `None` if it has none.
    #[must_use]
    pub fn matcher(&self, object_type: &ObjectType) -> Option<Arc<Matcher>> {
        self.0.lists.load().as_ref()?.of(object_type.as_str()).cloned()
    }

    /// The table of code points by which texts are normalized.
    #[must_use]
    pub fn normalizer(&self) -> &Arc<Normalizer> {
        self.0.normalizer.get_or_init(Arc::default)
    }
}

#[cfg(test)]
mod tests;
