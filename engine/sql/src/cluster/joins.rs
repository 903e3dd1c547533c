//! Joins that executors run right.

use std::sync::Arc;

use datafusion::{
    arrow::datatypes::{Field, Schema},
    common::{
        JoinType, Result,
        config::ConfigOptions,
        tree_node::{Transformed, TransformedResult, TreeNode},
    },
    physical_optimizer::PhysicalOptimizerRule,
    physical_plan::{
        ChildrenPropertiesMode, ExecutionPlan, ExecutionPlanProperties,
        ReplaceChildrenOptions,
        coalesce_partitions::CoalescePartitionsExec,
        joins::{NestedLoopJoinExec, SortMergeJoinExec, utils::JoinFilter},
        limit::GlobalLimitExec,
    },
};

/// Changes joins so that executors return the rows of one process.
///
/// - DataFusion 55.2 computes the condition of an outer join of sorted rows for rows
///   without a partner as well, whose other columns are NULL. It fails if these are
///   never NULL in their table.
/// - A nested loop join with all rows of its left side needs all of the right side. One
///   process has them, but Ballista 55.0 runs it with a part of them in each task, and
///   each returns the rows of the left side that have no partner in this part.
#[derive(Debug)]
pub(super) struct Joins;

impl PhysicalOptimizerRule for Joins {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            if let Some(join) = node.downcast_ref::<SortMergeJoinExec>() {
                return Ok(match with_nulls(join)? {
                    Some(join) => Transformed::yes(join),
                    None => Transformed::no(node),
                });
            }
            if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
                let right = join.right();
                if needs_all(*join.join_type())
                    && right.output_partitioning().partition_count() > 1
                {
                    let left = Arc::clone(join.left());
                    let right = CoalescePartitionsExec::new(Arc::clone(right));
                    // Ballista plans the stages again, and keeps one part only if it
                    // is required. A limit requires it.
                    let right = GlobalLimitExec::new(Arc::new(right), 0, None);
                    let sides: Vec<Arc<dyn ExecutionPlan>> =
                        vec![left, Arc::new(right)];
                    let options = ReplaceChildrenOptions::new(
                        ChildrenPropertiesMode::Recompute,
                    );
                    let join = node.replace_children(sides, options)?;
                    return Ok(Transformed::yes(join));
                }
            }
            Ok(Transformed::no(node))
        })
        .data()
    }

    fn name(&self) -> &str {
        "joins_of_a_cluster"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns a join whose condition may be computed with NULL.
fn with_nulls(
    join: &SortMergeJoinExec,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(filter) = &join.filter else {
        return Ok(None);
    };
    let fields = filter.schema().fields().iter();
    let fields: Vec<Field> = fields
        .map(|field| field.as_ref().clone().with_nullable(true))
        .collect();
    let filter = JoinFilter::new(
        Arc::clone(filter.expression()),
        filter.column_indices().to_vec(),
        Arc::new(Schema::new(fields)),
    );
    let join = SortMergeJoinExec::try_new(
        Arc::clone(&join.left),
        Arc::clone(&join.right),
        join.on.clone(),
        Some(filter),
        join.join_type,
        join.sort_options.clone(),
        join.null_equality,
    )?;
    Ok(Some(Arc::new(join)))
}

/// Checks whether a row of the left side needs to know all rows of the right side.
fn needs_all(join: JoinType) -> bool {
    use JoinType as J;

    match join {
        J::Left | J::Full | J::LeftSemi | J::LeftAnti | J::LeftMark => true,
        J::Inner | J::Right | J::RightSemi | J::RightAnti | J::RightMark => {
            false
        }
    }
}
