//! Refuses parts of the SQL that DataFusion ignores.

use std::ops::ControlFlow;

use datafusion::{
    common::plan_err,
    error::Result,
    execution::SessionState,
    prelude::SessionContext,
    sql::{
        parser::{CopyToSource, Statement},
        sqlparser::ast::{
            Expr, GroupByExpr, Query, Select, SelectItem, TableFactor, Visit,
            Visitor,
        },
    },
};

use crate::calls;

/// Refuses a statement with a part that the parser knows and that DataFusion ignores, such
/// as TABLESAMPLE or PREWHERE: its rows and sums would be those of other SQL.
pub fn refuse(statement: &Statement, context: &SessionContext) -> Result<()> {
    match find(statement, &mut Ignored { state: context.state() }) {
        ControlFlow::Break(why) => plan_err!("{why}"),
        ControlFlow::Continue(()) => Ok(()),
    }
}

fn find(statement: &Statement, ignored: &mut Ignored) -> ControlFlow<String> {
    match statement {
        Statement::Statement(sql) => sql.visit(ignored),
        Statement::Explain(explain) => find(&explain.statement, ignored),
        Statement::CopyTo(copy) => match &copy.source {
            CopyToSource::Query(query) => query.visit(ignored),
            CopyToSource::Relation(_) => ControlFlow::Continue(()),
        },
        Statement::CreateExternalTable(_) | Statement::Reset(_) => {
            ControlFlow::Continue(())
        }
    }
}

/// Finds the first part that is ignored, and says what is not supported.
struct Ignored {
    /// Knows the functions.
    state: SessionState,
}

impl Visitor for Ignored {
    type Break = String;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<String> {
        refuse_if(query.for_clause.is_some(), "FOR after a query")?;
        refuse_if(query.settings.is_some(), "SETTINGS")?;
        refuse_if(query.format_clause.is_some(), "FORMAT")?;
        query.order_by.as_ref().map_or(GO_ON, calls::refuse_named_windows)
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<String> {
        let is_ignored = |item: &SelectItem| match item {
            SelectItem::Wildcard(options)
            | SelectItem::QualifiedWildcard(_, options) => {
                options.opt_ilike.is_some()
            }
            _ => false,
        };
        let has_pattern = select.projection.iter().any(is_ignored);
        refuse_if(has_pattern, "ILIKE after *")?;
        refuse_if(select.prewhere.is_some(), "PREWHERE")?;
        refuse_if(!select.connect_by.is_empty(), "CONNECT BY")?;
        let (GroupByExpr::All(modifiers)
        | GroupByExpr::Expressions(_, modifiers)) = &select.group_by;
        if let Some(modifier) = modifiers.first() {
            return ControlFlow::Break(format!(
                "{modifier} after the columns of GROUP BY is not supported: write \
                 GROUP BY ROLLUP (...), CUBE (...) or GROUPING SETS (...)"
            ));
        }
        select.qualify.as_ref().map_or(GO_ON, calls::refuse_named_windows)
    }

    fn pre_visit_table_factor(
        &mut self,
        table: &TableFactor,
    ) -> ControlFlow<String> {
        match table {
            TableFactor::Table {
                sample,
                partitions,
                with_hints,
                with_ordinality,
                args,
                ..
            } => {
                refuse_if(sample.is_some(), "TABLESAMPLE")?;
                refuse_if(!partitions.is_empty(), "PARTITION after a table")?;
                refuse_if(!with_hints.is_empty(), "WITH (...) after a table")?;
                refuse_if(*with_ordinality, "WITH ORDINALITY")?;
                let settings = args.as_ref().and_then(|a| a.settings.as_ref());
                refuse_if(settings.is_some(), "SETTINGS")
            }
            TableFactor::Derived { sample, .. } => {
                refuse_if(sample.is_some(), "TABLESAMPLE")
            }
            TableFactor::Function { with_ordinality, .. } => {
                refuse_if(*with_ordinality, "WITH ORDINALITY")
            }
            _ => GO_ON,
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
        match expr {
            Expr::Function(call) => calls::refuse(call, &self.state),
            // DataFusion takes the pattern for a regular expression, which may match a
            // part of the text.
            Expr::SimilarTo { .. } => ControlFlow::Break(
                "SIMILAR TO is not supported: use LIKE, or ~ with a regular \
                 expression"
                    .to_string(),
            ),
            _ => GO_ON,
        }
    }
}

const GO_ON: ControlFlow<String> = ControlFlow::Continue(());

fn refuse_if(is_there: bool, part: &str) -> ControlFlow<String> {
    match is_there {
        true => ControlFlow::Break(format!("{part} is not supported")),
        false => GO_ON,
    }
}
