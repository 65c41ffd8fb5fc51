//! The service in memory, one call at a time.

use std::collections::HashMap;

use crate::histcheck::history::{
    Call, Counts, Item, Liked, Outcome, PageOf, Place, RequestId, Shown, Sort, THREAD, Value, Which, Written,
};
use crate::histcheck::names;

/// Number of comments on one page: few, so that a long history fits into memory. A page may always
/// end early.
const PAGE: usize = 4;

/// All subjects.
#[derive(Debug)]
pub(super) struct Model {
    subjects: Vec<Subject>,
    done: HashMap<RequestId, Outcome>,
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
    /// The floors on the path from the root to the comment, without the root's.
    path: Vec<i32>,
    below: Vec<usize>,
    likes: HashMap<u32, Value>,
}

type Told = (Outcome, String);

impl Model {
    pub(super) fn new(subjects: usize) -> Self {
        Self { subjects: vec![Subject::default(); subjects], done: HashMap::new() }
    }

    /// Returns the response of a service that keeps every promise, and the token of the next page.
    pub(super) fn answer(&mut self, call: &Call, request: RequestId, token: &str) -> Told {
        let subject = &mut self.subjects[call.subject() as usize];
        if let Some(outcome) = self.done.get(&request) {
            let Call::Like { comment, member, .. } = call else { return plain(outcome.clone()) };
            // The repeat of a like returns the current state.
            return plain(subject.liked(*comment, *member));
        }
        let told = match call {
            Call::Root { member, text, .. } => plain(subject.create(call.subject(), None, *member, *text)),
            Call::Reply { parent, member, text, .. } => {
                plain(subject.create(call.subject(), Some(*parent), *member, *text))
            }
            Call::Edit { comment, text, .. } => plain(subject.edit(*comment, *text)),
            Call::Delete { comment, .. } => plain(subject.show(*comment, false, "COMMENT_NOT_FOUND")),
            Call::Undelete { comment, .. } => plain(subject.show(*comment, true, "COMMENT_ALREADY_EXISTS")),
            Call::Like { comment, member, value, .. } => plain(subject.like(*comment, *member, *value)),
            // The model does not rank.
            Call::List(page) | Call::Replies { page, .. } if page.sort == Sort::Top => plain(refused("OVERLOADED")),
            Call::List(page) => subject.page(None, page, token),
            Call::Replies { root, page } => subject.page(Some(*root), page, token),
            Call::Get { comment, .. } => plain(Outcome::Comment(subject.comments[place(*comment)].shown(Place::Row))),
            Call::Several { which, .. } => plain(Outcome::Comments(subject.several(which))),
            Call::Counts { .. } => plain(Outcome::Counts(subject.counts())),
            Call::States { member, comments, .. } => {
                let state = |id: &i64| subject.comments[place(*id)].likes.get(member).copied().unwrap_or(Value::None);
                plain(Outcome::States(comments.iter().map(state).collect()))
            }
            Call::Misuse { how, .. } => plain(refused(how.reasons()[0])),
            Call::Export { .. } => {
                let rows = subject.comments.iter().map(|comment| comment.shown(Place::Row)).collect();
                let counts = Some(subject.counts());
                plain(Outcome::Export { counts, rows, likes: Box::new([]), drifts: Box::new([]) })
            }
            // The model sends no change streams.
            Call::Watch { .. } => plain(Outcome::Unknown("Unimplemented".into())),
        };
        if matches!(told.0, Outcome::Written(_) | Outcome::Liked(_)) {
            self.done.insert(request, told.0.clone());
        }
        told
    }
}

fn plain(outcome: Outcome) -> Told {
    (outcome, String::new())
}

fn refused(reason: &str) -> Outcome {
    Outcome::Refused(reason.into())
}

/// Returns the index of a comment in its subject: the low half of its id, which begins with 1.
fn place(id: i64) -> usize {
    (id & 0xffff_ffff) as usize - 1
}

impl Subject {
    fn counts(&self) -> Counts {
        Counts { revision: self.revision, roots: self.visible_roots, comments: self.visible }
    }

    fn create(&mut self, subject: u32, parent: Option<i64>, member: u32, text: u64) -> Outcome {
        let root = match parent.map(place) {
            Some(parent) if !self.comments[parent].visible => return refused("PARENT_UNAVAILABLE"),
            Some(parent) if self.comments[parent].item.root != 0 => Some(place(self.comments[parent].item.root)),
            parent => parent,
        };
        let at = self.comments.len();
        let id = i64::from(subject + 1) << 32 | (at as i64 + 1);
        let siblings = root.map_or(&mut self.roots, |root| &mut self.comments[root].below);
        siblings.push(at);
        let floor = siblings.len() as i32;
        let mut path = parent.map_or(Vec::new(), |parent| self.comments[place(parent)].path.clone());
        path.truncate(names::levels(subject) - 2);
        path.extend(root.map(|_| floor));
        let (root, parent) = (root.map_or(0, |root| self.comments[root].item.id), parent.unwrap_or(0));
        let item = Item {
            place: Place::Row,
            id,
            root,
            parent,
            floor,
            member,
            text,
            subject,
            marked: subject,
            likes: 0,
            dislikes: 0,
            replies: 0,
            revision: 1,
        };
        self.comments.push(Comment { item, visible: true, path, below: Vec::new(), likes: HashMap::new() });
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
                let above = &mut self.comments[place(id)].item;
                above.replies += by;
                above.revision += 1;
            }
        }
    }

    fn written(&self, at: usize) -> Outcome {
        let Item { id, root, floor, .. } = self.comments[at].item;
        Outcome::Written(Written { id, root, floor, revision: self.revision })
    }

    fn edit(&mut self, id: i64, text: u64) -> Outcome {
        let comment = &mut self.comments[place(id)];
        if !comment.visible {
            return refused("STATE_CONFLICT");
        }
        comment.item.text = text;
        comment.item.revision += 1;
        self.revision += 1;
        self.written(place(id))
    }

    fn show(&mut self, id: i64, visible: bool, otherwise: &str) -> Outcome {
        let comment = &mut self.comments[place(id)];
        if comment.visible == visible {
            return refused(otherwise);
        }
        comment.visible = visible;
        comment.item.revision += 1;
        self.count(place(id), if visible { 1 } else { -1 });
        self.written(place(id))
    }

    fn like(&mut self, id: i64, member: u32, value: Value) -> Outcome {
        let comment = &mut self.comments[place(id)];
        if !comment.visible {
            return refused("COMMENT_UNAVAILABLE");
        }
        let before = comment.likes.insert(member, value).unwrap_or(Value::None);
        for (of, by) in [(before, -1), (value, 1)] {
            match of {
                Value::Like => comment.item.likes += by,
                Value::Dislike => comment.item.dislikes += by,
                Value::None => {}
            }
        }
        comment.item.revision += i64::from(before != value);
        self.liked(id, member)
    }

    fn liked(&self, id: i64, member: u32) -> Outcome {
        let Comment { item, likes, .. } = &self.comments[place(id)];
        let value = likes.get(&member).copied().unwrap_or(Value::None);
        Outcome::Liked(Liked { value, likes: item.likes, dislikes: item.dislikes, revision: item.revision })
    }

    fn several(&self, which: &Which) -> Box<[Item]> {
        let shown = |id: &i64| self.comments[place(*id)].shown(Place::Row);
        match which {
            Which::Batch(ids) => ids.iter().map(shown).collect(),
            Which::Conversation(id) => {
                let above = |id: &i64| Some(self.comments[place(*id)].item.parent).filter(|parent| *parent != 0);
                std::iter::successors(Some(*id), above).map(|id| shown(&id)).collect()
            }
            Which::Thread(id) => self.thread(&self.comments[place(*id)]).take(THREAD).collect(),
        }
    }

    /// Returns a comment and its descendants, except tombstones without a visible descendant.
    fn thread(&self, top: &Comment) -> impl Iterator<Item = Item> {
        let root = if top.item.root == 0 { top } else { &self.comments[place(top.item.root)] };
        let all = std::iter::once(root).chain(root.below.iter().map(|at| &self.comments[*at]));
        let mut all: Vec<&Comment> = all.filter(|comment| comment.path.starts_with(&top.path)).collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        let seen = |from: usize| {
            let below = all[from..].iter().take_while(|comment| comment.path.starts_with(&all[from].path));
            below.into_iter().any(|comment| comment.visible)
        };
        let items: Vec<Item> = (0..all.len()).filter(|at| seen(*at)).map(|at| all[at].shown(Place::Row)).collect();
        items.into_iter()
    }

    /// Returns the most liked replies of a root; among equals the oldest come first.
    fn preview(&self, root: &Comment, size: usize) -> impl Iterator<Item = Item> {
        let visible = root.below.iter().map(|at| &self.comments[*at]).filter(|comment| comment.visible);
        let mut replies: Vec<Item> = visible.map(|comment| comment.shown(Place::Preview)).collect();
        replies.sort_by_key(|reply| (-reply.likes, reply.floor));
        replies.into_iter().take(size)
    }

    /// A token is the position in the list of siblings, counted from its start.
    fn page(&self, root: Option<i64>, page: &PageOf, token: &str) -> Told {
        let siblings = root.map_or(&self.roots, |root| &self.comments[place(root)].below);
        let behind: usize = token.parse().unwrap_or(0);
        let mut items: Vec<Item> = root.map(|root| self.comments[place(root)].shown(Place::Head)).into_iter().collect();
        let (mut rows, count) = (0, usize::from(page.size).min(PAGE));
        let previews = if root.is_none() { usize::from(page.previews()) } else { 0 };
        let (mut at, length) = (behind, siblings.len());
        // A walk downwards begins at the length of the list at that time, so its token counts from
        // the start of the list.
        let down = page.sort != Sort::Oldest;
        let left = if down && !token.is_empty() { behind } else { length };
        let mut seen = if down { left } else { at };
        while rows < count && (if down { seen > 0 } else { at < length }) {
            let next = if down { seen - 1 } else { at };
            let comment = &self.comments[siblings[next]];
            if comment.visible {
                items.push(comment.shown(Place::Row));
                items.extend(self.preview(comment, previews));
                rows += 1;
            }
            (at, seen) = (at + 1, seen.saturating_sub(1));
        }
        let (last, token) = if down { (seen == 0, seen) } else { (at >= length, at) };
        let counts = root.is_none().then(|| self.counts());
        let shown = Shown { revision: self.revision, counts, last, items: items.into() };
        (Outcome::Page(shown), if last { String::new() } else { token.to_string() })
    }
}

impl Comment {
    fn shown(&self, place: Place) -> Item {
        let tombstone = Item { place, text: 0, marked: 0, member: u32::MAX, ..self.item };
        if self.visible { Item { place, ..self.item } } else { tombstone }
    }
}
