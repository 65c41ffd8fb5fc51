//! The rows of contents, former contents and client data. Mentions and metadata are JSON, because
//! they are short and rarely read apart. The fields that have no column are one encoded message.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use prost::Message;
use riposte_core::subject::Metadata;
use riposte_core::write_set::ContentEdit;
use riposte_core::{ClientInfo, CommentId, Content, Error, ExtraFields, MemberId, Millis, Result};
use sea_orm::ActiveValue::Set;
use xxhash_rust::xxh3::xxh3_64;

use super::{bytes, string, unreadable};
use crate::sql::entity::{comment_client, comment_content, comment_edit};

#[expect(unreachable_pub, reason = "generated messages are public; none leaves the crate")]
mod internal {
    include!("generated/content_extra.rs");
}

use internal::ContentExtra;

/// Converts the row of a content.
pub(crate) fn content(row: comment_content::Model) -> Result<Content> {
    let comment_content::Model { comment_id, part: _, text, mentions, metadata, extra } = row;
    of_columns(text, &mentions, &metadata, extra.as_deref())
        .map_err(|column| unreadable("comment_content", comment_id, column))
}

/// Converts the content in the row of a former content.
pub(crate) fn former_content(row: comment_edit::Model) -> Result<Content> {
    let comment_edit::Model { comment_id, version: _, part: _, text, mentions, metadata, time: _, extra } = row;
    of_columns(text, &mentions, &metadata, extra.as_deref())
        .map_err(|column| unreadable("comment_edit", comment_id, column))
}

/// Converts the columns of a content; the error is the name of the column that cannot be read.
pub(super) fn of_columns(
    text: String,
    mentions_json: &str,
    metadata_json: &str,
    extra: Option<&[u8]>,
) -> std::result::Result<Content, &'static str> {
    let extra = extra.map(|extra| extra_fields(&text, extra)).transpose().map_err(|_| "extra")?.unwrap_or_default();
    let mentions = mentions(mentions_json).map_err(|_| "mentions")?;
    let metadata = metadata(metadata_json).map_err(|_| "metadata")?;
    Ok(Content::stored(text, mentions, metadata).with_extra(extra))
}

/// Returns the row of a content.
pub(crate) fn content_model(id: CommentId, content: &Content, part: i16) -> Result<comment_content::ActiveModel> {
    Ok(comment_content::ActiveModel {
        comment_id: Set(id.get()),
        part: Set(part),
        text: Set(content.text().to_owned()),
        mentions: Set(mentions_text(content)?),
        metadata: Set(metadata_text(content.metadata())?),
        extra: Set(extra_bytes(content)),
    })
}

/// Returns the row of a former content.
pub(crate) fn edit_model(edit: &ContentEdit, part: i16) -> Result<comment_edit::ActiveModel> {
    Ok(comment_edit::ActiveModel {
        comment_id: Set(edit.comment_id.get()),
        version: Set(edit.version),
        part: Set(part),
        text: Set(edit.content.text().to_owned()),
        mentions: Set(mentions_text(&edit.content)?),
        metadata: Set(metadata_text(edit.content.metadata())?),
        time: Set(edit.time.0),
        extra: Set(extra_bytes(&edit.content)),
    })
}

/// Converts a row of client data.
pub(crate) fn client_row(row: comment_client::Model) -> Result<ClientInfo> {
    let fault = |column: &str| unreadable("comment_client", row.comment_id, column);
    let ip = row.ip.map(|stored| address(&stored)).transpose().map_err(|_| fault("ip"))?;
    let platform = string(row.platform).map_err(|_| fault("platform"))?;
    Ok(ClientInfo { ip, platform, device: string(row.device).map_err(|_| fault("device"))? })
}

/// Returns the row of client data.
pub(crate) fn client_model(id: CommentId, client: &ClientInfo, time: Millis, part: i16) -> comment_client::ActiveModel {
    let ip = client.ip.map(|ip| match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    });
    comment_client::ActiveModel {
        comment_id: Set(id.get()),
        part: Set(part),
        ip: Set(ip),
        platform: Set(bytes(&client.platform)),
        device: Set(bytes(&client.device)),
        create_time: Set(time.0),
    }
}

/// Converts the members of a JSON column.
pub(crate) fn mentions(json: &str) -> Result<Vec<MemberId>> {
    let members: Vec<String> = serde_json::from_str(json).map_err(Error::internal)?;
    Ok(members.into_iter().map(MemberId::stored).collect())
}

/// Converts the caller's metadata in a JSON column.
pub(super) fn metadata(json: &str) -> Result<Metadata> {
    serde_json::from_str(json).map_err(Error::internal)
}

pub(super) fn metadata_text(metadata: &Metadata) -> Result<String> {
    serde_json::to_string(metadata).map_err(Error::internal)
}

pub(super) fn mentions_text(content: &Content) -> Result<String> {
    let members: Vec<&str> = content.mentions().iter().map(MemberId::as_str).collect();
    serde_json::to_string(&members).map_err(Error::internal)
}

/// Converts the column of the fields that have none. The fields of another text are stale: a
/// process of a version without this column has changed the text and left them.
fn extra_fields(text: &str, stored: &[u8]) -> Result<ExtraFields> {
    let ContentExtra { text_hash, fields } = ContentExtra::decode(stored).map_err(Error::internal)?;
    Ok(if text_hash == xxh3_64(text.as_bytes()) { fields } else { ExtraFields::new() })
}

/// Encodes the fields that have no column of their own; `None` if the content has no such field.
pub(super) fn extra_bytes(content: &Content) -> Option<Vec<u8>> {
    let fields = content.extra();
    let text_hash = xxh3_64(content.text().as_bytes());
    (!fields.is_empty()).then(|| ContentExtra { text_hash, fields: fields.clone() }.encode_to_vec())
}

fn address(stored: &[u8]) -> Result<IpAddr> {
    if let Ok(v4) = <[u8; 4]>::try_from(stored) {
        return Ok(Ipv4Addr::from(v4).into());
    }
    let v6 =
        <[u8; 16]>::try_from(stored).map_err(|_| Error::internal("a stored address has neither 4 nor 16 bytes"))?;
    Ok(Ipv6Addr::from(v6).into())
}
