//! The view `usage`, and the aggregate function that it is made of.

use std::sync::Arc;

use datafusion::{
    arrow::{
        array::{ArrayRef, ListBuilder, StringBuilder},
        datatypes::{DataType, Field, FieldRef},
    },
    common::{
        DataFusionError, Result, ScalarValue,
        cast::{as_binary_array, as_int64_array, as_large_binary_array},
        exec_err,
    },
    logical_expr::{
        Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
        function::{AccumulatorArgs, StateFieldsArgs},
    },
};
use linetape_arrow::{MAX_COUNT, UsageMessage, UsagePart};

/// Returns the query of the view: one row for each message of the model.
///
/// The rule is that of `UsageTotals` in linetape-session, which does the work: the
/// scan adds the lines of a part of a file, and the function appends the parts in
/// the order of the logs. Each message is a text with its columns, so that a plan
/// builds only those that it needs.
pub(crate) fn query() -> String {
    let columns = (1..).zip(COLUMNS).map(|(number, (name, template))| {
        let value =
            format!("nullif(split_part(m, chr(31), {number}), chr(30))");
        format!("{} AS \"{name}\"", template.replace("{}", &value))
    });
    let columns = columns.collect::<Vec<_>>().join(",\n    ");
    format!(
        "SELECT {columns}\nFROM (SELECT unnest({NAME}(part, file_number, \
         \"offset\")) AS m FROM usage_parts)"
    )
}

/// A text, with the characters that [`row`] has escaped.
const TEXT: &str =
    "replace(replace({}, chr(30) || '1', chr(31)), chr(30) || '0', chr(30))";
const FLAG: &str = "{} = 'true'";
const COUNT: &str = "CAST({} AS BIGINT)";
const TIME: &str = "arrow_cast(CAST({} AS BIGINT), \
                    'Timestamp(Millisecond, Some(\"+00:00\"))')";

/// The columns of the view, and how each is read from its text.
const COLUMNS: [(&str, &str); 17] = [
    ("session_id", TEXT),
    ("message_id", TEXT),
    ("request_id", TEXT),
    ("model", TEXT),
    ("timestamp", TIME),
    ("day", TEXT),
    ("cwd", TEXT),
    ("file", TEXT),
    ("is_sidechain", FLAG),
    ("input_tokens", COUNT),
    ("output_tokens", COUNT),
    ("cache_creation_input_tokens", COUNT),
    ("cache_read_input_tokens", COUNT),
    ("ephemeral_5m_input_tokens", COUNT),
    ("ephemeral_1h_input_tokens", COUNT),
    ("web_search_requests", COUNT),
    ("web_fetch_requests", COUNT),
];

/// After each column of a message: the unit separator of ASCII.
const SEPARATOR: char = '\x1f';

/// In place of a column that is NULL: the record separator. Before `0` or `1`, it
/// stands for itself or for [`SEPARATOR`].
const NULL: char = '\x1e';

/// Returns the columns of a message as text.
fn row(message: &UsageMessage<'_>) -> String {
    let UsageMessage { totals, file, message_id, request_id, .. } = *message;
    let mut row = String::new();
    let mut put = |value: Option<&str>| {
        match value {
            Some(text) => {
                for c in text.chars() {
                    match c {
                        NULL => row.push_str("\x1e0"),
                        SEPARATOR => row.push_str("\x1e1"),
                        c => row.push(c),
                    }
                }
            }
            None => row.push(NULL),
        }
        row.push(SEPARATOR);
    };
    put(totals.session);
    put(message_id);
    put(request_id);
    put(totals.model);
    put(totals.time.map(|time| time.to_string()).as_deref());
    put(totals.day);
    put(totals.project);
    put(Some(file));
    put(Some(if totals.is_sidechain { "true" } else { "false" }));
    for count in [
        totals.tokens.input_tokens,
        totals.tokens.output_tokens,
        totals.tokens.cache_creation_input_tokens,
        totals.tokens.cache_read_input_tokens,
        totals.tokens.ephemeral_5m_input_tokens,
        totals.tokens.ephemeral_1h_input_tokens,
        totals.tokens.web_search_requests,
        totals.tokens.web_fetch_requests,
    ] {
        let count = (count <= MAX_COUNT).then(|| count.to_string());
        put(count.as_deref());
    }
    row
}

const NAME: &str = "usage_messages";

/// Returns the function `usage_messages(part, file_number, offset)`: the messages
/// of all parts of the usage, as a list of texts.
pub(crate) fn usage_messages() -> AggregateUDF {
    let types = vec![DataType::Binary, DataType::Int64, DataType::Int64];
    let signature = Signature::exact(types, Volatility::Immutable);
    AggregateUDF::new_from_impl(UsageMessages { signature })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct UsageMessages {
    signature: Signature,
}

impl AggregateUDFImpl for UsageMessages {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(DataType::new_list(DataType::Utf8, true))
    }

    fn state_fields(
        &self,
        args: StateFieldsArgs<'_>,
    ) -> Result<Vec<FieldRef>> {
        let kind = DataType::LargeBinary;
        Ok(vec![Arc::new(Field::new(args.name, kind, true))])
    }

    fn accumulator(
        &self,
        _args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Parts::default()))
    }
}

/// The saved parts of the usage, in any order.
#[derive(Debug, Default)]
struct Parts {
    parts: Vec<Part>,
    bytes: usize,
}

#[derive(Debug)]
struct Part {
    /// The number of its file, and the offset of its first line.
    place: [i64; 2],
    saved: Vec<u8>,
}

impl Parts {
    fn push(&mut self, place: [i64; 2], saved: &[u8]) {
        self.bytes += saved.len();
        self.parts.push(Part { place, saved: saved.to_vec() });
    }

    /// Reads the parts of a state: for each, its place, its length and its bytes.
    fn push_state(&mut self, mut state: &[u8]) -> Option<()> {
        while !state.is_empty() {
            let (numbers, rest) = state.split_first_chunk::<24>()?;
            let (numbers, _) = numbers.as_chunks::<8>();
            let [file, offset, length] = numbers else { return None };
            let place = [file, offset].map(|n| i64::from_le_bytes(*n));
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (saved, rest) = rest.split_at_checked(length)?;
            self.push(place, saved);
            state = rest;
        }
        Some(())
    }

    /// Appends all parts, in the order of the logs.
    fn merged(&mut self) -> Result<UsagePart> {
        self.parts.sort_unstable_by_key(|part| part.place);
        let mut merged = UsagePart::new("");
        for part in self.parts.drain(..) {
            let part = UsagePart::load(&part.saved)
                .map_err(|why| DataFusionError::External(Box::new(why)))?;
            merged.append(part);
        }
        self.bytes = 0;
        Ok(merged)
    }
}

impl Accumulator for Parts {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let [parts, files, offsets] = values else {
            return exec_err!("{NAME} takes three columns");
        };
        let parts = as_binary_array(parts)?;
        let (files, offsets) =
            (as_int64_array(files)?, as_int64_array(offsets)?);
        for (at, part) in parts.iter().enumerate() {
            if let Some(part) = part {
                self.push([files.value(at), offsets.value(at)], part);
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for states in states {
            for state in as_large_binary_array(states)?.iter().flatten() {
                if self.push_state(state).is_none() {
                    return exec_err!("a state of {NAME} is damaged");
                }
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let mut state = vec![];
        for part in std::mem::take(&mut self.parts) {
            for number in part.place {
                state.extend(number.to_le_bytes());
            }
            state.extend((part.saved.len() as u64).to_le_bytes());
            state.extend(part.saved);
        }
        self.bytes = 0;
        Ok(vec![ScalarValue::LargeBinary(Some(state))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let merged = self.merged()?;
        let mut rows = ListBuilder::new(StringBuilder::new());
        for message in merged.messages() {
            let row = row(&message);
            let bytes = rows.values().values_slice().len() + row.len();
            if i32::try_from(bytes).is_err() {
                return exec_err!("there are too many messages for one query");
            }
            rows.values().append_value(row);
        }
        rows.append(true);
        Ok(ScalarValue::List(Arc::new(rows.finish())))
    }

    fn size(&self) -> usize {
        let parts = self.parts.capacity() * size_of::<Part>();
        size_of::<Parts>() + parts + self.bytes
    }
}
