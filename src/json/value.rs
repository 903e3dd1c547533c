use std::{fmt, iter::FusedIterator};

use crate::json::{Nodes, Number, Text, TextValue, pointer};

/// A JSON value, as it stands in a line.
///
/// A value is a small `Copy` view. It borrows the record or the line that it
/// is from, and reading it allocates nothing in the long run. Whatever it is
/// asked for and is not, it answers with `None`.
///
/// It cannot be sent to another thread: a string of a line that has not been
/// decoded may have to be unescaped, into an arena that belongs to the reader.
///
/// An integer that fits neither `u64` nor `i64` reads as a float. `-0` reads
/// as the integer 0.
///
/// # Example
///
/// This shows how to reach into a record.
///
/// ```
/// use linetape::Decoder;
///
/// let line = br#"{"message":{"usage":{"input_tokens":7}},"tags":["a","b"]}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let value = record.value();
///
/// let tokens = value.pointer("/message/usage/input_tokens");
/// assert_eq!(tokens.and_then(|n| n.as_u64()), Some(7));
/// let tags = value.get("tags").and_then(|tags| tags.as_array());
/// assert_eq!(tags.unwrap().iter().count(), 2);
/// assert_eq!(value.get("tags").unwrap().to_string(), r#"["a","b"]"#);
/// # Ok::<(), linetape::Error>(())
/// ```
///
/// A value cannot be sent to another thread, but its record can:
///
/// ```
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(b"{}").unwrap();
/// std::thread::scope(|scope| {
///     scope.spawn(move || println!("{}", record.value()));
/// });
/// ```
///
/// ```compile_fail,E0277
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(b"{}").unwrap();
/// let value = record.value();
/// std::thread::scope(|scope| {
///     scope.spawn(move || println!("{value}"));
/// });
/// ```
#[derive(Clone, Copy)]
pub struct Value<'a>(pub(crate) Repr<'a>);

/// What a value is read from. Everything above this file is the same for all
/// sources.
#[derive(Clone, Copy)]
pub(crate) enum Repr<'a> {
    /// A line that has been decoded.
    Tape(Nodes<'a>),
    /// The text of a line.
    Text(TextValue<'a>),
}

impl<'a> Repr<'a> {
    /// What is in a container.
    #[inline]
    fn inside(self) -> Repr<'a> {
        match self {
            Repr::Tape(nodes) => Repr::Tape(nodes.inside()),
            Repr::Text(value) => Repr::Text(value.inside()),
        }
    }

    /// An upper bound for the number of values and keys from here on.
    #[inline]
    fn most_nodes(self) -> usize {
        match self {
            Repr::Tape(nodes) => nodes.count(),
            Repr::Text(value) => value.most_nodes(),
        }
    }
}

impl<'a> Value<'a> {
    pub(crate) fn from_tape(nodes: Nodes<'a>) -> Value<'a> {
        Value(Repr::Tape(nodes))
    }

    /// Returns the whole of a line.
    pub(crate) fn of_line(text: &'a Text<'a>) -> Value<'a> {
        Value(Repr::Text(TextValue::top(text)))
    }

    pub(crate) fn from_text(value: TextValue<'a>) -> Value<'a> {
        Value(Repr::Text(value))
    }

    /// The string, unescaped.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        match self.0 {
            Repr::Tape(nodes) => nodes.as_str(),
            Repr::Text(value) => value.as_str(),
        }
    }

    /// Returns whether this is a string. In a line that has not been checked,
    /// it may be one that cannot be unescaped.
    pub fn is_string(self) -> bool {
        match self.0 {
            Repr::Tape(nodes) => nodes.as_str().is_some(),
            Repr::Text(value) => value.is_str(),
        }
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        match self.0 {
            Repr::Tape(nodes) => nodes.is_null(),
            Repr::Text(value) => value.is_null(),
        }
    }

    /// `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        match self.0 {
            Repr::Tape(nodes) => nodes.as_bool(),
            Repr::Text(value) => value.as_bool(),
        }
    }

    #[inline]
    pub(crate) fn as_number(self) -> Option<Number> {
        match self.0 {
            Repr::Tape(nodes) => nodes.as_number(),
            Repr::Text(value) => value.as_number(),
        }
    }

    /// The number, if it is an integer from 0 to `u64::MAX`.
    pub fn as_u64(self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The number, if it is an integer from `i64::MIN` to `i64::MAX`.
    pub fn as_i64(self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The number, whatever its class; a large integer is rounded.
    pub fn as_f64(self) -> Option<f64> {
        Some(self.as_number()?.as_f64())
    }

    /// The object.
    #[inline]
    pub fn as_object(self) -> Option<Object<'a>> {
        let fits = match self.0 {
            Repr::Tape(nodes) => nodes.is_object(),
            Repr::Text(value) => value.is_object(),
        };
        fits.then_some(Object(self.0))
    }

    /// The array.
    pub fn as_array(self) -> Option<Array<'a>> {
        let fits = match self.0 {
            Repr::Tape(nodes) => nodes.is_array(),
            Repr::Text(value) => value.is_array(),
        };
        fits.then_some(Array(self.0))
    }

    /// The member of this object with the given key: the last, if there are
    /// several.
    #[inline]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.as_object()?.get(key)
    }

    /// Returns what [`get`](Value::get) returns for each of some keys.
    ///
    /// In a line that has not been decoded, this takes one pass over the
    /// members instead of one for each key.
    ///
    /// # Example
    ///
    /// This shows how to read two members at once.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"a":1,"b":2}"#);
    /// let [a, c] = line.peek()?.value().get_many(["a", "c"]);
    /// assert_eq!((a.and_then(|a| a.as_u64()), c.is_none()), (Some(1), true));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn get_many<const N: usize>(
        self,
        keys: [&str; N],
    ) -> [Option<Value<'a>>; N] {
        match self.0 {
            Repr::Text(value) if self.as_object().is_some() => {
                value.find_all(keys).map(|found| found.map(Value::from_text))
            }
            _ => keys.map(|key| self.get(key)),
        }
    }

    /// The value at the end of a path, written as a JSON Pointer (RFC 6901):
    /// `/message/usage/input_tokens`, `/content/0`.
    pub fn pointer(self, path: &str) -> Option<Value<'a>> {
        if path.is_empty() {
            return Some(self);
        }
        let mut value = self;
        for token in path.strip_prefix('/')?.split('/') {
            value = match value.as_array() {
                Some(array) => array.get(pointer::index(token)?)?,
                None => value.as_object()?.get_token(token)?,
            };
        }
        Some(value)
    }
}

/// A JSON object, as it stands in a line.
///
/// # Example
///
/// This shows that members come in the order of the text, and that the last
/// of several with one key is the one that [`get`](Object::get) gives.
///
/// ```
/// use linetape::Decoder;
///
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(br#"{"b":1,"a":2,"b":3}"#)?;
/// let object = record.value().as_object().unwrap();
/// let keys: Vec<&str> = object.iter().map(|(key, _)| key).collect();
/// assert_eq!(keys, ["b", "a", "b"]);
/// assert_eq!(object.get("b").and_then(|b| b.as_u64()), Some(3));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Object<'a>(Repr<'a>);

impl<'a> Object<'a> {
    /// How many members there are, repeated keys included.
    ///
    /// In a line that has not been decoded they are counted each time, and a
    /// member counts even if its key is badly escaped, which ends
    /// [`iter`](Object::iter).
    pub fn len(self) -> usize {
        match self.0 {
            Repr::Tape(nodes) => nodes.len(),
            // Keys are not unescaped to be counted.
            Repr::Text(value) => value.members().count(),
        }
    }

    /// Whether there are no members.
    pub fn is_empty(self) -> bool {
        match self.0 {
            Repr::Tape(nodes) => nodes.len() == 0,
            Repr::Text(value) => value.members().next().is_none(),
        }
    }

    /// Returns the object as a value.
    pub fn value(self) -> Value<'a> {
        Value(self.0)
    }

    /// The member with the given key: the last, if there are several.
    #[inline]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        match self.0 {
            Repr::Tape(_) => self.find_where(|other| other == key),
            Repr::Text(value) => value.find(key).map(Value::from_text),
        }
    }

    /// The member that a token of a JSON Pointer stands for.
    fn get_token(self, token: &str) -> Option<Value<'a>> {
        if !token.contains('~') {
            return self.get(token);
        }
        match self.0 {
            Repr::Tape(_) => self.find_where(|key| pointer::names(token, key)),
            Repr::Text(value) => {
                let key: Option<String> = pointer::key(token).collect();
                value.find(&key?).map(Value::from_text)
            }
        }
    }

    /// The last member whose key is a wanted one.
    #[inline]
    fn find_where(self, wanted: impl Fn(&str) -> bool) -> Option<Value<'a>> {
        let mut found = None;
        for (key, value) in self.iter() {
            if wanted(key) {
                found = Some(value);
            }
        }
        found
    }

    /// The members, in the order of the text, repeated keys included.
    #[inline]
    pub fn iter(self) -> Members<'a> {
        Members(self.0.inside())
    }
}

impl<'a> IntoIterator for Object<'a> {
    type Item = (&'a str, Value<'a>);
    type IntoIter = Members<'a>;

    fn into_iter(self) -> Members<'a> {
        self.iter()
    }
}

/// The members of an [`Object`].
///
/// # Example
///
/// This shows how to go through them.
///
/// ```
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(br#"{"a":1,"b":2}"#)?;
/// let mut sum = 0;
/// for (_, value) in record.value().as_object().unwrap() {
///     sum += value.as_u64().unwrap();
/// }
/// assert_eq!(sum, 3);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone)]
pub struct Members<'a>(Repr<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Repr::Tape(nodes) => {
                let (key, value) = nodes.next_member()?;
                Some((key, Value(Repr::Tape(value))))
            }
            Repr::Text(value) => {
                let (key, value) = value.next_member()?;
                Some((key, Value(Repr::Text(value))))
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        // A key and a value are two nodes.
        (0, Some(self.0.most_nodes() / 2))
    }
}

impl FusedIterator for Members<'_> {}

/// A JSON array, as it stands in a line.
///
/// # Example
///
/// This shows how to read its items.
///
/// ```
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(br#"{"list":["x",1]}"#)?;
/// let list = record.value().get("list").unwrap().as_array().unwrap();
/// assert_eq!(list.len(), 2);
/// assert_eq!(list.get(0).and_then(|item| item.as_str()), Some("x"));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Array<'a>(Repr<'a>);

impl<'a> Array<'a> {
    /// How many items there are. In a line that has not been decoded they are
    /// counted each time.
    pub fn len(self) -> usize {
        match self.0 {
            Repr::Tape(nodes) => nodes.len(),
            Repr::Text(_) => self.iter().count(),
        }
    }

    /// Whether there are no items.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns the array as a value.
    pub fn value(self) -> Value<'a> {
        Value(self.0)
    }

    /// The item at `index`. This walks past the ones before it.
    pub fn get(self, index: usize) -> Option<Value<'a>> {
        self.iter().nth(index)
    }

    /// The items, in order.
    pub fn iter(self) -> Items<'a> {
        Items(self.0.inside())
    }
}

impl<'a> IntoIterator for Array<'a> {
    type Item = Value<'a>;
    type IntoIter = Items<'a>;

    fn into_iter(self) -> Items<'a> {
        self.iter()
    }
}

/// The items of an [`Array`].
///
/// # Example
///
/// This shows how to go through them.
///
/// ```
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(br#"{"list":[1,2,3]}"#)?;
/// let list = record.value().get("list").unwrap().as_array().unwrap();
/// assert_eq!(list.iter().filter_map(|item| item.as_u64()).sum::<u64>(), 6);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone)]
pub struct Items<'a>(Repr<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        match &mut self.0 {
            Repr::Tape(nodes) => Some(Value(Repr::Tape(nodes.next_value()?))),
            Repr::Text(value) => Some(Value(Repr::Text(value.next_value()?))),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.0.most_nodes()))
    }
}

impl FusedIterator for Items<'_> {}

impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

impl fmt::Debug for Items<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
