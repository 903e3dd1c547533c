//! Errors in plain words.

use std::error::Error;

use datafusion::{arrow::error::ArrowError, common::DataFusionError};

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
        E::Context(what, inner) => format!("{what}: {}", message(inner)),
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

/// What may stand before a message. An error of a scheduler is known as text only.
const PREFIXES: &[&str] = &[
    "Arrow error: ",
    "DataFusion error: ",
    "Error during planning: ",
    "Execution error: ",
    "External error: ",
    "IO error: ",
    "Invalid or Unsupported Configuration: ",
    "This feature is not implemented: ",
    "Task failed due to runtime execution error: ",
];

fn plain(text: &str) -> String {
    let mut rest = text.trim_end();
    loop {
        let without = PREFIXES.iter().find_map(|p| rest.strip_prefix(p));
        match without.or_else(|| without_job(rest)) {
            Some(without) => rest = without,
            None => break,
        }
    }
    if let Some(call) = wrong_call(rest) {
        return format!("the arguments are wrong: {call}");
    }
    of_task(rest).unwrap_or_else(|| rest.to_string())
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
    let is_task = ["DataFusionError(", "ArrowError("]
        .iter()
        .any(|start| text.starts_with(start));
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
        false => message,
    })
}

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
