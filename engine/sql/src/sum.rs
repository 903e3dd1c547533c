//! A sum that does not wrap around.

use std::sync::Arc;

use datafusion::{
    arrow::datatypes::{DataType, Field, FieldRef},
    common::Result,
    functions_aggregate::sum::Sum,
    logical_expr::{
        Accumulator, AggregateUDF, AggregateUDFImpl, Documentation,
        GroupsAccumulator, ReversedUDAF, Signature, Volatility,
        function::{AccumulatorArgs, StateFieldsArgs},
        type_coercion::functions::fields_with_udf,
        utils::AggregateOrderSensitivity,
    },
};

/// Returns the function `sum` of this crate.
///
/// That of DataFusion adds integers with 64 bits, and wraps around without an
/// error: a log with a thousand huge counts gave a negative sum. This one adds
/// them as decimal numbers, which have room for all of them. Everything else is
/// the function of DataFusion, so that any process that decodes a plan can run
/// it.
pub(crate) fn sum() -> AggregateUDF {
    AggregateUDF::new_from_impl(WideSum {
        signature: Signature::user_defined(Volatility::Immutable),
        inner: Arc::new(AggregateUDF::from(Sum::new())),
    })
}

/// A type with room for all integers of 64 bits, with and without a sign. The
/// type of the sum has ten digits more.
const WIDE: DataType = DataType::Decimal128(20, 0);

#[derive(Debug, PartialEq, Eq, Hash)]
struct WideSum {
    signature: Signature,
    inner: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for WideSum {
    fn name(&self) -> &str {
        "sum"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match types {
            [kind] if kind.is_integer() => Ok(vec![WIDE]),
            _ => {
                let field = |kind: &DataType| {
                    Arc::new(Field::new("", kind.clone(), true))
                };
                let fields: Vec<FieldRef> = types.iter().map(field).collect();
                let fields = fields_with_udf(&fields, &*self.inner)?;
                let kind = |field: &FieldRef| field.data_type().clone();
                Ok(fields.iter().map(kind).collect())
            }
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(&self.coerce_types(types)?)
    }

    fn accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        self.inner.accumulator(args)
    }

    fn state_fields(
        &self,
        args: StateFieldsArgs<'_>,
    ) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        self.inner.create_groups_accumulator(args)
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        self.inner.create_sliding_accumulator(args)
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.inner.reverse_udf()
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }
}
