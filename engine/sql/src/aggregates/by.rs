//! The first or the last value of a group.

use std::sync::Arc;

use datafusion::{
    arrow::{
        array::{
            Array, ArrayRef, AsArray, BooleanArray, Int64Array, StringArray,
        },
        compute::cast,
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

use super::{column::name_type, kept_as, single::Single};

/// Returns the functions `first_by` and `last_by`: the value of the row of a group
/// that has the lowest or highest order. The first argument is the value, and the
/// others, which are integers, are its order. NULL is the lowest integer. With
/// `IGNORE NULLS`, only rows that have a value count.
///
/// `first_name` is the first value of some names: see [`name_type`]. It takes each
/// as one structure, because a plan that reads the fields of a structure cannot be
/// sent to a cluster: Ballista loses the names of the columns.
///
/// `first_value(... ORDER BY ...)` of DataFusion does the same, but keeps a vector
/// of `ScalarValue`s for each group.
pub(crate) fn functions() -> impl Iterator<Item = AggregateUDF> {
    [Which::First, Which::Last, Which::FirstName].into_iter().map(|which| {
        let signature = Signature::user_defined(Volatility::Immutable);
        AggregateUDF::new_from_impl(By { which, signature })
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Which {
    First,
    Last,
    FirstName,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Which::First => "first_by",
            Which::Last => "last_by",
            Which::FirstName => "first_name",
        }
    }
}

/// Returns the values and their orders: the fields of a name are columns.
fn columns(given: &[ArrayRef]) -> &[ArrayRef] {
    let names = given.first().and_then(|column| column.as_struct_opt());
    names.map_or(given, |names| names.columns())
}

/// Returns the types of the values and their orders.
fn types_of(given: &[FieldRef]) -> Vec<DataType> {
    let fields = match given.first().map(|field| field.data_type()) {
        Some(DataType::Struct(fields)) => fields,
        _ => given,
    };
    fields.iter().map(|field| field.data_type().clone()).collect()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct By {
    which: Which,
    signature: Signature,
}

impl AggregateUDFImpl for By {
    fn name(&self) -> &str {
        self.which.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let name = self.which.name();
        if self.which == Which::FirstName {
            return match types {
                [DataType::Struct(fields)]
                    if fields.first().is_some_and(|value| {
                        *types == [name_type(value.data_type())]
                    }) =>
                {
                    Ok(types.to_vec())
                }
                _ => plan_err!("{name} takes what names_by returns"),
            };
        }
        let value = kept_as(name, types.first())?;
        let orders = types.iter().skip(1).map(|_| DataType::Int64);
        match types.iter().skip(1).all(DataType::is_integer) {
            true => Ok(std::iter::once(value).chain(orders).collect()),
            false => plan_err!("{name} takes integers as the order"),
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types.first() {
            Some(DataType::Struct(fields)) => match fields.first() {
                Some(value) => Ok(value.data_type().clone()),
                None => plan_err!("{} needs a value", self.name()),
            },
            Some(value) => Ok(value.clone()),
            None => plan_err!("{} needs a value", self.name()),
        }
    }

    fn state_fields(
        &self,
        args: StateFieldsArgs<'_>,
    ) -> Result<Vec<FieldRef>> {
        let kinds = types_of(args.input_fields).into_iter();
        let kinds = kinds.chain([DataType::Boolean]);
        let fields = kinds.enumerate().map(|(at, kind)| {
            let name = format!("{}[{at}]", args.name);
            Arc::new(Field::new(name, kind, true))
        });
        Ok(fields.collect())
    }

    fn accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        Single::boxed(self.which.name(), self.create_groups_accumulator(args))
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let kind = args.return_field.data_type().clone();
        let values = match kind {
            DataType::Utf8 => Values::Texts { texts: vec![], bytes: 0 },
            _ => Values::Numbers(vec![]),
        };
        Ok(Box::new(Groups {
            is_first: self.which != Which::Last,
            ignores_nulls: args.ignore_nulls || self.which == Which::FirstName,
            width: types_of(args.expr_fields).len().saturating_sub(1),
            kind,
            values,
            orders: vec![],
            are_set: vec![],
        }))
    }

    fn supports_null_handling_clause(&self) -> bool {
        true
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

/// The value of each group so far, and its order.
#[derive(Debug)]
struct Groups {
    is_first: bool,
    ignores_nulls: bool,
    /// The number of integers of an order.
    width: usize,
    kind: DataType,
    values: Values,
    /// The orders of all groups, such that the highest is the one that counts.
    orders: Vec<i64>,
    /// Whether each group has had a row that counts.
    are_set: Vec<bool>,
}

#[derive(Debug)]
enum Values {
    /// Integers, times and truth values.
    Numbers(Vec<Option<i64>>),
    Texts {
        texts: Vec<Option<Box<str>>>,
        bytes: usize,
    },
}

impl Values {
    fn resize(&mut self, count: usize) {
        match self {
            Values::Numbers(numbers) => numbers.resize(count, None),
            Values::Texts { texts, .. } => texts.resize(count, None),
        }
    }
}

impl Groups {
    /// Adds rows: values, and their orders.
    fn add(
        &mut self,
        columns: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        let count = count.max(self.are_set.len());
        self.values.resize(count);
        self.are_set.resize(count, false);
        self.orders.resize(count * self.width, i64::MIN);
        let Some((values, orders)) = columns.split_first() else {
            return Ok(());
        };
        let orders: Vec<&Int64Array> = orders
            .iter()
            .filter_map(|order| order.as_primitive_opt::<Int64Type>())
            .collect();
        let sign = self.sign();
        let order_of = |column: &Int64Array, row: usize| {
            let known = column.is_valid(row).then(|| column.value(row));
            known.unwrap_or(i64::MIN) ^ sign
        };
        let width = self.width;
        let mut wins = |row: usize, group: usize| {
            let start = group * width;
            let known = self.orders.get_mut(start..start + width);
            let is_set = self.are_set.get_mut(group);
            let (Some(known), Some(is_set)) = (known, is_set) else {
                return false;
            };
            let given = || orders.iter().map(|column| order_of(column, row));
            let wins = !*is_set || given().gt(known.iter().copied());
            if wins {
                *is_set = true;
                known
                    .iter_mut()
                    .zip(given())
                    .for_each(|(to, from)| *to = from);
            }
            wins
        };
        let ignored = self.ignores_nulls.then_some(values);
        let rows = groups.iter().copied().enumerate().filter(|(row, _)| {
            ignored.is_none_or(|values| values.is_valid(*row))
                && filter.is_none_or(|f| f.is_valid(*row) && f.value(*row))
        });
        match &mut self.values {
            Values::Texts { texts, bytes } => {
                let Some(given) = values.as_string_opt::<i32>() else {
                    return plan_err!("values must be texts");
                };
                for (row, group) in rows {
                    let Some(known) = texts.get_mut(group) else { continue };
                    if !wins(row, group) {
                        continue;
                    }
                    let text = given.is_valid(row).then(|| given.value(row));
                    if known.as_deref() != text {
                        let before = known.as_deref().map_or(0, str::len);
                        let after = text.map_or(0, str::len);
                        *bytes = (*bytes + after).saturating_sub(before);
                        *known = text.map(Box::from);
                    }
                }
            }
            Values::Numbers(numbers) => {
                let given = cast(values, &DataType::Int64)?;
                let given = given.as_primitive::<Int64Type>();
                for (row, group) in rows {
                    let Some(known) = numbers.get_mut(group) else { continue };
                    if wins(row, group) {
                        let is_known = given.is_valid(row);
                        *known = is_known.then(|| given.value(row));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns what an order is combined with by XOR, such that the highest one
    /// counts: the complements of integers have the opposite order.
    fn sign(&self) -> i64 {
        if self.is_first { -1 } else { 0 }
    }

    /// Removes the first groups, and returns their values.
    fn take(&mut self, which: EmitTo) -> Result<ArrayRef> {
        Ok(match &mut self.values {
            Values::Texts { texts, bytes } => {
                let taken = which.take_needed(texts);
                let lengths = taken.iter().flatten().map(|text| text.len());
                *bytes = bytes.saturating_sub(lengths.sum());
                Arc::new(StringArray::from_iter(taken))
            }
            Values::Numbers(numbers) => {
                let taken = Int64Array::from(which.take_needed(numbers));
                cast(&taken, &self.kind)?
            }
        })
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
        self.add(columns(values), groups, filter, count)
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        count: usize,
    ) -> Result<()> {
        let Some((are_set, values)) = values.split_last() else {
            return Ok(());
        };
        self.add(values, groups, are_set.as_boolean_opt(), count)
    }

    fn evaluate(&mut self, which: EmitTo) -> Result<ArrayRef> {
        let values = self.take(which)?;
        which.take_needed(&mut self.are_set);
        let orders = EmitTo::First(values.len() * self.width);
        orders.take_needed(&mut self.orders);
        Ok(values)
    }

    fn state(&mut self, which: EmitTo) -> Result<Vec<ArrayRef>> {
        let values = self.take(which)?;
        let are_set = which.take_needed(&mut self.are_set);
        let orders = EmitTo::First(values.len() * self.width);
        let orders = orders.take_needed(&mut self.orders);
        let sign = self.sign();
        let mut state = vec![values];
        for at in 0..self.width {
            let column = orders.iter().skip(at).step_by(self.width);
            let column = column.map(|order| order ^ sign);
            state.push(Arc::new(Int64Array::from_iter_values(column)));
        }
        state.push(Arc::new(BooleanArray::from(are_set)));
        Ok(state)
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        // Each row is a group. `merge_batch` takes NULL as false.
        let count = values.first().map_or(0, |column| column.len());
        let are_set = match filter {
            Some(filter) => filter.clone(),
            None => BooleanArray::from(vec![true; count]),
        };
        let mut state = columns(values).to_vec();
        state.push(Arc::new(are_set));
        Ok(state)
    }

    fn size(&self) -> usize {
        let values = match &self.values {
            Values::Numbers(numbers) => {
                numbers.capacity() * size_of::<Option<i64>>()
            }
            Values::Texts { texts, bytes } => {
                texts.capacity() * size_of::<Option<Box<str>>>() + bytes
            }
        };
        size_of::<Groups>()
            + values
            + self.orders.capacity() * size_of::<i64>()
            + self.are_set.capacity()
    }
}
