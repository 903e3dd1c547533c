//! Errors in plain words.

mod process;
mod words;

use std::error::Error;

use datafusion::{
    arrow::error::ArrowError,
    common::{DataFusionError, SchemaError},
    sql::sqlparser::parser::ParserError,
};

/// Returns the message of an error, without the names that DataFusion and Ballista put
/// before it for each of their layers.
///
/// # Example
///
/// This shows the message of an error inside of another one.
///
/// ```
/// use datafusion::error::DataFusionError;
/// use linetape_sql::message;
///
/// let error = DataFusionError::Execution("there is no such file".to_string());
/// let error = DataFusionError::External(Box::new(error)).context("a.jsonl");
/// assert_eq!(message(&error), "a.jsonl: there is no such file");
/// ```
pub fn message(error: &DataFusionError) -> String {
    use DataFusionError as E;

    match error {
        // Which rule of the planner has found it is of no use.
        E::Context(what, inner) if is_rule(what) => message(inner),
        // The inner error says it, too.
        E::Context(what, inner) if what == "Invalid regex" => message(inner),
        E::Context(what, inner) => format!("{what}: {}", message(inner)),
        E::SQL(inner, _) => of_syntax(inner),
        E::SchemaError(inner, _) => of_column(inner),
        E::Diagnostic(_, inner) => message(inner),
        E::Shared(inner) => message(inner),
        E::Collection(errors) => match errors.first() {
            Some(first) => message(first),
            None => error.strip_backtrace(),
        },
        E::External(inner) => of_other(inner.as_ref()),
        E::ArrowError(inner, _) => of_arrow(inner),
        E::IoError(inner) => match inner.get_ref() {
            Some(inner) => of_other(inner),
            None => inner.to_string(),
        },
        _ => plain(&error.strip_backtrace()),
    }
}

/// Checks whether a context is `Optimizer rule 'some_rule' failed`, or the name of a rule
/// of the analyzer, such as `some_rule`.
fn is_rule(what: &str) -> bool {
    what.starts_with("Optimizer rule '")
        || (what.contains('_')
            && what.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
}

fn of_arrow(error: &ArrowError) -> String {
    match error {
        ArrowError::ExternalError(inner) => of_other(inner.as_ref()),
        _ => plain(&error.to_string()),
    }
}

fn of_other(error: &(dyn Error + Send + Sync + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<DataFusionError>() {
        return message(error);
    }
    match error.downcast_ref::<ArrowError>() {
        Some(error) => of_arrow(error),
        None => plain(&error.to_string()),
    }
}

/// Returns the message of a syntax error, with its place if the parser has told it.
fn of_syntax(error: &ParserError) -> String {
    let text = match error {
        ParserError::ParserError(text) | ParserError::TokenizerError(text) => {
            text
        }
        ParserError::RecursionLimitExceeded => {
            return "the SQL is nested too deeply".to_string();
        }
    };
    let (what, place) = match text.rsplit_once(" at Line: ") {
        Some((what, place)) => {
            let place = place.replace(", Column: ", ", column ");
            (what, format!("line {place}"))
        }
        None if text.ends_with("found: EOF") => {
            (text.as_str(), AT_END.to_string())
        }
        None => return format!("syntax error: {text}"),
    };
    let what = what.trim_end_matches('.');
    let what = what.replace("Expected: ", "expected ");
    let what = what.replace("found: EOF", "found nothing");
    let what = what.replace("found: ", "found ");
    format!("syntax error at {place}: {what}")
}

/// Where the SQL ends too early.
const AT_END: &str = "the end";

/// Returns the message of a column that is not there, without the list of all columns.
fn of_column(error: &SchemaError) -> String {
    let text = error.to_string();
    match error {
        SchemaError::FieldNotFound { .. } => {
            let first = text.lines().next().unwrap_or_default();
            let text = plain(first);
            let text = text.trim_end_matches('.');
            text.replacen("No field named ", "there is no column ", 1)
        }
        _ => plain(&text),
    }
}

/// What may stand before a message. An error of a scheduler is known as text only.
const PREFIXES: &[&str] = &[
    "Arrow error: ",
    "Cast error: ",
    "Compute error: ",
    "Could not parse plan: ",
    "DataFusion error: ",
    "Error during planning: ",
    "Execution error: ",
    "External error: ",
    "General error: ",
    "IO error: ",
    "Internal Ballista error: ",
    "Internal error: ",
    "Invalid argument error: ",
    "Invalid or Unsupported Configuration: ",
    "Parser error: ",
    "Proto serialization error: ",
    "Schema error: ",
    "This feature is not implemented: ",
    "Task failed due to IO error: ",
    "Task failed due to runtime execution error: ",
    "failed to serialize logical plan: ",
];

fn plain(text: &str) -> String {
    if let Some(call) = wrong_call(text) {
        return format!("the arguments are wrong: {call}");
    }
    // Such an error is usually a mistake in the SQL.
    let advice = "\nThis issue was likely caused by a bug in DataFusion";
    let text = text.split_once(advice).map_or(text, |(text, _)| text);
    let mut rest = text.trim_end();
    loop {
        let without = PREFIXES.iter().find_map(|p| rest.strip_prefix(p));
        match without.or_else(|| without_job(rest)) {
            Some(without) => rest = without,
            None => break,
        }
    }
    if let Some(part) = unknown_part(rest) {
        return part;
    }
    of_task(rest)
        .or_else(|| words::in_words(rest))
        .or_else(|| process::of_process(rest))
        .unwrap_or_else(|| rest.to_string())
}

/// Describes what DataFusion shows as Rust does for programmers.
fn unknown_part(text: &str) -> Option<String> {
    // `Unsupported ast node Pivot { table: ...`, `... Identifier(Ident { ...`.
    if let Some((start, _)) = text.split_once(" { ")
        && text.contains("Ident {")
    {
        let start = start.trim_end_matches("Ident").trim_end_matches('(');
        return Some(format!("this SQL is not supported: {start}"));
    }
    let start = "Physical plan does not support logical expression ";
    if let Some(rest) = text.strip_prefix(start) {
        let name = rest.split(['(', ' ']).next()?;
        return Some(format!("such an expression is not supported: {name}"));
    }
    let names = text.strip_prefix("compound identifier: [")?;
    let names = names.strip_suffix(']')?.replace("\", \"", ".");
    let name = names.trim_matches('"');
    Some(format!("a name has too many parts: {name}"))
}

/// Removes the prefixes `Job 1A failed: ` and `Job failed due to stage 1 failed: `.
fn without_job(text: &str) -> Option<&str> {
    let (job, rest) = text.strip_prefix("Job ")?.split_once(" failed: ")?;
    let is_id = !job.contains(' ');
    let is_stage = job.starts_with("failed due to stage ");
    (is_id || is_stage).then_some(rest)
}

/// Finds a call for which there is no function. DataFusion lists all types with which
/// it has tried, and says that this may be a bug.
fn wrong_call(text: &str) -> Option<&str> {
    let start = "No function matches the given name and argument types '";
    let (_, rest) = text.split_once(start)?;
    Some(rest.split_once("'. You might")?.0)
}

/// Finds the message in an error of a task, which Ballista has written as Rust does
/// for programmers: `DataFusionError(Shared(External(Execution("message"))))`.
fn of_task(text: &str) -> Option<String> {
    let is_task = TASK_ERRORS.iter().any(|start| text.starts_with(start));
    if !is_task {
        return None;
    }
    let rest = text.trim_end_matches(')');
    let Some((names, quoted)) = rest.split_once('"') else {
        return Some(match rest.rsplit('(').next() {
            Some("DivideByZero") => ArrowError::DivideByZero.to_string(),
            name => name.unwrap_or(rest).to_string(),
        });
    };
    // After the text, there may be a backtrace.
    let message = unescaped(quoted);
    Some(match names.ends_with("ArithmeticOverflow(") {
        true => ArrowError::ArithmeticOverflow(message).to_string(),
        false => plain(&message),
    })
}

/// The beginnings of such errors.
const TASK_ERRORS: &[&str] = &[
    "ArrowError(",
    "DataFusionError(",
    "General(",
    "GrpcActionError(",
    "GrpcConnectionError(",
    "Internal(",
    "NotImplemented(",
    "Plan(",
];

/// Returns a text up to its quotation mark.
fn unescaped(quoted: &str) -> String {
    let mut text = String::new();
    let mut rest = quoted.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => break,
            '\\' => match rest.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('u') => {
                    let digits = rest.by_ref().skip(1);
                    let digits: String =
                        digits.take_while(|c| *c != '}').collect();
                    let code = u32::from_str_radix(&digits, 16).ok();
                    text.extend(code.and_then(char::from_u32));
                }
                Some(c) => text.push(c),
                None => {}
            },
            c => text.push(c),
        }
    }
    text
}
