//! Pages of web sites as subjects.

use super::member_ids;
use super::read_settings::{ReadSettings, SubjectBy};
use super::record::Key;

/// The names of a page in an export; each may be empty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageNames<'a> {
    /// The site's own id of the page.
    pub(crate) id: &'a str,
    /// Its address.
    pub(crate) link: &'a str,
    /// The comment system's number of the page.
    pub(crate) number: &'a str,
}

impl PageNames<'_> {
    /// Returns the object id: the first name that is not empty, hashed if it is too long. `None` if
    /// all are empty.
    pub(crate) fn object_id(&self, preference: SubjectBy) -> Option<String> {
        let path = path_of(self.link);
        let names = match preference {
            SubjectBy::Id => [self.id, path, self.number],
            SubjectBy::Path => [path, self.id, self.number],
        };
        names.into_iter().find(|name| !name.is_empty()).map(member_ids::fit_id)
    }
}

/// Returns the key of comments on an unknown page. An operator completes it in the rejects file.
pub(crate) fn unknown(settings: &ReadSettings) -> Key {
    Key { object_type: settings.object_type.clone(), object_id: String::new() }
}

/// Returns path and query of an address, without the fragment; a path alone is returned as it is.
fn path_of(link: &str) -> &str {
    let link = link.split('#').next().unwrap_or_default();
    match link.split_once("://") {
        None => link,
        Some((_, rest)) => match rest.find(['/', '?']) {
            Some(offset) => rest.get(offset..).unwrap_or_default(),
            None => "/",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_id_is_the_first_name_that_is_not_empty() {
        let cases = [
            ("", "http://example.tld/2014/test/", "", "/2014/test/"),
            ("", "http://example.tld/?p=4#comments", "", "/?p=4"),
            ("", "http://example.tld", "", "/"),
            ("", "/posts/1", "", "/posts/1"),
            ("", "", "18", "18"),
            ("id", "http://e/x", "18", "id"),
        ];
        for (id, link, number, expected) in cases {
            assert_eq!(PageNames { id, link, number }.object_id(SubjectBy::Id).as_deref(), Some(expected));
        }
        let all = PageNames { id: "id", link: "http://e/x", number: "18" };
        assert_eq!(all.object_id(SubjectBy::Path).as_deref(), Some("/x"));
        assert_eq!(PageNames { id: "", link: "", number: "" }.object_id(SubjectBy::Id), None);
        let long = format!("http://e/{}", "x".repeat(99));
        assert!(
            PageNames { id: "", link: &long, number: "" }
                .object_id(SubjectBy::Id)
                .is_some_and(|id| id.starts_with("sha256:"))
        );
    }
}
