//! The configuration: one tree of structs that holds every setting. Each component owns the struct
//! of its settings with its checks, in a module `settings`; this module composes them and owns the
//! policies of the domain, which become types of `riposte-core`.
//!
//! A value comes from the first of these sources that names it: a flag (`--set a.b=c` reaches every
//! key), a variable `RIPOSTE__A__B`, the files given by `--config` (the last one wins), the profile
//! (`riposte dev` has one), and the defaults in `config/default.toml`, which documents every
//! setting. An unknown key is an error in every source. All errors are reported at once, each with
//! its source.
//!
//! This module and its children are the only code that reads configuration files or the
//! environment.

mod events;
mod key_lines;
mod load;
mod minimal;
mod misspelt;
mod object_types;
mod rankings;
mod renamed;
mod resolve;
mod schema;
mod show;
mod source_tag;
mod tree;

#[cfg(test)]
mod tests;

pub use self::events::EventSettings;
pub use self::load::{Inputs, Loaded, Profile, foreign_variable};
pub use self::minimal::{MinimalStore, minimal};
pub use self::misspelt::misspelt_variables;
pub use self::object_types::{
    AccountUseName, EditWindow, FilterUseName, HotProfileName, MinLevelSettings, ModerationModeName, ObjectTypeSettings,
};
pub use self::rankings::RankingSettings;
pub use self::schema::schema;
pub use self::show::{EXAMPLE, show};

use crate::listener::{ServerRole, ServerSettings};
use riposte_cache::{CacheKind, CacheSettings};
use riposte_clients::{AccountSettings, FilterSettings};
use riposte_core::ObjectType;
use riposte_core::account_rules::TypeAccountRules;
use riposte_grpc::admission::{AdmissionLimits, LimitSettings, MemberRates};
use riposte_grpc::audit::AuditSettings;
use riposte_grpc::auth::AuthSettings;
use riposte_grpc::page_token::PageTokenSettings;
use riposte_grpc::response_cache::ResponseCacheSettings;
use riposte_pipeline::{
    FilterUse, MAX_BATCH, PolicySettings, TypeRules, WriteCapacity, WriteQueueLimits, WriteQueueSettings,
};
use riposte_settings::{ConfigError, ConfigErrors, ErrorReport, ErrorScope};
use riposte_store::{StoreKind, StoreSettings};
use riposte_telemetry::{LogSettings, TelemetrySettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Pattern for the names of object types.
const OBJECT_TYPE: &str = "^[a-z][a-z0-9_]{0,31}$";

/// All settings of the service. The output of `riposte config example` explains each of them.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Listeners, limits of messages, and how the process stops.
    pub server: ServerSettings,
    /// The database that stores the comments.
    pub store: StoreSettings,
    /// The cache of frequently read data.
    pub cache: CacheSettings,
    /// The queues of pending writes.
    pub write_queues: WriteQueueSettings,
    /// Limits beyond which a process rejects calls.
    pub limits: LimitSettings,
    /// The response cache: first pages of hot subjects.
    pub response_cache: ResponseCacheSettings,
    /// The ranking snapshots of ranked lists.
    pub rankings: RankingSettings,
    /// The retention of events, and the topic that receives them.
    pub events: EventSettings,
    /// The keys that seal page tokens.
    pub page_tokens: PageTokenSettings,
    /// Callers and their authentication.
    pub auth: AuthSettings,
    /// The destination of the records of audited calls.
    pub audit: AuditSettings,
    /// Filter and format of the log.
    pub log: LogSettings,
    /// Export to an OpenTelemetry receiver, and the endpoint of metrics.
    pub telemetry: TelemetrySettings,
    /// The word lists whose entries are searched for in texts.
    pub policy: PolicySettings,
    /// The filter, which judges texts.
    pub filter: FilterSettings,
    /// The account service, which knows what members may do.
    pub accounts: AccountSettings,
    /// Values for the settings that an entry of `object_types` leaves out.
    pub object_type_defaults: ObjectTypeSettings,
    /// If true, a well-formed object type that is not registered gets the defaults; otherwise it is
    /// rejected.
    pub open_object_types: bool,
    /// The registered object types, by name.
    #[schemars(extend("propertyNames" = { "pattern": OBJECT_TYPE }))]
    pub object_types: BTreeMap<String, ObjectTypeSettings>,
}

impl Config {
    /// Reads and checks the configuration.
    ///
    /// # Errors
    /// Every error of every source at once: unreadable files, unknown keys, wrong types, values out
    /// of bounds.
    pub fn load(inputs: &Inputs) -> Result<Loaded, ConfigErrors> {
        load::load(inputs)
    }

    /// Reads and checks the configuration, and returns it also if it has errors, with the default
    /// in place of each value that cannot be read; `None` if nothing can be read.
    pub fn load_with_errors(inputs: &Inputs) -> (Option<Loaded>, Option<ConfigErrors>) {
        load::load_with_errors(inputs)
    }

    /// Returns every value that is well formed but wrong: out of bounds, or in conflict with
    /// another one.
    pub fn validate(&self) -> Vec<ConfigError> {
        let mut report = ErrorReport::default();
        self.server.validate(&mut report.under("server"));
        self.server.tls.validate(&mut report.under("server.tls"));
        self.store.validate(&mut report.under("store"));
        self.cache.validate(&mut report.under("cache"));
        self.write_queues.validate(&mut report.under("write_queues"));
        self.limits.validate(&mut report.under("limits"));
        self.response_cache.validate(&mut report.under("response_cache"));
        self.rankings.validate(&mut report.under("rankings"));
        self.events.validate(&mut report.under("events"));
        self.events.kafka.validate(&mut report.under("events.kafka"));
        self.page_tokens.validate(&mut report.under("page_tokens"));
        self.auth.validate(&mut report.under("auth"));
        self.auth.jwt.validate(&mut report.under("auth.jwt"));
        self.audit.validate(&mut report.under("audit"));
        self.log.validate(&mut report.under("log"));
        self.telemetry.validate(&mut report.under("telemetry"));
        self.policy.validate(&mut report.under("policy"));
        self.report_unknown_types(&mut report.under("policy"));
        self.filter.validate(&mut report.under("filter"));
        self.accounts.validate(&mut report.under("accounts"));
        self.report_missing_services(&self.object_type_defaults, &mut report.under("object_type_defaults"));
        self.object_type_defaults.validate(&mut report.under("object_type_defaults"));
        for (name, object_type) in &self.object_types {
            let path = format!("object_types.{name}");
            if riposte_core::ObjectType::parse("name", name).is_err() {
                report.fault(&path, "is not a valid name of an object type: it must match [a-z][a-z0-9_]{0,31}");
            }
            object_type.validate(&mut report.under(&path));
            self.report_missing_services(object_type, &mut report.under(&path));
            self.report_ids_of_lists(object_type, &mut report.under(&path));
        }
        self.report_ids_of_lists(&self.object_type_defaults, &mut report.under("object_type_defaults"));
        if !self.server.roles.are_all() {
            self.report_single_process_settings(&mut report.under("server"));
        }
        report.into_faults()
    }

    /// Reports the object types of word lists that are not registered.
    fn report_unknown_types(&self, report: &mut ErrorScope<'_>) {
        for (index, list) in self.policy.lists.iter().enumerate() {
            let is_known = |name: &String| {
                let is_type = riposte_core::ObjectType::parse("name", name).is_ok();
                self.object_types.contains_key(name) || (self.open_object_types && is_type)
            };
            let are_known = list.object_types.iter().all(is_known);
            let message = "names a type that object_types does not register: register it, or leave it out here";
            report.require(are_known, &format!("lists.{index}.object_types"), message);
        }
    }

    /// Reports an object type that uses a service that is not set.
    fn report_missing_services(&self, object_type: &ObjectTypeSettings, report: &mut ErrorScope<'_>) {
        let is_met = self.filter.is_set() || object_type.filter == FilterUseName::Off;
        report.require(is_met, "filter", "requires filter.endpoint: set it, or write \"off\" here");
        let is_met = self.accounts.is_set() || object_type.accounts == AccountUseName::Off;
        report.require(is_met, "accounts", "requires accounts.endpoint: set it, or write \"off\" here");
    }

    /// Reports the rules of a type whose ids are names of word lists.
    fn report_ids_of_lists(&self, object_type: &ObjectTypeSettings, report: &mut ErrorScope<'_>) {
        for (index, rule) in object_type.rules.iter().enumerate() {
            let is_list = self.policy.lists.iter().any(|list| list.name == rule.id);
            let message = "is the name of a word list, and metrics name both: choose another one";
            report.require(!is_list, &format!("rules.{index}.id"), message);
        }
    }

    /// Reports each setting that requires a single process, for a process without all roles.
    fn report_single_process_settings(&self, report: &mut ErrorScope<'_>) {
        let sqlite = "must contain both api and worker: SQLite (store.kind) is for a single process";
        report.require(self.store.kind != StoreKind::Sqlite, "roles", sqlite);
        let memory = "must contain both api and worker: the in-process cache (cache.kind) is for a single process";
        report.require(self.cache.kind != CacheKind::Memory, "roles", memory);
    }

    /// Returns the error of a store whose data would be lost at the stop. Only `riposte dev` has
    /// such a store.
    fn temporary_store(&self) -> Option<ConfigError> {
        let is_temporary = self.store.kind == StoreKind::Sqlite && self.store.data_dir.is_none();
        let message = "is not set, so that the comments would be lost at the stop: set a folder, as \
                       \"/var/lib/riposte\"; `riposte dev` is for temporary data";
        is_temporary.then(|| ConfigError::at("store.data_dir", message))
    }

    /// Returns each choice that is too insecure for production, with its cure.
    /// `auth.allow_insecure` accepts them all, so the result is then empty. A process that serves
    /// no calls admits no callers, so it needs neither a callers file nor certificates nor page
    /// token keys.
    fn insecure_settings(&self) -> Vec<ConfigError> {
        let mut report = ErrorReport::default();
        if !self.auth.allow_insecure {
            const CURE: &str = "or accept every insecure choice with --allow-insecure";
            let serves = self.server.roles.has(ServerRole::Api);
            if serves && self.auth.callers_file.is_none() {
                report.fault(
                    "auth.callers_file",
                    &format!("every caller would be admitted: set the file of admitted callers, {CURE}"),
                );
            }
            if serves && self.server.tls.cert_file.is_none() && !self.server.plaintext {
                report.fault(
                    "server.tls.cert_file",
                    &format!("tokens and texts would cross the network unencrypted: set a certificate; or set server.plaintext if a mesh encrypts; {CURE}"),
                );
            }
            if self.store.kind == StoreKind::Sqlite {
                report.fault("store.kind", &format!("SQLite is for development: set it to \"mysql\", {CURE}"));
            }
            if serves && self.page_tokens.count() == 0 {
                report.fault(
                    "page_tokens.keys",
                    &format!(
                        "no key: a restart would invalidate every page token. Set one generated by `openssl rand -base64 32`, {CURE}"
                    ),
                );
            }
        }
        report.into_faults()
    }

    /// Returns the admission limits.
    pub fn admission(&self) -> AdmissionLimits {
        let rates = self.object_types.iter().map(|(name, settings)| (name.clone(), settings.member_rate()));
        // If types are closed, an unregistered type is rejected anyway.
        let members = MemberRates::new(rates.collect(), self.object_type_defaults.member_rate());
        let rates = self.object_types.iter().map(|(name, settings)| (name.clone(), settings.report_rate()));
        let reports = MemberRates::new(rates.collect(), self.object_type_defaults.report_rate());
        let LimitSettings { reads, writes, streams, streams_per_caller, queue, .. } = self.limits;
        let LimitSettings { read_wait, write_wait, principals, .. } = self.limits;
        AdmissionLimits {
            reads,
            writes,
            streams,
            streams_per_caller,
            queue,
            read_wait: read_wait.duration(),
            write_wait: write_wait.duration(),
            caller: self.limits.caller(),
            members,
            reports,
            principals,
        }
    }

    /// Returns the limits of the write queues.
    pub fn write_queue_limits(&self) -> WriteQueueLimits {
        self.write_queues.limits(WriteCapacity {
            connections: self.store.pools.write.connections,
            // A transaction on Vitess covers one partition.
            queues_per_batch: if self.store.kind == StoreKind::Vitess { 1 } else { MAX_BATCH },
            shared: self.store.kind != StoreKind::Sqlite,
        })
    }

    /// Returns the rules of all object types.
    ///
    /// # Errors
    /// The faults that [`Config::validate`] reports, too.
    pub fn rules(&self) -> Result<TypeRules, ConfigErrors> {
        let registered = self.object_types.iter().map(|(name, settings)| (name, &settings.rules));
        TypeRules::new(registered, &self.object_type_defaults.rules)
    }

    /// Returns the use of the filter by the object types.
    pub fn filter_use(&self) -> FilterUse {
        let of_type = |(name, settings): (&String, &ObjectTypeSettings)| (name.clone(), settings.filter.fallback());
        FilterUse {
            of_type: self.object_types.iter().map(of_type).collect(),
            of_others: self.object_type_defaults.filter.fallback(),
            may_release: self.filter.may_release,
        }
    }

    /// Returns the registered object types that use the filter or the account service.
    pub fn types_with_services(&self) -> Vec<ObjectType> {
        let uses = |settings: &ObjectTypeSettings| {
            settings.filter != FilterUseName::Off || settings.accounts != AccountUseName::Off
        };
        let using = self.object_types.iter().filter(|(_, settings)| uses(settings));
        using.map(|(name, _)| ObjectType::stored(name.clone())).collect()
    }

    /// Returns the rules of the object types for the accounts of members.
    pub fn account_rules(&self) -> TypeAccountRules {
        let of_type = |(name, settings): (&String, &ObjectTypeSettings)| (name.clone(), settings.account_rules());
        TypeAccountRules {
            of_type: self.object_types.iter().map(of_type).collect(),
            of_others: self.object_type_defaults.account_rules(),
        }
    }

    /// Returns the policies of all object types in the terms of the domain.
    pub fn policies(&self) -> riposte_core::Policies {
        let registered = self.object_types.iter().map(|(name, settings)| (name.clone(), settings.policy())).collect();
        if self.open_object_types {
            riposte_core::Policies::open(registered, self.object_type_defaults.policy())
        } else {
            riposte_core::Policies::closed(registered)
        }
    }
}
