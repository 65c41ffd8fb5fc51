//! A model of the service in memory, which executes one call at a time.

use std::collections::HashMap;

use crate::histcheck::history::{
    Call, CommentSelector, Counts, HISTORY_PAGE_SIZE, Item, ItemKind, LikeResponse, Outcome, PageOf, PageResponse,
    RequestId, Sort, THREAD_PAGE_SIZE, Value, WriteResponse,
};
use crate::histcheck::names;

/// Number of comments on one page: few, so that a long history fits into memory. A page may always
/// end early.
const PAGE: usize = 4;

/// All subjects.
#[derive(Debug)]
pub(super) struct Model {
    subjects: Vec<Subject>,
    outcomes: HashMap<RequestId, Outcome>,
}

#[derive(Debug, Default, Clone)]
struct Subject {
    revision: i64,
    visible_roots: i32,
    visible: i32,
    roots: Vec<usize>,
    comments: Vec<Comment>,
}

#[derive(Debug, Clone)]
struct Comment {
    item: Item,
    visible: bool,
    /// The texts that edits replaced.
    former: Vec<(u32, u64)>,
    /// The floors on the path from the root to the comment, without the root's.
    path: Vec<i32>,
    replies: Vec<usize>,
    likes: HashMap<u32, Value>,
}

/// The outcome of a call, and the token of the next page.
type Response = (Outcome, String);

impl Model {
    pub(super) fn new(subjects: usize) -> Self {
        Self { subjects: vec![Subject::default(); subjects], outcomes: HashMap::new() }
    }

    /// Returns the response of a service that keeps every promise, and the token of the next page.
    pub(super) fn execute(&mut self, call: &Call, request: RequestId, token: &str) -> Response {
        let subject = &mut self.subjects[call.subject() as usize];
        if let Some(outcome) = self.outcomes.get(&request) {
            let Call::Like { comment, member, .. } = call else { return without_token(outcome.clone()) };
            // The repeat of a like returns the current state.
            return without_token(subject.liked(*comment, *member));
        }
        let response = match call {
            Call::Root { member, text, .. } => without_token(subject.create(call.subject(), None, *member, *text)),
            Call::Reply { parent, member, text, .. } => {
                without_token(subject.create(call.subject(), Some(*parent), *member, *text))
            }
            Call::Edit { comment, text, .. } => without_token(subject.edit(*comment, *text)),
            Call::Delete { comment, .. } => without_token(subject.set_visible(*comment, false, "COMMENT_NOT_FOUND")),
            Call::Undelete { comment, .. } => {
                without_token(subject.set_visible(*comment, true, "COMMENT_ALREADY_EXISTS"))
            }
            Call::Like { comment, member, value, .. } => without_token(subject.like(*comment, *member, *value)),
            Call::Hide { comment, .. } => without_token(subject.set_visible(*comment, false, "STATE_CONFLICT")),
            Call::Unhide { comment, .. } => without_token(subject.set_visible(*comment, true, "STATE_CONFLICT")),
            // The model does not rank.
            Call::List(page) | Call::Replies { page, .. } if page.sort == Sort::Top => {
                without_token(refused("OVERLOADED"))
            }
            Call::List(page) => subject.page(None, page, token),
            Call::Replies { root, page } => subject.page(Some(*root), page, token),
            Call::Get { comment, .. } => {
                without_token(Outcome::Comment(subject.comments[index(*comment)].item(ItemKind::Row)))
            }
            Call::Several { comments, .. } => without_token(Outcome::Comments(subject.several(comments))),
            Call::History { comment, .. } => without_token(subject.history(*comment)),
            Call::Counts { .. } => without_token(Outcome::Counts(subject.counts())),
            Call::States { member, comments, .. } => {
                let state = |id: &i64| subject.comments[index(*id)].likes.get(member).copied().unwrap_or(Value::None);
                without_token(Outcome::States(comments.iter().map(state).collect()))
            }
            Call::Likers { comment, .. } => {
                let comment = &subject.comments[index(*comment)];
                let liked = comment.likes.iter().filter(|(_, value)| **value == Value::Like);
                let mut members: Vec<u32> = liked.map(|(member, _)| *member).collect();
                members.sort_unstable();
                let listed = Outcome::Members(members.into());
                without_token(if comment.visible { listed } else { refused("COMMENT_UNAVAILABLE") })
            }
            Call::OfMember { subject, member } => without_token(self.of_member(*subject, *member)),
            Call::Misuse { misuse, .. } => without_token(refused(misuse.reasons()[0])),
            Call::Export { .. } => {
                let rows = subject.comments.iter().map(|comment| comment.item(ItemKind::Row)).collect();
                let counts = Some(subject.counts());
                without_token(Outcome::Export { counts, rows, likes: Box::new([]), drifts: Box::new([]) })
            }
            // The model sends no change streams, and nothing waits for review,
            // has an owner or is judged.
            Call::Watch { .. } | Call::Review { .. } | Call::Owned { .. } | Call::Policy { .. } => {
                without_token(Outcome::Unknown("Unimplemented".into()))
            }
        };
        if matches!(response.0, Outcome::Written(_) | Outcome::Liked(_)) {
            self.outcomes.insert(request, response.0.clone());
        }
        response
    }

    /// Returns the comments of a member in the object type of a subject.
    fn of_member(&self, subject: u32, member: u32) -> Outcome {
        let object_type = names::key(subject).object_type;
        let is_of_type = |(number, _): &(u32, &Subject)| names::key(*number).object_type == object_type;
        let comments = (0..).zip(&self.subjects).filter(is_of_type).flat_map(|(_, subject)| &subject.comments);
        let listed = comments.filter(|comment| comment.visible && comment.item.member == member);
        Outcome::OfMember(listed.map(|comment| comment.item(ItemKind::Row)).collect())
    }
}

fn without_token(outcome: Outcome) -> Response {
    (outcome, String::new())
}

fn refused(reason: &str) -> Outcome {
    Outcome::Refused(reason.into())
}

/// Returns the index of a comment in its subject: the low half of its id, which begins with 1.
fn index(id: i64) -> usize {
    (id & 0xffff_ffff) as usize - 1
}

impl Subject {
    fn counts(&self) -> Counts {
        Counts { revision: self.revision, roots: self.visible_roots, comments: self.visible }
    }

    fn create(&mut self, subject: u32, parent: Option<i64>, member: u32, text: u64) -> Outcome {
        let root = match parent.map(index) {
            Some(parent) if !self.comments[parent].visible => return refused("PARENT_UNAVAILABLE"),
            Some(parent) if self.comments[parent].item.root != 0 => Some(index(self.comments[parent].item.root)),
            parent => parent,
        };
        let at = self.comments.len();
        let id = i64::from(subject + 1) << 32 | (at as i64 + 1);
        let siblings = root.map_or(&mut self.roots, |root| &mut self.comments[root].replies);
        siblings.push(at);
        let floor = siblings.len() as i32;
        let mut path = parent.map_or(Vec::new(), |parent| self.comments[index(parent)].path.clone());
        path.truncate(names::levels(subject) - 2);
        path.extend(root.map(|_| floor));
        let (root, parent) = (root.map_or(0, |root| self.comments[root].item.id), parent.unwrap_or(0));
        let item = Item {
            kind: ItemKind::Row,
            id,
            root,
            parent,
            floor,
            member,
            text,
            subject,
            text_subject: subject,
            likes: 0,
            dislikes: 0,
            replies: 0,
            revision: 1,
        };
        self.comments.push(Comment {
            item,
            visible: true,
            former: Vec::new(),
            path,
            replies: Vec::new(),
            likes: HashMap::new(),
        });
        self.count(at, 1);
        self.written(at)
    }

    fn count(&mut self, at: usize, by: i32) {
        self.revision += 1;
        self.visible += by;
        let root = self.comments[at].item.root;
        if root == 0 {
            self.visible_roots += by;
        } else {
            // A reply counts for its root and for its parent.
            let parent = self.comments[at].item.parent;
            for id in [Some(root), Some(parent).filter(|parent| *parent != root)].into_iter().flatten() {
                let ancestor = &mut self.comments[index(id)].item;
                ancestor.replies += by;
                ancestor.revision += 1;
            }
        }
    }

    fn written(&self, at: usize) -> Outcome {
        let Item { id, root, floor, .. } = self.comments[at].item;
        Outcome::Written(WriteResponse { id, root, floor, revision: self.revision })
    }

    fn edit(&mut self, id: i64, text: u64) -> Outcome {
        let comment = &mut self.comments[index(id)];
        if !comment.visible {
            return refused(if names::is_moderated(id) { "STATE_CONFLICT" } else { "COMMENT_NOT_FOUND" });
        }
        comment.former.push((comment.item.text_subject, comment.item.text));
        comment.item.text = text;
        comment.item.revision += 1;
        self.revision += 1;
        self.written(index(id))
    }

    fn history(&self, id: i64) -> Outcome {
        let comment = &self.comments[index(id)];
        if !comment.visible {
            return refused("COMMENT_NOT_FOUND");
        }
        Outcome::Texts(comment.former.iter().rev().take(HISTORY_PAGE_SIZE).copied().collect())
    }

    fn set_visible(&mut self, id: i64, visible: bool, unchanged_reason: &str) -> Outcome {
        let comment = &mut self.comments[index(id)];
        if comment.visible == visible {
            return refused(unchanged_reason);
        }
        comment.visible = visible;
        comment.item.revision += 1;
        self.count(index(id), if visible { 1 } else { -1 });
        self.written(index(id))
    }

    fn like(&mut self, id: i64, member: u32, value: Value) -> Outcome {
        let comment = &mut self.comments[index(id)];
        if !comment.visible {
            return refused("COMMENT_UNAVAILABLE");
        }
        let before = comment.likes.insert(member, value).unwrap_or(Value::None);
        for (value, by) in [(before, -1), (value, 1)] {
            match value {
                Value::Like => comment.item.likes += by,
                Value::Dislike => comment.item.dislikes += by,
                Value::None => {}
            }
        }
        comment.item.revision += i64::from(before != value);
        self.liked(id, member)
    }

    fn liked(&self, id: i64, member: u32) -> Outcome {
        let Comment { item, likes, .. } = &self.comments[index(id)];
        let value = likes.get(&member).copied().unwrap_or(Value::None);
        Outcome::Liked(LikeResponse { value, likes: item.likes, dislikes: item.dislikes, revision: item.revision })
    }

    fn several(&self, selector: &CommentSelector) -> Box<[Item]> {
        let item = |id: &i64| self.comments[index(*id)].item(ItemKind::Row);
        match selector {
            CommentSelector::Batch(ids) => ids.iter().map(item).collect(),
            CommentSelector::Conversation(id) => {
                let parent = |id: &i64| Some(self.comments[index(*id)].item.parent).filter(|parent| *parent != 0);
                std::iter::successors(Some(*id), parent).map(|id| item(&id)).collect()
            }
            CommentSelector::Thread(id) => self.thread(&self.comments[index(*id)]).take(THREAD_PAGE_SIZE).collect(),
        }
    }

    /// Returns a comment and its descendants, except tombstones without a visible descendant.
    fn thread(&self, top: &Comment) -> impl Iterator<Item = Item> {
        let root = if top.item.root == 0 { top } else { &self.comments[index(top.item.root)] };
        let all = std::iter::once(root).chain(root.replies.iter().map(|at| &self.comments[*at]));
        let mut all: Vec<&Comment> = all.filter(|comment| comment.path.starts_with(&top.path)).collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        let is_listed = |from: usize| {
            let subtree = all[from..].iter().take_while(|comment| comment.path.starts_with(&all[from].path));
            subtree.into_iter().any(|comment| comment.visible)
        };
        let items: Vec<Item> =
            (0..all.len()).filter(|at| is_listed(*at)).map(|at| all[at].item(ItemKind::Row)).collect();
        items.into_iter()
    }

    /// Returns the most liked replies of a root; among equals the oldest come first.
    fn preview(&self, root: &Comment, size: usize) -> impl Iterator<Item = Item> {
        let visible = root.replies.iter().map(|at| &self.comments[*at]).filter(|comment| comment.visible);
        let mut replies: Vec<Item> = visible.map(|comment| comment.item(ItemKind::Preview)).collect();
        replies.sort_by_key(|reply| (-reply.likes, reply.floor));
        replies.into_iter().take(size)
    }

    /// A token is the position in the list of siblings, counted from its start.
    fn page(&self, root: Option<i64>, page: &PageOf, token: &str) -> Response {
        let siblings = root.map_or(&self.roots, |root| &self.comments[index(root)].replies);
        let position: usize = token.parse().unwrap_or(0);
        let mut items: Vec<Item> =
            root.map(|root| self.comments[index(root)].item(ItemKind::Head)).into_iter().collect();
        let (mut rows, count) = (0, usize::from(page.size).min(PAGE));
        let previews = if root.is_none() { usize::from(page.previews()) } else { 0 };
        let (mut at, length) = (position, siblings.len());
        // A descending walk begins at the end of the list. The list may grow meanwhile, so the
        // token counts from the start of the list.
        let down = page.sort != Sort::Oldest;
        let start = if down && !token.is_empty() { position } else { length };
        let mut above = if down { start } else { at };
        while rows < count && (if down { above > 0 } else { at < length }) {
            let next = if down { above - 1 } else { at };
            let comment = &self.comments[siblings[next]];
            if comment.visible {
                items.push(comment.item(ItemKind::Row));
                items.extend(self.preview(comment, previews));
                rows += 1;
            }
            (at, above) = (at + 1, above.saturating_sub(1));
        }
        let (last, token) = if down { (above == 0, above) } else { (at >= length, at) };
        let counts = root.is_none().then(|| self.counts());
        let page = PageResponse { revision: self.revision, counts, last, items: items.into() };
        (Outcome::Page(page), if last { String::new() } else { token.to_string() })
    }
}

impl Comment {
    fn item(&self, kind: ItemKind) -> Item {
        let tombstone = Item { kind, text: 0, text_subject: 0, member: u32::MAX, ..self.item };
        if self.visible { Item { kind, ..self.item } } else { tombstone }
    }
}
