//! Tables without rows.

use std::sync::Arc;

use datafusion::{
    common::{
        DFSchema, Result, ScalarValue,
        tree_node::{Transformed, TransformedResult},
    },
    logical_expr::{
        EmptyRelation, Expr, LogicalPlan, LogicalPlanBuilder, lit,
    },
};

/// Returns a plan whose tables without rows keep their columns when it is sent.
///
/// DataFusion makes such a table of a condition that is always false. Its columns are no
/// part of the message of DataFusion 55.2, so a plan that names one of them could not be
/// read. Here they are columns of a projection, which is sent whole.
pub(super) fn with_columns(plan: &LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.clone().transform_up_with_subqueries(|node| match node {
        LogicalPlan::EmptyRelation(empty)
            if !empty.produce_one_row && !empty.schema.fields().is_empty() =>
        {
            Ok(Transformed::yes(projected(&empty.schema)?))
        }
        node => Ok(Transformed::no(node)),
    });
    plan.data()
}

fn projected(schema: &DFSchema) -> Result<LogicalPlan> {
    let columns = schema.iter().map(|(table, field)| {
        let kind = field.data_type();
        let value = match field.is_nullable() {
            true => ScalarValue::try_from(kind)?,
            false => ScalarValue::new_default(kind)?,
        };
        Ok(lit(value).alias_qualified(table.cloned(), field.name()))
    });
    let columns: Vec<Expr> = columns.collect::<Result<_>>()?;
    let empty = LogicalPlan::EmptyRelation(EmptyRelation {
        produce_one_row: false,
        schema: Arc::new(DFSchema::empty()),
    });
    LogicalPlanBuilder::from(empty).project(columns)?.build()
}
