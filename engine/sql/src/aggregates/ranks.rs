//! The counts of a message, from its lines of several ranks.

use std::{collections::BTreeMap, sync::Arc};

use datafusion::{
    arrow::{
        array::{
            Array, ArrayRef, AsArray, BooleanArray, Int64Array, Int64Builder,
            ListBuilder,
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

use super::single::Single;

/// Returns the function `count_by_rank(count, rank, has_tokens, ...)`: a count of
/// a message, from its lines. The other arguments are the order of a line among
/// those of its rank. The rule is that of the view `usage`, which is the only one
/// that uses the function:
///
/// - The rank counts that has tokens, and of several the highest.
/// - Of its lines that have the count, the last one counts. Lines without tokens
///   come before all others.
/// - If it is the rank of a sub-agent, the largest count of all lines of
///   sub-agents counts, and the last ones of other ranks.
///
/// It groups once what would need two groupings in SQL, by message and rank and
/// then by message.
pub(crate) fn count_by_rank() -> AggregateUDF {
    let signature = Signature::user_defined(Volatility::Immutable);
    AggregateUDF::new_from_impl(CountByRank { signature })
}

const NAME: &str = "count_by_rank";

/// The number of arguments that are the order of a line.
const ORDER: usize = 4;

/// Lines with a rank below this one are those of sub-agents.
const MAIN: i64 = 4;

#[derive(Debug, PartialEq, Eq, Hash)]
struct CountByRank {
    signature: Signature,
}

impl AggregateUDFImpl for CountByRank {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let mut expected = vec![DataType::Int64; 3 + ORDER];
        if let Some(has_tokens) = expected.get_mut(2) {
            *has_tokens = DataType::Boolean;
        }
        match types == expected {
            true => Ok(expected),
            false => plan_err!("{NAME} takes {expected:?}"),
        }
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn state_fields(
        &self,
        args: StateFieldsArgs<'_>,
    ) -> Result<Vec<FieldRef>> {
        let list = DataType::new_list(DataType::Int64, true);
        Ok(vec![Arc::new(Field::new(args.name, list, true))])
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
        Ok(Box::new(Messages::default()))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

/// What is known of each message. Most have lines of one rank.
#[derive(Debug, Default)]
struct Messages {
    firsts: Vec<Option<Rank>>,
    /// The other ranks, by message.
    others: BTreeMap<usize, Vec<Rank>>,
    other_ranks: usize,
}

/// The lines of a message that have one rank.
#[derive(Clone, Copy, Debug)]
struct Rank {
    rank: i64,
    has_tokens: bool,
    /// The count of the last line that has it, and where that line is.
    last: Option<i64>,
    at: (bool, [i64; ORDER]),
    /// The largest count.
    largest: Option<i64>,
}

impl Rank {
    /// The number of integers that a rank is saved as.
    const WIDTH: usize = 5 + ORDER;

    fn merge(&mut self, other: &Rank) {
        self.has_tokens |= other.has_tokens;
        self.largest = self.largest.max(other.largest);
        if other.last.is_some() && (self.last.is_none() || other.at > self.at)
        {
            (self.last, self.at) = (other.last, other.at);
        }
    }

    fn count(&self) -> Option<i64> {
        if self.rank < MAIN { self.largest } else { self.last }
    }

    fn save(&self, to: &mut Int64Builder) {
        to.append_value(self.rank);
        to.append_value(self.has_tokens.into());
        to.append_option(self.last);
        to.append_value(self.at.0.into());
        to.append_slice(&self.at.1);
        to.append_option(self.largest);
    }

    fn load(saved: &Int64Array, start: usize) -> Rank {
        let read = |at| {
            let at = start + at;
            saved.is_valid(at).then(|| saved.value(at))
        };
        let number = |at| read(at).unwrap_or(0);
        Rank {
            rank: number(0),
            has_tokens: number(1) != 0,
            last: read(2),
            at: (number(3) != 0, std::array::from_fn(|at| number(4 + at))),
            largest: read(4 + ORDER),
        }
    }
}

impl Messages {
    fn grow(&mut self, count: usize) {
        self.firsts.resize(count.max(self.firsts.len()), None);
    }

    fn add(&mut self, message: usize, given: Rank) {
        match self.firsts.get_mut(message) {
            Some(Some(first)) if first.rank == given.rank => {
                first.merge(&given);
            }
            Some(Some(_)) => {
                let others = self.others.entry(message).or_default();
                let mut ranks = others.iter_mut();
                match ranks.find(|other| other.rank == given.rank) {
                    Some(known) => known.merge(&given),
                    None => {
                        others.push(given);
                        self.other_ranks += 1;
                    }
                }
            }
            Some(first) => *first = Some(given),
            None => {}
        }
    }

    fn add_lines(
        &mut self,
        columns: &[ArrayRef],
        messages: &[usize],
        filter: Option<&BooleanArray>,
    ) -> Result<()> {
        let [count, rank, has_tokens, order @ ..] = columns else {
            return plan_err!("{NAME} needs more columns");
        };
        let numbers = |column: &ArrayRef| {
            column.as_primitive_opt::<Int64Type>().cloned()
        };
        let order: Vec<_> = order.iter().filter_map(numbers).collect();
        let (Some(count), Some(rank), Some(has_tokens), Ok(order)) = (
            numbers(count),
            numbers(rank),
            has_tokens.as_boolean_opt(),
            <[Int64Array; ORDER]>::try_from(order),
        ) else {
            return plan_err!("{NAME} has columns of other types");
        };
        for (row, message) in messages.iter().copied().enumerate() {
            // A line without usage has no rank.
            if filter.is_some_and(|f| f.is_null(row) || !f.value(row))
                || rank.is_null(row)
            {
                continue;
            }
            let has_tokens = has_tokens.is_valid(row) && has_tokens.value(row);
            let count = count.is_valid(row).then(|| count.value(row));
            let at = order.each_ref().map(|column| column.value(row));
            self.add(
                message,
                Rank {
                    rank: rank.value(row),
                    has_tokens,
                    last: count,
                    at: (has_tokens, at),
                    largest: count,
                },
            );
        }
        Ok(())
    }

    /// Removes the first messages, and returns the ranks of each.
    fn take(
        &mut self,
        which: EmitTo,
    ) -> (Vec<Option<Rank>>, BTreeMap<usize, Vec<Rank>>) {
        let firsts = which.take_needed(&mut self.firsts);
        let left = self.others.split_off(&firsts.len());
        let others = std::mem::take(&mut self.others);
        let moved =
            left.into_iter().map(|(at, rank)| (at - firsts.len(), rank));
        self.others = moved.collect();
        self.other_ranks -= others.values().map(Vec::len).sum::<usize>();
        (firsts, others)
    }

    /// Removes the first messages, and returns their ranks as lists of integers.
    fn save(&mut self, which: EmitTo) -> ArrayRef {
        let (firsts, others) = self.take(which);
        let mut lists = ListBuilder::new(Int64Builder::new());
        for (message, first) in firsts.iter().enumerate() {
            let others = others.get(&message).into_iter().flatten();
            for rank in first.iter().chain(others) {
                rank.save(lists.values());
            }
            lists.append(true);
        }
        Arc::new(lists.finish())
    }
}

/// Returns the count of a message.
fn count(first: Rank, others: &[Rank]) -> Option<i64> {
    let ranks = || std::iter::once(&first).chain(others);
    let best = ranks().max_by_key(|rank| (rank.has_tokens, rank.rank))?;
    match best.rank < MAIN {
        true => ranks().filter_map(Rank::count).max(),
        false => best.count(),
    }
}

impl GroupsAccumulator for Messages {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.grow(count);
        self.add_lines(values, groups, filter)
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        count: usize,
    ) -> Result<()> {
        self.grow(count);
        let lists = values.first().and_then(|v| v.as_list_opt::<i32>());
        let Some((lists, saved)) = lists.and_then(|lists| {
            let saved = lists.values().as_primitive_opt::<Int64Type>()?;
            Some((lists, saved))
        }) else {
            return plan_err!("{NAME} has a state of another type");
        };
        let starts =
            lists.offsets().iter().zip(lists.offsets().iter().skip(1));
        for (message, (start, end)) in groups.iter().copied().zip(starts) {
            let ranks = (*start as usize..*end as usize).step_by(Rank::WIDTH);
            for at in ranks {
                self.add(message, Rank::load(saved, at));
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, which: EmitTo) -> Result<ArrayRef> {
        let (firsts, others) = self.take(which);
        let counts = firsts.into_iter().enumerate().map(|(message, first)| {
            let others = others.get(&message).map_or(&[][..], Vec::as_slice);
            count(first?, others)
        });
        Ok(Arc::new(Int64Array::from_iter(counts)))
    }

    fn state(&mut self, which: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.save(which)])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        // Each row is a message.
        let count = values.first().map_or(0, |column| column.len());
        let rows: Vec<usize> = (0..count).collect();
        let mut messages = Messages::default();
        messages.grow(count);
        messages.add_lines(values, &rows, filter)?;
        Ok(vec![messages.save(EmitTo::All)])
    }

    fn size(&self) -> usize {
        size_of::<Messages>()
            + self.firsts.capacity() * size_of::<Option<Rank>>()
            // With the node of the tree and the vector.
            + self.other_ranks * (size_of::<Rank>() + 64)
    }
}
