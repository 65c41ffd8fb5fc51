//! The data at the end of a run, read through the API.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use riposte_sdk::v1::{
    ExportSubjectRequest, LikeValue, SubjectScope, VerifyCountsRequest, export_subject_response::Item,
    subject_scope::Scope,
};
use tonic::Code;

use super::ground::{OBJECT_TYPES, SUBJECTS, key};
use crate::Server;

/// All data.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// All comments, deleted ones included.
    pub(super) rows: Vec<Row>,
    /// LIKE and DISLIKE by comment and member.
    pub(super) likes: BTreeMap<(i64, String), LikeValue>,
    /// Descriptions of stored counts that differ from their rows.
    pub(super) drifts: Vec<String>,
}

/// One comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: i64,
    /// The index of its subject in [`super::ground`].
    pub(super) subject: usize,
    /// 0 for a root, as is the parent.
    pub(super) root: i64,
    pub(super) parent: i64,
    pub(super) floor: i32,
    pub(super) member: String,
    /// `None` for a tombstone.
    pub(super) text: Option<String>,
}

impl Row {
    /// Returns the first word of the text, which is unique among all comments; `None` for a
    /// tombstone.
    pub(super) fn mark(&self) -> Option<&str> {
        self.text.as_deref().and_then(|text| text.split(' ').next())
    }
}

impl Seen {
    /// Exports every subject and verifies all counts.
    pub(super) async fn read(server: &Server) -> Result<Self> {
        let mut seen = Self::default();
        for subject in 0..SUBJECTS {
            seen.export(server, subject).await?;
        }
        for object_type in OBJECT_TYPES {
            seen.verify(server, object_type).await?;
        }
        Ok(seen)
    }

    async fn export(&mut self, server: &Server, subject: usize) -> Result<()> {
        let request = ExportSubjectRequest { key: Some(key(subject)) };
        let mut answers = match server.admin()?.export_subject(request).await {
            Ok(answers) => answers.into_inner(),
            // A subject is created with its first comment.
            Err(status) if status.code() == Code::NotFound => return Ok(()),
            Err(status) => return Err(status.into()),
        };
        while let Some(answer) = answers.message().await? {
            match answer.item.context("an empty item")? {
                Item::Subject(_) => {}
                Item::Comment(exported) => {
                    let comment = exported.comment.context("an empty comment")?;
                    self.rows.push(Row {
                        id: comment.id,
                        subject,
                        root: comment.root_id,
                        parent: comment.parent_id,
                        floor: comment.floor,
                        member: comment.member_id,
                        text: comment.content.map(|content| content.text),
                    });
                }
                Item::Like(like) => {
                    let value = like.value();
                    self.likes.insert((like.comment_id, like.member_id), value);
                }
            }
        }
        Ok(())
    }

    async fn verify(&mut self, server: &Server, object_type: &str) -> Result<()> {
        let scope = Some(SubjectScope { scope: Some(Scope::ObjectType(object_type.to_owned())) });
        let mut answers = server
            .admin()?
            .verify_counts(VerifyCountsRequest { scope, ..VerifyCountsRequest::default() })
            .await?
            .into_inner();
        while let Some(answer) = answers.message().await? {
            self.drifts.extend(answer.drifts.iter().map(|drift| format!("{:?} {drift:?}", answer.subject)));
        }
        Ok(())
    }
}
