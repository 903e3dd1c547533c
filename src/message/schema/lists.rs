/*!
Typed lists and maps.
*/

use std::{fmt, iter::FusedIterator, marker::PhantomData};

use crate::{
    json::{Array, Items, Members, Object, Value},
    message::schema::{Described, FromValue, SchemaWalk},
};

/// A list of values of one type, borrowed from a line.
///
/// Iteration skips items of other types; [`array`](List::array) returns all
/// items.
///
/// # Example
///
/// This lists the tools of a session.
///
/// ```
/// use linetape::{Decoder, Message, message::system::System};
///
/// let line = br#"{"type":"system","subtype":"init","tools":["Bash","Read"]}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let Message::System(System::Init(init)) = record.message() else {
///     panic!("not an init");
/// };
/// let tools = init.tools().unwrap();
/// let names: Vec<_> = tools.iter().filter_map(|tool| tool.name()).collect();
/// assert_eq!(names, ["Bash", "Read"]);
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct List<'a, T> {
    array: Array<'a>,
    items: PhantomData<T>,
}

impl<'a, T: FromValue<'a>> List<'a, T> {
    /// Returns an iterator over the items of type `T`.
    pub fn iter(self) -> ListIter<'a, T> {
        ListIter { items: self.array.iter(), item: PhantomData }
    }

    /// Returns the underlying array, with items of any type.
    pub fn array(self) -> Array<'a> {
        self.array
    }
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

impl<T> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.array, f)
    }
}

impl<'a, T: FromValue<'a>> IntoIterator for List<'a, T> {
    type Item = T;
    type IntoIter = ListIter<'a, T>;

    fn into_iter(self) -> ListIter<'a, T> {
        self.iter()
    }
}

/// An iterator over the items of a [`List`].
#[derive(Debug)]
pub struct ListIter<'a, T> {
    items: Items<'a>,
    item: PhantomData<T>,
}

impl<'a, T: FromValue<'a>> Iterator for ListIter<'a, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.items.find_map(T::from_value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // Items of other types are skipped.
        (0, self.items.size_hint().1)
    }
}

impl<'a, T: FromValue<'a>> FusedIterator for ListIter<'a, T> {}

/// A map from arbitrary keys to values of one type, borrowed from a line.
///
/// Iteration skips values of other types; [`object`](Map::object) returns all
/// of them. A duplicate key is returned once per occurrence; [`get`](Map::get)
/// returns the last one.
///
/// # Example
///
/// This reads the cost of each model.
///
/// ```
/// use linetape::{Decoder, Message};
///
/// let line = br#"{"type":"result","modelUsage":{"opus":{"costUSD":0.5}}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let Message::Result(result) = record.message() else {
///     panic!("not a result");
/// };
/// for (model, usage) in result.model_usage().unwrap() {
///     assert_eq!((model, usage.cost_usd()), ("opus", Some(0.5)));
/// }
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct Map<'a, T> {
    object: Object<'a>,
    values: PhantomData<T>,
}

impl<'a, T: FromValue<'a>> Map<'a, T> {
    /// Returns the value with the given key.
    pub fn get(self, key: &str) -> Option<T> {
        self.object.get(key).and_then(T::from_value)
    }

    /// Returns an iterator over the entries whose value is of type `T`.
    pub fn iter(self) -> MapIter<'a, T> {
        MapIter { members: self.object.iter(), value: PhantomData }
    }

    /// Returns the underlying object, with values of any type.
    pub fn object(self) -> Object<'a> {
        self.object
    }
}

impl<T> Clone for Map<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Map<'_, T> {}

impl<T> fmt::Debug for Map<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.object, f)
    }
}

impl<'a, T: FromValue<'a>> IntoIterator for Map<'a, T> {
    type Item = (&'a str, T);
    type IntoIter = MapIter<'a, T>;

    fn into_iter(self) -> MapIter<'a, T> {
        self.iter()
    }
}

/// An iterator over the entries of a [`Map`].
#[derive(Debug)]
pub struct MapIter<'a, T> {
    members: Members<'a>,
    value: PhantomData<T>,
}

impl<'a, T: FromValue<'a>> Iterator for MapIter<'a, T> {
    type Item = (&'a str, T);

    fn next(&mut self) -> Option<(&'a str, T)> {
        self.members
            .find_map(|(key, value)| Some((key, T::from_value(value)?)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // Values of other types are skipped.
        (0, self.members.size_hint().1)
    }
}

impl<'a, T: FromValue<'a>> FusedIterator for MapIter<'a, T> {}

impl<'a, T: FromValue<'a>> FromValue<'a> for List<'a, T> {
    fn from_value(value: Value<'a>) -> Option<List<'a, T>> {
        Some(List { array: value.as_array()?, items: PhantomData })
    }
}

impl<'a, T: Described<'a>> Described<'a> for List<'a, T> {
    fn inside(value: Value<'a>, walk: &mut SchemaWalk<'a, '_>) {
        walk.items::<T>(value.as_array().into_iter().flatten());
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Map<'a, T> {
    fn from_value(value: Value<'a>) -> Option<Map<'a, T>> {
        Some(Map { object: value.as_object()?, values: PhantomData })
    }
}

impl<'a, T: Described<'a>> Described<'a> for Map<'a, T> {
    fn inside(value: Value<'a>, walk: &mut SchemaWalk<'a, '_>) {
        value.as_object().into_iter().for_each(|map| walk.entries::<T>(map));
    }
}
