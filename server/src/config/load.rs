//! Loading: reads every source and combines them into one [`Config`] or a list of all errors.

use super::{
    Config,
    key_lines::{KeyLines, line_at},
    renamed::{self, Replaced, nest},
    resolve::resolve,
    source_tag, tree,
};
use figment::{
    Figment, Metadata, Provider,
    value::{Dict, Map, Value},
};
use riposte_settings::{ConfigError, ConfigErrors, ValueOrigin};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt, fs,
    path::{Path, PathBuf},
};

/// The prefix of every variable of the service. Client variables have a single underscore
/// (`RIPOSTE_TARGET`), so that servers and clients do not read each other's variables.
const PREFIX: &str = "RIPOSTE__";

const DEFAULTS: &str = include_str!("default.toml");
const DEV: &str = include_str!("dev.toml");
const SQLITE: &str = include_str!("sqlite.toml");

/// A set of values inside the binary that overrides the defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The defaults alone, which are meant for production.
    #[default]
    Serve,
    /// `riposte dev`: SQLite, loopback addresses, every caller admitted.
    Dev,
}

/// The sources of a configuration.
#[derive(Clone, Default)]
pub struct Inputs {
    /// The profile over the defaults.
    pub profile: Profile,
    /// If true, an insecure choice is an error like any other.
    pub production: bool,
    /// Files; later ones override earlier ones.
    pub files: Vec<PathBuf>,
    /// The environment. Only variables with the prefix of the service are read.
    pub variables: Vec<(OsString, OsString)>,
    /// `key=value`, as given to `--set`.
    pub sets: Vec<String>,
    /// Named flags: the flag, the key it sets, and its value.
    pub flags: Vec<(&'static str, &'static str, Value)>,
}

/// A configuration that has passed every check, and the sources of its values.
pub struct Loaded {
    /// The values.
    pub config: Config,
    sources: Sources,
}

impl Inputs {
    /// Inputs with the environment of this process.
    pub fn of_process(profile: Profile) -> Self {
        Inputs { profile, variables: std::env::vars_os().collect(), ..Inputs::default() }
    }

    /// Adds a named flag of the command line, which overrides everything else.
    pub fn flag(&mut self, name: &'static str, key: &'static str, value: impl Into<Value>) {
        self.flags.push((name, key, value.into()));
    }
}

impl Loaded {
    /// Returns the source of the value at `path`.
    pub fn source_of(&self, path: &str) -> ValueOrigin {
        self.sources.source_of(path)
    }
}

// Both contain sources as they were read, with secrets in the clear, so `Debug` shows neither.
impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inputs").field("profile", &self.profile).field("files", &self.files).finish_non_exhaustive()
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Implements [`Config::load`].
pub(super) fn load(inputs: &Inputs) -> Result<Loaded, ConfigErrors> {
    match load_with_errors(inputs) {
        (Some(loaded), None) => Ok(loaded),
        (_, errors) => Err(errors.unwrap_or_else(|| ConfigErrors(Vec::new()))),
    }
}

/// Implements [`Config::load_with_errors`].
pub(super) fn load_with_errors(inputs: &Inputs) -> (Option<Loaded>, Option<ConfigErrors>) {
    let mut sources = Sources::default();
    sources.text(ValueOrigin::Default, DEFAULTS);
    match inputs.profile {
        Profile::Serve => {}
        Profile::Dev => sources.text(ValueOrigin::Profile("dev".into()), DEV),
    }
    let defaults = sources.tree.clone();
    for path in &inputs.files {
        sources.file(path);
    }
    sources.variables(&inputs.variables);
    for set in &inputs.sets {
        sources.set(set);
    }
    for (name, key, value) in &inputs.flags {
        sources.add(ValueOrigin::Flag((*name).to_owned()), nest(key.split('.'), value.clone()));
    }
    sources.follow_store();

    let (config, mut faults) = resolve(&sources.tree, &defaults);
    let is_broken = |key: &str| faults.iter().any(|fault: &ConfigError| fault.path == key);
    let (kind, insecure) = (is_broken("store.kind"), is_broken("auth.allow_insecure"));
    if inputs.profile == Profile::Serve && !kind {
        faults.extend(config.as_ref().and_then(Config::temporary_store));
    }
    if inputs.production && !insecure {
        faults.extend(config.iter().flat_map(Config::insecure_settings));
    }
    tree::inherit(&mut sources.tree, "object_type_defaults", "object_types");
    let mut errors = std::mem::take(&mut sources.faults);
    errors.extend(sources.locate(faults));
    if sources.lacks_file {
        // What a file that was not read leaves unset follows from that alone.
        errors.retain(|error| error.source != Some(ValueOrigin::Default));
    }
    let loaded = config.map(|config| Loaded { config, sources });
    (loaded, (!errors.is_empty()).then_some(ConfigErrors(errors)))
}

/// The values of all sources read so far, and the data that identifies the source of each.
#[derive(Default)]
struct Sources {
    tree: Dict,
    metadata: Vec<Figment>,
    lines: BTreeMap<PathBuf, KeyLines>,
    faults: Vec<ConfigError>,
    /// True if a file could not be read.
    lacks_file: bool,
}

/// One source in the form in which figment tags its values.
struct Layer {
    metadata: Metadata,
    values: Dict,
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        self.metadata.clone()
    }

    fn data(&self) -> figment::Result<Map<figment::Profile, Dict>> {
        Ok(figment::Profile::Default.collect(self.values.clone()))
    }
}

impl Sources {
    /// Adds the values of one source. Old keys become errors.
    fn add(&mut self, source: ValueOrigin, values: Dict) {
        let Replaced { values, faults } = renamed::replace(values, &source, &self.lines);
        self.faults.extend(faults);
        let tagged = Figment::from(Layer { metadata: source_tag::metadata(&source), values });
        let values = tagged.data().ok().and_then(|mut data| data.remove(&figment::Profile::Default));
        tree::merge(&mut self.tree, values.unwrap_or_default());
        self.metadata.push(tagged);
    }

    /// Adds a TOML text. The parser's own error text is not used: it quotes the line, which may
    /// hold a secret.
    fn text(&mut self, source: ValueOrigin, text: &str) {
        match toml::from_str::<Dict>(text) {
            Ok(values) => self.add(source, values),
            Err(error) => {
                let line = error.span().map(|span| line_at(text, span.start));
                let column = error.span().map_or(1, |span| column_at(text, span.start));
                // The parser breaks some texts over lines and leaves some lines empty.
                let cause = error.message().lines().map(str::trim).filter(|line| !line.is_empty());
                let cause = cause.collect::<Vec<_>>().join(", ");
                let cause = if cause.is_empty() { String::new() } else { format!(" ({cause})") };
                let source = match source {
                    ValueOrigin::File(path, _) => {
                        self.lacks_file = true;
                        ValueOrigin::File(path, line)
                    }
                    ValueOrigin::Default
                    | ValueOrigin::Profile(_)
                    | ValueOrigin::Variable(_)
                    | ValueOrigin::Flag(_) => source,
                };
                self.fault(&format!("is not valid TOML at column {column}{cause}; the file was not read"), source);
            }
        }
    }

    fn file(&mut self, path: &Path) {
        match fs::read_to_string(path) {
            Ok(text) => {
                self.lines.insert(path.to_owned(), KeyLines::of(&text));
                self.text(ValueOrigin::File(path.to_owned(), None), &text);
            }
            Err(error) => {
                self.lacks_file = true;
                self.fault(&format!("cannot be read: {}", reason_of(&error)), ValueOrigin::File(path.to_owned(), None))
            }
        }
    }

    fn variables(&mut self, variables: &[(OsString, OsString)]) {
        let service_variables = |(name, value): &(OsString, OsString)| {
            Some((name.to_str()?.strip_prefix(PREFIX)?.to_owned(), value.clone()))
        };
        let mut service_variables: Vec<_> = variables.iter().filter_map(service_variables).collect();
        // Item 2 of a list precedes item 10.
        service_variables.sort_by_cached_key(|(name, _)| (name.len(), name.clone()));
        for (name, value) in service_variables {
            let source = ValueOrigin::Variable(format!("{PREFIX}{name}"));
            let keys: Vec<String> = name.split("__").map(str::to_lowercase).collect();
            match value.to_str() {
                _ if keys.iter().any(String::is_empty) => self.fault("does not name a key", source),
                None => self.fault("is not UTF-8", source),
                Some(text) => self.add(source, nest(keys.iter().map(String::as_str), parse(text))),
            }
        }
    }

    fn set(&mut self, set: &str) {
        match set.split_once('=') {
            Some((key, text)) if key.split('.').all(|part| !part.is_empty()) => {
                self.add(ValueOrigin::Flag(format!("--set {key}")), nest(key.split('.'), parse(text)));
            }
            Some(_) | None => self.fault(
                "needs a key and a value, as in --set server.listen=127.0.0.1:7171",
                ValueOrigin::Flag("--set".into()),
            ),
        }
    }

    /// Adds the defaults of the kind of the store, which any source may have chosen, to the keys
    /// that no source sets.
    fn follow_store(&mut self) {
        let kind = tree::get(&self.tree, &["store".to_owned(), "kind".to_owned()]);
        if kind.and_then(Value::as_str) != Some("sqlite") {
            return;
        }
        let mut defaults = Vec::new();
        let table = toml::from_str::<Dict>(SQLITE).unwrap_or_default();
        tree::leaves(&table, &mut |path, value| defaults.push((path.to_owned(), value.clone())));
        defaults.retain(|(path, _)| self.source_of(path) == ValueOrigin::Default);
        for (path, value) in defaults {
            self.add(ValueOrigin::Default, nest(path.split('.'), value));
        }
    }

    fn fault(&mut self, message: &str, source: ValueOrigin) {
        self.faults.push(ConfigError::at("", message).located(source));
    }

    /// Returns the source of the value at `path`, or else of the nearest enclosing table.
    fn source_of(&self, path: &str) -> ValueOrigin {
        let mut keys: Vec<String> = path.split('.').map(str::to_owned).collect();
        while !keys.is_empty() {
            if let Some(value) = tree::get(&self.tree, &keys) {
                let metadata = self.metadata.iter().find_map(|layer| layer.get_metadata(value.tag()));
                return match metadata.map(source_tag::of) {
                    Some(ValueOrigin::File(file, _)) => {
                        let line = self.lines.get(&file).and_then(|lines| lines.line(path));
                        ValueOrigin::File(file, line)
                    }
                    Some(source) => source,
                    None => ValueOrigin::Default,
                };
            }
            keys.pop();
        }
        ValueOrigin::Default
    }

    fn locate(&self, faults: Vec<ConfigError>) -> Vec<ConfigError> {
        faults
            .into_iter()
            .map(|fault| {
                let source = self.source_of(&fault.path);
                fault.located(source)
            })
            .collect()
    }
}

/// Returns the column of a byte of a text, from 1.
fn column_at(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or(text);
    before.rsplit('\n').next().unwrap_or_default().chars().count() + 1
}

/// Returns what an I/O error says, without the number that the system gives it.
fn reason_of(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::InvalidData {
        return "it is not text in UTF-8".to_owned();
    }
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Returns the value of a variable of this process that does not belong to Riposte.
pub fn foreign_variable(name: &str) -> Option<String> {
    std::env::vars_os().find(|(found, _)| found == name).and_then(|(_, value)| value.into_string().ok())
}

/// Returns the name of the variable that sets the key at `path`.
pub(super) fn variable(path: &str) -> String {
    format!("{PREFIX}{}", path.replace('.', "__").to_uppercase())
}

/// Parses a value as TOML, or else takes the text as it is. So `50`, `true`, `["a"]` and
/// `127.0.0.1:1` need no additional quotes.
fn parse(text: &str) -> Value {
    let assigned = toml::from_str::<Dict>(&format!("value = {text}")).ok();
    // More than one key means that the text contains a line break and further keys: it is then
    // plain text, not a TOML value.
    let single_value = assigned.filter(|table| table.len() == 1).and_then(|mut table| table.remove("value"));
    single_value.unwrap_or_else(|| Value::from(text))
}
