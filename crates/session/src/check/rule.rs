use std::fmt;

/// What a [`Finding`](crate::check::Finding) says was broken.
///
/// # Example
///
/// This shows how to list the names that reports have.
///
/// ```
/// use linetape_session::check::Rule;
///
/// let names: Vec<_> = Rule::ALL.iter().map(|rule| rule.name()).collect();
/// assert!(names.contains(&"unanswered_call"));
/// assert_eq!(Rule::UnansweredCall.to_string(), "unanswered_call");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// A field that the message needs is not there.
    RequiredField,
    /// A field is not what the message's type makes it, or a message or block
    /// stands where none of its type can.
    Structure,
    /// A timestamp is not ISO 8601, with a date, a time and an offset.
    Timestamp,
    /// A uuid is used by two messages of a session.
    DuplicateUuid,
    /// The message that this one follows is not there.
    MissingParent,
    /// Messages follow each other in a circle.
    ParentCycle,
    /// A message comes before the one that it follows, or a result before its
    /// call.
    Order,
    /// A message is not on the side, main or sub-agent's, that the messages
    /// around it are on.
    Sidechain,
    /// A call of a tool does not say which tool, with what, or which call it
    /// is.
    ToolCall,
    /// Two calls of a session have one id.
    RepeatedCall,
    /// A call has two results.
    RepeatedResult,
    /// A call has no result.
    UnansweredCall,
    /// A result has no call.
    UnaskedResult,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 13] = [
        Rule::RequiredField,
        Rule::Structure,
        Rule::Timestamp,
        Rule::DuplicateUuid,
        Rule::MissingParent,
        Rule::ParentCycle,
        Rule::Order,
        Rule::Sidechain,
        Rule::ToolCall,
        Rule::RepeatedCall,
        Rule::RepeatedResult,
        Rule::UnansweredCall,
        Rule::UnaskedResult,
    ];

    /// The rule's name in reports. It does not change.
    pub fn name(self) -> &'static str {
        match self {
            Rule::RequiredField => "required_field",
            Rule::Structure => "structure",
            Rule::Timestamp => "timestamp",
            Rule::DuplicateUuid => "duplicate_uuid",
            Rule::MissingParent => "missing_parent",
            Rule::ParentCycle => "parent_cycle",
            Rule::Order => "order",
            Rule::Sidechain => "sidechain",
            Rule::ToolCall => "tool_call",
            Rule::RepeatedCall => "repeated_call",
            Rule::RepeatedResult => "repeated_result",
            Rule::UnansweredCall => "unanswered_call",
            Rule::UnaskedResult => "unasked_result",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How bad it is.
///
/// # Example
///
/// This shows that errors are above notes.
///
/// ```
/// use linetape_session::check::Level;
///
/// assert!(Level::Error > Level::Note);
/// assert_eq!(Level::Note.to_string(), "note");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Odd, but agents do so on purpose, or the log is only a part.
    Note,
    /// Something is wrong.
    Error,
}

impl Level {
    /// The level's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_rules_is_in_the_order_of_the_enum() {
        for (at, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(rule as usize, at, "{rule}");
        }
        // The last variant is the last of the list: nothing was left out.
        assert_eq!(Rule::UnaskedResult as usize + 1, Rule::ALL.len());
    }
}
