//! The links in a text.

use memchr::memchr2;

/// Ends of domains that occur in links and are no words. Those of two letters are words of many
/// languages, and a missing space after a full stop makes a domain of them, as in "si.es".
const GENERIC: [&str; 30] = [
    "com", "net", "org", "info", "biz", "xyz", "top", "site", "online", "shop", "club", "app", "dev", "link", "live",
    "store", "vip", "win", "icu", "edu", "gov", "pro", "name", "mobi", "asia", "cloud", "page", "space", "website",
    "click",
];
const SCHEMES: [&str; 2] = ["http://", "https://"];

/// Counts the web addresses and bare domains in a normalized text.
pub(super) fn count(text: &str) -> u32 {
    // All that matters is ASCII, so bytes are enough.
    let bytes = text.as_bytes();
    let (mut count, mut at) = (0, 0);
    while let Some(found) = memchr2(b'.', b':', &bytes[at..]) {
        let is_outside = |byte: &u8| !byte.is_ascii_graphic();
        let start = bytes[..at + found].iter().rposition(is_outside).map_or(0, |before| before + 1);
        let end = bytes[at + found..].iter().position(is_outside).map_or(bytes.len(), |end| at + found + end);
        count += in_run(&text[start..end]);
        at = end;
    }
    count
}

/// Counts the links in a run of ASCII without spaces.
fn in_run(run: &str) -> u32 {
    let schemes: usize = SCHEMES.iter().map(|scheme| run.matches(scheme).count()).sum();
    let first = SCHEMES.iter().filter_map(|scheme| run.find(scheme)).min().unwrap_or(run.len());
    schemes as u32 + bare(&run[..first])
}

/// Counts the domains without a scheme. What follows a domain up to a comma is its path.
fn bare(run: &str) -> u32 {
    let mut count = 0;
    for part in run.split([',', ';']) {
        let is_of_domain = |c: char| c.is_ascii_alphanumeric() || "-.@".contains(c);
        let mut rest = part;
        while let Some(at) = rest.find(is_of_domain) {
            let tail = &rest[at..];
            let end = tail.find(|c| !is_of_domain(c)).unwrap_or(tail.len());
            let after = &tail[end..];
            if is_domain(tail[..end].trim_end_matches('.'), after.starts_with('/')) {
                count += 1;
                break;
            }
            rest = after;
        }
    }
    count
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
}
