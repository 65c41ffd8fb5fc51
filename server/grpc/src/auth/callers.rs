//! The file of callers.
//!
//! ```toml
//! [web]
//! tokens_sha256 = ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"]
//! spiffe_ids = ["spiffe://example.org/ns/shop/sa/web"]
//! jwt_subjects = ["system:serviceaccount:shop:web"]
//! roles = ["reader", "writer"]
//! object_types = ["article", "video"]   # or ["*"]: every one
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use riposte_core::{Caller, Grants, ObjectType, ObjectTypeScope, Policies, Role};
use serde::Deserialize;

use super::TokenHash;
use super::jwt::MAX_SUBJECT;

/// The maximum length of a caller's name, in bytes. Page tokens and the log contain it.
const MAX_NAME: usize = 64;
/// The wildcard for all object types.
const WILDCARD: &str = "*";

/// The known callers, by their credentials.
#[derive(Debug, Default)]
pub struct Callers {
    by_token: HashMap<TokenHash, Caller>,
    by_identity: HashMap<String, Caller>,
    by_subject: HashMap<String, Caller>,
    by_name: HashMap<String, Caller>,
    /// The object types that each caller's table names.
    granted_types: Vec<(String, ObjectType)>,
    /// The caller that all calls count as, if every caller is admitted.
    pub(super) open: Option<Caller>,
}

/// The entry of one caller in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallerEntry {
    /// The hashes of its tokens; two during a rotation.
    #[serde(default)]
    tokens_sha256: Vec<TokenHash>,
    /// Its identities in certificates.
    #[serde(default)]
    spiffe_ids: Vec<String>,
    /// Its subjects in JWTs.
    #[serde(default)]
    jwt_subjects: Vec<String>,
    roles: Vec<RoleName>,
    object_types: Vec<String>,
}

/// The name of a role in the file.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RoleName {
    Reader,
    Writer,
    Moderator,
    Operator,
    Subscriber,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Reader => Self::Reader,
            RoleName::Writer => Self::Writer,
            RoleName::Moderator => Self::Moderator,
            RoleName::Operator => Self::Operator,
            RoleName::Subscriber => Self::Subscriber,
        }
    }
}

/// Describes a fault of the file and its line, without the line itself and without quoted text.
/// This message is logged, and the text may be a token that was entered in the wrong place, so no
/// value may appear in it.
fn parse_error(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count()) + 1;
    let message = error.message().split('"').step_by(2).collect::<Vec<_>>().join("…");
    // The parser quotes the found value in one of two ways; this handles the other.
    let (before, quoted) = message.split_once('`').unwrap_or((&message, ""));
    let known = quoted.find("`, expected ").map_or("", |end| &quoted[end + 1..]);
    // The parser breaks some texts over lines, and leaves an `expected` without what is expected.
    let parts = before.lines().map(|part| part.trim().trim_end_matches("expected").trim_end_matches([' ', ',']));
    let message = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let message = if message.is_empty() { "is not valid TOML" } else { &message };
    format!("line {line}: {message}{known}")
}

impl Callers {
    /// Admits every caller as one caller with all rights.
    #[must_use]
    pub fn unrestricted() -> Self {
        Self { open: Some(Caller::unrestricted("open")), ..Self::default() }
    }

    /// Reads the callers of a file.
    ///
    /// # Errors
    /// The fault of the file, with its position; a file without any caller is a fault too.
    pub fn read(path: &Path) -> Result<Self, String> {
        let within = |error| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| within(error.to_string()))?;
        Self::parse(&text).map_err(within)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let entries: BTreeMap<String, CallerEntry> = toml::from_str(text).map_err(|error| parse_error(text, &error))?;
        let mut callers = Self::default();
        for (position, (name, entry)) in (1..).zip(entries) {
            require(is_name(&name), || {
                format!("caller {position} by the alphabet: a name is 1 to 64 of A-Z a-z 0-9 . _ -")
            })?;
            callers.add(&name, entry).map_err(|error| format!("caller {name:?}: {error}"))?;
        }
        require(!callers.by_name.is_empty(), || "it names no caller".to_owned())?;
        Ok(callers)
    }

    fn add(&mut self, name: &str, entry: CallerEntry) -> Result<(), String> {
        let CallerEntry { tokens_sha256, spiffe_ids, jwt_subjects, roles, object_types } = entry;
        let has_credentials = !tokens_sha256.is_empty() || !spiffe_ids.is_empty() || !jwt_subjects.is_empty();
        require(has_credentials, || "has neither tokens_sha256 nor spiffe_ids nor jwt_subjects".to_owned())?;
        let roles = distinct("roles", roles.into_iter().map(Role::from).collect())?;
        let types = types(&object_types)?;
        if let ObjectTypeScope::These(types) = &types {
            self.granted_types.extend(types.iter().map(|object_type| (name.to_owned(), object_type.clone())));
        }
        let caller = Caller::new(name, Grants { roles, types });
        self.by_name.insert(name.to_owned(), caller.clone());
        for hash in tokens_sha256 {
            require(hash != TokenHash::of(""), || "one of its tokens is the empty text".to_owned())?;
            let is_new = self.by_token.insert(hash, caller.clone()).is_none();
            require(is_new, || format!("the token {hash} is given twice"))?;
        }
        for (position, id) in (1..).zip(spiffe_ids) {
            let path = id.strip_prefix("spiffe://").filter(|rest| rest.contains('/'));
            require(path.is_some(), || format!("spiffe_ids, {position}: is no SPIFFE id: spiffe://trust-domain/path"))?;
            let is_new = self.by_identity.insert(id.clone(), caller.clone()).is_none();
            require(is_new, || format!("the identity {id} is given twice"))?;
        }
        for (position, subject) in (1..).zip(jwt_subjects) {
            let is_valid = (1..=MAX_SUBJECT).contains(&subject.len());
            require(is_valid, || format!("jwt_subjects, {position}: a subject has 1 to {MAX_SUBJECT} bytes"))?;
            let is_new = self.by_subject.insert(subject, caller.clone()).is_none();
            require(is_new, || format!("jwt_subjects, {position}: is given twice"))?;
        }
        Ok(())
    }

    /// Returns the object types that callers were granted and that these policies do not have, as
    /// `caller "web": object_types: "vidoe" …`.
    ///
    /// Such a grant is logged and not rejected. One file is mounted in servers of two
    /// configurations while an object type is added or removed, and a server without the type
    /// rejects its calls anyway.
    pub(super) fn ungranted(&self, policies: &Policies) -> Vec<String> {
        let ungranted = self.granted_types.iter().filter(|(_, object_type)| policies.of(object_type).is_err());
        let warning = |(name, object_type): &(String, ObjectType)| {
            format!(
                "caller {name:?}: object_types: {:?} is not registered in [object_types] of this server",
                object_type.as_str()
            )
        };
        ungranted.map(warning).collect()
    }

    /// Returns the caller with this name.
    pub(super) fn by_name(&self, name: &str) -> Option<&Caller> {
        self.open.as_ref().or_else(|| self.by_name.get(name))
    }

    /// Returns the caller with this token.
    pub(super) fn by_token(&self, token: &TokenHash) -> Option<&Caller> {
        self.by_token.get(token)
    }

    /// Returns the caller with this identity.
    pub(super) fn by_identity(&self, spiffe_id: &str) -> Option<&Caller> {
        self.by_identity.get(spiffe_id)
    }

    /// Returns the caller with this subject in a verified JWT.
    pub(super) fn by_subject(&self, subject: &str) -> Option<&Caller> {
        self.by_subject.get(subject)
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_allowed)
}

fn types(names: &[String]) -> Result<ObjectTypeScope, String> {
    if names == [WILDCARD] {
        return Ok(ObjectTypeScope::All);
    }
    let parse = |(position, name): (usize, &String)| {
        let parsed = ObjectType::parse("object_types", name);
        parsed.map_err(|violation| format!("object_types, {position}: {}", violation.description))
    };
    let parsed = (1..).zip(names).map(parse).collect::<Result<Vec<_>, _>>()?;
    distinct("object_types", parsed).map(ObjectTypeScope::These)
}

/// Checks a list of grants. An empty list or a duplicate is a mistake: a caller without grants does
/// not belong in the file.
fn distinct<T: Ord>(key: &str, list: Vec<T>) -> Result<BTreeSet<T>, String> {
    let count = list.len();
    let set: BTreeSet<T> = list.into_iter().collect();
    require(count > 0, || format!("{key} is empty, so it may do nothing: take it out of the file to keep it out"))?;
    require(set.len() == count, || format!("{key} names one of them twice"))?;
    Ok(set)
}

fn require(condition: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(otherwise()) }
}

#[cfg(test)]
mod tests {
    use super::{Callers, TokenHash};
    use riposte_core::{ObjectType, Policies, Policy, Role};

    fn file(body: &str) -> String {
        let hash = TokenHash::of("secret");
        body.replace("HASH", &hash.to_string())
    }

    #[test]
    fn callers_are_found_by_token_by_identity_and_by_subject() {
        let text = "[web]\ntokens_sha256 = ['HASH']\nspiffe_ids = ['spiffe://a/b']\njwt_subjects = ['sa:web']\nroles = ['reader']\nobject_types = ['article']";
        let callers = Callers::parse(&file(text)).unwrap();
        let web = callers.by_token(&TokenHash::of("secret")).unwrap();
        assert_eq!(callers.by_identity("spiffe://a/b"), Some(web));
        assert_eq!(callers.by_subject("sa:web"), Some(web));
        assert!(web.name() == "web" && web.has(Role::Reader) && !web.has(Role::Operator));
        assert!(
            web.may_use(&ObjectType::stored("article".into())) && !web.may_use(&ObjectType::stored("video".into()))
        );
        assert!(callers.by_token(&TokenHash::of("Secret")).is_none() && callers.by_identity("spiffe://a").is_none());
        assert!(callers.by_subject("sa:we").is_none() && callers.by_subject("web").is_none());
    }

    #[test]
    fn a_token_in_the_place_of_its_hash_appears_in_no_message() {
        for text in [
            "[a]\ntokens_sha256 = ['riposte_5ec2e7']",
            "[a]\ntokens_sha256 = 'riposte_5ec2e7'",
            "[a]\ntokens = ['riposte_5ec2e7']",
            "[a]\nroles = ['riposte_5ec2e7']\ntokens_sha256 = ['HASH']\nobject_types = []",
            "[a]\ntokens_sha256 = ['riposte_5ec2e7",
            "[a]\nroles = ['`riposte_5ec2e7']\ntokens_sha256 = ['HASH']\nobject_types = ['b']",
            "[a]\nriposte_5ec2e7 = 1",
        ] {
            let error = Callers::parse(&file(text)).expect_err(text);
            assert!(!error.contains("5ec2e7") && error.contains("line 2"), "{error}");
        }
    }

    #[test]
    fn a_token_in_any_other_place_appears_in_no_message_either() {
        let table = "[a]\nroles = ['reader']\n";
        for rest in [
            "spiffe_ids = ['riposte_5ec2e7']\nobject_types = ['b']",
            "tokens_sha256 = ['HASH']\nobject_types = ['Riposte_5ec2e7']",
            "jwt_subjects = ['riposte_5ec2e7', 'riposte_5ec2e7']\nobject_types = ['b']",
            "tokens_sha256 = ['HASH']\nobject_types = ['b']\n['riposte_5ec2e7!']\nroles = ['reader']\nobject_types = ['b']",
        ] {
            let error = Callers::parse(&file(&format!("{table}{rest}"))).expect_err(rest);
            assert!(!error.contains("5ec2e7") && error.contains("caller"), "{error}");
        }
    }

    #[test]
    fn an_invalid_file_of_callers_is_rejected_with_the_reason() {
        let two = "[a]\ntokens_sha256 = ['HASH']\nroles = ['reader']\nobject_types = ['b']\n";
        for (text, message) in [
            ("", "names no caller"),
            ("[a]\nroles = ['reader']\nobject_types = ['b']", "neither tokens_sha256 nor spiffe_ids nor jwt_subjects"),
            ("[a]\ntokens_sha256 = ['12']\nroles = ['reader']\nobject_types = ['b']", "SHA-256"),
            ("[a]\ntokens_sha256 = ['HASH']\nroles = ['god']\nobject_types = ['b']", "line 3: unknown variant"),
            ("[a]\ntokens_sha256 = ['']\nroles = ['reader']\nobject_types = ['b']", "SHA-256"),
            ("[a]\ntokens_sha256 = ['HASH']\nroles = ['reader']\nobject_types = ['*', 'b']", "must match"),
            (
                "[a]\ntokens_sha256 = ['HASH']\nroles = ['reader']\nobject_types = ['b']\ntypo = 1",
                "line 5: unknown field, expected one of",
            ),
            ("['a b']\ntokens_sha256 = ['HASH']\nroles = ['reader']\nobject_types = ['b']", "a name is"),
            ("[a]\nspiffe_ids = ['http://a/b']\nroles = ['reader']\nobject_types = ['b']", "no SPIFFE id"),
            ("[a]\njwt_subjects = ['']\nroles = ['reader']\nobject_types = ['b']", "a subject has"),
            (
                "[a]\njwt_subjects = ['b', 'b']\nroles = ['reader']\nobject_types = ['b']",
                "jwt_subjects, 2: is given twice",
            ),
            ("[a]\ntokens_sha256 = ['HASH']\nroles = []\nobject_types = ['b']", "caller \"a\": roles is empty"),
            (
                "[a]\ntokens_sha256 = ['HASH']\nroles = ['reader']\nobject_types = []",
                "caller \"a\": object_types is empty",
            ),
            (
                "[a]\ntokens_sha256 = ['HASH']\nroles = ['reader', 'reader']\nobject_types = ['b']",
                "roles names one of them",
            ),
            (
                "[a]\ntokens_sha256 = ['HASH']\nroles = ['reader']\nobject_types = ['b', 'b']",
                "object_types names one of",
            ),
            (&format!("{two}{}", two.replace("[a]", "[b]")), "given twice"),
        ] {
            let error = Callers::parse(&file(text)).expect_err(text);
            assert!(error.contains(message), "{error:?} does not contain {message:?}");
        }
    }

    #[test]
    fn an_unregistered_object_type_is_reported_with_its_caller_which_is_still_admitted() {
        let text = "[web]\ntokens_sha256 = ['HASH']\nroles = ['reader']\nobject_types = ['article', 'vidoe']";
        let callers = Callers::parse(&file(text)).unwrap();
        assert!(callers.by_token(&TokenHash::of("secret")).is_some());
        let article = || [("article".to_owned(), Policy::default())].into();
        let warnings = callers.ungranted(&Policies::closed(article()));
        assert!(
            warnings.len() == 1 && warnings[0].starts_with("caller \"web\": object_types: \"vidoe\""),
            "{warnings:?}"
        );
        assert!(callers.ungranted(&Policies::open(article(), Policy::default())).is_empty());
    }
}
