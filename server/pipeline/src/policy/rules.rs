//! The rules of all object types.

use std::collections::BTreeMap;

use riposte_core::object_type::ObjectType;
use riposte_policy::{RuleError, RuleSet};
use riposte_settings::{ConfigError, ConfigErrors};

use super::rule_settings::RuleSettings;

/// The registered object types with their rules, and the rules of all others.
#[derive(Clone, Debug, Default)]
pub struct TypeRules {
    of_type: BTreeMap<String, RuleSet>,
    of_others: RuleSet,
}

impl TypeRules {
    /// Creates the rules of registered types, and those of all others.
    ///
    /// # Errors
    /// The first fault of each type, by its key.
    pub fn new<'s>(
        registered: impl Iterator<Item = (&'s String, &'s Vec<RuleSettings>)>,
        others: &[RuleSettings],
    ) -> Result<Self, ConfigErrors> {
        let (mut of_type, mut errors) = (BTreeMap::new(), Vec::new());
        for (name, rules) in registered {
            match rule_set(rules) {
                Ok(rules) => drop(of_type.insert(name.clone(), rules)),
                Err(error) => errors.push(ConfigError::at(format!("object_types.{name}.rules"), error.to_string())),
            }
        }
        match rule_set(others) {
            Ok(of_others) if errors.is_empty() => Ok(Self { of_type, of_others }),
            Ok(_) => Err(ConfigErrors(errors)),
            Err(error) => {
                errors.push(ConfigError::at("object_type_defaults.rules", error.to_string()));
                Err(ConfigErrors(errors))
            }
        }
    }

    /// Returns the rules of a type; `None` if it has none.
    pub(super) fn of(&self, object_type: &ObjectType) -> Option<&RuleSet> {
        let rules = self.of_type.get(object_type.as_str()).unwrap_or(&self.of_others);
        (!rules.is_empty()).then_some(rules)
    }

    /// Returns `true` if no type has a rule.
    pub(super) fn is_empty(&self) -> bool {
        self.of_type.values().chain([&self.of_others]).all(RuleSet::is_empty)
    }

    /// Returns the name of a type in metrics, which name the registered ones.
    pub(super) fn metric_name(&self, object_type: &ObjectType) -> &str {
        self.of_type.get_key_value(object_type.as_str()).map_or("other", |(name, _)| name)
    }
}

fn rule_set(settings: &[RuleSettings]) -> Result<RuleSet, RuleError> {
    let rules = settings.iter().map(RuleSettings::rule).collect();
    RuleSet::new(rules).map_err(|mut errors| errors.swap_remove(0))
}
