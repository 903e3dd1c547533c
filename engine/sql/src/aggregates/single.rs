use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use datafusion::{
    arrow::array::{ArrayRef, new_null_array},
    common::{Result, ScalarValue, not_impl_err},
    logical_expr::{Accumulator, EmitTo, GroupsAccumulator},
};

/// An aggregate function without GROUP BY: all rows are one group.
pub(super) struct Single {
    name: &'static str,
    /// Only because an accumulator can be shared, which groups cannot.
    groups: Mutex<Box<dyn GroupsAccumulator>>,
    /// The value, once it was asked for. The group has been emptied then.
    value: Option<ScalarValue>,
}

impl Single {
    /// Makes one group of those of a function.
    pub(super) fn boxed(
        name: &'static str,
        groups: Result<Box<dyn GroupsAccumulator>>,
    ) -> Result<Box<dyn Accumulator>> {
        let groups = Mutex::new(groups?);
        Ok(Box::new(Single { name, groups, value: None }))
    }

    fn groups(&mut self) -> &mut dyn GroupsAccumulator {
        let groups = self.groups.get_mut();
        groups.unwrap_or_else(PoisonError::into_inner).as_mut()
    }

    /// A window function asks for values again and again, and adds rows in between.
    fn check_open(&self) -> Result<()> {
        match self.value {
            None => Ok(()),
            Some(_) => not_impl_err!("{} with OVER", self.name),
        }
    }
}

/// Returns the value of the group, or NULL if it has had no rows.
fn only(values: &ArrayRef) -> Result<ScalarValue> {
    match values.is_empty() {
        true => ScalarValue::try_from(values.data_type()),
        false => ScalarValue::try_from_array(values, 0),
    }
}

fn rows(values: &[ArrayRef]) -> Vec<usize> {
    vec![0; values.first().map_or(0, |values| values.len())]
}

impl Accumulator for Single {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.check_open()?;
        self.groups().update_batch(values, &rows(values), None, 1)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.check_open()?;
        self.groups().merge_batch(states, &rows(states), 1)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if let Some(value) = &self.value {
            return Ok(value.clone());
        }
        let groups = self.groups();
        let mut values = groups.evaluate(EmitTo::All)?;
        if values.is_empty() {
            // The group has had no rows: its value is that of a part without rows.
            let states = groups.state(EmitTo::All)?;
            let nulls =
                states.iter().map(|s| new_null_array(s.data_type(), 1));
            let nulls: Vec<ArrayRef> = nulls.collect();
            groups.merge_batch(&nulls, &[0], 1)?;
            values = groups.evaluate(EmitTo::All)?;
        }
        let value = only(&values)?;
        self.value = Some(value.clone());
        Ok(value)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.check_open()?;
        let states = self.groups().state(EmitTo::All)?;
        states.iter().map(only).collect()
    }

    fn size(&self) -> usize {
        let groups =
            self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        size_of::<Single>() + groups.size()
    }
}

impl fmt::Debug for Single {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Single").field("name", &self.name).finish()
    }
}
