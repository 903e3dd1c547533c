//! The set of keys of a group.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::single::Single;

use datafusion::{
    arrow::{
        array::{
            Array, ArrayRef, AsArray, BooleanArray, Int64Builder, ListBuilder,
        },
        datatypes::{DataType, Field, FieldRef, Int64Type},
    },
    common::{Result, plan_err},
    logical_expr::{
        Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo,
        GroupsAccumulator, Signature, Volatility,
        function::{AccumulatorArgs, StateFieldsArgs},
        utils::AggregateOrderSensitivity,
    },
};

/// The name of the function.
const NAME: &str = "key_set";

/// Returns the function `key_set`: the different values of some columns in a
/// group, as a list. The columns are integers, or lists that the function has
/// returned. Without a value, the list has one NULL, so that `unnest` has a row
/// for each group.
///
/// `array_agg` of DataFusion keeps all batches that it has seen, and counts the
/// memory of a batch once for each of its parts: a query failed that had enough
/// memory.
pub(crate) fn key_set() -> AggregateUDF {
    let signature = Signature::user_defined(Volatility::Immutable);
    AggregateUDF::new_from_impl(KeySet { signature })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct KeySet {
    signature: Signature,
}

fn list() -> DataType {
    DataType::new_list(DataType::Int64, true)
}

impl AggregateUDFImpl for KeySet {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let is_good = |kind: &DataType| {
            *kind == DataType::Int64
                || matches!(kind, DataType::List(item)
                    if *item.data_type() == DataType::Int64)
        };
        match types.iter().all(is_good) && !types.is_empty() {
            true => Ok(types.to_vec()),
            false => plan_err!("{NAME} takes integers of 64 bits, or lists"),
        }
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(list())
    }

    fn state_fields(
        &self,
        args: StateFieldsArgs<'_>,
    ) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(args.name, list(), true))])
    }

    fn accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        Single::boxed(NAME, self.create_groups_accumulator(args))
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(
        &self,
        _args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Sets::default()))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

/// The set of each group. Most have one key.
#[derive(Debug, Default)]
struct Sets {
    firsts: Vec<Option<i64>>,
    /// The other keys, by group.
    others: BTreeMap<usize, BTreeSet<i64>>,
    /// The number of keys in `others`.
    other_keys: usize,
}

/// About how much memory one of the other keys needs, in bytes.
const OTHER: usize = 64;

impl Sets {
    fn insert(&mut self, group: usize, key: i64) {
        match self.firsts.get_mut(group) {
            Some(Some(first)) if *first != key => {
                let others = self.others.entry(group).or_default();
                self.other_keys += usize::from(others.insert(key));
            }
            Some(first) => *first = Some(key),
            None => {}
        }
    }

    /// Adds the values of some columns.
    fn add(
        &mut self,
        columns: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) {
        self.firsts.resize(count.max(self.firsts.len()), None);
        let is_in = |row: usize| {
            filter
                .is_none_or(|filter| filter.is_valid(row) && filter.value(row))
        };
        let rows = || groups.iter().copied().enumerate();
        for column in columns {
            if let Some(keys) = column.as_primitive_opt::<Int64Type>() {
                for (row, group) in rows().filter(|(row, _)| is_in(*row)) {
                    if keys.is_valid(row) {
                        self.insert(group, keys.value(row));
                    }
                }
            } else if let Some(lists) = column.as_list_opt::<i32>() {
                for (row, group) in rows().filter(|(row, _)| is_in(*row)) {
                    if lists.is_null(row) {
                        continue;
                    }
                    let list = lists.value(row);
                    let keys = list.as_primitive_opt::<Int64Type>();
                    for key in keys.into_iter().flatten().flatten() {
                        self.insert(group, key);
                    }
                }
            }
        }
    }

    /// Removes the first groups, and returns their sets.
    fn take(&mut self, which: EmitTo) -> ArrayRef {
        let firsts = which.take_needed(&mut self.firsts);
        let left = self.others.split_off(&firsts.len());
        let others = std::mem::take(&mut self.others);
        let moved = left.into_iter().map(|(at, set)| (at - firsts.len(), set));
        self.others = moved.collect();
        self.other_keys -= others.values().map(BTreeSet::len).sum::<usize>();
        let mut lists = ListBuilder::new(Int64Builder::new());
        for (group, first) in firsts.into_iter().enumerate() {
            lists.values().append_option(first);
            for key in others.get(&group).into_iter().flatten() {
                lists.values().append_value(*key);
            }
            lists.append(true);
        }
        Arc::new(lists.finish())
    }
}

impl GroupsAccumulator for Sets {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.add(values, groups, filter, count);
        Ok(())
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        count: usize,
    ) -> Result<()> {
        self.add(values, groups, None, count);
        Ok(())
    }

    fn evaluate(&mut self, which: EmitTo) -> Result<ArrayRef> {
        Ok(self.take(which))
    }

    fn state(&mut self, which: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.take(which)])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        // Each row is a group.
        let count = values.first().map_or(0, |column| column.len());
        let groups: Vec<usize> = (0..count).collect();
        let mut sets = Sets::default();
        sets.add(values, &groups, filter, count);
        Ok(vec![sets.take(EmitTo::All)])
    }

    fn size(&self) -> usize {
        size_of::<Sets>()
            + self.firsts.capacity() * size_of::<Option<i64>>()
            + self.other_keys * OTHER
    }
}
