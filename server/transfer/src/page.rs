//! Pages of web sites as subjects.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

use super::marks::escaped;
use super::member_ids;

/// The name of a page that becomes the subject's object id, in formats that have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum SubjectBy {
    /// The system's own id of the page (Disqus identifier, WordPress post id), else its path.
    #[default]
    Id,
    /// Path and query of the page's address, else the system's id.
    Path,
    /// The page's address without its scheme, else the system's id: for files of several hosts.
    Url,
}

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

/// The parts of an address's query that are left out of an object id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum StrippedQuery {
    #[default]
    None,
    All,
    Names(Vec<String>),
}

/// The rules by which pages become object ids.
#[derive(Debug, Clone, Default)]
pub(crate) struct PageRules {
    pub(crate) by: SubjectBy,
    pub(crate) strip: StrippedQuery,
    /// New addresses by old ones.
    pub(crate) url_map: HashMap<String, String>,
}

impl PageRules {
    /// Reads the file of `--url-map`: lines of CSV with an old and a new address.
    ///
    /// # Errors
    /// The file cannot be read, or a line has not two addresses (with its number).
    pub(crate) fn read_url_map(path: &Path) -> Result<HashMap<String, String>> {
        let context = || format!("in the address map {}", path.display());
        let mut rows =
            ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_path(path).with_context(context)?;
        let mut map = HashMap::new();
        for row in rows.records() {
            let row = row.map_err(|error| {
                if let ::csv::ErrorKind::Utf8 { pos, .. } = error.kind() {
                    let line = pos.as_ref().map_or(0, ::csv::Position::line);
                    return anyhow!("{}:{line}: it is not text in UTF-8", path.display());
                }
                anyhow!(error).context(context())
            })?;
            let line = row.position().map_or(0, ::csv::Position::line);
            match row.iter().map(str::trim).collect::<Vec<_>>().as_slice() {
                [old, new] if !old.is_empty() && !new.is_empty() => map.insert(escaped(old), escaped(new)),
                _ => bail!("{}:{line}: a line has an old and a new address: old,new", path.display()),
            };
        }
        Ok(map)
    }

    /// Returns the address that replaces a link, if the map has the link, the link without its
    /// fragment, or its path.
    fn mapped(&self, link: &str) -> Option<&str> {
        let names = [link, without_fragment(link), path_of(link)];
        names.into_iter().find_map(|name| self.url_map.get(name)).map(String::as_str)
    }

    fn stripped(&self, link: &str) -> String {
        let link = without_fragment(link);
        let Some((page, query)) = link.split_once('?') else { return link.to_owned() };
        let remaining = match &self.strip {
            StrippedQuery::None => return link.to_owned(),
            StrippedQuery::All => String::new(),
            StrippedQuery::Names(names) => {
                let name_of = |part: &&str| part.split('=').next().unwrap_or_default().to_owned();
                query.split('&').filter(|part| !names.contains(&name_of(part))).collect::<Vec<_>>().join("&")
            }
        };
        if remaining.is_empty() { page.to_owned() } else { format!("{page}?{remaining}") }
    }
}

impl PageNames<'_> {
    /// Returns the address of the page by the same rules, by which two names are of one page; empty
    /// without one.
    pub(crate) fn address(&self, rules: &PageRules) -> String {
        address_of(&rules.stripped(rules.mapped(self.link).unwrap_or(self.link)))
    }

    /// Returns true if the object id is the site's own id of the page.
    pub(crate) fn is_named_by_id(&self, rules: &PageRules) -> bool {
        let is_first = rules.by == SubjectBy::Id && rules.mapped(self.link).is_none();
        !self.id.is_empty() && (is_first || self.link.is_empty())
    }

    /// Returns the object id: the first name that is not empty, hashed if it is too long. `None` if
    /// all are empty. A page that the address map names has its new address.
    pub(crate) fn object_id(&self, rules: &PageRules) -> Option<String> {
        let mapped = rules.mapped(self.link);
        let link = rules.stripped(mapped.unwrap_or(self.link));
        let (path, address) = (path_of(&link), address_of(&link));
        let names = match (rules.by, mapped.is_some()) {
            (SubjectBy::Id, false) => [self.id, path, self.number],
            (SubjectBy::Id | SubjectBy::Path, _) => [path, self.id, self.number],
            (SubjectBy::Url, _) => [&address, self.id, self.number],
        };
        names.into_iter().find(|name| !name.is_empty()).map(member_ids::fit_id)
    }
}

/// Returns the host of an address in lower case, without the port that its scheme has anyway; empty
/// for a path alone.
pub(crate) fn host_of(link: &str) -> String {
    let Some((scheme, rest)) = link.split_once("://") else { return String::new() };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let default_port = match scheme.to_ascii_lowercase().as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => ":",
    };
    host.strip_suffix(default_port).map_or(host.clone(), str::to_owned)
}

fn without_fragment(link: &str) -> &str {
    link.split('#').next().unwrap_or_default()
}

/// Returns path and query of an address, without the fragment; a path alone is returned as it is.
fn path_of(link: &str) -> &str {
    let link = without_fragment(link);
    match link.split_once("://") {
        None => link,
        Some((_, rest)) => match rest.find(['/', '?']) {
            Some(offset) => rest.get(offset..).unwrap_or_default(),
            None => "/",
        },
    }
}

/// Returns an address without its scheme, so that http and https name one page; a path alone is
/// returned as it is.
fn address_of(link: &str) -> String {
    match link.contains("://") {
        true => host_of(link) + path_of(link),
        false => link.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(by: SubjectBy) -> PageRules {
        PageRules { by, ..PageRules::default() }
    }

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
        let by_id = rules(SubjectBy::Id);
        for (id, link, number, expected) in cases {
            assert_eq!(PageNames { id, link, number }.object_id(&by_id).as_deref(), Some(expected));
        }
        let all = PageNames { id: "id", link: "http://e/x", number: "18" };
        assert_eq!(all.object_id(&rules(SubjectBy::Path)).as_deref(), Some("/x"));
        assert_eq!(all.object_id(&rules(SubjectBy::Url)).as_deref(), Some("e/x"));
        for link in
            ["http://E.tld/Path?q", "HTTPS://e.TLD:443/Path?q", "http://e.tld:80/Path?q#f", "https://e.tld/Path?q"]
        {
            let page = PageNames { id: "", link, number: "" };
            assert_eq!(page.object_id(&rules(SubjectBy::Url)).as_deref(), Some("e.tld/Path?q"), "{link}");
        }
        let other = PageNames { id: "", link: "https://e.tld:8443", number: "" };
        assert_eq!(other.object_id(&rules(SubjectBy::Url)).as_deref(), Some("e.tld:8443/"));
        assert_eq!(PageNames { id: "", link: "", number: "" }.object_id(&by_id), None);
        let long = format!("http://e/{}", "x".repeat(99));
        assert!(
            PageNames { id: "", link: &long, number: "" }.object_id(&by_id).is_some_and(|id| id.starts_with("sha256:"))
        );
    }

    #[test]
    fn queries_are_stripped_and_addresses_mapped_on_request() {
        let object_id =
            |link: &str, rules: &PageRules| PageNames { id: "7", link, number: "" }.object_id(rules).unwrap();
        let all = PageRules { strip: StrippedQuery::All, ..rules(SubjectBy::Path) };
        assert_eq!(object_id("https://e/c/?gclid=x#y", &all), "/c/");
        let names = vec!["gclid".to_owned()];
        let some = PageRules { strip: StrippedQuery::Names(names), ..rules(SubjectBy::Path) };
        assert_eq!(object_id("https://e/?p=4&gclid=x", &some), "/?p=4");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("map.csv");
        std::fs::write(&file, "https://e/old, https://n/new\n/c,/c/\n").unwrap();
        let url_map = PageRules::read_url_map(&file).unwrap();
        let mapped = PageRules { url_map, ..rules(SubjectBy::Id) };
        assert_eq!(object_id("https://e/old#top", &mapped), "/new");
        assert_eq!(object_id("https://e/c", &mapped), "/c/");
        assert_eq!(object_id("https://e/other", &mapped), "7", "a page that is not in the map keeps its id");
        std::fs::write(&file, "a,b\nonly\n").unwrap();
        assert!(PageRules::read_url_map(&file).unwrap_err().to_string().contains(":2:"));
        std::fs::write(&file, b"a,b\n\xff,c\n").unwrap();
        let binary = format!("{:#}", PageRules::read_url_map(&file).unwrap_err());
        assert!(binary.ends_with(":2: it is not text in UTF-8"), "{binary}");
    }
}
