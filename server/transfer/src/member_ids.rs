//! Ids within the server's limits. They are the same in every run, so that a second import finds
//! the items of the first.

use sha2::{Digest, Sha256};

/// The size limit of a member id or object id, in bytes.
pub(crate) const ID_BYTES_MAX: usize = 64;
/// The size limit of an external id, in bytes.
pub(crate) const EXTERNAL_ID_BYTES_MAX: usize = 128;

/// Returns the text itself if it can be an id, otherwise `sha256:` with the first 20 bytes of its
/// digest.
pub(crate) fn fit_id(text: &str) -> String {
    if !text.is_empty() && text.len() <= ID_BYTES_MAX && !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    format!("sha256:{}", digest(text, 20))
}

/// Returns the external id of a comment whose own id is unique only within its page.
pub(crate) fn external_id_in_page(page: &str, id: &str) -> String {
    fit_external_id(&format!("{page}#{id}"))
}

/// Returns the text itself if it can be an external id, otherwise `sha256:` with the first 20 bytes
/// of its digest.
pub(crate) fn fit_external_id(text: &str) -> String {
    if text.len() <= EXTERNAL_ID_BYTES_MAX { text.to_owned() } else { format!("sha256:{}", digest(text, 20)) }
}

/// Returns the first `bytes` bytes (at most 32) of the text's SHA-256, in hexadecimal.
pub(crate) fn digest(text: &str, bytes: usize) -> String {
    Sha256::digest(text.as_bytes()).iter().take(bytes).map(|byte| format!("{byte:02x}")).collect()
}

/// The source's data about the author of a comment.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SourceMember<'a> {
    pub(crate) username: &'a str,
    pub(crate) email: &'a str,
    pub(crate) name: &'a str,
}

/// Returns a stable member id: `<source>:<username>`; without a username `<source>:e:<hash of salt
/// and email>`; with neither `<source>:n:<hash of salt and name>`; `<source>:anonymous` without any
/// of them. The e-mail address itself never appears.
pub(crate) fn member_id(source: &str, salt: &str, author: SourceMember<'_>) -> String {
    let email = author.email.trim().to_lowercase();
    let hash = |kind: &str, text: &str| format!("{source}:{kind}:{}", digest(&format!("{salt}\0{text}"), 16));
    let id = match (author.username.trim(), email.as_str(), author.name.trim()) {
        ("", "", "") => format!("{source}:anonymous"),
        ("", "", name) => hash("n", name),
        ("", email, _) => hash("e", email),
        (username, _, _) => format!("{source}:{username}"),
    };
    fit_id(&id)
}

/// Returns the member that stands for vote number `n` of a comment, counted from 1:
/// `~synthetic:<source>:<id>:up:<n>`.
pub(crate) fn synthetic_member_id(source: &str, external_id: &str, direction: &str, n: u32) -> String {
    let complete = format!("~synthetic:{source}:{external_id}:{direction}:{n}");
    if complete.len() <= ID_BYTES_MAX {
        return complete;
    }
    let short = digest(&format!("{source}\0{external_id}"), 14);
    format!("~synthetic:{short}:{direction}:{n}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_named_without_the_email() {
        let id = |author| member_id("disqus", "salt", author);
        let both = SourceMember { username: "user", email: "foo@bar.com", name: "A" };
        assert_eq!(id(both), "disqus:user");
        let hashed = id(SourceMember { username: "", ..both });
        assert!(hashed.starts_with("disqus:e:") && !hashed.contains("foo"), "{hashed}");
        assert_eq!(hashed, id(SourceMember { username: "", email: " FOO@bar.com\n", name: "B" }));
        assert_ne!(hashed, member_id("disqus", "pepper", SourceMember { username: "", ..both }));
        assert!(id(SourceMember { name: "A", ..SourceMember::default() }).starts_with("disqus:n:"));
        assert_eq!(id(SourceMember::default()), "disqus:anonymous");
    }

    #[test]
    fn ids_fit_for_any_value_of_the_source() {
        let long = "x".repeat(500);
        assert!(fit_id(&long).len() <= ID_BYTES_MAX);
        assert_ne!(fit_id(&long), fit_id(&"y".repeat(500)));
        assert!(fit_id("a\nb").starts_with("sha256:"));
        assert_eq!(fit_id("/blog/post/1"), "/blog/post/1");
        let commento = "e7069a7dfcfaed43caf62300a9b0edb1c124ad79d0f5887c93649c15d7f69945";
        assert_eq!(synthetic_member_id("decide-madrid", "17092", "up", 3), "~synthetic:decide-madrid:17092:up:3");
        let short = synthetic_member_id(&"s".repeat(64), commento, "down", u32::MAX);
        assert!(short.len() <= ID_BYTES_MAX, "{short}");
        assert_ne!(short, synthetic_member_id(&"s".repeat(64), "other", "down", u32::MAX));
    }
}
