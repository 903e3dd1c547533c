/*!
Owned types: the same schema as the views, without lifetimes.

They are created from views by `try_from`, or from JSON by `Deserialize`, and
serialised without loss, like [`linetape::owned`]: what the schema does not
know is in `extra`.

# Example

This changes the input of a tool, as a hook may do.

```
use linetape_tools::owned::ToolInput;

let input = serde_json::json!({"command": "ls", "novel": 1});
let ToolInput::Bash(mut bash) = ToolInput::new("Bash", input) else {
    panic!("not Bash");
};
bash.command = Some("ls -l".to_string());
assert_eq!(
    serde_json::to_string(&bash)?,
    r#"{"command":"ls -l","novel":1}"#
);
# Ok::<(), serde_json::Error>(())
```
*/

use linetape::{
    Error,
    owned::schema::{Slot, Source},
};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::tools as view;

pub use answers::HookAnswer;
pub use hooks::HookInput;

/// Hook inputs.
pub mod hooks {
    use linetape::owned::{
        schema::owned_types,
        stream::AssistantError,
        system::{CompactTrigger, PermissionMode},
    };

    use crate::hooks as view;

    view::hooks!(owned_types);
}

/// Hook answers.
///
/// # Example
///
/// This builds the answer of a hook that denies a tool use.
///
/// ```
/// use linetape_tools::owned::{
///     HookAnswer,
///     answers::{HookSpecificOutput, PreToolUseOutput},
///     hooks::PermissionDecision,
/// };
///
/// let mut output = PreToolUseOutput::default();
/// output.permission_decision = Some(PermissionDecision::Deny);
/// let output = HookSpecificOutput::PreToolUse(Box::new(output));
/// let answer = HookAnswer {
///     hook_specific_output: Some(output),
///     ..HookAnswer::default()
/// };
/// assert_eq!(
///     serde_json::to_string(&answer)?,
///     r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
pub mod answers {
    use linetape::owned::schema::owned_types;

    use crate::{
        answers as view,
        owned::hooks::{
            ElicitationAction, PermissionDecision, PermissionUpdate,
        },
    };

    view::answers!(owned_types);
}

/// Tool inputs.
pub mod inputs {
    use linetape::owned::{schema::owned_types, system::PermissionMode};

    use crate::inputs as view;

    view::inputs!(owned_types);
}

/// Tool results.
pub mod results {
    use linetape::owned::{Usage, schema::owned_types};

    use crate::{
        owned::inputs::{Annotation, GrepMode, Question, Replacement, Todo},
        results as view,
    };

    view::results!(owned_types);
}

/// Generates [`ToolInput`] or [`ToolResult`] from the variants and their
/// types.
macro_rules! by_tool {
    (
        $(#[$doc:meta])*
        $name:ident $other:literal {$(
            $(#[$note:meta])*
            $variant:ident($type:ty) = [$($text:literal),+],
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$note])*
                $variant(Box<$type>),
            )*
            #[doc = $other]
            Other(Json),
        }

        impl $name {
            /// Creates the owned type for the tool with the given name.
            pub fn new(name: &str, json: Json) -> $name {
                let mut json = Source::of_json(json);
                let known = match name {
                    $($($text)|+ => <$type>::fill(&mut json).map(|part| {
                        $name::$variant(Box::new(part))
                    }),)*
                    _ => None,
                };
                known.unwrap_or_else(|| $name::Other(json.take_json()))
            }
        }

        impl TryFrom<view::$name<'_>> for $name {
            type Error = Error;

            fn try_from(view: view::$name<'_>) -> Result<$name, Error> {
                Ok(match view {
                    $(view::$name::$variant(view) => {
                        $name::$variant(Box::new(view.try_into()?))
                    })*
                    view::$name::Other(value) => {
                        $name::Other(value.try_into()?)
                    }
                })
            }
        }

        /// Serialises the input or result itself, without the tool's name.
        impl Serialize for $name {
            fn serialize<S: Serializer>(
                &self,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                match self {
                    $($name::$variant(part) => part.serialize(to),)*
                    $name::Other(json) => json.serialize(to),
                }
            }
        }
    };
}

macro_rules! owned_tools {
    ($(
        $(#[$note:meta])*
        $variant:ident($input:ident, $result:ident) = $names:tt,
    )*) => {
        by_tool! {
            /// The input of a tool: one variant for each tool that the schema
            /// knows.
            ToolInput
            "The input of another tool, or an input that is not an object."
            {$(
                $(#[$note])*
                $variant(inputs::$input) = $names,
            )*}
        }
        by_tool! {
            /// The result of a tool: one variant for each tool that the
            /// schema knows.
            ToolResult
            "The result of another tool, or a result that is not an object."
            {$(
                $(#[$note])*
                $variant(results::$result) = $names,
            )*}
        }
    };
}
view::tools!(owned_tools);

impl HookInput {
    /// Returns the name of the event, if it is a string.
    pub fn event_name(&self) -> Option<&str> {
        use linetape::owned::schema::Part as _;
        match self {
            HookInput::Other(other) => other.hook_event_name.as_deref(),
            known => known.inside().tag("hook_event_name"),
        }
    }
}
