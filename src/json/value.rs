use std::{fmt, iter::FusedIterator};

#[cfg(feature = "owned")]
use crate::error::Misfit;
use crate::{
    error::Error,
    json::{Nodes, Number, Origin, Place, find_value_fault, pointer},
};

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
pub struct Value<'a>(Source<'a>);

/// What a value is read from. Everything above this file is the same for all
/// sources.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// A line that has been decoded.
    Tape(Nodes<'a>),
    /// The text of a line.
    Text(Place<'a>),
}

impl<'a> Source<'a> {
    /// What is in a container.
    #[inline]
    fn inside(self) -> Source<'a> {
        match self {
            Source::Tape(nodes) => Source::Tape(nodes.inside()),
            Source::Text(place) => Source::Text(place.inside()),
        }
    }

    /// An upper bound for the number of values and keys from here on.
    #[inline]
    fn most_nodes(self) -> usize {
        match self {
            Source::Tape(nodes) => nodes.count(),
            Source::Text(place) => place.most_nodes(),
        }
    }
}

impl<'a> Value<'a> {
    pub(crate) fn from_tape(nodes: Nodes<'a>) -> Value<'a> {
        Value(Source::Tape(nodes))
    }

    pub(crate) fn from_text(place: Place<'a>) -> Value<'a> {
        Value(Source::Text(place))
    }

    /// Says why the value cannot be read.
    ///
    /// A value of a record that has been decoded is always good. One of a
    /// line that has been [peeked](crate::Line::peek) at has not been looked
    /// at before it is asked for something: if its text is not JSON, it
    /// answers with `None`, and this says why. It reads all of the value, and
    /// what stands directly behind it; to ask every value of a tree is to read
    /// each as often as it is deep. [`Line::check`](crate::Line::check) reads
    /// all of a line once.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the stream.
    ///
    /// # Example
    ///
    /// This shows how to tell a missing number from a bad one.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"a":{"n":01},"b":{}}"#);
    /// let value = line.peek()?.value();
    /// for key in ["a", "b"] {
    ///     assert!(value.get(key).unwrap().get("n").is_none());
    /// }
    /// assert!(value.get("a").unwrap().check().is_err());
    /// assert!(value.get("b").unwrap().check().is_ok());
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn check(self) -> Result<(), Error> {
        match self.0 {
            Source::Tape(_) => Ok(()),
            Source::Text(place) => {
                let (text, at) = place.context();
                let line = text.line.as_bytes();
                let Origin { position, limits, .. } = text.origin;
                let depth = limits.depth_cap();
                match find_value_fault(line, at, depth) {
                    None => Ok(()),
                    Some(fault) => {
                        Err(fault.into_error(line, position, true, limits))
                    }
                }
            }
        }
    }

    /// Says in an error where this value is, unless the error knows a place.
    #[cfg(feature = "owned")]
    #[cold]
    pub(crate) fn place(self, misfit: Misfit) -> Misfit {
        match self.0 {
            Source::Tape(nodes) => misfit.or_at_node(nodes.address()),
            Source::Text(place) => {
                let (text, at) = place.context();
                misfit.or_at(text.origin.position.plus(at))
            }
        }
    }

    /// Checks the whole line that the value is from, unless that has been
    /// done. Whatever owns, writes or deserialises a value calls this first:
    /// a value of a line that is bad elsewhere reads as if it were shorter.
    ///
    /// # Errors
    ///
    /// The error that decoding the line would return.
    #[inline]
    pub(crate) fn ensure_checked(self) -> Result<(), Error> {
        match self.0 {
            Source::Tape(_) => Ok(()),
            Source::Text(place) => place.context().0.ensure_checked(),
        }
    }

    /// Notes that this value is not JSON.
    #[cfg(feature = "owned")]
    #[cold]
    pub(crate) fn note_fault(self) {
        match self.0 {
            Source::Tape(_) => debug_assert!(false, "decoded values are good"),
            Source::Text(place) => place.context().0.note_fault(),
        }
    }

    /// Whether the line that the value is from is known to be good.
    #[cfg(feature = "owned")]
    pub(crate) fn is_known_good(self) -> bool {
        match self.0 {
            Source::Tape(_) => true,
            Source::Text(place) => place.context().0.is_known_good(),
        }
    }

    /// Ends a walk that has read every value of the line.
    ///
    /// # Errors
    ///
    /// The error that decoding the line would return, if the walk, or one
    /// before it, met something that is not JSON.
    #[cfg(feature = "owned")]
    pub(crate) fn end_walk(self) -> Result<(), Error> {
        match self.0 {
            Source::Tape(_) => Ok(()),
            Source::Text(place) => place.context().0.end_walk(),
        }
    }

    /// The text of the value, if it is from a line that has failed the full
    /// check.
    pub(crate) fn untrusted_text(self) -> Option<&'a str> {
        match self.0 {
            Source::Tape(_) => None,
            Source::Text(place) => {
                let is_good = place.context().0.is_good();
                (!is_good).then(|| place.written_value())
            }
        }
    }

    /// The string, unescaped.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        match self.0 {
            Source::Tape(nodes) => nodes.as_str(),
            Source::Text(place) => place.as_str(),
        }
    }

    /// Returns whether this is a string. In a line that has not been checked,
    /// it may be one that cannot be unescaped.
    pub fn is_string(self) -> bool {
        match self.0 {
            Source::Tape(nodes) => nodes.as_str().is_some(),
            Source::Text(place) => place.is_str(),
        }
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        match self.0 {
            Source::Tape(nodes) => nodes.is_null(),
            Source::Text(place) => place.is_null(),
        }
    }

    /// `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        match self.0 {
            Source::Tape(nodes) => nodes.as_bool(),
            Source::Text(place) => place.as_bool(),
        }
    }

    #[inline]
    pub(crate) fn as_number(self) -> Option<Number> {
        match self.0 {
            Source::Tape(nodes) => nodes.as_number(),
            Source::Text(place) => place.as_number(),
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
            Source::Tape(nodes) => nodes.is_object(),
            Source::Text(place) => place.is_object(),
        };
        fits.then_some(Object(self.0))
    }

    /// The array.
    pub fn as_array(self) -> Option<Array<'a>> {
        let fits = match self.0 {
            Source::Tape(nodes) => nodes.is_array(),
            Source::Text(place) => place.is_array(),
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
            Source::Text(place) if self.as_object().is_some() => {
                place.find_all(keys).map(|found| found.map(Value::from_text))
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
pub struct Object<'a>(Source<'a>);

impl<'a> Object<'a> {
    /// How many members there are, repeated keys included.
    ///
    /// In a line that has not been decoded they are counted each time, and a
    /// member counts even if its key is badly escaped, which ends
    /// [`iter`](Object::iter).
    pub fn len(self) -> usize {
        match self.0 {
            Source::Tape(nodes) => nodes.len(),
            // Keys are not unescaped to be counted.
            Source::Text(place) => place.written().count(),
        }
    }

    /// Whether there are no members.
    pub fn is_empty(self) -> bool {
        match self.0 {
            Source::Tape(nodes) => nodes.len() == 0,
            Source::Text(place) => place.written().next().is_none(),
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
            Source::Tape(_) => self.find_where(|other| other == key),
            Source::Text(place) => place.find(key).map(Value::from_text),
        }
    }

    /// The member that a token of a JSON Pointer stands for.
    fn get_token(self, token: &str) -> Option<Value<'a>> {
        if !token.contains('~') {
            return self.get(token);
        }
        match self.0 {
            Source::Tape(_) => {
                self.find_where(|key| pointer::names(token, key))
            }
            Source::Text(place) => {
                let key: Option<String> = pointer::key(token).collect();
                place.find(&key?).map(Value::from_text)
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
pub struct Members<'a>(Source<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Tape(nodes) => {
                let (key, value) = nodes.next_member()?;
                Some((key, Value(Source::Tape(value))))
            }
            Source::Text(place) => {
                let (key, value) = place.next_member()?;
                Some((key, Value(Source::Text(value))))
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
pub struct Array<'a>(Source<'a>);

impl<'a> Array<'a> {
    /// How many items there are. In a line that has not been decoded they are
    /// counted each time.
    pub fn len(self) -> usize {
        match self.0 {
            Source::Tape(nodes) => nodes.len(),
            Source::Text(_) => self.iter().count(),
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
pub struct Items<'a>(Source<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        match &mut self.0 {
            Source::Tape(nodes) => {
                Some(Value(Source::Tape(nodes.next_value()?)))
            }
            Source::Text(place) => {
                Some(Value(Source::Text(place.next_value()?)))
            }
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
