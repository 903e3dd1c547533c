//! Messages as columns, and as lists in them.

use std::{ops::Range, sync::Arc};

use datafusion::{
    arrow::{
        array::{ArrayRef, Int64Array, ListArray, StringArray, StructArray},
        compute::cast,
        datatypes::{DataType, Field, Fields},
    },
    common::Result,
};

use super::entry::{Entry, Item};

/// The fields of a name: the value, and the order of the message that has it among
/// those that name a message. The highest level is the first.
pub(super) const NAME_FIELDS: [&str; 5] =
    ["value", "below", "file_number", "offset", "part"];

/// Returns the type of names.
pub(super) fn name_type(value: &DataType) -> DataType {
    let kinds = std::iter::once(value).chain([&DataType::Int64; 4]);
    let fields = NAME_FIELDS.into_iter().zip(kinds);
    let fields =
        fields.map(|(name, kind)| Field::new(name, kind.clone(), true));
    DataType::Struct(fields.collect())
}

/// Returns the items of messages.
pub(super) fn items(entries: &[Entry], kind: &DataType) -> Result<ArrayRef> {
    let items = entries.iter().map(|entry| &entry.item);
    Ok(match kind {
        DataType::Utf8 => {
            Arc::new(StringArray::from_iter(items.map(Item::text)))
        }
        kind => cast(&Int64Array::from_iter(items.map(Item::number)), kind)?,
    })
}

/// Returns the names of messages, as structures.
pub(super) fn named(entries: &[Entry], fields: &Fields) -> Result<ArrayRef> {
    let kind = fields.first().map_or(&DataType::Null, |f| f.data_type());
    let mut columns = vec![items(entries, kind)?];
    let orders: [fn(&Entry) -> i64; 4] = [
        |entry| -entry.level,
        |entry| entry.place[0],
        |entry| entry.place[1],
        |entry| entry.place[2],
    ];
    for order in orders {
        let order = Int64Array::from_iter_values(entries.iter().map(order));
        columns.push(Arc::new(order));
    }
    Ok(Arc::new(StructArray::try_new(fields.clone(), columns, None)?))
}

/// Returns where the items of a list are.
pub(super) fn range(lists: &ListArray, row: usize) -> Range<usize> {
    let offset = |at: usize| {
        let offset = lists.value_offsets().get(at).copied();
        usize::try_from(offset.unwrap_or(0)).unwrap_or(0)
    };
    offset(row)..offset(row + 1)
}
