//! Parts of function calls that DataFusion ignores.

use std::ops::ControlFlow;

use datafusion::{
    execution::SessionState,
    sql::sqlparser::ast::{
        DuplicateTreatment, Expr, Function, FunctionArgumentClause,
        FunctionArguments, Ident, Visit, WindowType, visit_expressions,
    },
};

/// Refuses a call with a part that is ignored.
pub fn refuse(call: &Function, state: &SessionState) -> ControlFlow<String> {
    let name = name(call);
    if call.parameters != FunctionArguments::None {
        return ControlFlow::Break(format!(
            "{name} with two lists of arguments is not supported"
        ));
    }
    // The window would be all rows.
    if let Some(WindowType::WindowSpec(window)) = &call.over
        && let Some(base) = &window.window_name
    {
        return ControlFlow::Break(format!(
            "OVER ({base} ...) is not supported: write OVER {base}, or the whole \
             window in parentheses"
        ));
    }
    let (part, with) = match kind(&name, call, state) {
        Kind::Scalar => (
            part_for_rows(call),
            format!("{name}, which is not an aggregate function"),
        ),
        Kind::Window => (part_for_some_rows(call), format!("{name} and OVER")),
        Kind::Other => (None, name),
    };
    match part {
        Some(part) => {
            ControlFlow::Break(format!("{part} is not supported with {with}"))
        }
        None => ControlFlow::Continue(()),
    }
}

/// Refuses the name of a window in ORDER BY and QUALIFY. There, DataFusion looks for an
/// aggregate function without a window.
pub fn refuse_named_windows(part: &impl Visit) -> ControlFlow<String> {
    visit_expressions(part, |expr| match expr {
        Expr::Function(Function {
            over: Some(WindowType::NamedWindow(name)),
            ..
        }) => ControlFlow::Break(format!(
            "OVER {name} is not supported in ORDER BY and QUALIFY: write the whole \
             window in parentheses"
        )),
        _ => ControlFlow::Continue(()),
    })
}

/// What DataFusion takes a call for.
enum Kind {
    /// A function of one row, also if it makes several of it.
    Scalar,
    /// A function of a window that is not an aggregate function.
    Window,
    Other,
}

fn kind(name: &str, call: &Function, state: &SessionState) -> Kind {
    // Both an aggregate function and one of a window. With OVER, it is the second.
    const BOTH: [&str; 3] = ["first_value", "last_value", "nth_value"];

    let is_unnest = matches!(name, "unnest" | "unnest_outer");
    if is_unnest || state.scalar_functions().contains_key(name) {
        return Kind::Scalar;
    }
    let is_aggregate = state.aggregate_functions().contains_key(name)
        && !BOTH.contains(&name);
    let is_window = state.window_functions().contains_key(name);
    match call.over.is_some() && is_window && !is_aggregate {
        true => Kind::Window,
        false => Kind::Other,
    }
}

/// Returns the name of a function, as DataFusion looks it up.
fn name(call: &Function) -> String {
    let normal = |name: &Ident| match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_ascii_lowercase(),
    };
    match call.name.0.as_slice() {
        [name] => match name.as_ident() {
            Some(name) => normal(name),
            None => call.name.to_string(),
        },
        _ => call.name.to_string(),
    }
}

/// Finds a part that only a function of several rows can have.
fn part_for_rows(call: &Function) -> Option<&'static str> {
    if let Some(part) = part_for_some_rows(call) {
        return Some(part);
    }
    let has_order = clauses(call)
        .iter()
        .any(|clause| matches!(clause, FunctionArgumentClause::OrderBy(_)));
    let has_nulls = clauses(call).iter().any(|clause| {
        matches!(clause, FunctionArgumentClause::IgnoreOrRespectNulls(_))
    });
    if call.over.is_some() {
        Some("OVER")
    } else if !call.within_group.is_empty() {
        Some("WITHIN GROUP")
    } else if has_order {
        Some("ORDER BY")
    } else if call.null_treatment.is_some() || has_nulls {
        Some("IGNORE NULLS or RESPECT NULLS")
    } else {
        None
    }
}

/// Finds a part that leaves out rows.
fn part_for_some_rows(call: &Function) -> Option<&'static str> {
    let is_distinct = match &call.args {
        FunctionArguments::List(list) => {
            list.duplicate_treatment == Some(DuplicateTreatment::Distinct)
        }
        _ => false,
    };
    match (call.filter.is_some(), is_distinct) {
        (true, _) => Some("FILTER"),
        (_, true) => Some("DISTINCT"),
        _ => None,
    }
}

fn clauses(call: &Function) -> &[FunctionArgumentClause] {
    match &call.args {
        FunctionArguments::List(list) => &list.clauses,
        _ => &[],
    }
}
