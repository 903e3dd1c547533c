use crate::{
    json::{Text, TextValue, Value, pointer},
    scan::is_key,
};

/// A set of JSON Pointers that are read from a line in one pass.
///
/// The paths are stored as a prefix tree, so each object on the way is walked
/// once, and not once per path. Each path leads to the same value as with
/// [`Value::pointer`]. An invalid path, which is not empty and does not begin
/// with `/`, leads to no value.
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
///     let line = line?;
///     let mut found = [None; 2];
///     line.project(&paths, &mut found)?;
///     tokens += found[1].and_then(|n| n.as_u64()).unwrap_or(0);
/// }
/// assert_eq!(tokens, 5);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection {
    root: Node,
    paths: Vec<String>,
}

/// A node of the prefix tree.
#[derive(Clone, Debug, Default)]
struct Node {
    /// The indexes of the paths that end here.
    ends: Vec<usize>,
    /// The edges to the children.
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    token: String,
    /// The token as a key of an object, if it is one.
    key: Option<String>,
    /// The token as an index of an array, if it is one.
    index: Option<usize>,
    to: Node,
}

impl Step {
    fn new(token: &str) -> Step {
        Step {
            token: token.to_string(),
            key: pointer::key(token).collect(),
            index: pointer::index(token),
            to: Node::default(),
        }
    }
}

impl Projection {
    /// Creates a projection from JSON Pointers.
    pub fn new<P: AsRef<str>>(
        paths: impl IntoIterator<Item = P>,
    ) -> Projection {
        let mut projection =
            Projection { root: Node::default(), paths: Vec::new() };
        for path in paths {
            let path = path.as_ref();
            let index = projection.paths.len();
            projection.paths.push(path.to_string());
            match path.strip_prefix('/') {
                Some(tokens) => {
                    projection.root.add(tokens.split('/'), index);
                }
                None if path.is_empty() => projection.root.ends.push(index),
                None => {}
            }
        }
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

    /// Reads the values at all paths into `found`.
    pub(crate) fn read<'a>(
        &self,
        text: &'a Text<'a>,
        found: &mut [Option<Value<'a>>],
    ) {
        found.fill(None);
        self.root.read(TextValue::top(text), found);
    }
}

impl Projection {
    /// Reads the values at all paths into the line's arena.
    pub(crate) fn read_all<'a, 'p>(
        &'p self,
        text: &'a Text<'a>,
    ) -> Projected<'a, 'p> {
        let values = text.arena().alloc_slice_fill_copy(self.len(), None);
        self.read(text, values);
        Projected { paths: &self.paths, values }
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
                let is = |wanted: &String| is_key(key, wanted);
                let wanted = |step: &&Step| step.key.as_ref().is_some_and(is);
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
            for index in 0..=last.unwrap_or(0) {
                let Some(value) = rest.next_value() else { break };
                let wanted = |step: &&Step| step.index == Some(index);
                for step in self.steps.iter().filter(wanted) {
                    step.to.read(value, found);
                }
            }
        }
    }

    /// Removes the values that have been found at this node and below it.
    fn forget(&self, found: &mut [Option<Value<'_>>]) {
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
