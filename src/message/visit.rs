/*!
A walk through a record, along the schema.

The tables say which keys an object may have, and of which types. A walk asks
them about every member that there is, so that it can also tell of what no
field reads.
*/

use std::fmt;

use crate::{
    json::{Object, Value},
    message::{
        Message,
        control::{ControlRequest, ControlResponse, Request, Response},
        schema::{Described, Shape},
    },
};

/// One step of the path to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathStep<'a> {
    /// The key of an object's member.
    Key(&'a str),
    /// The key of an entry of a [`Map`](crate::message::Map), where any key
    /// may stand.
    Entry(&'a str),
    /// The place of an item in an array, from 0.
    Index(usize),
}

/// How the schema reads a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reading {
    /// As it should be. What is inside is visited next. `null` counts as
    /// this, since it stands for what is not there.
    Read,
    /// As JSON of any form. Nothing inside is visited.
    Json,
    /// Not at all: no field has this key.
    UnknownKey,
    /// Not at all: the field, or the item, is of another type.
    OtherType,
    /// As [`Other`](crate::message::StopReason::Other): the field is one of a
    /// set of texts, and this is none of them.
    UnknownText,
    /// Not at all: another member has the field. It has the same key and
    /// comes later, or it has the field's first key, and this the second.
    Hidden,
}

/// Returns how a value is read by a field whose type it is of, or not.
pub fn reading_of(fits: bool, value: Value<'_>) -> Reading {
    if fits || value.is_null() { Reading::Read } else { Reading::OtherType }
}

/// A value that a walk comes by.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Visited<'p, 'a> {
    /// How to get to the value from the record.
    pub path: &'p [PathStep<'a>],
    /// The value.
    pub value: Value<'a>,
    /// How the schema reads it.
    pub reading: Reading,
}

impl<'a> Message<'a> {
    /// Visits every member and item that the schema describes, and those
    /// beside them that it does not know, in the order of the text.
    ///
    /// An object or array comes before what is inside of it. What is inside
    /// of a value that is [read](Reading) as JSON, or not at all, is not
    /// visited. `type` and `subtype` of the record are always known, and of a
    /// message of an unknown type nothing else is.
    ///
    /// The schema is what the fields of views say. That
    /// [`Message::session_id`] and the like may look elsewhere does not
    /// count. If the [`body`](ControlRequest::body) of a control message is
    /// the message itself, the fields of both count.
    ///
    /// Of a line that has been peeked at, keys are read, but strings are not:
    /// one with a bad escape counts as a string.
    ///
    /// # Example
    ///
    /// This shows how to find what an agent writes and linetape does not know.
    ///
    /// ```
    /// use linetape::{
    ///     Decoder,
    ///     message::{PathStep, Reading},
    /// };
    ///
    /// let line = br#"{"type":"user","mood":"merry",
    ///     "message":{"role":"user","content":[{"type":"text","text":7}]}}"#;
    /// let mut decoder = Decoder::new();
    /// let record = decoder.decode(line)?;
    /// let mut found = vec![];
    /// record.message().visit(|visited| match visited.reading {
    ///     Reading::Read | Reading::Json => {}
    ///     reading => found.push((visited.path.to_vec(), reading)),
    /// });
    ///
    /// use PathStep::{Index, Key};
    /// let text = [Key("message"), Key("content"), Index(0), Key("text")];
    /// let expected = [
    ///     (vec![Key("mood")], Reading::UnknownKey),
    ///     (text.to_vec(), Reading::OtherType),
    /// ];
    /// assert_eq!(found, expected);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn visit(self, mut each: impl FnMut(Visited<'_, 'a>)) {
        let Some(object) = self.value().as_object() else { return };
        let walk =
            &mut SchemaWalk { path: vec![], holders: vec![], each: &mut each };
        match self {
            Message::ControlRequest(request) if request.is_flat() => {
                Request::walk_beside::<ControlRequest<'a>>(object, KIND, walk);
            }
            Message::ControlResponse(response) if response.is_flat() => {
                let beside = Response::walk_beside::<ControlResponse<'a>>;
                beside(object, KIND, walk);
            }
            _ => self.walk(object, walk),
        }
    }
}

/// What tells the kind of a record.
pub(crate) const KIND: &[&str] = &["type", "subtype"];

/// A walk through a record, along the schema.
pub struct SchemaWalk<'a, 'v> {
    path: Vec<PathStep<'a>>,
    /// For each object that the walk is in, which of its members have its
    /// fields.
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

/// Who has a field: numbers of members, from 1.
#[derive(Clone, Copy, Default)]
struct Holder {
    /// The last member with the first key, and whether the field can read it.
    first: usize,
    fits: bool,
    /// The last member with the second key.
    second: usize,
}

/// A field, as seen from one of its keys.
#[derive(Debug)]
pub struct ViewField<'a> {
    /// Which of the fields of its object it is.
    number: usize,
    /// Whether the key is the second one of the field.
    second: bool,
    reading: fn(Value<'a>) -> Reading,
    inside: fn(Value<'a>, &mut SchemaWalk<'a, '_>),
}

impl<'a> ViewField<'a> {
    /// Describes the field with the given number, which is of type `T`.
    /// `second` is whether the key is the field's second one.
    pub fn new<T: Described<'a>>(
        number: usize,
        second: bool,
    ) -> ViewField<'a> {
        ViewField { number, second, reading: T::reading, inside: T::inside }
    }

    /// Whether the field gives the value to whoever asks for it.
    fn gives(&self, value: Value<'a>) -> bool {
        match (self.reading)(value) {
            Reading::OtherType => false,
            Reading::Read => !value.is_null(),
            _ => true,
        }
    }
}

/// The fields of a view.
pub trait ViewFields<'a> {
    /// How many fields there are, the parent's included.
    const COUNT: usize;

    /// Returns the field that has a key.
    fn field(key: &str) -> Option<ViewField<'a>>;
}

/// Two views of one object.
struct Both<A, B>(A, B);

impl<'a, A: ViewFields<'a>, B: ViewFields<'a>> ViewFields<'a> for Both<A, B> {
    const COUNT: usize = A::COUNT + B::COUNT;

    fn field(key: &str) -> Option<ViewField<'a>> {
        A::field(key).or_else(|| {
            let field = B::field(key)?;
            Some(ViewField { number: A::COUNT + field.number, ..field })
        })
    }
}

impl<'a> SchemaWalk<'a, '_> {
    /// Visits the members of an object that has the fields of `T`, and tags
    /// that have told so.
    pub fn members<T: ViewFields<'a>>(
        &mut self,
        object: Object<'a>,
        tags: &[&str],
    ) {
        self.members_by(object, tags, T::COUNT, T::field);
    }

    /// The same, for an object that also has the fields of another view. If
    /// both have a key, it is the first one's.
    pub fn members_beside<A: ViewFields<'a>, B: ViewFields<'a>>(
        &mut self,
        object: Object<'a>,
        tags: &[&str],
    ) {
        self.members::<Both<A, B>>(object, tags);
    }

    fn members_by(
        &mut self,
        object: Object<'a>,
        tags: &[&str],
        count: usize,
        field_of: fn(&str) -> Option<ViewField<'a>>,
    ) {
        let field_of = |key: &str| {
            field_of(key).or_else(|| {
                let tag = tags.iter().position(|tag| *tag == key)?;
                Some(ViewField::new::<&str>(count + tag, false))
            })
        };
        let base = self.holders.len();
        let all = base + count + tags.len();
        self.holders.resize(all, Holder::default());
        for (number, (key, value)) in (1..).zip(object) {
            let Some(field) = field_of(key) else { continue };
            let holder = self.holders.get_mut(base + field.number);
            let Some(holder) = holder else { continue };
            if field.second {
                holder.second = number;
            } else {
                holder.first = number;
                holder.fits = field.gives(value);
            }
        }
        for (number, (key, value)) in (1..).zip(object) {
            self.path.push(PathStep::Key(key));
            match field_of(key) {
                None => self.tell(value, Reading::UnknownKey),
                Some(field) => {
                    let holder = self.holders.get(base + field.number);
                    let has_it =
                        holder.is_some_and(|holder| match field.second {
                            true => number == holder.second && !holder.fits,
                            false => number == holder.first,
                        });
                    match has_it {
                        true => self.value(value, &field),
                        // This stands for what is not there.
                        false if value.is_null() => {
                            self.tell(value, Reading::Read);
                        }
                        false => self.tell(value, Reading::Hidden),
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
        let field = ViewField::new::<T>(0, false);
        for (index, item) in items.enumerate() {
            self.path.push(PathStep::Index(index));
            self.value(item, &field);
            self.path.pop();
        }
    }

    /// Visits the entries of a map.
    pub fn entries<T: Described<'a>>(&mut self, object: Object<'a>) {
        let field = ViewField::new::<T>(0, false);
        for (key, value) in object {
            self.path.push(PathStep::Entry(key));
            self.value(value, &field);
            self.path.pop();
        }
    }

    fn value(&mut self, value: Value<'a>, field: &ViewField<'a>) {
        let reading = (field.reading)(value);
        self.tell(value, reading);
        if reading == Reading::Read {
            (field.inside)(value, self);
        }
    }

    fn tell(&mut self, value: Value<'a>, reading: Reading) {
        (self.each)(Visited { path: &self.path, value, reading });
    }
}
