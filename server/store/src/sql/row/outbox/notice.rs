//! The notices of a commit for a comment, as the outbox stores them.

use riposte_core::MemberId;
use riposte_core::event::{Notice, NoticeReason};

use super::internal::{OutboxComment, OutboxNotice, OutboxNoticeReason};

/// Reads the notices at a change.
pub(super) fn read(change: &mut OutboxComment) -> Vec<Notice> {
    let notice = |notice: OutboxNotice| {
        let reason = OutboxNoticeReason::try_from(notice.reason).map_or(NoticeReason::Unknown, |reason| match reason {
            OutboxNoticeReason::Unspecified => NoticeReason::Reply,
            OutboxNoticeReason::Mention => NoticeReason::Mention,
            OutboxNoticeReason::Owner => NoticeReason::Owner,
            OutboxNoticeReason::Thread => NoticeReason::Thread,
        });
        Notice { member: MemberId::stored(notice.member_id), reason }
    };
    std::mem::take(&mut change.notices).into_iter().map(notice).collect()
}

/// Returns notices as they are stored. One with a reason of a newer version was read from an event,
/// and events that were read are not written again.
pub(super) fn write(notices: &[Notice]) -> Vec<OutboxNotice> {
    let notice = |Notice { member, reason }: &Notice| {
        let reason = match reason {
            NoticeReason::Reply => OutboxNoticeReason::Unspecified,
            NoticeReason::Mention => OutboxNoticeReason::Mention,
            NoticeReason::Owner => OutboxNoticeReason::Owner,
            NoticeReason::Thread => OutboxNoticeReason::Thread,
            NoticeReason::Unknown => return None,
        };
        Some(OutboxNotice { member_id: member.as_str().to_owned(), reason: reason.into() })
    };
    notices.iter().filter_map(notice).collect()
}
