use crate::{
    json::{Text, TextValue, Value, pointer},
    scan::is_key,
};

/// Some paths, made ready to be read together in one pass.
///
/// The paths are JSON Pointers, as for [`Value::pointer`], and what they lead
/// to is the same. A path that begins with anything but `/`, and is not
/// empty, leads nowhere.
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

/// A place that paths lead to or through. Paths that begin in the same way
/// share it.
#[derive(Clone, Debug, Default)]
struct Node {
    /// The paths that lead here.
    ends: Vec<usize>,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    token: String,
    /// What the token stands for in an object, and in an array.
    key: Option<String>,
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
    /// Makes paths ready.
    pub fn new<P: AsRef<str>>(
        paths: impl IntoIterator<Item = P>,
    ) -> Projection {
        let mut projection =
            Projection { root: Node::default(), paths: Vec::new() };
        for path in paths {
            let path = path.as_ref();
            let number = projection.paths.len();
            projection.paths.push(path.to_string());
            match path.strip_prefix('/') {
                Some(tokens) => {
                    projection.root.add(tokens.split('/'), number);
                }
                None if path.is_empty() => projection.root.ends.push(number),
                None => {}
            }
        }
        projection
    }

    /// How many paths there are.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether there are no paths.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Reads all paths from a line. A path that leads nowhere is `None`.
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
    /// Reads all paths from a line, into memory of its arena.
    pub(crate) fn read_all<'a, 'p>(
        &'p self,
        text: &'a Text<'a>,
    ) -> Projected<'a, 'p> {
        let values = text.arena().alloc_slice_fill_copy(self.len(), None);
        self.read(text, values);
        Projected { paths: &self.paths, values }
    }
}

/// The values that the paths of a [`Projection`] lead to in one line.
///
/// [`Line::projected`](crate::Line::projected) returns it, and has an example.
#[derive(Clone, Copy, Debug)]
pub struct Projected<'a, 'p> {
    paths: &'p [String],
    /// One for each path.
    values: &'a [Option<Value<'a>>],
}

impl<'a> Projected<'a, '_> {
    /// Returns the value that a path leads to, or `None` if there is none, or
    /// if the path is not one of the projection's.
    ///
    /// The paths are compared one after the other; [`at`](Projected::at) is
    /// faster if there are many.
    pub fn get(self, path: &str) -> Option<Value<'a>> {
        self.at(self.paths.iter().position(|other| other == path)?)
    }

    /// Returns the value that the path with this number leads to, in the
    /// order in which the paths were given to [`Projection::new`].
    pub fn at(self, index: usize) -> Option<Value<'a>> {
        self.values.get(index).copied().flatten()
    }
}

impl Node {
    /// Adds the path that the tokens lead along from here.
    fn add<'t>(
        &mut self,
        tokens: impl Iterator<Item = &'t str>,
        number: usize,
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
        node.ends.push(number);
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
                // Of several members with one key, the last one counts.
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

    /// Takes back what has been read at this place and behind it.
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
