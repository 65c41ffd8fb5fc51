//! The counts of comments and subjects, and the table of the amounts that a comment adds to them.

use std::ops::{AddAssign, Sub};

use crate::domain::state::CommentState;

/// One count of a row: its name, which is also the name of its column, and its field.
#[derive(Debug)]
pub struct CountColumn<C> {
    /// The name.
    pub name: &'static str,
    /// Returns the count.
    pub get: fn(&C) -> i32,
    /// Returns the field of the count.
    pub field: fn(&mut C) -> &mut i32,
}

/// Defines a struct of counts together with its list of columns, so that no column can be missing
/// in the list.
macro_rules! counts {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $count:ident,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name {
            $($(#[$doc])* pub $count: i32,)*
        }

        impl $name {
            /// Zero in every count.
            pub const ZERO: Self = Self { $($count: 0,)* };

            /// Every count, in the order of the fields.
            pub const COLUMNS: [CountColumn<Self>; [$(stringify!($count)),*].len()] = [$(CountColumn {
                name: stringify!($count),
                get: |counts| counts.$count,
                field: |counts| &mut counts.$count,
            }),*];

            /// Returns the field of the count with this name; `None` if no count has it.
            pub fn named(&mut self, name: &str) -> Option<&mut i32> {
                Self::COLUMNS.iter().find(|column| column.name == name).map(|column| (column.field)(self))
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                $(self.$count += other.$count;)*
            }
        }

        impl Sub for $name {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                Self { $($count: self.$count - other.$count,)* }
            }
        }
    };
}

counts! {
    /// The counts of a comment.
    CommentCounts {
        /// The number of members whose value is LIKE.
        like_count,
        /// The number of members whose value is DISLIKE.
        dislike_count,
        /// On a root: the number of visible replies at any depth. On a reply: the number of visible
        /// direct replies.
        reply_count,
        /// The number of visible comments below it along the path.
        live_below,
    }
}

counts! {
    /// The counts of a subject.
    SubjectCounts {
        /// The number of visible roots.
        root_count,
        /// The number of visible roots and replies.
        comment_count,
    }
}

/// The amounts that one comment adds to the counts of the rows above it: 0 or 1 to each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contribution {
    /// To its subject, as [`Contribution::to_subject`] gives it for a root and for a reply.
    pub subject: SubjectCounts,
    /// To the root of its thread, if the comment is a reply.
    pub root: CommentCounts,
    /// To the comment that it replies to, if that is another comment than the root.
    pub parent: CommentCounts,
    /// To every comment above it along the path.
    pub ancestors: CommentCounts,
}

/// Returns the contribution of a comment in this state. Counts change only by the difference of
/// two contributions.
#[must_use]
pub const fn contribution(state: CommentState) -> Contribution {
    const VISIBLE: Contribution = Contribution {
        subject: SubjectCounts { root_count: 1, comment_count: 1 },
        root: CommentCounts { reply_count: 1, ..CommentCounts::ZERO },
        parent: CommentCounts { reply_count: 1, ..CommentCounts::ZERO },
        ancestors: CommentCounts { live_below: 1, ..CommentCounts::ZERO },
    };
    match state {
        CommentState::Active => VISIBLE,
        CommentState::Pending
        | CommentState::Rejected
        | CommentState::Hidden
        | CommentState::Shadowed
        | CommentState::Deleted => Contribution::NOTHING,
    }
}

impl Contribution {
    /// The contribution of a comment that does not exist.
    pub const NOTHING: Self = Self {
        subject: SubjectCounts::ZERO,
        root: CommentCounts::ZERO,
        parent: CommentCounts::ZERO,
        ancestors: CommentCounts::ZERO,
    };

    /// Returns the amounts that are added to the subject. A reply does not add to the counts of
    /// roots.
    #[must_use]
    pub const fn to_subject(&self, is_root: bool) -> SubjectCounts {
        if is_root { self.subject } else { SubjectCounts { root_count: 0, ..self.subject } }
    }
}

impl Sub for Contribution {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            subject: self.subject - other.subject,
            root: self.root - other.root,
            parent: self.parent - other.parent,
            ancestors: self.ancestors - other.ancestors,
        }
    }
}

/// Returns the states in which a comment adds to a count; `count` selects it from a contribution.
#[must_use]
pub fn counted_states(count: impl Fn(Contribution) -> i32) -> Vec<CommentState> {
    CommentState::ALL.into_iter().filter(|state| count(contribution(*state)) != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::{CommentCounts, Contribution, CountColumn, SubjectCounts, contribution, counted_states};
    use crate::domain::state::CommentState;

    fn values<C, const N: usize>(columns: [CountColumn<C>; N], counts: &C) -> [i32; N] {
        columns.map(|column| (column.get)(counts))
    }

    #[test]
    fn a_column_has_the_name_and_the_field_of_its_count() {
        let subject = SubjectCounts { root_count: 1, comment_count: 2 };
        let comment = CommentCounts { like_count: 1, dislike_count: 2, reply_count: 3, live_below: 4 };
        assert_eq!(values(SubjectCounts::COLUMNS, &subject), [1, 2]);
        assert_eq!(values(CommentCounts::COLUMNS, &comment), [1, 2, 3, 4]);
        assert_eq!(SubjectCounts::COLUMNS.map(|column| column.name), ["root_count", "comment_count"]);
        let names = ["like_count", "dislike_count", "reply_count", "live_below"];
        assert_eq!(CommentCounts::COLUMNS.map(|column| column.name), names);
        let mut counts = CommentCounts::ZERO;
        for (n, name) in (1..).zip(names) {
            *counts.named(name).expect("a count") = n;
        }
        assert_eq!(counts, comment);
        assert_eq!(counts.named("next_floor"), None);
    }

    #[test]
    fn only_visible_comments_count() {
        for state in CommentState::ALL {
            let contribution = contribution(state);
            let one = i32::from(state.is_visible());
            assert_eq!(values(SubjectCounts::COLUMNS, &contribution.to_subject(true)), [one, one], "{state}");
            assert_eq!(values(SubjectCounts::COLUMNS, &contribution.to_subject(false)), [0, one], "{state}");
            assert_eq!(values(CommentCounts::COLUMNS, &contribution.root), [0, 0, one, 0], "{state}");
            assert_eq!(values(CommentCounts::COLUMNS, &contribution.parent), [0, 0, one, 0], "{state}");
            assert_eq!(values(CommentCounts::COLUMNS, &contribution.ancestors), [0, 0, 0, one], "{state}");
        }
    }

    #[test]
    fn a_contribution_is_zero_or_one_and_each_count_of_a_subject_has_a_state() {
        for contribution in CommentState::ALL.map(contribution) {
            let parts = [contribution.root, contribution.parent, contribution.ancestors]
                .map(|part| values(CommentCounts::COLUMNS, &part));
            let subject = values(SubjectCounts::COLUMNS, &contribution.subject);
            assert!(
                parts.as_flattened().iter().chain(&subject).all(|count| [0, 1].contains(count)),
                "{contribution:?}"
            );
        }
        for column in SubjectCounts::COLUMNS {
            assert_ne!(counted_states(|contribution| (column.get)(&contribution.subject)), [], "{}", column.name);
        }
    }

    #[test]
    fn differences_of_contributions_add_up_and_equal_states_change_no_count() {
        for from in CommentState::ALL {
            assert_eq!(contribution(from) - contribution(from), Contribution::NOTHING);
            assert_eq!(contribution(from) - Contribution::NOTHING, contribution(from));
            for to in CommentState::ALL {
                let mut counts = contribution(from).subject;
                counts += contribution(to).subject - contribution(from).subject;
                assert_eq!(counts, contribution(to).subject, "{from} to {to}");
            }
        }
    }

    #[test]
    fn active_comments_are_counted() {
        assert_eq!(counted_states(|contribution| contribution.subject.comment_count), [CommentState::Active]);
        assert_eq!(counted_states(|contribution| contribution.to_subject(false).root_count), []);
    }
}
