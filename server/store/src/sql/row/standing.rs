//! The rows of standings.

use riposte_core::decision::{Automation, Detection, Grounds};
use riposte_core::standing::{MemberStanding, Standing, StandingChange, StandingInForce};
use riposte_core::{Error, MemberId, MemberOfType, Millis, ObjectType, Result};
use sea_orm::ActiveValue::Set;

use super::{bytes, string};
use crate::sql::entity::member_standing::{ActiveModel, Model};

/// The columns that processes read into memory: object type, member, standing, end, weight and
/// time.
pub(crate) type ChangeColumns = (Vec<u8>, Vec<u8>, i8, Option<i64>, Option<i32>, i64);

/// Converts a row to its standing.
pub(crate) fn standing(row: Model) -> Result<MemberStanding> {
    let text = |stored: Vec<u8>, column| string(stored).map_err(|_| unreadable(column));
    let columns = (row.object_type, row.member_id, row.standing, row.until, row.report_weight, row.changed);
    let StandingChange { of, in_force, changed } = standing_change(columns)?;
    Ok(MemberStanding {
        of,
        in_force,
        grounds: Grounds {
            code: text(row.code, "code")?,
            explanation: row.explanation,
            legal_reference: text(row.legal_reference, "legal_reference")?,
            note: row.note,
            detection: Detection::from_code(row.detection).ok_or_else(|| unreadable("detection"))?,
            automation: Automation::from_code(row.automation).ok_or_else(|| unreadable("automation"))?,
            hits: Vec::new(),
        },
        moderator: MemberId::stored(text(row.actor, "actor")?),
        number: row.number,
        changed,
    })
}

/// Converts the columns that processes read into memory.
pub(crate) fn standing_change(columns: ChangeColumns) -> Result<StandingChange> {
    let (object_type, member, standing, until, report_weight, changed) = columns;
    let text = |stored: Vec<u8>, column| string(stored).map_err(|_| unreadable(column));
    let of = MemberOfType {
        object_type: ObjectType::stored(text(object_type, "object_type")?),
        member: MemberId::stored(text(member, "member_id")?),
    };
    let standing = Standing::from_code(standing).ok_or_else(|| unreadable("standing"))?;
    let in_force = StandingInForce { standing, until: until.map(Millis), report_weight };
    Ok(StandingChange { of, in_force, changed: Millis(changed) })
}

/// Returns the row of a standing.
pub(crate) fn standing_model(standing: &MemberStanding, part: i16) -> ActiveModel {
    let MemberOfType { object_type, member } = &standing.of;
    let StandingInForce { standing: of_member, until, report_weight } = standing.in_force;
    let Grounds { code, explanation, legal_reference, note, detection, automation, hits: _ } = &standing.grounds;
    ActiveModel {
        object_type: Set(bytes(object_type.as_str())),
        member_id: Set(bytes(member.as_str())),
        part: Set(part),
        standing: Set(of_member.code()),
        until: Set(until.map(|until| until.0)),
        report_weight: Set(report_weight),
        code: Set(bytes(code)),
        explanation: Set(explanation.clone()),
        legal_reference: Set(bytes(legal_reference)),
        note: Set(note.clone()),
        detection: Set(detection.code()),
        automation: Set(automation.code()),
        actor: Set(bytes(standing.moderator.as_str())),
        key_id: Set(0),
        number: Set(standing.number),
        changed: Set(standing.changed.0),
    }
}

fn unreadable(column: &str) -> Error {
    Error::internal(format!("member_standing: {column} of a row cannot be read"))
}
