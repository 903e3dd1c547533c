//! The intended differences between linetape and serde_json, and a judge that
//! rejects all others.

use std::fmt;

use linetape::{ErrorKind, Limits, Value};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value as Json;

/// An intended difference between linetape and serde_json.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// A record is an object. serde_json reads any value.
    NotAnObject,
    /// A duplicate `type` or `subtype` is an error, because programs could
    /// take the line for different types. serde_json uses the last one.
    RepeatedType,
    /// The integer `-0` reads as 0. serde_json has the float -0.0.
    MinusZero,
    /// Level 128 is read. serde_json stops at 127.
    Level128,
    /// `max_nodes` limits the memory of a line. serde_json has no such limit.
    TooManyNodes,
    /// `max_line` limits the length of a line. serde_json has no such limit.
    LineTooLong,
}

use Difference::*;

/// All differences. Each has an example, and any other difference is a bug.
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

    /// Returns whether this difference explains why `ours` is not `theirs`.
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

/// The results of linetape and of serde_json for a line.
pub type Ours = Result<Json, ErrorKind>;
type Theirs = serde_json::Result<Json>;

/// A line, and the result of serde_json for it.
pub struct Judge<'a> {
    line: &'a [u8],
    theirs: Theirs,
}

impl<'a> Judge<'a> {
    pub fn of(line: &'a [u8]) -> Judge<'a> {
        Judge { line, theirs: serde_json::from_slice(line) }
    }

    /// Returns the difference, if there is one. Panics if it is not in the
    /// list, or if a bad line is rejected with a wrong error kind.
    pub fn difference(
        &self,
        ours: &Ours,
    ) -> Result<Option<Difference>, String> {
        let is_same = match (ours, &self.theirs) {
            // A line that serde_json accepts and linetape must reject counts
            // as a difference.
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

    /// Returns whether a line that serde_json rejects can have an error of
    /// this kind.
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

/// Returns a view as a serde_json value, by its `Serialize` implementation.
pub fn json(value: Value<'_>) -> Json {
    serde_json::to_value(value).unwrap()
}

/// Returns whether two values are equal, with numbers equal bit for bit and of
/// the same type.
pub fn is_same(ours: &Json, theirs: &Json) -> bool {
    is_same_with(ours, theirs, false)
}

/// The same, but an integer 0 may be equal to `-0`.
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

/// Returns the number of values and keys. Duplicate keys count once.
fn nodes(json: &Json) -> usize {
    let keys = json.as_object().map_or(0, |members| members.len());
    1 + keys + children(json).into_iter().map(nodes).sum::<usize>()
}

fn repeats_a_type(line: &[u8]) -> bool {
    let mut reader = serde_json::Deserializer::from_slice(line);
    let counts = reader.deserialize_map(Deciding { types: 0, subtypes: 0 });
    counts.is_ok_and(|counts| counts.types > 1 || counts.subtypes > 1)
}

/// The number of `type` and of `subtype` keys in the outermost object.
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
