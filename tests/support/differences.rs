//! Where linetape reads a line as serde_json does not: the whole list, and a
//! judge who lets nothing else pass.

use std::fmt;

use linetape::{ErrorKind, Limits, Value};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value as Json;

/// A way in which linetape differs from serde_json, on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// A record is an object. serde_json reads any value.
    NotAnObject,
    /// A `type` or `subtype` that is there twice would fool who routes by it.
    /// For serde_json, the last wins.
    RepeatedType,
    /// The integer `-0` reads as 0. serde_json has the float -0.0.
    MinusZero,
    /// Level 128 is read. serde_json stops at 127.
    Level128,
    /// `max_nodes` bounds the memory of a line. serde_json has no such bound.
    TooManyNodes,
    /// `max_line` does as well.
    LineTooLong,
}

use Difference::*;

/// The list. Each is shown by its example, and whatever differs must be one
/// of these.
pub const DIFFERENCES: [Difference; 6] = [
    NotAnObject,
    RepeatedType,
    MinusZero,
    Level128,
    TooManyNodes,
    LineTooLong,
];

impl Difference {
    /// A line that the two read differently.
    pub fn example(self) -> Vec<u8> {
        let limits = Limits::default();
        let text = match self {
            NotAnObject => "[1]".to_string(),
            RepeatedType => r#"{"type":"user","\u0074ype":"a"}"#.to_string(),
            MinusZero => r#"{"n":-0}"#.to_string(),
            Level128 => {
                format!(r#"{{"a":{}{}}}"#, "[".repeat(127), "]".repeat(127))
            }
            TooManyNodes => {
                format!(r#"{{"a":[{}0]}}"#, "0,".repeat(limits.max_nodes))
            }
            LineTooLong => {
                format!(r#"{{"a":"{}"}}"#, "x".repeat(limits.max_line))
            }
        };
        text.into_bytes()
    }

    /// Whether this is why `ours` is not `theirs`.
    fn explains(self, line: &[u8], ours: &Ours, theirs: &Theirs) -> bool {
        let limits = Limits::default();
        match (self, ours, theirs) {
            (NotAnObject, Err(ErrorKind::NotAnObject), Ok(json)) => {
                !json.is_object()
            }
            (RepeatedType, Err(ErrorKind::DuplicateKey), Ok(_)) => {
                repeats_a_type(line)
            }
            (MinusZero, Ok(ours), Ok(theirs)) => {
                is_same_but_minus_zero(ours, theirs)
            }
            (Level128, Ok(ours), Err(error)) => {
                depth(ours) == limits.max_depth
                    && error.to_string().starts_with("recursion limit")
            }
            (TooManyNodes, Err(ErrorKind::TooManyNodes), Ok(json)) => {
                nodes(json) > limits.max_nodes
            }
            (LineTooLong, Err(ErrorKind::LineTooLong), Ok(_)) => {
                line.len() > limits.max_line
            }
            _ => false,
        }
    }
}

/// What linetape makes of a line, and serde_json.
pub type Ours = Result<Json, ErrorKind>;
type Theirs = serde_json::Result<Json>;

/// One line, and what serde_json makes of it.
pub struct Judge<'a> {
    line: &'a [u8],
    theirs: Theirs,
}

impl<'a> Judge<'a> {
    pub fn of(line: &'a [u8]) -> Judge<'a> {
        Judge { line, theirs: serde_json::from_slice(line) }
    }

    /// How linetape differs, if it does. What is not on the list is an error,
    /// and so is a bad line that is refused for a reason that it has not.
    pub fn difference(
        &self,
        ours: &Ours,
    ) -> Result<Option<Difference>, String> {
        let is_same = match (ours, &self.theirs) {
            // What serde_json reads and linetape must not is no agreement.
            (Ok(ours), Ok(theirs))
                if !theirs.is_object() || repeats_a_type(self.line) =>
            {
                return Err(format!("{ours} must not be read"));
            }
            (Ok(ours), Ok(theirs)) => is_same(ours, theirs),
            (Err(kind), Err(_)) => self.can_be(*kind),
            _ => false,
        };
        if is_same {
            return Ok(None);
        }
        let explains =
            |d: &&Difference| d.explains(self.line, ours, &self.theirs);
        match DIFFERENCES.iter().find(explains) {
            Some(difference) => Ok(Some(*difference)),
            None => Err(format!("{ours:?} is not {:?}", self.theirs)),
        }
    }

    /// Whether a line that serde_json refuses can have this fault.
    fn can_be(&self, kind: ErrorKind) -> bool {
        use ErrorKind::{
            Depth, LineTooLong, NotAnObject, Syntax, TooManyNodes,
            TrailingData, Utf8,
        };
        let blank = |byte: &&u8| b" \t\r\n".contains(byte);
        let first = self.line.iter().find(|byte| !blank(byte));
        match kind {
            NotAnObject => first != Some(&b'{'),
            Syntax | TrailingData => first == Some(&b'{'),
            Depth => {
                let opens = |byte: &&u8| b"[{".contains(byte);
                let levels = self.line.iter().filter(opens).count();
                levels > Limits::default().max_depth
            }
            TooManyNodes => self.line.len() > Limits::default().max_nodes,
            Utf8 => str::from_utf8(self.line).is_err(),
            LineTooLong => self.line.len() > Limits::default().max_line,
            _ => false,
        }
    }
}

/// A view as a serde_json value, by the view's own `Serialize`.
pub fn json(value: Value<'_>) -> Json {
    serde_json::to_value(value).unwrap()
}

/// Whether two values are the same, numbers to the bit and with their class.
pub fn is_same(ours: &Json, theirs: &Json) -> bool {
    is_same_with(ours, theirs, false)
}

/// The same, where an integer 0 may be what has become of `-0`.
pub fn is_same_but_minus_zero(ours: &Json, theirs: &Json) -> bool {
    is_same_with(ours, theirs, true)
}

fn is_same_with(ours: &Json, theirs: &Json, minus_zero: bool) -> bool {
    let same = |a: &Json, b: &Json| is_same_with(a, b, minus_zero);
    match (ours, theirs) {
        (Json::Number(a), Json::Number(b)) => {
            let bits = |n: &serde_json::Number| n.as_f64().map(f64::to_bits);
            let is_lost = a.as_u64() == Some(0)
                && b.is_f64()
                && bits(b) == Some((-0.0f64).to_bits());
            a.is_f64() == b.is_f64() && a == b && bits(a) == bits(b)
                || minus_zero && is_lost
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            let is_in_b = |(key, a): (&String, &Json)| {
                b.get(key).is_some_and(|b| same(a, b))
            };
            a.len() == b.len() && a.iter().all(is_in_b)
        }
        _ => ours == theirs,
    }
}

fn children(json: &Json) -> Vec<&Json> {
    match json {
        Json::Array(items) => items.iter().collect(),
        Json::Object(members) => members.values().collect(),
        _ => vec![],
    }
}

fn depth(json: &Json) -> usize {
    let own = usize::from(json.is_array() || json.is_object());
    own + children(json).into_iter().map(depth).max().unwrap_or(0)
}

/// How many values and keys there are. Of a key that is repeated there is one.
fn nodes(json: &Json) -> usize {
    let keys = json.as_object().map_or(0, |members| members.len());
    1 + keys + children(json).into_iter().map(nodes).sum::<usize>()
}

fn repeats_a_type(line: &[u8]) -> bool {
    let mut reader = serde_json::Deserializer::from_slice(line);
    let counts = reader.deserialize_map(Deciding { types: 0, subtypes: 0 });
    counts.is_ok_and(|counts| counts.types > 1 || counts.subtypes > 1)
}

/// How often a text has `type` and `subtype` in its outermost object.
struct Deciding {
    types: usize,
    subtypes: usize,
}

impl<'de> Visitor<'de> for Deciding {
    type Value = Deciding;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(
        mut self,
        mut map: A,
    ) -> Result<Deciding, A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            map.next_value::<IgnoredAny>()?;
            self.types += usize::from(key == "type");
            self.subtypes += usize::from(key == "subtype");
        }
        Ok(self)
    }
}
