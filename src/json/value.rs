use std::fmt::{self, Write};

use crate::json::{Nodes, Number};

/// A JSON value, as it stands in a line.
///
/// A value is a small `Copy` view. It borrows the record that it is from, and
/// reading it allocates nothing. Whatever it is asked for and is not, it
/// answers with `None`.
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
/// assert_eq!(format!("{:?}", value.get("tags").unwrap()), r#"["a","b"]"#);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Value<'a>(Source<'a>);

/// What a value is read from. Everything above this file is the same for all
/// sources.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// A line that has been decoded.
    Tape(Nodes<'a>),
}

impl<'a> Value<'a> {
    pub(crate) fn from_tape(nodes: Nodes<'a>) -> Value<'a> {
        Value(Source::Tape(nodes))
    }

    /// The string, unescaped.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        match self.0 {
            Source::Tape(nodes) => nodes.as_str(),
        }
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        match self.0 {
            Source::Tape(nodes) => nodes.is_null(),
        }
    }

    /// `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        match self.0 {
            Source::Tape(nodes) => nodes.as_bool(),
        }
    }

    #[inline]
    pub(crate) fn as_number(self) -> Option<Number> {
        match self.0 {
            Source::Tape(nodes) => nodes.as_number(),
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
        match self.0 {
            Source::Tape(nodes) => {
                let (len, nodes) = nodes.object()?;
                Some(Object { len, source: Source::Tape(nodes) })
            }
        }
    }

    /// The array.
    pub fn as_array(self) -> Option<Array<'a>> {
        match self.0 {
            Source::Tape(nodes) => {
                let (len, nodes) = nodes.array()?;
                Some(Array { len, source: Source::Tape(nodes) })
            }
        }
    }

    /// The member of this object with the given key: the last, if there are
    /// several.
    #[inline]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.as_object()?.get(key)
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
                Some(array) => array.get(index(token)?)?,
                None => value.as_object()?.find(|key| names(token, key))?,
            };
        }
        Some(value)
    }
}

/// The array index that a token of a JSON Pointer stands for.
fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || !token.starts_with(['0', '+']);
    token.parse().ok().filter(|_| plain)
}

/// Whether a token of a JSON Pointer names the key: `~1` stands for `/`, and
/// `~0` for `~`.
fn names(token: &str, key: &str) -> bool {
    if !token.contains('~') {
        return token == key;
    }
    let mut rest = token.chars();
    let mut unescaped = std::iter::from_fn(|| match rest.next()? {
        '~' => match rest.next() {
            Some('0') => Some(Some('~')),
            Some('1') => Some(Some('/')),
            _ => Some(None),
        },
        c => Some(Some(c)),
    });
    let same = key.chars().all(|c| unescaped.next() == Some(Some(c)));
    same && unescaped.next().is_none()
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
pub struct Object<'a> {
    len: usize,
    source: Source<'a>,
}

impl<'a> Object<'a> {
    /// How many members there are, repeated keys included.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no members.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The member with the given key: the last, if there are several.
    #[inline]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.find(|other| other == key)
    }

    /// The last member whose key is the wanted one.
    #[inline]
    fn find(self, wanted: impl Fn(&str) -> bool) -> Option<Value<'a>> {
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
        Members(self.source)
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
        }
    }
}

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
pub struct Array<'a> {
    len: usize,
    source: Source<'a>,
}

impl<'a> Array<'a> {
    /// How many items there are.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no items.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The item at `index`. This walks past the ones before it.
    pub fn get(self, index: usize) -> Option<Value<'a>> {
        self.iter().nth(index)
    }

    /// The items, in order.
    pub fn iter(self) -> Items<'a> {
        Items(self.source)
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
        }
    }
}

/// As JSON.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(object) = self.as_object() {
            return fmt::Debug::fmt(&object, f);
        }
        if let Some(array) = self.as_array() {
            return fmt::Debug::fmt(&array, f);
        }
        if let Some(text) = self.as_str() {
            return write_string(f, text);
        }
        if let Some(flag) = self.as_bool() {
            return write!(f, "{flag}");
        }
        match self.as_number() {
            Some(Number::Unsigned(n)) => write!(f, "{n}"),
            Some(Number::Negative(n)) => write!(f, "{n}"),
            Some(Number::Float(n)) => write!(f, "{n:?}"),
            None => f.write_str("null"),
        }
    }
}

/// As JSON.
impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        for (at, (key, value)) in self.iter().enumerate() {
            if at > 0 {
                f.write_char(',')?;
            }
            write_string(f, key)?;
            f.write_char(':')?;
            fmt::Debug::fmt(&value, f)?;
        }
        f.write_char('}')
    }
}

/// As JSON.
impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (at, value) in self.iter().enumerate() {
            if at > 0 {
                f.write_char(',')?;
            }
            fmt::Debug::fmt(&value, f)?;
        }
        f.write_char(']')
    }
}

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

/// Writes a JSON string, with everything escaped that could be mistaken for
/// more than text.
fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c if crate::escape::is_dangerous(c) => {
                write!(f, "\\u{:04x}", c as u32)?;
            }
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
