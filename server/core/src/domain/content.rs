//! The content of comments, and facts about the client that sent it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

pub use crate::domain::blank::is_blank;
use crate::domain::error::{Reason, Violation};
use crate::domain::member::MemberId;
use crate::domain::object_type::Policy;
use crate::domain::subject::Metadata;

/// The maximum number of members that one comment may mention.
pub const MAX_MENTIONS: usize = 50;
/// The maximum number of metadata entries.
pub const MAX_METADATA_ENTRIES: usize = 16;
/// The maximum number of bytes of all metadata keys and values together.
pub const MAX_METADATA_BYTES: usize = 1024;

/// The fields of a content beyond text, mentions and metadata, by name. A version keeps the fields
/// that it does not know, so that its cache and the history of edits are complete for a newer one.
/// The limits of all fields together keep the stored form within 2 KiB.
pub type ExtraFields = BTreeMap<String, Vec<u8>>;

/// The content of a comment: valid by construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    text: String,
    mentions: Vec<MemberId>,
    metadata: Metadata,
    extra: ExtraFields,
}

impl Content {
    /// Normalises and checks content that arrived as `field`, and collects every violation.
    ///
    /// The text is converted to NFC; its length is counted in code points afterwards. It may
    /// contain any character but NUL, which databases and clients treat as an end; it must not be
    /// blank ([`is_blank`]).
    ///
    /// # Errors
    /// Every violation of text, mentions and metadata.
    pub fn parse(
        field: &str,
        policy: &Policy,
        text: &str,
        mentions: &[String],
        metadata: Metadata,
    ) -> Result<Self, Vec<Violation>> {
        let mut violations = Vec::new();
        let is_nfc = is_nfc_quick(text.chars()) == IsNormalized::Yes;
        let text: String = if is_nfc { text.to_owned() } else { text.nfc().collect() };
        let length = text.chars().count();
        let at = |name: &str| format!("{field}.{name}");
        if is_blank(&text) {
            violations.push(Violation::field(at("text"), "must not be empty"));
        }
        if text.contains('\0') {
            violations.push(Violation::field(at("text"), "must not contain the character NUL"));
        }
        if length > policy.max_text {
            violations.push(Violation {
                field: at("text"),
                description: format!("must have at most {} code points after NFC, has {length}", policy.max_text),
                reason: Reason::ContentTooLong,
            });
        }
        if mentions.len() > MAX_MENTIONS {
            violations.push(Violation::field(
                at("mentioned_member_ids"),
                format!("must have at most {MAX_MENTIONS} entries, has {}", mentions.len()),
            ));
        }
        let mut mentioned = Vec::new();
        for (n, member) in mentions.iter().take(MAX_MENTIONS).enumerate() {
            match MemberId::parse(&at(&format!("mentioned_member_ids[{n}]")), member) {
                Ok(member) => mentioned.push(member),
                Err(violation) => violations.push(violation),
            }
        }
        violations.extend(check_metadata(&at("metadata"), &metadata));
        if violations.is_empty() { Ok(Self::stored(text, mentioned, metadata)) } else { Err(violations) }
    }

    /// Content that the store wrote before; it is not checked again.
    #[must_use]
    pub fn stored(text: String, mentions: Vec<MemberId>, metadata: Metadata) -> Self {
        Self { text, mentions, metadata, extra: ExtraFields::new() }
    }

    /// Returns the content with these fields beyond text, mentions and metadata.
    #[must_use]
    pub fn with_extra(self, extra: ExtraFields) -> Self {
        Self { extra, ..self }
    }

    /// Returns the content with this text in place of its own.
    #[must_use]
    pub fn with_text(self, text: String) -> Self {
        Self { text, ..self }
    }

    /// Returns the text, the mentions and the metadata, and consumes the content.
    #[must_use]
    pub fn into_parts(self) -> (String, Vec<MemberId>, Metadata) {
        (self.text, self.mentions, self.metadata)
    }

    /// The text in NFC.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The mentioned members, in the caller's order.
    #[must_use]
    pub fn mentions(&self) -> &[MemberId] {
        &self.mentions
    }

    /// The caller's own fields.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The fields beyond text, mentions and metadata.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }

    /// Returns the parts that take part in the fingerprint of a request. Mentions and keys contain
    /// no control characters, so no element equals a separator between the lists, and two different
    /// contents never give the same parts. A content without extra fields has the parts that
    /// versions without such fields give it.
    pub(crate) fn fingerprint_parts(&self) -> impl Iterator<Item = &[u8]> {
        let mentions = self.mentions.iter().map(MemberId::as_str);
        let metadata = self.metadata.iter().flat_map(|(k, v)| [k.as_str(), v.as_str()]);
        let parts = [self.text(), "\0mentions"].into_iter().chain(mentions).chain(["\0metadata"]).chain(metadata);
        let begin = (!self.extra.is_empty()).then_some("\0extra".as_bytes());
        let extra = self.extra.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_slice()]);
        parts.map(str::as_bytes).chain(begin).chain(extra)
    }
}

/// Checks the caller's own fields: at most 16 entries, 1 KiB in all, keys of 1–64 bytes without
/// control characters.
#[must_use]
pub fn check_metadata(field: &str, metadata: &Metadata) -> Vec<Violation> {
    let mut violations = Vec::new();
    if metadata.len() > MAX_METADATA_ENTRIES {
        violations.push(Violation::field(
            field,
            format!("must have at most {MAX_METADATA_ENTRIES} entries, has {}", metadata.len()),
        ));
    }
    let bytes: usize = metadata.iter().map(|(k, v)| k.len() + v.len()).sum();
    if bytes > MAX_METADATA_BYTES {
        violations.push(Violation::field(field, format!("must have at most {MAX_METADATA_BYTES} bytes, has {bytes}")));
    }
    if metadata.keys().any(|k| k.is_empty() || k.len() > 64 || k.chars().any(char::is_control)) {
        violations.push(Violation::field(field, "keys must have 1 to 64 bytes and no control characters"));
    }
    violations
}

/// Details about the client, stored for moderation and never returned by the public services.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientInfo {
    /// The person's address.
    pub ip: Option<IpAddr>,
    /// For example `ios`; at most 32 bytes.
    pub platform: String,
    /// For example `iPhone17,1`; at most 128 bytes.
    pub device: String,
}

impl ClientInfo {
    /// Checks facts that arrived as `field`, and collects every violation. An empty `ip` means that
    /// the caller sent none.
    ///
    /// # Errors
    /// One violation for each fact that breaks its rule.
    pub fn parse(field: &str, ip: &str, platform: &str, device: &str) -> Result<Self, Vec<Violation>> {
        let mut violations = Vec::new();
        let address = if ip.is_empty() { None } else { ip.parse().ok() };
        if address.is_none() && !ip.is_empty() {
            violations.push(Violation::field(format!("{field}.ip"), "must be an IPv4 or IPv6 address"));
        }
        for (name, value, limit) in [("platform", platform, 32), ("device", device, 128)] {
            if value.len() > limit || value.chars().any(char::is_control) {
                violations.push(Violation::field(
                    format!("{field}.{name}"),
                    format!("must have at most {limit} bytes and no control characters"),
                ));
            }
        }
        if violations.is_empty() {
            Ok(Self { ip: address, platform: platform.to_owned(), device: device.to_owned() })
        } else {
            Err(violations)
        }
    }

    /// Returns `true` if there is nothing to store.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::{ClientInfo, Content};
    use crate::domain::error::Reason;
    use crate::domain::member::MemberId;
    use crate::domain::object_type::Policy;
    use crate::domain::subject::Metadata;

    fn parse(text: &str) -> Result<Content, Vec<crate::Violation>> {
        Content::parse("content", &Policy { max_text: 3, ..Policy::default() }, text, &[], Metadata::new())
    }

    #[test]
    fn text_is_normalised_and_counted_in_code_points() {
        assert_eq!(parse("e\u{301}").map(|c| c.text().to_owned()), Ok("é".to_owned()));
        assert!(parse("é楼🏠").is_ok(), "three code points, nine bytes");
        assert!(parse("e\u{301}aa").is_ok(), "four code points before NFC, three after");
        assert!(parse("aaaa").is_err_and(|v| v[0].reason == Reason::ContentTooLong));
    }

    #[test]
    fn a_text_is_not_blank_and_has_no_nul() {
        for text in ["", " ", "\n\t", "\u{2003}", "a\0"] {
            assert!(parse(text).is_err_and(|v| v.len() == 1 && v[0].field == "content.text"), "{text:?}");
        }
        assert_eq!(parse(" a").map(|content| content.into_parts().0), Ok(" a".to_owned()), "blanks stay");
    }

    #[test]
    fn content_returns_the_parts_it_was_made_of() {
        let (mentions, metadata) =
            (["b".to_owned(), "a".to_owned()], Metadata::from([("k".to_owned(), "v".to_owned())]));
        let content = Content::parse("content", &Policy::default(), "a text", &mentions, metadata.clone());
        let members = mentions.map(MemberId::stored).to_vec();
        assert_eq!(content, Ok(Content::stored("a text".to_owned(), members.clone(), metadata.clone())));
        let content = content.expect("well formed");
        assert_eq!((content.text(), content.mentions(), content.metadata()), ("a text", members.as_slice(), &metadata));
        assert_eq!(content.into_parts(), ("a text".to_owned(), members, metadata));
    }

    #[test]
    fn two_contents_never_have_the_same_fingerprint_parts() {
        let content = |members: &[&str], entries: &[(&str, &str)]| {
            let members = members.iter().map(|name| MemberId::stored((*name).to_owned())).collect();
            let metadata = entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
            Content::stored("a text".to_owned(), members, metadata)
        };
        let contents = [
            content(&["eve"], &[]),
            content(&["eve", "bob"], &[]),
            content(&["eve"], &[("bob", "x")]),
            content(&[], &[("eve", "bob")]),
        ];
        let parts = contents.map(|content| content.fingerprint_parts().collect::<Vec<_>>().concat());
        assert!((1..parts.len()).all(|n| !parts[..n].contains(&parts[n])), "{parts:?}");
    }

    #[test]
    fn a_value_at_its_limit_is_accepted_and_one_above_it_is_not() {
        let entry = |key: usize, value: usize| Metadata::from([("k".repeat(key), "v".repeat(value))]);
        let entries = |n: usize| (0..n).map(|n| (n.to_string(), String::new())).collect::<Metadata>();
        let (none, metadata) = (Metadata::new, Some("content.metadata"));
        for (mentions, metadata, expected) in [
            (50, none(), None),
            (51, none(), Some("content.mentioned_member_ids")),
            (0, entries(16), None),
            (0, entries(17), metadata),
            (0, entry(2, 1022), None),
            (0, entry(2, 1023), metadata),
            (0, entry(64, 1), None),
            (0, entry(65, 1), metadata),
            (0, entry(0, 1), metadata),
            (0, Metadata::from([("k\n".to_owned(), String::new())]), metadata),
        ] {
            let (mentions, case) = (vec!["m".to_owned(); mentions], format!("{} mentions, {metadata:?}", mentions));
            let found = Content::parse("content", &Policy::default(), "a text", &mentions, metadata).err();
            let fields: Option<Vec<_>> = found.map(|violations| violations.into_iter().map(|v| v.field).collect());
            assert_eq!(fields, expected.map(|field| vec![field.to_owned()]), "{case}");
        }
    }

    #[test]
    fn all_violations_are_returned_at_once() {
        let metadata = Metadata::from([(String::new(), "x".repeat(2000))]);
        let mentions = vec!["ok".to_owned(), "\u{7}".to_owned(), String::new()];
        let found = Content::parse("content", &Policy::default(), "a\0", &mentions, metadata).err().unwrap_or_default();
        let fields: Vec<_> = found.iter().map(|v| v.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "content.text",
                "content.mentioned_member_ids[1]",
                "content.mentioned_member_ids[2]",
                "content.metadata",
                "content.metadata"
            ]
        );
    }

    #[test]
    fn client_info_has_an_ip_address_and_short_texts() {
        assert!(ClientInfo::parse("client", "2001:db8::1", "ios", "x").is_ok());
        assert!(ClientInfo::parse("client", "", "", "").is_ok_and(|c| c.is_empty()));
        let (ip, platform, device) = (Some(IpAddr::from([192, 0, 2, 1])), "p".repeat(32), "d".repeat(128));
        let info = ClientInfo::parse("client", "192.0.2.1", &platform, &device);
        assert_eq!(info, Ok(ClientInfo { ip, platform, device }));
        assert!(info.is_ok_and(|info| !info.is_empty()));
        for (ip, platform, device, fields) in [
            ("300.1.1.1", 33, "a\nb".to_owned(), vec!["client.ip", "client.platform", "client.device"]),
            ("", 0, "d".repeat(129), vec!["client.device"]),
        ] {
            let found = ClientInfo::parse("client", ip, &"p".repeat(platform), &device).err().unwrap_or_default();
            assert_eq!(found.iter().map(|v| v.field.as_str()).collect::<Vec<_>>(), fields);
        }
    }
}
