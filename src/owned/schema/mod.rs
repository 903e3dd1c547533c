/*!
The macro that generates owned types from tables, and its supporting types.

[`message::schema`](crate::message::schema) describes tables and has an
example. [`owned_types!`] generates one type from each item:

| item | owned type |
|---|---|
| `struct` | a struct with a public `Option` for each field, and `extra` |
| `struct` with a parent | the same with the parent as `base` instead of `extra`; it dereferences to it |
| `enum` | an enum, with `Other(String)` for unknown strings |
| `union` | an enum of boxed structs |

All implement `Clone`, `Debug`, `PartialEq`, `Eq`, `Serialize` and
`Deserialize`. Structs implement `Default`. Structs and unions implement
`TryFrom` their views. Enums implement `From<&str>`, `From<String>`, `FromStr`,
`AsRef<str>` and `Display`.

One rule makes them lossless: a member whose value has the type of its field is
stored there. Any other member stays in `extra` under its own key: if the key
is unknown, if the value is `null` or has another type, or if the key is an
alias and the primary key is present too.

What is generated for a struct is little: its fields by number. The keys come
from the table of its view. One function fills all structs, from a line or from
what serde_json has read, and another one serialises them.
*/

mod owned_types;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

use crate::{
    json::Value,
    owned::part::{Tags, fill},
};

#[doc(no_inline)]
pub use crate::{
    error::Error,
    message::schema::{ViewField, ViewFields},
    owned::{
        extra::Extra,
        fields::OrString,
        part::{
            Found, Inside, InsideMut, Keyed, Keys, MAX_ALIASES, Part, Slots,
            Tag,
        },
        slot::{AnyList, AnyMap, AnySlot, Held, Slot},
        source::{Members, Source},
    },
};
#[doc(inline)]
pub use owned_types::owned_types;
#[doc(hidden)]
pub use {serde, serde_json};

/// Creates an owned type from the members of an object.
pub(crate) fn own<P: Part>(members: Members<'_>) -> P {
    let mut part = P::start(&members);
    fill(part.inside_mut(), members, Tags::None);
    part
}

/// Creates an owned type from the value of a view.
///
/// # Errors
///
/// Returns the error that [`Line::decode`](crate::Line::decode) would return,
/// if the text has not been checked yet and is not JSON.
/// [`ErrorKind::Data`](crate::ErrorKind::Data) if the value is neither an
/// object nor a bare string that the type reads.
pub fn try_own<P: Part>(value: Value<'_>) -> Result<P, Error> {
    Ok(own(members(value, P::bare())?))
}

/// Does the same as [`try_own`], in a box.
///
/// # Errors
///
/// Returns the same errors as [`try_own`].
pub fn try_boxed<P: Part>(value: Value<'_>) -> Result<Box<P>, Error> {
    let members = members(value, P::bare())?;
    let mut part = P::start_boxed(&members);
    fill(part.inside_mut(), members, Tags::None);
    Ok(part)
}

/// Returns the members of a value. A bare string is read as an object with the
/// single key `bare`.
fn members<'a>(
    value: Value<'a>,
    bare: Option<&str>,
) -> Result<Members<'a>, Error> {
    value.ensure_checked()?;
    if let Some(object) = value.as_object() {
        return Ok(Members::of_line(object));
    }
    let Some((key, text)) = bare.zip(value.as_str()) else {
        return Err(value.not_an_object());
    };
    let mut map = Map::new();
    map.insert(key.to_string(), text.into());
    Ok(Members::of_map(map))
}

/// Deserialises a part from a complete object.
///
/// # Errors
///
/// Returns the error of the deserializer.
pub fn deserialize<'de, P: Part, D: Deserializer<'de>>(
    from: D,
) -> Result<P, D::Error> {
    let map = Map::<String, Json>::deserialize(from)?;
    Ok(own(Members::of_map(map)))
}
