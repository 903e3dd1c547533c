/*!
Checks that run before a line is parsed: its length, its first byte, and the
number of its values.
*/

use crate::{
    error::{ErrorKind, GOES_ON, LineError, Position},
    json::explain,
    limits::Limits,
    lines::opens_document,
    scan::{is_whitespace, part, skip_whitespace, string_end},
};

/// Checks that a line is not too long, begins with `{`, and does not have more
/// values than allowed.
pub(crate) fn precheck(
    line: &[u8],
    position: Position,
    limits: Limits,
) -> Result<(), LineError> {
    if line.len() > limits.line_cap() {
        let (limit, found) = (limits.line_cap() as u64, line.len() as u64);
        let kind = ErrorKind::LineTooLong;
        return Err(LineError::over_limit(kind, position, limit, found));
    }
    let first = skip_whitespace(line, 0);
    if opens_document(line) && line != b"{" {
        let error = LineError::syntax(position, GOES_ON);
        return Err(LineError { kind: ErrorKind::NotAnObject, ..error });
    }
    if line.get(first) != Some(&b'{') {
        let error =
            LineError::new(ErrorKind::NotAnObject, position.plus(first));
        return Err(error.with_snippet(part(line, first..)));
    }
    match refuse_costly(line, limits.max_nodes) {
        None => Ok(()),
        Some(Refusal::TooManyNodes(at)) => {
            let (kind, limit) = (ErrorKind::TooManyNodes, limits.max_nodes);
            let (limit, found) = (limit as u64, limit as u64 + 1);
            let position = position.plus(at);
            Err(LineError::over_limit(kind, position, limit, found))
        }
        Some(Refusal::NotJson) => {
            let error = explain(line, position, true, limits);
            debug_assert!(error.is_some(), "JSON has a value for each");
            let why = "more commas or brackets than values";
            Err(error.unwrap_or_else(|| LineError::syntax(position, why)))
        }
    }
}

/// Why a line is not parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// The value or key at this offset exceeds the limit.
    TooManyNodes(usize),
    /// More closing brackets, commas and colons than JSON can have.
    NotJson,
}

/// Returns whether `text` has more than `max` values and keys.
///
/// simd-json allocates the tape before it checks the grammar, with 28 bytes
/// per value, key, closing bracket, comma and colon. So these are counted
/// first, unless the text is too short to exceed the limit.
fn refuse_costly(text: &[u8], max: usize) -> Option<Refusal> {
    if text.len() <= max {
        return None;
    }
    let (mut nodes, mut marks, mut at) = (0, 0, 0);
    let mut in_scalar = false;
    while let Some(&byte) = text.get(at) {
        let start = at;
        let was_in_scalar = in_scalar;
        in_scalar = false;
        match byte {
            b'"' => {
                nodes += 1;
                at = string_end(text, at);
            }
            b'{' | b'[' => nodes += 1,
            b'}' | b']' | b',' | b':' => marks += 1,
            byte if is_whitespace(byte) => {}
            _ => {
                in_scalar = true;
                nodes += usize::from(!was_in_scalar);
            }
        }
        if nodes > max {
            return Some(Refusal::TooManyNodes(start));
        }
        // In JSON, a comma or colon follows a node, and each closing bracket
        // belongs to one, so there are at most two per node.
        if marks > 2 * nodes {
            return Some(Refusal::NotJson);
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_counted_outside_of_strings() {
        let text = br#"{"a,[":[1,"b\",,[[",true],"c":{}}"#;
        // The object, "a,[", the array, 1, "b...", true, "c" and {}.
        assert_eq!(refuse_costly(text, 8), None);
        let last = Some(Refusal::TooManyNodes(text.len() - 3));
        assert_eq!(refuse_costly(text, 7), last);
        // The error for a string is at its start.
        let string = Some(Refusal::TooManyNodes(1));
        assert_eq!(refuse_costly(text, 1), string);
        for marks in [",", ":", "]", "}", "[,:,", "1,,,"] {
            let text = marks.repeat(100);
            let refusal = refuse_costly(text.as_bytes(), 50);
            assert_eq!(refusal, Some(Refusal::NotJson), "{marks}");
        }
    }
}
