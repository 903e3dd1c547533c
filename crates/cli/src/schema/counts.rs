//! What was seen at a place.

use linetape::{JsonType, Value, message::Reading};

/// How many characters of a string are kept for an example.
const MAX_EXAMPLE: usize = 40;

/// Why a value is marked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Nothing reads it.
    Key,
    /// It is not of the type that is read.
    Type,
    /// It is a text that the schema does not list.
    Text,
    /// Another member is read in its place.
    Hidden,
}

impl Doubt {
    pub const ALL: [Doubt; 4] =
        [Doubt::Key, Doubt::Type, Doubt::Text, Doubt::Hidden];

    pub fn of(reading: Reading) -> Option<Doubt> {
        match reading {
            Reading::UnknownKey => Some(Doubt::Key),
            Reading::OtherType => Some(Doubt::Type),
            Reading::UnknownText => Some(Doubt::Text),
            Reading::Hidden => Some(Doubt::Hidden),
            _ => None,
        }
    }
}

/// What was seen at a place.
#[derive(Default)]
pub struct Counts {
    /// How many records have a value here; at most that many, if keys have
    /// been put together.
    pub records: u64,
    /// The last of them.
    last: u64,
    /// Values by type, in the order of [`JsonType::ALL`].
    pub types: [u64; JsonType::ALL.len()],
    /// Marked values, in the order of [`Doubt::ALL`].
    pub doubts: [u64; Doubt::ALL.len()],
    /// The first value that is no container and not null.
    pub example: Option<serde_json::Value>,
}

impl Counts {
    pub fn values(&self) -> u64 {
        self.types.iter().sum()
    }

    /// Adds a value of the record with this number.
    pub fn add(
        &mut self,
        value: Value<'_>,
        doubt: Option<Doubt>,
        record: u64,
    ) {
        if self.last != record {
            self.last = record;
            self.records += 1;
        }
        let kind = value.json_type();
        self.types[kind as usize] += 1;
        if let Some(doubt) = doubt {
            self.doubts[doubt as usize] += 1;
        }
        if self.example.is_none() {
            self.example = example(kind, value);
        }
    }

    /// Adds what was seen at another place. No more than `most` records can
    /// have a value at either.
    pub fn merge(&mut self, other: Counts, most: u64) {
        self.records = most.min(self.records + other.records);
        self.last = self.last.max(other.last);
        for (sum, count) in self.types.iter_mut().zip(other.types) {
            *sum += count;
        }
        for (sum, count) in self.doubts.iter_mut().zip(other.doubts) {
            *sum += count;
        }
        self.example = self.example.take().or(other.example);
    }
}

/// A value to show, if it is no container and not null.
fn example(kind: JsonType, value: Value<'_>) -> Option<serde_json::Value> {
    Some(match kind {
        JsonType::Null | JsonType::Object | JsonType::Array => return None,
        JsonType::Bool => value.as_bool()?.into(),
        JsonType::Integer => match value.as_u64() {
            Some(number) => number.into(),
            None => value.as_i64()?.into(),
        },
        JsonType::Number => value.as_f64()?.into(),
        JsonType::String => {
            let text = value.as_str()?;
            match text.char_indices().nth(MAX_EXAMPLE) {
                Some((end, _)) => format!("{}...", &text[..end]).into(),
                None => text.into(),
            }
        }
    })
}
