//! The values at one path.

use linetape::{Value, message::Reading, value::JsonType};

/// The maximum length of an example, in characters.
const MAX_EXAMPLE: usize = 40;

/// Why a value is flagged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The schema does not have its key.
    Key,
    /// The schema expects another type.
    Type,
    /// The schema does not list this string.
    Text,
    /// Another member with the same meaning takes precedence.
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

/// The number of values at one path, by type and doubt.
#[derive(Default)]
pub struct Counts {
    /// How many records have a value here. An upper bound, if several keys
    /// were merged into one path.
    pub records: u64,
    /// The number of the last such record.
    last: u64,
    /// Values by type, in the order of [`JsonType::ALL`].
    pub types: [u64; JsonType::ALL.len()],
    /// Flagged values, in the order of [`Doubt::ALL`].
    pub doubts: [u64; Doubt::ALL.len()],
    /// The first value that is not a container and not null.
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

    /// Adds the counts of another path. At most `most` records can have a
    /// value at either.
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

/// Returns the value as an example, unless it is a container or null.
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
