/*!
The rules of the checker, and their severity.
*/

use crate::check::named::named;

/// The rule that a [`Finding`](crate::check::Finding) is about.
///
/// # Example
///
/// This shows how to list the names of the rules.
///
/// ```
/// use linetape_session::check::Rule;
///
/// let names: Vec<_> = Rule::ALL.iter().map(|rule| rule.as_str()).collect();
/// assert!(names.contains(&"unanswered_call"));
/// assert_eq!(Rule::UnansweredCall.to_string(), "unanswered_call");
/// assert_eq!("unanswered_call".parse(), Ok(Rule::UnansweredCall));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// A required field is missing.
    RequiredField,
    /// A field has the wrong type, or the type of a message or content block
    /// is not allowed.
    Structure,
    /// A timestamp is not an ISO 8601 date and time.
    Timestamp,
    /// Two messages of a session have the same uuid.
    DuplicateUuid,
    /// The parent of a message is not in the log.
    MissingParent,
    /// The parents of messages form a cycle.
    ParentCycle,
    /// A message comes before its parent, or a result before its call.
    Order,
    /// A message is in a sidechain and its parent is not, or the reverse; or
    /// the call that started a sub-agent is missing.
    Sidechain,
    /// A tool call has no id, tool name or input.
    ToolCall,
    /// Two tool calls of a session have the same id.
    RepeatedCall,
    /// A tool call has two results.
    RepeatedResult,
    /// A tool call has no result.
    UnansweredCall,
    /// A tool result has no call.
    UnaskedResult,
    /// The agent program could not save lines of a transcript.
    LostWrites,
}

named!(Rule, "rule", {
    RequiredField = "required_field",
    Structure = "structure",
    Timestamp = "timestamp",
    DuplicateUuid = "duplicate_uuid",
    MissingParent = "missing_parent",
    ParentCycle = "parent_cycle",
    Order = "order",
    Sidechain = "sidechain",
    ToolCall = "tool_call",
    RepeatedCall = "repeated_call",
    RepeatedResult = "repeated_result",
    UnansweredCall = "unanswered_call",
    UnaskedResult = "unasked_result",
    LostWrites = "lost_writes",
});

/// The severity of a [`Finding`](crate::check::Finding).
///
/// # Example
///
/// This shows that errors compare as greater than notes.
///
/// ```
/// use linetape_session::check::Level;
///
/// assert!(Level::Error > Level::Note);
/// assert_eq!(Level::Note.to_string(), "note");
/// assert_eq!("error".parse(), Ok(Level::Error));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Irregular, but agents write such lines on purpose, or the log is only a
    /// part of a session.
    Note,
    /// A violation of the rule.
    Error,
}

named!(Level, "level", {
    Note = "note",
    Error = "error",
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Dialect;

    #[test]
    fn the_list_of_rules_is_in_the_order_of_the_enum() {
        for (at, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(rule as usize, at, "{rule}");
        }
    }

    #[test]
    fn names_of_rules_levels_and_dialects_parse_back() {
        for rule in Rule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        let error = "Order".parse::<Rule>().map_err(|e| e.to_string());
        assert_eq!(error, Err("unknown rule".to_string()));
    }
}
