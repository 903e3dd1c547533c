//! Refuses to replace columns that do not exist.

use std::{mem, ops::ControlFlow};

use datafusion::{
    common::{Diagnostic, SchemaError, Span},
    error::{DataFusionError, Result},
    prelude::SessionContext,
    sql::{
        parser::{CopyToSource, Statement},
        sqlparser::ast::{
            ExcludeSelectItem, Ident, ObjectName, Select, SelectItem,
            VisitMut, VisitorMut, WildcardAdditionalOptions,
        },
    },
};
use linetape_sql::message;

/// Refuses a statement with `* REPLACE (1 AS name)` if there is no such column. DataFusion
/// ignores it.
///
/// What a `*` stands for is known to the planner only. So this has it plan the same
/// statement with `* EXCLUDE (name), 1 AS name`, for which it looks for the column.
pub async fn check(
    statement: &Statement,
    context: &SessionContext,
) -> Result<()> {
    let (mut statement, mut found) = (statement.clone(), Replaced::default());
    found.rewrite(&mut statement);
    if found.names.is_empty() {
        return Ok(());
    }
    let planned = context.state().statement_to_plan(statement).await;
    let Some(error) = planned.err() else { return Ok(()) };
    // Other errors are those of the statement itself, or of the other order of columns.
    let DataFusionError::SchemaError(reason, _) = error.find_root() else {
        return Ok(());
    };
    let SchemaError::FieldNotFound { field, .. } = reason.as_ref() else {
        return Ok(());
    };
    match found.names.iter().find(|name| name.value == field.name) {
        Some(name) => {
            let span = Span::try_from_sqlparser_span(name.span);
            let place = Diagnostic::new_error(message(&error), span);
            Err(error.with_diagnostic(place))
        }
        None => Ok(()),
    }
}

/// The columns that are replaced.
#[derive(Default)]
struct Replaced {
    names: Vec<Ident>,
}

impl Replaced {
    fn rewrite(&mut self, statement: &mut Statement) {
        // It is never ended early.
        let _ = match statement {
            Statement::Statement(sql) => sql.visit(self),
            Statement::Explain(explain) => {
                return self.rewrite(&mut explain.statement);
            }
            Statement::CopyTo(copy) => match &mut copy.source {
                CopyToSource::Query(query) => query.visit(self),
                CopyToSource::Relation(_) => ControlFlow::Continue(()),
            },
            Statement::CreateExternalTable(_) | Statement::Reset(_) => {
                ControlFlow::Continue(())
            }
        };
    }

    /// Excludes the columns that a `*` replaces, and returns them as columns of their own.
    fn take(
        &mut self,
        options: &mut WildcardAdditionalOptions,
    ) -> Vec<SelectItem> {
        let Some(replace) = options.opt_replace.take() else { return vec![] };
        let mut excluded = match options.opt_exclude.take() {
            Some(ExcludeSelectItem::Single(name)) => vec![name],
            Some(ExcludeSelectItem::Multiple(names)) => names,
            None => vec![],
        };
        let mut columns = vec![];
        for item in replace.items {
            let (expr, alias) = (item.expr, item.column_name);
            excluded.push(ObjectName::from(vec![alias.clone()]));
            self.names.push(alias.clone());
            columns.push(SelectItem::ExprWithAlias { expr, alias });
        }
        options.opt_exclude = Some(ExcludeSelectItem::Multiple(excluded));
        columns
    }
}

impl VisitorMut for Replaced {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for mut item in mem::take(&mut select.projection) {
            let columns = match &mut item {
                SelectItem::Wildcard(options)
                | SelectItem::QualifiedWildcard(_, options) => {
                    self.take(options)
                }
                _ => vec![],
            };
            select.projection.push(item);
            select.projection.extend(columns);
        }
        ControlFlow::Continue(())
    }
}
