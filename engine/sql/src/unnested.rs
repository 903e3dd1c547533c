//! Lists that a query does not need.

use std::collections::HashSet;

use datafusion::{
    common::{Column, Result, tree_node::Transformed},
    logical_expr::{
        Expr, LogicalPlan, LogicalPlanBuilder, Projection, Unnest,
    },
    optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule},
};

use crate::aggregates::is_list_of_messages;

/// Leaves out columns of `unnest` that a query does not need.
///
/// DataFusion keeps all of them: the longest list decides about the number of
/// rows. In the view `usage`, all lists of a row have the same length, and without
/// this rule a query would build every column of it.
#[derive(Debug)]
pub(crate) struct NeededLists;

impl OptimizerRule for NeededLists {
    fn name(&self) -> &str {
        "needed_lists"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Projection(projection) = &plan else {
            return Ok(Transformed::no(plan));
        };
        let LogicalPlan::Unnest(unnest) = projection.input.as_ref() else {
            return Ok(Transformed::no(plan));
        };
        let needed = needed(projection, unnest);
        let (kept, left_out): (Vec<&Column>, Vec<&Column>) =
            unnest.exec_columns.iter().partition(|c| needed.contains(*c));
        let are_lists =
            |column: &&Column| is_of_messages(&unnest.input, column);
        if kept.is_empty()
            || left_out.is_empty()
            || !unnest.exec_columns.iter().all(|c| are_lists(&c))
        {
            return Ok(Transformed::no(plan));
        }
        let input = without(unnest, &left_out, kept)?;
        let expr = projection.expr.clone();
        let narrow = Projection::try_new(expr, input.into())?;
        Ok(Transformed::yes(LogicalPlan::Projection(narrow)))
    }
}

/// Returns the columns of the input that a projection needs.
fn needed(projection: &Projection, unnest: &Unnest) -> HashSet<Column> {
    let mut made = HashSet::new();
    projection.expr.iter().for_each(|e| e.add_column_refs(&mut made));
    let inputs = unnest.input.schema().columns();
    let needed = made.into_iter().filter_map(|column| {
        let at = unnest.schema.maybe_index_of_column(column)?;
        inputs.get(*unnest.dependency_indices.get(at)?).cloned()
    });
    needed.collect()
}

/// Returns the node without some of its columns.
fn without(
    unnest: &Unnest,
    left_out: &[&Column],
    kept: Vec<&Column>,
) -> Result<LogicalPlan> {
    let columns = unnest.input.schema().columns();
    let rest = columns.into_iter().filter(|c| !left_out.contains(&c));
    let kept = kept.into_iter().cloned().collect();
    LogicalPlanBuilder::from(unnest.input.as_ref().clone())
        .project(rest.map(Expr::Column))?
        .unnest_columns_with_options(kept, unnest.options.clone())?
        .build()
}

/// Returns whether a column is made by a function of this crate whose lists all
/// have the same length in a group.
fn is_of_messages(plan: &LogicalPlan, column: &Column) -> bool {
    let at = plan.schema().maybe_index_of_column(column);
    let expr = match (plan, at) {
        (LogicalPlan::SubqueryAlias(alias), Some(at)) => {
            let columns = alias.input.schema().columns();
            let column = columns.get(at);
            return column.is_some_and(|c| is_of_messages(&alias.input, c));
        }
        (LogicalPlan::Projection(projection), Some(at)) => {
            projection.expr.get(at)
        }
        (LogicalPlan::Aggregate(made), Some(at)) => {
            // A grouping set has more columns than expressions.
            let columns = made.schema.fields().len();
            let groups = columns.checked_sub(made.aggr_expr.len());
            let at = groups.and_then(|groups| at.checked_sub(groups));
            at.and_then(|at| made.aggr_expr.get(at))
        }
        _ => None,
    };
    match (plan, expr.map(inner)) {
        (LogicalPlan::Projection(projection), Some(Expr::Column(column))) => {
            is_of_messages(&projection.input, column)
        }
        (
            LogicalPlan::Aggregate(_),
            Some(Expr::AggregateFunction(function)),
        ) => {
            function.params.filter.is_none()
                && is_list_of_messages(&function.func)
        }
        _ => false,
    }
}

/// Returns an expression without its aliases.
fn inner(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => inner(&alias.expr),
        expr => expr,
    }
}
