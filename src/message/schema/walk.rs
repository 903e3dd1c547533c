/*!
Traversal of a record along the schema.

The tables define the keys and types that an object may have. The traversal
looks up every member of the record in them, so it also reports the members
that no field reads.
*/

use std::fmt;

use crate::json::{Object, Value};

/// One step in the path to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathStep<'a> {
    /// The key of an object's member.
    Key(&'a str),
    /// The key of an entry of a [`Map`](crate::message::Map), where any key is
    /// allowed.
    Entry(&'a str),
    /// The zero-based index of an item in an array.
    Index(usize),
}

/// How the schema reads a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reading {
    /// As a value of the field's type. Its members or items are visited next.
    /// `null` is included, since it is equivalent to an absent member.
    Read,
    /// As arbitrary JSON. Its members or items are not visited.
    Json,
    /// Not at all: no field has this key.
    UnknownKey,
    /// Not at all: the value does not have the type of the field or item.
    OtherType,
    /// As [`Other`](crate::message::StopReason::Other): the field is an
    /// enumeration of strings, and this string is not in it.
    UnknownText,
    /// Not at all: the field is read from another member. That member has the
    /// same key and comes later, or has the primary key while this one has the
    /// alias.
    Hidden,
}

/// Returns the reading of a value, where `fits` is whether it has the type of
/// the field.
pub fn reading_of(fits: bool, value: Value<'_>) -> Reading {
    if fits || value.is_null() { Reading::Read } else { Reading::OtherType }
}

/// A value visited by [`Message::visit`](crate::Message::visit).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Visited<'p, 'a> {
    /// The path from the record to the value.
    pub path: &'p [PathStep<'a>],
    /// The value.
    pub value: Value<'a>,
    /// How the schema reads it.
    pub reading: Reading,
}

/// A type that can be read from a JSON value.
///
/// # Example
///
/// This reads a view from a value of any record.
///
/// ```
/// use linetape::{
///     Decoder,
///     message::{FromValue, Usage},
/// };
///
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(br#"{"cost":{"input_tokens":7}}"#)?;
/// let usage = record.value().get("cost").and_then(Usage::from_value);
/// assert_eq!(usage.and_then(|usage| usage.input_tokens()), Some(7));
/// # Ok::<(), linetape::Error>(())
/// ```
pub trait FromValue<'a>: Sized {
    /// Reads a value. Returns `None` if the value has another type.
    fn from_value(value: Value<'a>) -> Option<Self>;
}

/// A type that [`Message::visit`](crate::Message::visit) can traverse.
pub trait Described<'a>: FromValue<'a> {
    /// Returns how the value is read as this type.
    fn reading(value: Value<'a>) -> Reading {
        reading_of(Self::from_value(value).is_some(), value)
    }

    /// Visits the members or items of a value that has been read as this type.
    fn inside(_value: Value<'a>, _walk: &mut SchemaWalk<'a, '_>) {}
}

/// A traversal of a record along the schema.
pub struct SchemaWalk<'a, 'v> {
    path: Vec<PathStep<'a>>,
    /// A stack with one entry per field of each enclosing object: the members
    /// from which the field can be read.
    holders: Vec<Holder>,
    each: &'v mut dyn FnMut(Visited<'_, 'a>),
}

impl fmt::Debug for SchemaWalk<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaWalk")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// The members from which a field can be read, as one-based indexes; 0 if
/// there is none.
#[derive(Clone, Copy, Default)]
struct Holder {
    /// The last member with the primary key, and whether it has the type of
    /// the field.
    first: usize,
    fits: bool,
    /// The last member with the alias.
    second: usize,
}

/// A field of a view.
#[derive(Clone, Copy, Debug)]
pub struct ViewField<'a> {
    key: &'static str,
    alias: Option<&'static str>,
    reading: fn(Value<'a>) -> Reading,
    inside: fn(Value<'a>, &mut SchemaWalk<'a, '_>),
}

impl<'a> ViewField<'a> {
    /// Describes a field of the type `T`.
    pub const fn new<T: Described<'a>>(
        key: &'static str,
        alias: Option<&'static str>,
    ) -> ViewField<'a> {
        ViewField { key, alias, reading: T::reading, inside: T::inside }
    }

    /// Returns the primary key.
    #[cfg(feature = "owned")]
    pub(crate) const fn key(&self) -> &'static str {
        self.key
    }

    /// Returns the other key.
    #[cfg(feature = "owned")]
    pub(crate) const fn alias(&self) -> Option<&'static str> {
        self.alias
    }

    /// Returns whether the field's accessor would return the value.
    fn would_return(&self, value: Value<'a>) -> bool {
        match (self.reading)(value) {
            Reading::OtherType => false,
            Reading::Read => !value.is_null(),
            _ => true,
        }
    }
}

/// The fields of a view, as data: a function for each view would be most of
/// the code of the crate.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    /// The fields of the view itself.
    pub own: &'a [ViewField<'a>],
    /// The fields of its parent.
    pub parent: Option<&'a Fields<'a>>,
}

/// A field, looked up by one of its keys.
struct Found<'a> {
    /// The index of the field among all fields of an object.
    number: usize,
    /// Whether the key is the alias.
    is_alias: bool,
    field: ViewField<'a>,
}

impl<'a> Fields<'a> {
    fn count(&self) -> usize {
        self.own.len() + self.parent.map_or(0, Fields::count)
    }

    /// Returns the field with the given key or alias. `base` is the number of
    /// fields before these.
    fn find(&self, key: &str, base: usize) -> Option<Found<'a>> {
        for (number, field) in (base..).zip(self.own) {
            let is_alias = field.alias == Some(key);
            if field.key == key || is_alias {
                return Some(Found { number, is_alias, field: *field });
            }
        }
        self.parent?.find(key, base + self.own.len())
    }
}

/// A type with fields.
pub trait ViewFields<'a> {
    /// The fields, with those of the parent.
    const FIELDS: Fields<'a>;
}

impl<'a, 'v> SchemaWalk<'a, 'v> {
    /// Creates a traversal that calls `each` for every value.
    pub(crate) fn new(
        each: &'v mut dyn FnMut(Visited<'_, 'a>),
    ) -> SchemaWalk<'a, 'v> {
        SchemaWalk { path: vec![], holders: vec![], each }
    }

    /// Visits the members of an object that has the fields of two views. If
    /// both have a key, the first takes precedence. `tags` are the keys of the
    /// object's discriminants, such as `type`.
    pub fn members(
        &mut self,
        object: Object<'a>,
        tags: &[&str],
        [first, second]: [Fields<'a>; 2],
    ) {
        let count = first.count() + second.count();
        let find = |key: &str| {
            let found = first.find(key, 0);
            let found = found.or_else(|| second.find(key, first.count()));
            found.or_else(|| {
                let tag = tags.iter().position(|tag| *tag == key)?;
                let field = ViewField::new::<&str>("", None);
                Some(Found { number: count + tag, is_alias: false, field })
            })
        };
        let base = self.holders.len();
        let all = base + count + tags.len();
        self.holders.resize(all, Holder::default());
        for (number, (key, value)) in (1..).zip(object) {
            let Some(found) = find(key) else { continue };
            let holder = self.holders.get_mut(base + found.number);
            let Some(holder) = holder else { continue };
            if found.is_alias {
                holder.second = number;
            } else {
                holder.first = number;
                holder.fits = found.field.would_return(value);
            }
        }
        for (number, (key, value)) in (1..).zip(object) {
            self.path.push(PathStep::Key(key));
            match find(key) {
                None => self.report(value, Reading::UnknownKey),
                Some(found) => {
                    let holder = self.holders.get(base + found.number);
                    let is_read =
                        holder.is_some_and(|holder| match found.is_alias {
                            true => number == holder.second && !holder.fits,
                            false => number == holder.first,
                        });
                    match is_read {
                        true => self.value(value, &found.field),
                        // `null` is equivalent to an absent member.
                        false if value.is_null() => {
                            self.report(value, Reading::Read);
                        }
                        false => self.report(value, Reading::Hidden),
                    }
                }
            }
            self.path.pop();
        }
        self.holders.truncate(base);
    }

    /// Visits the items of a list.
    pub fn items<T: Described<'a>>(
        &mut self,
        items: impl Iterator<Item = Value<'a>>,
    ) {
        let field = ViewField::new::<T>("", None);
        for (index, item) in items.enumerate() {
            self.path.push(PathStep::Index(index));
            self.value(item, &field);
            self.path.pop();
        }
    }

    /// Visits the entries of a map.
    pub fn entries<T: Described<'a>>(&mut self, object: Object<'a>) {
        let field = ViewField::new::<T>("", None);
        for (key, value) in object {
            self.path.push(PathStep::Entry(key));
            self.value(value, &field);
            self.path.pop();
        }
    }

    fn value(&mut self, value: Value<'a>, field: &ViewField<'a>) {
        let reading = (field.reading)(value);
        self.report(value, reading);
        if reading == Reading::Read {
            (field.inside)(value, self);
        }
    }

    fn report(&mut self, value: Value<'a>, reading: Reading) {
        (self.each)(Visited { path: &self.path, value, reading });
    }
}
