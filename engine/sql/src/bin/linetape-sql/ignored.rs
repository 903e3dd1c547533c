//! Refuses parts of the SQL that DataFusion ignores.

use std::ops::ControlFlow;

use datafusion::{
    common::plan_err,
    error::Result,
    sql::{
        parser::{CopyToSource, Statement},
        sqlparser::ast::{Select, SelectItem, TableFactor, Visit, Visitor},
    },
};

/// Refuses a statement with TABLESAMPLE, or with `* ILIKE 'pattern'`. DataFusion reads
/// the whole table instead, with all columns, so that sums would be wrong.
pub fn refuse(statement: &Statement) -> Result<()> {
    let found = match statement {
        Statement::Statement(sql) => sql.visit(&mut Ignored),
        Statement::Explain(explain) => return refuse(&explain.statement),
        Statement::CopyTo(copy) => match &copy.source {
            CopyToSource::Query(query) => query.visit(&mut Ignored),
            CopyToSource::Relation(_) => ControlFlow::Continue(()),
        },
        Statement::CreateExternalTable(_) | Statement::Reset(_) => {
            ControlFlow::Continue(())
        }
    };
    match found {
        ControlFlow::Break(part) => plan_err!("{part} is not supported"),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Finds the first part that is ignored.
struct Ignored;

impl Visitor for Ignored {
    type Break = &'static str;

    fn pre_visit_table_factor(
        &mut self,
        table: &TableFactor,
    ) -> ControlFlow<&'static str> {
        match table {
            TableFactor::Table { sample: Some(_), .. }
            | TableFactor::Derived { sample: Some(_), .. } => {
                ControlFlow::Break("TABLESAMPLE")
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_select(
        &mut self,
        select: &Select,
    ) -> ControlFlow<&'static str> {
        let is_ignored = |item: &SelectItem| match item {
            SelectItem::Wildcard(options)
            | SelectItem::QualifiedWildcard(_, options) => {
                options.opt_ilike.is_some()
            }
            _ => false,
        };
        match select.projection.iter().any(is_ignored) {
            true => ControlFlow::Break("ILIKE after *"),
            false => ControlFlow::Continue(()),
        }
    }
}
