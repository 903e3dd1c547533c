use std::ops::Range;

use crate::{
    json::{
        Miss, Source, Span, Text, TextValue, Value, pointer,
        skim::skim,
        sweep::{LastKey, MAX_KEY, MAX_PATH, Rule, Start, Sweep},
    },
    scan::{is_key, part},
};

/// A set of JSON Pointers that are read from a line in one pass.
///
/// The paths are stored as a prefix tree, so each object on the way is walked
/// once, and not once per path. In a valid line, each path leads to the same
/// value as with [`Value::pointer`]. An invalid path, which is not empty and
/// does not begin with `/`, leads to no value.
///
/// # Example
///
/// This shows how to read some fields of many lines.
///
/// ```
/// use linetape::{Projection, lines};
///
/// let log = br#"{"message":{"usage":{"output_tokens":5}},"type":"assistant"}
/// {"type":"user"}
/// "#;
/// let paths = Projection::new(["/type", "/message/usage/output_tokens"]);
/// let mut tokens = 0;
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     let found = line?.projected(&paths)?;
///     tokens += found.at(1).and_then(|n| n.as_u64()).unwrap_or(0);
/// }
/// assert_eq!(tokens, 5);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection {
    root: Node,
    paths: Vec<String>,
    /// Whether a sweep can look for all paths: they are short, and so are their
    /// keys.
    is_sweepable: bool,
}

/// A node of the prefix tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// The indexes of the paths that end here.
    pub(crate) ends: Vec<usize>,
    /// The edges to the children.
    pub(crate) steps: Vec<Step>,
    /// How many items of an array are on a path, or before one that is.
    pub(crate) items: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    token: String,
    /// The token as a key of an object, if it is one.
    key: Option<String>,
    /// The token as an index of an array, if it is one.
    pub(crate) index: Option<usize>,
    /// Whether the key is `type` or `subtype`.
    pub(crate) is_stated: bool,
    pub(crate) to: Node,
}

impl Step {
    fn new(token: &str) -> Step {
        Step {
            token: token.to_string(),
            key: pointer::key(token).collect(),
            index: pointer::index(token),
            is_stated: matches!(token, "type" | "subtype"),
            to: Node::default(),
        }
    }

    /// Returns the key as it is written without escapes, or nothing if the
    /// token is not a key.
    #[inline(always)]
    pub(crate) fn key_bytes(&self) -> &[u8] {
        self.key.as_ref().map_or(&[], |key| key.as_bytes())
    }

    /// Returns whether the key has the same bytes in JSON, unless it is
    /// escaped needlessly, and is short enough for a sweep.
    fn is_sweepable(&self) -> bool {
        let is_plain =
            |byte: u8| byte >= b' ' && !matches!(byte, b'"' | b'\\');
        let key = self.key_bytes();
        self.key.is_some()
            && key.len() <= MAX_KEY
            && key.iter().copied().all(is_plain)
    }

    #[inline(always)]
    pub(crate) fn is_key(&self, written: &[u8]) -> bool {
        self.key.as_ref().is_some_and(|key| is_key(written, key))
    }
}

impl Projection {
    /// Creates a projection from JSON Pointers.
    pub fn new<P: AsRef<str>>(
        paths: impl IntoIterator<Item = P>,
    ) -> Projection {
        let mut projection = Projection {
            root: Node::default(),
            paths: Vec::new(),
            is_sweepable: true,
        };
        for path in paths {
            let path = path.as_ref();
            let index = projection.paths.len();
            projection.paths.push(path.to_string());
            match path.strip_prefix('/') {
                Some(tokens) => {
                    let tokens = tokens.split('/');
                    let is_short = tokens.clone().count() <= MAX_PATH;
                    projection.is_sweepable &= is_short;
                    projection.root.add(tokens, index);
                }
                None if path.is_empty() => {
                    projection.root.ends.push(index);
                    projection.is_sweepable = false;
                }
                None => {}
            }
        }
        projection.is_sweepable &= projection.root.is_sweepable();
        projection
    }

    /// Returns the number of paths.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Returns whether there are no paths.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Reads the values at all paths of a text with an index.
    pub(crate) fn read<'a, 'p>(
        &'p self,
        text: &'a Text<'a>,
    ) -> Projected<'a, 'p> {
        let arena = text.source.state.arena();
        let values = arena.alloc_slice_fill_copy(self.len(), None);
        self.root.read(TextValue::top(text), values);
        Projected { paths: &self.paths, values }
    }

    /// Does the same for a line without an index. `message` is the range of the
    /// line's message, if it is known.
    ///
    /// Returns `None` if [`read`](Projection::read) has to do it: if no sweep
    /// can, or after a fault, unless there is a value at every path.
    pub(crate) fn sweep<'a, 'p>(
        &'p self,
        source: Source<'a>,
        rule: Rule,
        message: Option<Range<usize>>,
    ) -> Option<Projected<'a, 'p>> {
        if !self.is_sweepable {
            return None;
        }
        let arena = source.state.arena();
        let found = arena.alloc_slice_fill_copy(self.len(), None);
        match self.find(source, found, rule, message) {
            Ok(()) => {}
            Err(Miss::Bad)
                if !found.is_empty() && found.iter().all(Option::is_some) => {}
            Err(_) => return None,
        }
        let values = arena.alloc_slice_fill_copy(self.len(), None);
        for (value, span) in values.iter_mut().zip(found) {
            if let Some(span) = *span {
                *value = Some(Value::of_line(Text::of_value(source, span)?));
            }
        }
        Some(Projected { paths: &self.paths, values })
    }

    /// Finds the values at all paths in one pass.
    fn find(
        &self,
        source: Source<'_>,
        found: &mut [Option<Span>],
        rule: Rule,
        message: Option<Range<usize>>,
    ) -> Result<(), Miss> {
        let Source { bytes: text, state } = source;
        let scanner = state.scanner;
        let root = &self.root;
        let is_stated =
            |step: &Step| step.is_stated && step.to.steps.is_empty();
        let ends_at_type = rule == Rule::FirstType
            && !root.steps.is_empty()
            && root.steps.iter().all(is_stated);
        let answers = ends_at_type.then_some(root.steps.len());
        if let ([step], true) = (&*root.steps, ends_at_type)
            && step.token == "type"
            && let Some(skimmed) = skim(scanner, text, |_| false)
        {
            let Range { start, end } = skimmed.name.range();
            step.to.set(start - 1, end + 1, found);
            return Ok(());
        }
        let mut miss = Miss::Slow;
        for start in self.starts(source, message) {
            found.fill(None);
            let mut sweep =
                Sweep { text, start, found: &mut *found, rule, answers };
            match scanner.run(&mut sweep) {
                Ok(()) => return Ok(()),
                Err(why) => miss = why,
            }
        }
        Err(miss)
    }

    /// Returns where sweeps can begin, the shortest first. If all paths are in
    /// the message, and its range is known, the rest of the line is not read.
    /// If they are all in one member of the message, the first start is the last
    /// place in the message where the key of that member is written: earlier
    /// members with that key do not count. If the place is in a nested object,
    /// the sweep fails, and the next start is the message.
    pub(crate) fn starts<'p>(
        &'p self,
        source: Source<'_>,
        message: Option<Range<usize>>,
    ) -> impl Iterator<Item = Start<'p>> {
        let whole = Start { node: &self.root, object: 0, at: 0, end: None };
        let (long, short) = match (&*self.root.steps, message) {
            ([step], Some(Range { start, end }))
                if step.token == "message" =>
            {
                let node = &step.to;
                let (object, at) = (start, start);
                let long = Start { node, object, at, end: Some(end) };
                let last = match &*node.steps {
                    [step] => {
                        let text = part(source.bytes, start..end);
                        let key = step.key_bytes();
                        source.state.scanner.run(LastKey { text, key })
                    }
                    _ => None,
                };
                let last = last.map(|at| start + at);
                (long, last.map(|at| Start { at, ..long }))
            }
            _ => (whole, None),
        };
        short.into_iter().chain([long])
    }
}

/// The values at the paths of a [`Projection`] in one line.
///
/// [`Line::projected`](crate::Line::projected) returns it, and has an example.
#[derive(Clone, Copy, Debug)]
pub struct Projected<'a, 'p> {
    paths: &'p [String],
    /// One value per path.
    values: &'a [Option<Value<'a>>],
}

impl<'a> Projected<'a, '_> {
    /// Returns the value at a path. `None` if the line has no such value, or
    /// if the projection does not have the path.
    ///
    /// Searches the paths linearly; [`at`](Projected::at) takes O(1).
    pub fn get(self, path: &str) -> Option<Value<'a>> {
        self.at(self.paths.iter().position(|other| other == path)?)
    }

    /// Returns the value at the path with this index, in the order in which
    /// the paths were passed to [`Projection::new`].
    pub fn at(self, index: usize) -> Option<Value<'a>> {
        self.values.get(index).copied().flatten()
    }
}

impl Node {
    /// Adds the path with the given index, as tokens from this node on.
    fn add<'t>(
        &mut self,
        tokens: impl Iterator<Item = &'t str>,
        index: usize,
    ) {
        let mut node = self;
        for token in tokens {
            let known = node.steps.iter().position(|s| s.token == token);
            let at = known.unwrap_or(node.steps.len());
            if known.is_none() {
                node.steps.push(Step::new(token));
            }
            let Some(step) = node.steps.get_mut(at) else { return };
            if let Some(index) = step.index {
                node.items = node.items.max(index.saturating_add(1));
            }
            node = &mut step.to;
        }
        node.ends.push(index);
    }

    fn read<'a>(&self, value: TextValue<'a>, found: &mut [Option<Value<'a>>]) {
        for &end in &self.ends {
            if let Some(found) = found.get_mut(end) {
                *found = Some(Value::from_text(value));
            }
        }
        if self.steps.is_empty() {
            return;
        }
        if value.is_object() {
            let mut members = value.members();
            for (key, value) in members.by_ref() {
                let wanted = |step: &&Step| step.is_key(key);
                // The last member with a duplicate key counts.
                for step in self.steps.iter().filter(wanted) {
                    step.to.forget(found);
                    step.to.read(value, found);
                }
            }
            if members.is_broken() {
                self.steps.iter().for_each(|step| step.to.forget(found));
            }
        } else if value.is_array() {
            let mut rest = value.inside();
            let last = self.steps.iter().filter_map(|step| step.index).max();
            for index in last.into_iter().flat_map(|last| 0..=last) {
                let Some(value) = rest.next_value() else { break };
                let wanted = |step: &&Step| step.index == Some(index);
                for step in self.steps.iter().filter(wanted) {
                    step.to.read(value, found);
                }
            }
        }
    }

    /// Stores the value from `start` to `end` for the paths that end here.
    #[inline(always)]
    pub(crate) fn set(
        &self,
        start: usize,
        end: usize,
        found: &mut [Option<Span>],
    ) {
        for &path in &self.ends {
            if let Some(found) = found.get_mut(path) {
                *found = Span::new(start, end);
            }
        }
    }

    /// Returns whether a sweep can look for all keys from this node on.
    fn is_sweepable(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.all(|step| step.is_sweepable() && step.to.is_sweepable())
    }

    /// Removes what has been found at this node and below it.
    pub(crate) fn forget<T>(&self, found: &mut [Option<T>]) {
        for &end in &self.ends {
            if let Some(found) = found.get_mut(end) {
                *found = None;
            }
        }
        for step in &self.steps {
            step.to.forget(found);
        }
    }
}
