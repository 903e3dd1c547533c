//! Mistakes in the SQL that DataFusion describes with its own names.

/// Describes a mistake in plain words, if it is a known one.
pub(super) fn in_words(text: &str) -> Option<String> {
    of_group(text)
        .or_else(|| of_names(text))
        .or_else(|| of_pattern(text))
        .or_else(|| of_call(text))
        .or_else(|| of_store(text))
        .or_else(|| of_condition(text))
}

/// Describes a condition that is neither true nor false.
fn of_condition(text: &str) -> Option<String> {
    let start = "Cannot create filter with non-boolean predicate '";
    let (what, rest) = text.strip_prefix(start)?.split_once("' returning ")?;
    Some(format!("{} is not a condition: its type is {rest}", readable(what)))
}

/// Describes an address that no object store is known for.
fn of_store(text: &str) -> Option<String> {
    let start = "No suitable object store found for ";
    let (address, _) = text.strip_prefix(start)?.split_once(". See ")?;
    Some(format!("there is no access to {address}"))
}

/// Describes a column that is neither grouped by nor aggregated.
fn of_group(text: &str) -> Option<String> {
    // `Column in SELECT must be in GROUP BY or an aggregate function: While expanding
    // wildcard, column "lines.type" must appear in the GROUP BY clause or ...`, even if
    // there is no wildcard.
    let start = "While expanding wildcard, column \"";
    if let Some((_, rest)) = text.split_once(start) {
        let (name, _) =
            rest.split_once("\" must appear in the GROUP BY clause")?;
        let name = readable(name);
        return Some(format!(
            "{name} must be in GROUP BY, or in an aggregate function such as \
             max({name})"
        ));
    }
    let rest = text.strip_prefix("HAVING clause references: ")?;
    let (what, _) = rest.split_once(" must appear in the GROUP BY clause")?;
    let what = readable(what);
    Some(format!(
        "{what} in HAVING must be in GROUP BY, or in an aggregate function"
    ))
}

/// Describes two columns of the same name.
fn of_names(text: &str) -> Option<String> {
    let start =
        "Projections require unique expression names but the expression \"";
    let (first, _) =
        text.strip_prefix(start)?.split_once("\" at position ")?;
    let name = match first.rsplit_once(" AS ") {
        Some((_, name)) => name.to_string(),
        None => readable(first),
    };
    Some(format!(
        "two columns have the same name, {name}: give one of them another name with AS"
    ))
}

/// Describes a regular expression that is not valid.
fn of_pattern(text: &str) -> Option<String> {
    const NOT_VALID: &str = "the regular expression is not valid";
    if text.contains("CompiledTooBig(")
        || text.contains("Compiled regex exceeds size limit")
    {
        return Some("the regular expression is too large".to_string());
    }
    if let Some((_, rest)) = text.split_once("regex parse error:\n") {
        // The pattern with a mark below it, and then the reason.
        let mut shown = String::new();
        for line in rest.lines().filter(|line| !line.starts_with("~~~")) {
            if let Some(reason) = line.strip_prefix("error: ") {
                return Some(format!("{NOT_VALID}: {reason}{shown}"));
            }
            shown.push('\n');
            shown.push_str(line);
        }
    }
    let (_, pattern) =
        text.split_once("Regular expression did not compile: ")?;
    Some(format!("{NOT_VALID}: {pattern}"))
}

/// Removes the name of a function that is not one of SQL: `failed to call 'name' ...`.
fn of_call(text: &str) -> Option<String> {
    let rest = text.strip_prefix("failed to call '")?;
    let (_, rest) = rest.split_once("' ")?;
    Some(super::plain(rest))
}

/// Returns an expression as it is in SQL: DataFusion writes `Int64(1)` for 1, and
/// `Utf8("a")` for 'a'.
fn readable(expression: &str) -> String {
    const TYPES: [&str; 4] = ["Int64(", "UInt64(", "Float64(", "Boolean("];
    // What is counted in `count(*)` is the number 1.
    let expression = expression.replace("count(Int64(1))", "count(*)");
    let mut text = String::new();
    let mut rest = expression.as_str();
    while let Some(c) = rest.chars().next() {
        let is_inside = text.ends_with(|c: char| c.is_alphanumeric());
        let literal = TYPES
            .iter()
            .find_map(|start| rest.strip_prefix(start)?.split_once(')'));
        let string = rest
            .strip_prefix("Utf8(\"")
            .and_then(|rest| rest.split_once("\")"));
        match (literal, string) {
            (Some((value, after)), _) if !is_inside => {
                text.push_str(value);
                rest = after;
            }
            (_, Some((value, after))) if !is_inside => {
                text.push('\'');
                text.push_str(&value.replace('\'', "''"));
                text.push('\'');
                rest = after;
            }
            _ => {
                text.push(c);
                rest = rest.strip_prefix(c).unwrap_or_default();
            }
        }
    }
    text
}
