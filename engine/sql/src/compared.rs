//! Comparisons with `ANY` and `ALL`.

use datafusion::{
    common::{
        Result,
        config::ConfigOptions,
        plan_err,
        tree_node::{TreeNode, TreeNodeRecursion},
    },
    logical_expr::{Expr, LogicalPlan, expr::SetComparison},
    optimizer::AnalyzerRule,
};

/// Refuses a comparison with `ANY` or `ALL` of a subquery whose tables have a column with
/// the name of the compared one.
///
/// DataFusion 55.2 compares the column of the subquery with itself then: `length > ANY
/// (SELECT length FROM lines)` was never true.
#[derive(Debug)]
pub(crate) struct Compared;

impl AnalyzerRule for Compared {
    fn analyze(
        &self,
        plan: LogicalPlan,
        _: &ConfigOptions,
    ) -> Result<LogicalPlan> {
        plan.apply_with_subqueries(|node| {
            node.apply_expressions(|expression| {
                expression.apply(|part| match part {
                    Expr::SetComparison(comparison) => check(comparison),
                    _ => Ok(TreeNodeRecursion::Continue),
                })
            })
        })?;
        Ok(plan)
    }

    fn name(&self) -> &str {
        "compared_with_any_or_all"
    }
}

fn check(comparison: &SetComparison) -> Result<TreeNodeRecursion> {
    for column in comparison.expr.column_refs() {
        comparison.subquery.subquery.apply(|node| {
            if !node.schema().has_column(column) {
                return Ok(TreeNodeRecursion::Continue);
            }
            let name = column.flat_name();
            plan_err!(
                "with ANY and ALL, `{name}` must not be a column of the subquery \
                 too: give a table another name, such as FROM lines a"
            )
        })?;
    }
    Ok(TreeNodeRecursion::Continue)
}
