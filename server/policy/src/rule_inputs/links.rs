//! The links in a text.

use memchr::memchr2;
use std::collections::BTreeSet;

/// Ends of domains that occur in links and are no words. Those of two letters are words of many
/// languages, and a missing space after a full stop makes a domain of them, as in "si.es".
const GENERIC: [&str; 30] = [
    "com", "net", "org", "info", "biz", "xyz", "top", "site", "online", "shop", "club", "app", "dev", "link", "live",
    "store", "vip", "win", "icu", "edu", "gov", "pro", "name", "mobi", "asia", "cloud", "page", "space", "website",
    "click",
];
const SCHEMES: [&str; 2] = ["http://", "https://"];
/// The largest number of bytes of the name of a host.
const MAX_HOST_BYTES: usize = 253;

/// Counts the web addresses and bare domains in a normalized text.
pub(super) fn count(text: &str) -> u32 {
    runs(text).map(in_run).sum()
}

/// Returns the hosts of the web addresses and the bare domains in a normalized text, each once. One
/// that is no name of a host, or an impossibly long one, is left out.
pub(crate) fn hosts(text: &str) -> BTreeSet<&str> {
    let is_host = |host: &&str| host.len() <= MAX_HOST_BYTES && host.split('.').all(|label| !label.is_empty());
    runs(text).flat_map(hosts_in_run).filter(is_host).collect()
}

/// Returns the runs of ASCII without spaces that may have links.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    // All that matters is ASCII, so bytes are enough.
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let found = memchr2(b'.', b':', &bytes[at..])?;
        let is_outside = |byte: &u8| !byte.is_ascii_graphic();
        let start = bytes[..at + found].iter().rposition(is_outside).map_or(0, |before| before + 1);
        let end = bytes[at + found..].iter().position(is_outside).map_or(bytes.len(), |end| at + found + end);
        at = end;
        Some(&text[start..end])
    })
}

/// Counts the links in a run of ASCII without spaces.
fn in_run(run: &str) -> u32 {
    let schemes: usize = SCHEMES.iter().map(|scheme| run.matches(scheme).count()).sum();
    schemes as u32 + bare(before_scheme(run)).count() as u32
}

fn hosts_in_run(run: &str) -> impl Iterator<Item = &str> {
    let addresses = SCHEMES.iter().flat_map(move |scheme| run.split(scheme).skip(1));
    bare(before_scheme(run)).chain(addresses.map(host))
}

/// Returns the part of a run before its first scheme.
fn before_scheme(run: &str) -> &str {
    &run[..SCHEMES.iter().filter_map(|scheme| run.find(scheme)).min().unwrap_or(run.len())]
}

/// Returns the host of an address without its scheme: the part between the name of a user, if there
/// is one, and a port or path.
fn host(address: &str) -> &str {
    let authority = &address[..address.find(['/', '?', '#', '\\', '"', '<', '>']).unwrap_or(address.len())];
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let is_outside = |c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c);
    host[..host.find(is_outside).unwrap_or(host.len())].trim_end_matches('.')
}

/// Returns the domains without a scheme. What follows a domain up to a comma is its path.
fn bare(run: &str) -> impl Iterator<Item = &str> {
    run.split([',', ';']).filter_map(first_domain)
}

fn first_domain(part: &str) -> Option<&str> {
    let is_of_domain = |c: char| c.is_ascii_alphanumeric() || "-.@".contains(c);
    let mut rest = part;
    while let Some(at) = rest.find(is_of_domain) {
        let tail = &rest[at..];
        let (name, after) = tail.split_at(tail.find(|c| !is_of_domain(c)).unwrap_or(tail.len()));
        let name = name.trim_end_matches('.');
        if is_domain(name, after.starts_with('/')) {
            return Some(name);
        }
        rest = after;
    }
    None
}

fn is_domain(name: &str, has_path: bool) -> bool {
    let Some((labels, end)) = name.rsplit_once('.') else { return false };
    // The domain of a mail address is no link.
    let is_sound = !name.contains('@') && name.split('.').all(|label| !label.is_empty());
    let is_country = end.len() == 2 && end.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_named = labels.starts_with("www.") || has_path;
    is_sound && (GENERIC.contains(&end) || is_country && is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_bare_domains_are_links() {
        let one = [
            "http://example",
            "看http://example.org/路",
            "(https://example.org/a.com?b=c.net)",
            "visit example.com.",
            "example.com/path.html,",
            "www.example.es",
            "example.es/x",
            "sub-domain.example.xyz:8080/x.com",
        ];
        for text in one {
            assert_eq!(count(text), 1, "{text}");
        }
        assert_eq!(count("http://a.b https://c.d"), 2);
        assert_eq!(count("http://a.b,http://c.d"), 2);
        assert_eq!(count("a.com,b.net;c.org d.info"), 4);
        assert_eq!(count("a.com http://b.org/c"), 2);
    }

    #[test]
    fn sentences_numbers_and_mail_addresses_are_no_links() {
        let none = [
            "",
            "fin.el",
            "si.es verdad",
            "no.de",
            "3.14",
            "v1.2.3",
            "a..com",
            ".com",
            "name@example.com",
            "com",
            "...",
            "http:/x",
            "e.g. this",
            "index.html",
        ];
        for text in none {
            assert_eq!(count(text), 0, "{text}");
        }
    }

    fn found(text: &str) -> Vec<&str> {
        hosts(text).into_iter().collect()
    }

    #[test]
    fn the_hosts_of_links_have_no_user_port_or_path() {
        for (text, host) in [
            ("看http://example.org/路", "example.org"),
            ("(https://example.org?b=c.net)", "example.org"),
            ("https://example.org.", "example.org"),
            ("https://example.org)", "example.org"),
            ("http://example.org:8080/x.com", "example.org"),
            ("http://bank.com@evil.org/", "evil.org"),
            ("http://bank.com:80@evil.org", "evil.org"),
            ("http://evil.org\\@bank.com", "evil.org"),
            ("http://localhost", "localhost"),
            ("visit sub-domain.example.com/path,", "sub-domain.example.com"),
            ("www.example.es", "www.example.es"),
        ] {
            assert_eq!(found(text), [host], "{text}");
        }
        assert_eq!(found("http://b.org,https://a.org c.com http://a.org/2"), ["a.org", "b.org", "c.com"]);
    }

    #[test]
    fn what_is_no_host_is_left_out() {
        let long = format!("http://{}.com", "a".repeat(250));
        for text in ["", "http://", "https://?a.com", "http://a..com", "http://.com", "si.es verdad", "3.14", &long] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
