//! Queries whose results would be wrong on a cluster.

use datafusion::{
    common::{
        Result,
        config::ConfigOptions,
        plan_err,
        tree_node::{TreeNode, TreeNodeRecursion},
    },
    logical_expr::{Expr, LogicalPlan, Subquery},
    optimizer::AnalyzerRule,
};

/// Refuses a plan for which Ballista 55.0 returns wrong rows without an error.
///
/// - It makes a join of a subquery that is used as a value. With several rows, that
///   join multiplies rows, where one process fails.
/// - With hash joins, it runs each part of a join that needs all rows of one side
///   with a part of them.
#[derive(Debug)]
pub(crate) struct Refuse;

impl AnalyzerRule for Refuse {
    fn analyze(
        &self,
        plan: LogicalPlan,
        config: &ConfigOptions,
    ) -> Result<LogicalPlan> {
        if config.optimizer.prefer_hash_join {
            return plan_err!(
                "a cluster cannot use datafusion.optimizer.prefer_hash_join: \
                 its results would be wrong"
            );
        }
        plan.apply_with_subqueries(|node| {
            node.apply_expressions(|expression| {
                expression.apply(|part| match part {
                    Expr::ScalarSubquery(query) => check(query),
                    _ => Ok(TreeNodeRecursion::Continue),
                })
            })
        })?;
        Ok(plan)
    }

    fn name(&self) -> &str {
        "refuse_on_a_cluster"
    }
}

/// Returns an error if a subquery may have several rows. One that depends on the
/// query around it is checked by DataFusion.
fn check(query: &Subquery) -> Result<TreeNodeRecursion> {
    let is_alone = query.outer_ref_columns.is_empty();
    if is_alone && query.subquery.max_rows().is_none_or(|rows| rows > 1) {
        return plan_err!(
            "on a cluster, a subquery that is used as a value must have one row \
             by its form: an aggregate without GROUP BY, or LIMIT 1"
        );
    }
    Ok(TreeNodeRecursion::Continue)
}
