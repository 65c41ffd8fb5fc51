//! The calling service and its grants.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::domain::error::{Error, Result};
use crate::domain::object_type::{ObjectType, Policies, Policy};

/// An authenticated calling service, not a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    name: Arc<str>,
    grants: Arc<Grants>,
}

/// The rights of a caller: its roles and its object types. The default grants nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    /// The roles, each a set of calls.
    pub roles: BTreeSet<Role>,
    /// The object types that the roles apply to.
    pub types: ObjectTypeScope,
}

/// A set of calls. The method table of the RPC layer assigns each method to a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads what is visible to readers.
    Reader,
    /// Writes on behalf of members.
    Writer,
    /// Hides, unhides and deletes comments as a moderator.
    Moderator,
    /// Imports, exports, verifies, repairs and rebuilds.
    Operator,
    /// Receives events of all comments.
    Subscriber,
}

/// A set of object types. A tenant is the set of types of one caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectTypeScope {
    /// Every type, including types that are registered later.
    All,
    /// Only the given types.
    These(BTreeSet<ObjectType>),
}

impl Default for ObjectTypeScope {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl ObjectTypeScope {
    /// Returns `true` if the scope contains the type.
    #[must_use]
    pub fn contains(&self, object_type: &ObjectType) -> bool {
        match self {
            Self::All => true,
            Self::These(types) => types.contains(object_type),
        }
    }
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 5] = [Self::Reader, Self::Writer, Self::Moderator, Self::Operator, Self::Subscriber];
}

impl Caller {
    /// Creates a caller from the name and the grants that authentication found.
    pub fn new(name: impl Into<Arc<str>>, grants: Grants) -> Self {
        Self { name: name.into(), grants: Arc::new(grants) }
    }

    /// Creates a caller with every role on every type; used where callers are not distinguished.
    pub fn unrestricted(name: impl Into<Arc<str>>) -> Self {
        Self::new(name, Grants { roles: Role::ALL.into(), types: ObjectTypeScope::All })
    }

    /// The name that idempotency keys, page tokens and the log carry.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name as a shared string, for code that stores it.
    #[must_use]
    pub fn shared_name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// Returns `true` if the caller has the role.
    #[must_use]
    pub fn has(&self, role: Role) -> bool {
        self.grants.roles.contains(&role)
    }

    /// Returns `true` if the caller may use every type, in the roles that it has.
    #[must_use]
    pub fn may_use_all(&self) -> bool {
        self.grants.types == ObjectTypeScope::All
    }

    /// Returns `true` if the caller may use the type, in the roles that it has.
    #[must_use]
    pub fn may_use(&self, object_type: &ObjectType) -> bool {
        self.grants.types.contains(object_type)
    }

    /// Checks that the caller may use a type, registered or not.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`].
    pub fn check_type(&self, object_type: &ObjectType) -> Result<()> {
        if self.may_use(object_type) { Ok(()) } else { Err(Error::CallerNotAllowed) }
    }

    /// Returns the policy of a type that the caller may use.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`], which does not reveal whether the type exists;
    /// [`Error::ObjectTypeUnknown`].
    pub fn policy<'p>(&self, policies: &'p Policies, object_type: &ObjectType) -> Result<&'p Policy> {
        self.check_type(object_type)?;
        policies.of(object_type)
    }

    /// The types that the caller may use.
    #[must_use]
    pub fn types(&self) -> &ObjectTypeScope {
        &self.grants.types
    }
}

/// Hashes the name alone. This distributes callers well enough, and is cheap for the lookup of a
/// caller in each read.
impl Hash for Caller {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{BuildHasher, RandomState};

    use super::{Caller, Grants, ObjectTypeScope, Role};
    use crate::domain::object_type::ObjectType;

    #[test]
    fn a_caller_has_no_right_without_a_grant() {
        let (article, video) = (ObjectType::stored("article".into()), ObjectType::stored("video".into()));
        let ungranted = Caller::new("nothing-granted", Grants::default());
        assert!(!Role::ALL.iter().any(|role| ungranted.has(*role)) && !ungranted.may_use(&article));
        let types = ObjectTypeScope::These([article.clone()].into());
        let web = Caller::new("web", Grants { roles: [Role::Reader].into(), types });
        assert!(web.has(Role::Reader) && !web.has(Role::Writer));
        assert!(web.may_use(&article) && !web.may_use(&video));
        let open = Caller::unrestricted("open");
        assert!(Role::ALL.iter().all(|role| open.has(*role)) && open.may_use(&video));
        assert_ne!(Caller::unrestricted("web"), web, "other grants make another caller");
        assert_eq!([&ungranted, &web, &open].map(Caller::may_use_all), [false, false, true]);
        assert_eq!([&ungranted, &web, &open].map(|caller| caller.types().contains(&article)), [false, true, true]);
    }

    #[test]
    fn callers_are_hashed_by_their_names() {
        let [a, b] = ["a", "b"].map(Caller::unrestricted);
        let without_grants = Caller::new("a", Grants::default());
        let state = RandomState::new();
        assert_eq!(state.hash_one(&a), state.hash_one(&without_grants), "grants are not hashed");
        assert_ne!(state.hash_one(&a), state.hash_one(&b));
        assert_eq!(HashSet::from([a.clone(), b.clone(), without_grants, a]).len(), 3);
        assert_eq!((b.name(), &*b.shared_name()), ("b", "b"));
    }
}
