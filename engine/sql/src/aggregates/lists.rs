//! Messages that may be copies of each other, as lists.

use std::{collections::BTreeMap, sync::Arc};

use datafusion::{
    arrow::{
        array::{
            Array, ArrayRef, AsArray, BooleanArray, Int64Array, Int64Builder,
            ListArray, ListBuilder, StringArray, StringBuilder,
        },
        buffer::OffsetBuffer,
        compute::cast,
        datatypes::{DataType, Field, FieldRef, Int64Type},
    },
    common::{Result, exec_err, plan_err},
    logical_expr::{
        Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo,
        GroupsAccumulator, Signature, Volatility,
        function::{AccumulatorArgs, StateFieldsArgs},
        utils::AggregateOrderSensitivity,
    },
};

use super::{
    column::{items, name_type, named, range},
    entry::{Entry, Item, are_copies, names},
    kept_as,
    single::Single,
};

/// Returns functions on the messages that have a key in common. Each returns a
/// list with an item for each message, in the order of their places, so that
/// `unnest` of several lists makes rows of them again. The last three arguments
/// of each are the place, which no other message has.
///
/// - `list_by(value, ...)`: the values.
/// - `are_copies(level, has_tokens, tokens, ...)`: whether each is a copy.
/// - `names_by(value, level, has_tokens, ...)`: the value of another message that
///   each message has to use in place of its own, or NULL. It is a structure with
///   the order of that message, whose fields are [`NAME_FIELDS`](super::column::NAME_FIELDS).
///
/// Window functions could do the same, but take microseconds for each key, and
/// most keys have one message.
pub(crate) fn functions() -> impl Iterator<Item = AggregateUDF> {
    [Kind::List, Kind::Copies, Kind::Names].into_iter().map(|kind| {
        let signature = Signature::user_defined(Volatility::Immutable);
        AggregateUDF::new_from_impl(Lists { kind, signature })
    })
}

/// Returns whether a function is one of these. All lists that they return for a
/// group have the same length, unless one has a filter.
pub(crate) fn is_list_of_messages(function: &AggregateUDF) -> bool {
    function.inner().downcast_ref::<Lists>().is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    List,
    Copies,
    Names,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::List => "list_by",
            Kind::Copies => "are_copies",
            Kind::Names => "names_by",
        }
    }

    fn has_values(self) -> bool {
        self != Kind::Copies
    }

    /// Returns the types of the arguments that follow a value.
    fn arguments(self) -> &'static [DataType] {
        const INT: DataType = DataType::Int64;
        const BOOL: DataType = DataType::Boolean;
        match self {
            Kind::List => &[INT; 3],
            Kind::Copies => &[INT, BOOL, INT, INT, INT, INT],
            Kind::Names => &[INT, BOOL, INT, INT, INT],
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Lists {
    kind: Kind,
    signature: Signature,
}

impl AggregateUDFImpl for Lists {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let expected = self.kind.arguments();
        let (value, others) = match self.kind.has_values() {
            true => {
                let value = kept_as(self.name(), types.first())?;
                (Some(value), types.get(1..).unwrap_or_default())
            }
            false => (None, types),
        };
        match others == expected {
            true => Ok(value.into_iter().chain(others.to_vec()).collect()),
            false => {
                let after =
                    if value.is_some() { " after a value" } else { "" };
                plan_err!("{} takes {expected:?}{after}", self.name())
            }
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let item = match (self.kind, types.first()) {
            (Kind::List, Some(value)) => value.clone(),
            (Kind::Names, Some(value)) => name_type(value),
            _ => DataType::Boolean,
        };
        Ok(DataType::new_list(item, true))
    }

    /// The state is two lists: `Entry::WIDTH` integers and a text for each message.
    fn state_fields(
        &self,
        args: StateFieldsArgs<'_>,
    ) -> Result<Vec<FieldRef>> {
        let kinds = [DataType::Int64, DataType::Utf8];
        let fields = kinds.into_iter().map(|kind| {
            let name = format!("{}[{kind}]", args.name);
            Arc::new(Field::new(name, DataType::new_list(kind, true), true))
        });
        Ok(fields.collect())
    }

    fn accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        Single::boxed(self.kind.name(), self.create_groups_accumulator(args))
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let DataType::List(item) = args.return_field.data_type() else {
            return plan_err!("{} returns lists", self.name());
        };
        Ok(Box::new(Groups::new(self.kind, Arc::clone(item))))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

/// The messages of each group. Most groups have one.
#[derive(Debug)]
struct Groups {
    kind: Kind,
    item: FieldRef,
    firsts: Vec<Option<Entry>>,
    /// The other messages, by group.
    others: BTreeMap<usize, Vec<Entry>>,
    other_entries: usize,
    text_bytes: usize,
}

impl Groups {
    fn new(kind: Kind, item: FieldRef) -> Groups {
        Groups {
            kind,
            item,
            firsts: vec![],
            others: BTreeMap::new(),
            other_entries: 0,
            text_bytes: 0,
        }
    }

    fn grow(&mut self, count: usize) {
        let count = count.max(self.firsts.len());
        self.firsts.resize_with(count, || None);
    }

    fn add(&mut self, group: usize, entry: Entry) {
        self.text_bytes += entry.item.text_bytes();
        match self.firsts.get_mut(group) {
            Some(first @ None) => *first = Some(entry),
            Some(Some(_)) => {
                self.other_entries += 1;
                self.others.entry(group).or_default().push(entry);
            }
            None => {}
        }
    }

    fn add_rows(
        &mut self,
        columns: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
    ) -> Result<()> {
        let count = usize::from(self.kind.has_values());
        let Some((values, rest)) = columns.split_at_checked(count) else {
            return plan_err!("{} needs more columns", self.kind.name());
        };
        let values = values.first();
        let texts = values.and_then(|values| values.as_string_opt::<i32>());
        let numbers = match values.filter(|_| texts.is_none()) {
            Some(values) => Some(cast(values, &DataType::Int64)?),
            None => None,
        };
        let numbers = numbers.as_ref().map(|n| n.as_primitive::<Int64Type>());
        let rest: Vec<ArrayRef> = rest
            .iter()
            .map(|column| cast(column, &DataType::Int64))
            .collect::<std::result::Result<_, _>>()?;
        let mut rest = rest.iter().map(|c| c.as_primitive::<Int64Type>());
        let mut next = |is_there| if is_there { rest.next() } else { None };
        let level = next(self.kind != Kind::List);
        let has_tokens = next(self.kind != Kind::List);
        let tokens = next(self.kind == Kind::Copies);
        let place = [next(true), next(true), next(true)];
        let read = |column: Option<&Int64Array>, row: usize| {
            let column = column?;
            column.is_valid(row).then(|| column.value(row))
        };
        for (row, group) in groups.iter().copied().enumerate() {
            if filter.is_some_and(|f| f.is_null(row) || !f.value(row)) {
                continue;
            }
            let item = match texts {
                Some(texts) if texts.is_valid(row) => {
                    Item::Text(texts.value(row).into())
                }
                _ => read(numbers, row).map_or(Item::Null, Item::Number),
            };
            let entry = Entry {
                place: place.map(|column| read(column, row).unwrap_or(0)),
                level: read(level, row).unwrap_or(0),
                has_tokens: read(has_tokens, row).unwrap_or(0) != 0,
                tokens: read(tokens, row).unwrap_or(0),
                item,
            };
            self.add(group, entry);
        }
        Ok(())
    }

    /// Removes the first groups, and returns the messages of all of them, each
    /// group in the order of the places, and where each group ends.
    fn take(&mut self, which: EmitTo) -> (Vec<Entry>, Vec<usize>) {
        let firsts = which.take_needed(&mut self.firsts);
        let left = self.others.split_off(&firsts.len());
        let mut others = std::mem::take(&mut self.others);
        let moved =
            left.into_iter().map(|(at, rest)| (at - firsts.len(), rest));
        self.others = moved.collect();
        // A vector for each group would be an allocation for each message.
        let mut all = Vec::with_capacity(firsts.len());
        let mut ends = Vec::with_capacity(firsts.len());
        for (group, first) in firsts.into_iter().enumerate() {
            let start = all.len();
            all.extend(first);
            if let Some(rest) = others.remove(&group) {
                self.other_entries -= rest.len();
                all.extend(rest);
                let of_group = all.get_mut(start..).unwrap_or_default();
                of_group.sort_unstable_by_key(|entry| entry.place);
            }
            ends.push(all.len());
        }
        let texts = all.iter().map(|entry| entry.item.text_bytes());
        self.text_bytes -= texts.sum::<usize>();
        (all, ends)
    }

    fn save(&mut self, which: EmitTo) -> Vec<ArrayRef> {
        let (all, ends) = self.take(which);
        let mut numbers = ListBuilder::new(Int64Builder::new());
        let mut texts = ListBuilder::new(StringBuilder::new());
        let mut entries = all.iter();
        let mut start = 0;
        for end in ends {
            for entry in entries.by_ref().take(end - start) {
                entry.save(numbers.values());
                texts.values().append_option(entry.item.text());
            }
            start = end;
            numbers.append(true);
            texts.append(true);
        }
        vec![Arc::new(numbers.finish()), Arc::new(texts.finish())]
    }
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.grow(count);
        self.add_rows(values, groups, filter)
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        count: usize,
    ) -> Result<()> {
        self.grow(count);
        let lists = |at: usize| values.get(at)?.as_list_opt::<i32>();
        let (Some(numbers), Some(texts)) = (lists(0), lists(1)) else {
            return plan_err!("{} has another state", self.kind.name());
        };
        let saved = numbers.values().as_primitive::<Int64Type>();
        let saved_texts: &StringArray = texts.values().as_string();
        for (row, group) in groups.iter().copied().enumerate() {
            let (numbers, texts) = (range(numbers, row), range(texts, row));
            for (at, text) in numbers.step_by(Entry::WIDTH).zip(texts) {
                self.add(group, Entry::load(saved, at, saved_texts, text));
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, which: EmitTo) -> Result<ArrayRef> {
        let (mut all, ends) = self.take(which);
        let mut start = 0;
        let mut offsets = Vec::with_capacity(ends.len() + 1);
        offsets.push(0);
        for end in ends {
            let entries = all.get_mut(start..end).unwrap_or_default();
            match self.kind {
                Kind::List => {}
                Kind::Copies => are_copies(entries),
                Kind::Names => names(entries),
            }
            start = end;
            let Ok(end) = i32::try_from(end) else {
                return exec_err!("there are more than 2^31 messages");
            };
            offsets.push(end);
        }
        let values = match self.item.data_type() {
            DataType::Struct(fields) => named(&all, fields)?,
            kind => items(&all, kind)?,
        };
        let item = Arc::clone(&self.item);
        let offsets = OffsetBuffer::new(offsets.into());
        let lists = ListArray::try_new(item, offsets, values, None)?;
        Ok(Arc::new(lists))
    }

    fn state(&mut self, which: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(self.save(which))
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        // Each row is a group.
        let count = values.first().map_or(0, |column| column.len());
        let rows: Vec<usize> = (0..count).collect();
        let mut groups = Groups::new(self.kind, Arc::clone(&self.item));
        groups.grow(count);
        groups.add_rows(values, &rows, filter)?;
        Ok(groups.save(EmitTo::All))
    }

    fn size(&self) -> usize {
        size_of::<Groups>()
            + self.firsts.capacity() * size_of::<Option<Entry>>()
            // With the node of the tree and the vector.
            + self.other_entries * (2 * size_of::<Entry>() + 64)
            + self.text_bytes
    }
}
