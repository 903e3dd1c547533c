//! Refuses samples of tables.

use std::ops::ControlFlow;

use datafusion::{
    common::plan_err,
    error::Result,
    sql::{
        parser::{CopyToSource, Statement},
        sqlparser::ast::{TableFactor, Visit, Visitor},
    },
};

/// Refuses a statement with TABLESAMPLE. DataFusion reads the whole table instead, so
/// that sums would be wrong.
pub fn refuse(statement: &Statement) -> Result<()> {
    let found = match statement {
        Statement::Statement(sql) => sql.visit(&mut Samples),
        Statement::Explain(explain) => return refuse(&explain.statement),
        Statement::CopyTo(copy) => match &copy.source {
            CopyToSource::Query(query) => query.visit(&mut Samples),
            CopyToSource::Relation(_) => ControlFlow::Continue(()),
        },
        Statement::CreateExternalTable(_) | Statement::Reset(_) => {
            ControlFlow::Continue(())
        }
    };
    match found {
        ControlFlow::Break(()) => plan_err!("TABLESAMPLE is not supported"),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Finds samples.
struct Samples;

impl Visitor for Samples {
    type Break = ();

    fn pre_visit_table_factor(
        &mut self,
        table: &TableFactor,
    ) -> ControlFlow<()> {
        match table {
            TableFactor::Table { sample: Some(_), .. }
            | TableFactor::Derived { sample: Some(_), .. } => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}
