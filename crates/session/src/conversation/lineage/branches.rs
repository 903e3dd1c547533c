/*!
The branches that were abandoned.
*/

use std::collections::{HashMap, HashSet};

use crate::{
    conversation::lineage::Lineage,
    ids::{Index, NameId},
};

/// A set of vertices.
pub(crate) struct Vertices(Vec<bool>);

impl Vertices {
    /// Returns the set of some vertices of a lineage.
    pub(crate) fn of(
        lineage: &Lineage,
        vertices: impl Iterator<Item = Index>,
    ) -> Vertices {
        let mut all = Vertices(vec![false; lineage.vertices.len()]);
        vertices.for_each(|at| _ = all.insert(at));
        all
    }

    pub(crate) fn has(&self, at: Index) -> bool {
        self.0.get(at.get()).is_some_and(|has| *has)
    }

    /// Adds a vertex. Returns whether it is new.
    pub(super) fn insert(&mut self, at: Index) -> bool {
        let has = self.0.get_mut(at.get());
        has.is_some_and(|has| !std::mem::replace(has, true))
    }
}

/// What is shown of a lineage.
pub(crate) struct Shown {
    /// The session of each vertex that is shown.
    pub(crate) sessions: Vec<Option<Index>>,
    /// The messages that are shown, except for tool results.
    pub(crate) spoken: Vertices,
    /// The prompts.
    pub(crate) asked: Vertices,
    /// The last message of each session's main thread.
    pub(crate) last: Vec<(Index, Index)>,
}

impl Shown {
    fn session(&self, at: Index) -> Option<Index> {
        self.sessions.get(at.get()).copied().flatten()
    }
}

/// A message below a branch point: the point, the session and the order of
/// the message, and the message.
type Child = (Index, Option<Index>, Option<Index>, Index);

impl Lineage {
    /// Returns whether a message has several children that a person or the
    /// model wrote. Without one, no branch was abandoned.
    pub(crate) fn has_branches(&self) -> bool {
        self.points().next().is_some()
    }

    /// Returns the messages at which the conversation branches.
    fn points(&self) -> impl Iterator<Item = Index> {
        self.all().filter(|at| {
            let vertex = self.get(*at);
            vertex.is_some_and(|v| v.is_branched() && v.order.is_some())
        })
    }

    /// Returns all vertices.
    fn all(&self) -> impl Iterator<Item = Index> + use<> {
        (0..self.vertices.len()).filter_map(Index::new)
    }

    /// Returns the messages on branches that were abandoned.
    ///
    /// A branch begins where a message has several children that a person or
    /// the model wrote. The one that leads to the last message is kept, or
    /// else the last one. If it is a prompt, the others were abandoned.
    ///
    /// Each session is looked at by itself: one that was forked from another
    /// has the same first messages, and both go on.
    pub(crate) fn abandoned(&self, shown: &Shown) -> Vertices {
        let mut abandoned = Vertices::of(self, [].into_iter());
        if !self.has_branches() {
            return abandoned;
        }
        let active = self.active(shown);
        let points = Vertices::of(self, self.points());
        let mut children: Vec<Child> = vec![];
        for at in self.all() {
            if let Some(vertex) = self.get(at)
                && let Some(parent) = vertex.parent
                && points.has(parent)
                && !vertex.is_sidechain()
                && shown.spoken.has(at)
            {
                let session = shown.session(at);
                children.push((parent, session, vertex.order, at));
            }
        }
        children.sort_unstable();
        let mut roots = Vertices::of(self, [].into_iter());
        for of_point in children.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let kept = of_point
                .iter()
                .rposition(|child| active.has(child.3))
                .unwrap_or(of_point.len() - 1);
            // Early transcripts give one parent to all parts of an answer.
            let is_asked = |child: &&Child| shown.asked.has(child.3);
            if of_point.get(kept).filter(is_asked).is_none() {
                continue;
            }
            for (at, child) in of_point.iter().enumerate() {
                if at != kept {
                    roots.insert(child.3);
                }
            }
        }
        for (at, root) in self.below(&roots) {
            let is_same = shown.session(at) == shown.session(root);
            if is_same && !active.has(at) {
                abandoned.insert(at);
            }
        }
        abandoned
    }

    /// Returns some vertices and all of their descendants, each with the one
    /// of the vertices that it is below.
    fn below(&self, roots: &Vertices) -> impl Iterator<Item = (Index, Index)> {
        // What is known about each vertex: nothing, not below, below.
        let mut known: Vec<Option<Option<Index>>> =
            vec![None; self.vertices.len()];
        let mut path = vec![];
        for start in self.all() {
            let mut at = Some(start);
            let mut root = None;
            while let Some(here) = at {
                let state = known.get(here.get()).copied().flatten();
                if let Some(state) = state {
                    root = state;
                    break;
                }
                path.push(here);
                if roots.has(here) {
                    root = Some(here);
                    break;
                }
                at = self.get(here).and_then(|vertex| vertex.parent);
            }
            for here in path.drain(..) {
                if let Some(state) = known.get_mut(here.get()) {
                    *state = Some(root);
                }
            }
        }
        let below = known.into_iter().enumerate();
        below.filter_map(|(at, root)| Some((Index::new(at)?, root??)))
    }

    /// Returns the messages of the current branch of each session: the path
    /// from a root to the last message of the main thread, with the parallel
    /// calls and results that are beside it.
    /// See [`Tree::active_branch`](crate::Tree::active_branch).
    fn active(&self, shown: &Shown) -> Vertices {
        let mut path = Vertices::of(self, [].into_iter());
        let relinks = Relinks::of(self);
        let last_children = self.last_children();
        let child = |at: Index| last_children.get(at.get()).copied().flatten();
        // The session whose path a vertex is on.
        let mut of: Vec<Option<Index>> = vec![None; self.vertices.len()];
        for (session, last) in shown.last.iter().copied() {
            // What another session shows is not on the path of this one.
            let is_own = |at: &Index| {
                shown.session(*at).is_none_or(|other| other == session)
            };
            // The messages that a compaction preserved come after its summary.
            let last = relinks.tails.get(&last).copied().unwrap_or(last);
            let mut at = Some(last);
            while let Some(here) = at.filter(is_own) {
                let Some(of) = of.get_mut(here.get()) else { break };
                let parent = self.message_above(here);
                // A preserved message is also a descendant of those before the
                // compaction. The second time, it is only passed.
                at = match *of.get_or_insert(session) == session {
                    true if path.insert(here) => {
                        relinks.parent(here, parent).or(parent)
                    }
                    true => parent,
                    false => None,
                };
            }
            let mut at = child(last).filter(is_own);
            // The compaction is a descendant of the messages that it
            // preserved.
            while let Some(here) = at.filter(|here| path.insert(*here)) {
                at = child(here).filter(is_own);
            }
        }
        self.add_parallel_calls(path)
    }

    /// Returns the nearest message above a vertex.
    fn message_above(&self, at: Index) -> Option<Index> {
        let mut at = self.get(at)?.parent?;
        loop {
            let vertex = self.get(at)?;
            if vertex.order.is_some() {
                return Some(at);
            }
            at = vertex.parent?;
        }
    }

    /// Returns the last child of each message outside of sidechains.
    fn last_children(&self) -> Vec<Option<Index>> {
        let mut last: Vec<Option<Index>> = vec![None; self.vertices.len()];
        for at in self.all() {
            let Some(vertex) = self.get(at) else { continue };
            let parent = vertex.parent.filter(|_| !vertex.is_sidechain());
            let slot = parent.and_then(|parent| last.get_mut(parent.get()));
            let Some(slot) = slot.filter(|_| vertex.order.is_some()) else {
                continue;
            };
            let before = slot.and_then(|before| self.get(before));
            if before.is_none_or(|before| before.order < vertex.order) {
                *slot = Some(at);
            }
        }
        last
    }

    /// Adds the parallel calls and results that are not on a path to it.
    ///
    /// An agent writes a line for each content block. So a message with
    /// several tool calls is a chain of lines, and each result is a child of
    /// the line of its call. The path contains one of the results, and only
    /// the calls up to that result.
    fn add_parallel_calls(&self, path: Vertices) -> Vertices {
        let mut whole = Vertices(path.0.clone());
        let message = |at: Index| self.get(at)?.message;
        let on_path: HashSet<Index> = self
            .all()
            .filter(|at| path.has(*at))
            .filter_map(message)
            .collect();
        if on_path.is_empty() {
            return whole;
        }
        let is_on_path = |at: Index| {
            message(at).filter(|message| on_path.contains(message))
        };
        for at in self.all().filter(|at| is_on_path(*at).is_some()) {
            whole.insert(at);
        }
        // If two messages have a call, it belongs to neither.
        let owner = |call: NameId| {
            let last = self.last_owners.get(call.get()).copied().flatten();
            last.filter(|last| *last != Index::OUT_OF_REACH)
        };
        let of_path = self.answered.iter().filter(|(at, _)| path.has(*at));
        let answered: HashSet<NameId> =
            of_path.map(|(_, call)| *call).collect();
        // Own results of a message, and those of calls of another one, which
        // belong to it only if the call has no result otherwise.
        let mut own: HashSet<(Index, NameId)> = HashSet::new();
        let mut strays = vec![];
        for results in self.answered.chunk_by(|a, b| a.0 == b.0) {
            let Some((at, _)) = results.first().copied() else { continue };
            let Some(vertex) = self.get(at).filter(|v| v.is_user()) else {
                continue;
            };
            let Some(parent) = self.named_parent(at) else { continue };
            if path.has(at) {
                continue;
            }
            let parent = is_on_path(parent);
            if let Some(message) = parent {
                whole.insert(at);
                own.extend(results.iter().map(|(_, call)| (message, *call)));
            }
            let calls = results.iter();
            let owners = calls.filter_map(|(_, call)| owner(*call));
            let source = self.sources.get(&at).copied();
            for line in source.into_iter().chain(owners) {
                let Some(writer) = self.get(line) else { continue };
                let is_same = writer.has_writer_of(vertex);
                let message = is_on_path(line).filter(|_| is_same);
                if message.is_some() && message != parent {
                    strays.extend(message.map(|m| (m, vertex.order, at)));
                }
            }
        }
        strays.sort_unstable();
        strays.dedup();
        for (of, _, at) in strays {
            let start = self
                .answered
                .partition_point(|(a, _)| self.order(*a) < self.order(at));
            let calls = self.answered.get(start..).unwrap_or_default();
            let calls = calls.iter().take_while(|(a, _)| *a == at);
            let mut open = calls.clone().filter(|(_, call)| {
                let owner = owner(*call);
                !answered.contains(call)
                    && !own.contains(&(of, *call))
                    && owner.and_then(message) == Some(of)
            });
            if open.next().is_some() {
                own.extend(calls.map(|(_, call)| (of, *call)));
                whole.insert(at);
            }
        }
        whole
    }

    fn order(&self, at: Index) -> Option<Index> {
        self.get(at)?.order
    }
}

/// The places of preserved messages after their compactions.
struct Relinks {
    /// The new parents of preserved messages.
    parents: HashMap<Index, Index>,
    /// By anchor, the last message that follows it.
    tails: HashMap<Index, Index>,
}

impl Relinks {
    fn of(lineage: &Lineage) -> Relinks {
        let (parents, tails) = (HashMap::new(), HashMap::new());
        let mut relinks = Relinks { parents, tails };
        let is_there =
            |at: &Index| lineage.get(*at).is_some_and(|v| v.order.is_some());
        for preserved in &lineage.preserved {
            let ids = &preserved.messages;
            let anchor = preserved.anchor;
            if !ids.iter().chain([&anchor]).all(is_there) {
                continue;
            }
            let Some(tail) = ids.last() else { continue };
            let count = if preserved.is_segment { 1 } else { ids.len() };
            let before = [anchor].into_iter().chain(ids.iter().copied());
            let pairs = ids.iter().copied().zip(before);
            relinks.parents.extend(pairs.take(count));
            relinks.tails.insert(anchor, *tail);
        }
        relinks
    }

    /// Returns the new parent of a message, if it has one.
    fn parent(&self, at: Index, parent: Option<Index>) -> Option<Index> {
        let preserved = self.parents.get(&at).copied();
        preserved.or_else(|| self.tails.get(&parent?).copied())
    }
}
