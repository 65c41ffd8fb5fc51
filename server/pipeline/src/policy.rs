//! The local policy of a process: the word lists of the configuration, compiled for each object
//! type, and the rules of the types. The files are read at the start and when they change; a text
//! is searched without a lock.

mod check;
pub(crate) mod drain;
pub(crate) mod filtered;
mod judge;
mod load;
mod member_reads;
pub(crate) mod rule_settings;
pub(crate) mod rules;
pub(crate) mod settings;
mod trial;

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;
use riposte_core::Policies;
use riposte_core::object_type::ObjectType;
use riposte_core::ports::Reader;
use riposte_policy::{Day, Matcher, Normalizer, RuleSet};
use riposte_settings::ConfigErrors;
use riposte_telemetry::Metrics;

use load::ListsInForce;
use member_reads::MemberReads;
use rules::TypeRules;
use settings::PolicySettings;

/// The word lists in force, and the rules. A clone shares them.
#[derive(Debug, Clone)]
pub struct LocalPolicy(Arc<PolicyState>);

#[derive(Debug)]
struct PolicyState {
    settings: PolicySettings,
    rules: TypeRules,
    /// Empty until the rows can be read; until then nothing is known of members.
    members: OnceLock<MemberReads>,
    metrics: Metrics,
    /// Built when it is first needed: a process without lists and rules never pays for it.
    normalizer: OnceLock<Arc<Normalizer>>,
    /// `None` without lists.
    lists: ArcSwapOption<ListsInForce>,
}

impl LocalPolicy {
    /// Reads and compiles the lists for a day. This takes up to seconds: call it in a blocking
    /// thread.
    ///
    /// # Errors
    /// Every list that cannot be used, by the key of its file.
    pub fn open(
        settings: &PolicySettings,
        rules: TypeRules,
        today: Day,
        metrics: Metrics,
    ) -> Result<Self, ConfigErrors> {
        let state = PolicyState {
            settings: settings.clone(),
            rules,
            members: OnceLock::new(),
            metrics,
            normalizer: OnceLock::new(),
            lists: ArcSwapOption::empty(),
        };
        let policy = Self(Arc::new(state));
        if !policy.0.rules.is_empty() {
            // Not on the first text.
            let _ = policy.normalizer();
        }
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

    /// Returns remarks on the lists in force and their entries, without any word of them.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        self.0.lists.load().as_ref().map(|lists| lists.remarks().to_vec()).unwrap_or_default()
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

    /// Lets rules and modes compare what `reader` reads of members, as `policies` require it. A
    /// second call changes nothing.
    pub fn read_members(&self, reader: Arc<dyn Reader>, policies: Arc<Policies>) {
        self.0.members.get_or_init(|| MemberReads::new(reader, policies));
    }

    /// Returns the rules of an object type; `None` if it has none.
    #[must_use]
    pub fn rules(&self, object_type: &ObjectType) -> Option<&RuleSet> {
        self.0.rules.of(object_type)
    }

    /// The table of code points by which texts are normalized.
    #[must_use]
    pub fn normalizer(&self) -> &Arc<Normalizer> {
        self.0.normalizer.get_or_init(Arc::default)
    }
}

#[cfg(test)]
mod tests;
