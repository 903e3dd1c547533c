//! The fields of views as JSON.

use linetape::{
    Usage, Value,
    message::{
        FromValue, List, Map,
        stream::AssistantError,
        system::{CompactTrigger, PermissionMode},
    },
};
use linetape_tools::{answers::*, hooks::*, inputs::*, results::*};
use serde_json::Value as Json;

/// Returns the value of a field, which must be present.
pub fn shown<T: Shown>(field: Option<T>) -> Json {
    field.expect("the field has a value").to_json()
}

/// The type of a field.
pub trait Shown {
    fn to_json(self) -> Json;
}

impl Shown for &str {
    fn to_json(self) -> Json {
        self.into()
    }
}

impl Shown for bool {
    fn to_json(self) -> Json {
        self.into()
    }
}

impl Shown for u64 {
    fn to_json(self) -> Json {
        self.into()
    }
}

impl Shown for f64 {
    fn to_json(self) -> Json {
        match self as u64 {
            whole if whole as f64 == self => whole.into(),
            _ => self.into(),
        }
    }
}

impl Shown for Value<'_> {
    fn to_json(self) -> Json {
        serde_json::to_value(self).unwrap()
    }
}

impl<'a, T: FromValue<'a> + Shown> Shown for List<'a, T> {
    fn to_json(self) -> Json {
        self.iter().map(T::to_json).collect()
    }
}

impl<'a, T: FromValue<'a> + Shown> Shown for Map<'a, T> {
    fn to_json(self) -> Json {
        let entry = |(key, value): (&str, T)| (key.into(), value.to_json());
        Json::Object(self.iter().map(entry).collect())
    }
}

macro_rules! objects {
    ($($name:ident)*) => {$(
        impl Shown for $name<'_> {
            fn to_json(self) -> Json {
                serde_json::to_value(self).unwrap()
            }
        }
    )*};
}
objects! {
    AgentText AllowedPrompt Annotation ArtifactRead BackgroundTask
    BatchToolCall Effort GitBranch GitCommit GitDiff GitOperation
    GitPullRequest GitPush HookSpecificOutput Hunk ImageDimensions
    McpServerOrigin PageImage PermissionRule PermissionUpdate Question
    QuestionMetadata QuestionOption ReadFile Replacement RequestDecision
    SearchHit SearchResult SessionCron Todo ToolStats Usage
}

/// An enumeration: the text must be known.
macro_rules! texts {
    ($($name:ident)*) => {$(
        impl Shown for $name<'_> {
            fn to_json(self) -> Json {
                assert!(!matches!(self, $name::Other(_)), "{self}");
                self.as_str().into()
            }
        }
    )*};
}
texts! {
    AgentStatus AssistantError CacheTtl CompactTrigger ConfigSource Decision
    DirectorySource ElicitationAction ElicitationMode ExitReason
    ExpansionType FileEvent GrepMode Isolation LoadReason MemoryType
    PermissionDecision PermissionDestination PermissionMode
    PermissionUpdateKind Pricing PromptSource ReadKind SessionSource
    SetupTrigger SwitchSource TodoStatus WriteKind
}
