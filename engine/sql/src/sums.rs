//! Sums that are right or an error.

use datafusion::{
    arrow::datatypes::DataType,
    common::{
        Result,
        tree_node::{Transformed, TransformedResult},
    },
    config::ConfigOptions,
    logical_expr::{
        Aggregate, Cast, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder,
        expr::AggregateFunction,
    },
    optimizer::AnalyzerRule,
    prelude::Column,
};

/// Makes a sum of 64-bit integers that does not fit an error.
///
/// DataFusion's own sum wraps around, so that a log with absurd counts gives a
/// wrong sum. The integers are summed as decimals here, and the sum becomes an
/// integer again at the end.
#[derive(Debug)]
pub(crate) struct CheckedSums;

/// Each integer of 64 bits fits, and a sum of 10^10 of them.
const WIDE: DataType = DataType::Decimal128(19, 0);

impl AnalyzerRule for CheckedSums {
    fn name(&self) -> &str {
        "checked_sums"
    }

    fn analyze(
        &self,
        plan: LogicalPlan,
        _config: &ConfigOptions,
    ) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|node| match node {
            LogicalPlan::Aggregate(aggregate) => checked(aggregate),
            other => Ok(Transformed::no(other)),
        })
        .data()
    }
}

fn checked(aggregate: Aggregate) -> Result<Transformed<LogicalPlan>> {
    let mut has_sums = false;
    let mut wide = Vec::with_capacity(aggregate.aggr_expr.len());
    for expr in &aggregate.aggr_expr {
        let widened = widened(expr, &aggregate)?;
        has_sums |= widened.is_some();
        wide.push(widened.unwrap_or_else(|| expr.clone()));
    }
    if !has_sums {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    }
    let Aggregate { input, group_expr, schema, .. } = aggregate;
    let inner = Aggregate::try_new(input, group_expr, wide)?;
    let columns = schema.iter().zip(inner.schema.iter());
    let columns =
        columns.map(|((table, field), (inner_table, inner_field))| {
            let column =
                Column::new(inner_table.cloned(), inner_field.name().clone());
            let column = Expr::Column(column);
            if field.data_type() == inner_field.data_type() {
                return column;
            }
            let kind = field.data_type().clone();
            let narrow = Expr::Cast(Cast::new(Box::new(column), kind));
            narrow.alias_qualified(table.cloned(), field.name())
        });
    let columns: Vec<Expr> = columns.collect();
    let plan = LogicalPlanBuilder::from(LogicalPlan::Aggregate(inner));
    Ok(Transformed::yes(plan.project(columns)?.build()?))
}

/// Returns the sum of decimals instead of a sum of integers.
fn widened(expr: &Expr, aggregate: &Aggregate) -> Result<Option<Expr>> {
    let Expr::AggregateFunction(function) = expr else { return Ok(None) };
    let [argument] = function.params.args.as_slice() else {
        return Ok(None);
    };
    let is_sum = function.func.name() == "sum"
        && argument.get_type(aggregate.input.schema())? == DataType::Int64;
    if !is_sum {
        return Ok(None);
    }
    let mut params = function.params.clone();
    params.args =
        vec![Expr::Cast(Cast::new(Box::new(argument.clone()), WIDE))];
    let func = function.func.clone();
    Ok(Some(Expr::AggregateFunction(AggregateFunction { func, params })))
}
