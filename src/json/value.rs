use std::{fmt, iter::FusedIterator};

use crate::{
    json::{Kept, Nodes, Number, Text, TextValue, pointer},
    scan::unescape_lossy,
};

/// A JSON value that borrows from a record or a line.
///
/// A value is a small `Copy` view. Its `as_...` methods return `None` if the
/// value has another type. Reading it does not allocate, except for strings
/// with escapes, and for the list of the outermost members, in a peeked line:
/// these are stored in memory of the reader, which is reused for the next line.
/// For this reason a value cannot be sent to another thread.
///
/// An integer that fits neither `u64` nor `i64` reads as a float. `-0` reads
/// as the integer 0.
///
/// # Example
///
/// This shows how to read nested values.
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

/// The representation of a value. Only `json` distinguishes them.
#[derive(Clone, Copy)]
pub(crate) enum Repr<'a> {
    /// A value of a decoded line.
    Tape(Nodes<'a>),
    /// A value in the text of a line.
    Text(TextValue<'a>),
}

impl<'a> Repr<'a> {
    /// Returns the start of the members or items of a container.
    #[inline(always)]
    fn inside(self) -> Repr<'a> {
        match self {
            Repr::Tape(nodes) => Repr::Tape(nodes.inside()),
            Repr::Text(value) => Repr::Text(value.inside()),
        }
    }

    /// Returns an upper bound for the number of values and keys from here on.
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

    /// Returns the outermost value of a text.
    pub(crate) fn of_line(text: &'a Text<'a>) -> Value<'a> {
        Value::from_text(TextValue::top(text))
    }

    /// Returns the outermost value of a line that owns its text.
    pub(crate) fn of_kept(line: &'a Kept) -> Value<'a> {
        Value::from_text(TextValue::of_kept(line))
    }

    pub(crate) fn from_text(value: TextValue<'a>) -> Value<'a> {
        Value(Repr::Text(value))
    }

    /// Returns the member `type` of an object.
    pub(crate) fn type_name(self) -> Option<&'a str> {
        if let Repr::Text(value) = self.0
            && let Some(name) = value.known_type()
        {
            return name.as_str();
        }
        self.get("type")?.as_str()
    }

    /// Returns the unescaped string. `None` if this is not a string.
    ///
    /// In a peeked line, a string with escapes is unescaped on each call.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        match self.0 {
            Repr::Tape(nodes) => nodes.as_str(),
            Repr::Text(value) => value.as_str(),
        }
    }

    /// Returns the unescaped string for display, with U+FFFD for each lone
    /// surrogate. `None` if this is not a string.
    ///
    /// A lone surrogate is one half of a pair, such as `\ud83d`. JavaScript
    /// writes it if a text was cut inside of an emoji. It is no character, so
    /// [`check`](crate::Line::check) and all that owns a line refuse it, and
    /// [`as_str`](Value::as_str) returns `None`. What only reads a line goes
    /// on: its other values can be read, and so can this one, with this method.
    ///
    /// # Example
    ///
    /// This shows a text that ends with half of an emoji.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"text":"Hi \ud83d","n":1}"#);
    /// let value = line.peek()?.value();
    /// let text = value.get("text").unwrap();
    /// assert_eq!((text.as_str(), text.as_str_lossy()), (None, Some("Hi \u{fffd}")));
    /// assert_eq!(value.get("n").and_then(|n| n.as_u64()), Some(1));
    /// assert_eq!(
    ///     line.check().unwrap_err().to_string(),
    ///     "line 1 (byte 12): invalid JSON: lone surrogate in string, at \
    ///      `\\ud83d\",\"n\":1}`"
    /// );
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn as_str_lossy(self) -> Option<&'a str> {
        self.as_str().or_else(|| {
            let text = self.raw()?.strip_prefix('"')?.strip_suffix('"')?;
            unescape_lossy(text, self.source()?.state.arena())
        })
    }

    /// Returns whether this is a string. In a line that has not been checked,
    /// the string may have an invalid escape, and then `as_str` returns
    /// `None`.
    pub fn is_string(self) -> bool {
        match self.0 {
            Repr::Tape(nodes) => nodes.as_str().is_some(),
            Repr::Text(value) => value.is_str(),
        }
    }

    /// Returns whether this is `null`.
    pub fn is_null(self) -> bool {
        match self.0 {
            Repr::Tape(nodes) => nodes.is_null(),
            Repr::Text(value) => value.is_null(),
        }
    }

    /// Returns the bool. `None` if this is neither `true` nor `false`.
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

    /// Returns the number if it is an integer from 0 to `u64::MAX`.
    pub fn as_u64(self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Returns the number if it is an integer from `i64::MIN` to `i64::MAX`.
    pub fn as_i64(self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Returns any number as a float. A large integer is rounded.
    pub fn as_f64(self) -> Option<f64> {
        Some(self.as_number()?.as_f64())
    }

    /// Returns the object. `None` if this is not an object.
    #[inline]
    pub fn as_object(self) -> Option<Object<'a>> {
        let fits = match self.0 {
            Repr::Tape(nodes) => nodes.is_object(),
            Repr::Text(value) => value.is_object(),
        };
        fits.then_some(Object(self.0))
    }

    /// Returns the array. `None` if this is not an array.
    #[inline]
    pub fn as_array(self) -> Option<Array<'a>> {
        let fits = match self.0 {
            Repr::Tape(nodes) => nodes.is_array(),
            Repr::Text(value) => value.is_array(),
        };
        fits.then_some(Array(self.0))
    }

    /// Returns the value of the member with the given key, or of the last one
    /// if the key is duplicate. `None` if this is not an object.
    ///
    /// Takes one pass over the members.
    #[inline]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.as_object()?.get(key)
    }

    /// Returns the results of [`get`](Value::get) for several keys.
    ///
    /// In a peeked line, this takes one pass over the members in total. In a
    /// decoded one, it takes one pass per key.
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
        match self.as_object() {
            Some(Object(Repr::Text(value))) => {
                value.find_all(keys).map(|found| found.map(Value::from_text))
            }
            _ => keys.map(|key| self.get(key)),
        }
    }

    /// Returns the value at a JSON Pointer (RFC 6901), such as
    /// `/message/usage/input_tokens` or `/content/0`.
    ///
    /// Takes one pass over the members or items at each level.
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

/// A JSON object that borrows from a record or a line.
///
/// # Example
///
/// This shows that members are in the order of the text, and that
/// [`get`](Object::get) returns the last value of a duplicate key.
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
    /// Returns the number of members, including those with duplicate keys.
    ///
    /// Takes O(1) in a decoded line, and one pass over the members in a peeked
    /// line. There, a member whose key has an invalid escape is counted,
    /// although [`iter`](Object::iter) ends at it.
    pub fn len(self) -> usize {
        match self.0 {
            Repr::Tape(nodes) => nodes.len(),
            // Keys are not unescaped to be counted.
            Repr::Text(value) => value.members().count(),
        }
    }

    /// Returns whether there are no members.
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

    /// Returns the value of the member with the given key, or of the last one
    /// if the key is duplicate. Takes one pass over the members.
    #[inline]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        match self.0 {
            Repr::Tape(_) => self.find_where(|other| other == key),
            Repr::Text(value) => value.find(key).map(Value::from_text),
        }
    }

    /// Returns the value of the member that a token of a JSON Pointer refers
    /// to.
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

    /// Returns the value of the last member for whose key `wanted` returns
    /// true.
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

    /// Returns an iterator over the members in the order of the text,
    /// including those with duplicate keys.
    ///
    /// In a peeked line, a key has U+FFFD for each [lone
    /// surrogate](Value::as_str_lossy). `get` does not find such a key.
    #[inline]
    pub fn iter(self) -> Members<'a> {
        Members(self.0.inside())
    }
}

impl<'a> IntoIterator for Object<'a> {
    type Item = (&'a str, Value<'a>);
    type IntoIter = Members<'a>;

    #[inline]
    fn into_iter(self) -> Members<'a> {
        self.iter()
    }
}

/// An iterator over the members of an [`Object`].
///
/// # Example
///
/// This shows how to add up the values of all members.
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

    /// Distinguishes the representations once, not for each member.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let mut all = init;
        match self.0 {
            Repr::Tape(mut nodes) => {
                while let Some((key, value)) = nodes.next_member() {
                    all = f(all, (key, Value(Repr::Tape(value))));
                }
            }
            Repr::Text(mut text) => {
                while let Some((key, value)) = text.next_member() {
                    all = f(all, (key, Value(Repr::Text(value))));
                }
            }
        }
        all
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        // A key and a value are two nodes.
        (0, Some(self.0.most_nodes() / 2))
    }
}

impl FusedIterator for Members<'_> {}

/// A JSON array that borrows from a record or a line.
///
/// # Example
///
/// This shows how to read the items of an array.
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
    /// Returns the number of items. Takes O(1) in a decoded line, and one pass
    /// over the items in a peeked line.
    pub fn len(self) -> usize {
        match self.0 {
            Repr::Tape(nodes) => nodes.len(),
            Repr::Text(_) => self.iter().count(),
        }
    }

    /// Returns whether there are no items.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns the array as a value.
    pub fn value(self) -> Value<'a> {
        Value(self.0)
    }

    /// Returns the item at `index`. Takes O(`index`).
    pub fn get(self, index: usize) -> Option<Value<'a>> {
        self.iter().nth(index)
    }

    /// Returns an iterator over the items.
    #[inline]
    pub fn iter(self) -> Items<'a> {
        Items(self.0.inside())
    }
}

impl<'a> IntoIterator for Array<'a> {
    type Item = Value<'a>;
    type IntoIter = Items<'a>;

    #[inline]
    fn into_iter(self) -> Items<'a> {
        self.iter()
    }
}

/// An iterator over the items of an [`Array`].
///
/// # Example
///
/// This shows how to add up the items.
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
        match Value(self.0).is_valid_line() {
            true => f.debug_map().entries(self.clone()).finish(),
            false => f.write_str("Members(invalid JSON)"),
        }
    }
}

impl fmt::Debug for Items<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Value(self.0).is_valid_line() {
            true => f.debug_list().entries(self.clone()).finish(),
            false => f.write_str("Items(invalid JSON)"),
        }
    }
}
