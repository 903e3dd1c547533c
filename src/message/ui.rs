use crate::{
    json::{Object, Value},
    message::{
        schema::{Fields, ViewField, ViewFields, views},
        server::{
            BatchPermissionRequired, CommandComplete, Complete, Display,
            PermissionRequired, ServerError, ServerSystem, TextChunk,
            TokenUpdate, ToolCompleted, ToolExecuting,
            UserInteractionRequired,
        },
    },
};

/// The events of an agent server, distinguished by their single key.
macro_rules! ui_messages {
    ($to:ident) => {
        $to! {
            /// A chunk of the answer's text.
            TextChunk(TextChunk),
            /// The start of a tool use.
            ToolExecuting(ToolExecuting),
            /// The end of a tool use.
            ToolCompleted(ToolCompleted),
            /// The end of a turn.
            Complete(Complete),
            /// A tool use that requires permission.
            PermissionRequired(PermissionRequired),
            /// Several tool uses that require permission.
            BatchPermissionRequired(BatchPermissionRequired),
            /// Questions that the user has to answer.
            UserInteractionRequired(UserInteractionRequired),
            /// The token usage so far.
            TokenUpdate(TokenUpdate),
            /// An error.
            Error(ServerError),
            /// A message from the server itself.
            System(ServerSystem),
            /// Text to display to the user.
            Display(Display),
            /// The end of a slash command.
            CommandComplete(CommandComplete),
        }
    };
}
pub(crate) use ui_messages;

macro_rules! ui_view {
    ($($(#[$note:meta])* $variant:ident($view:ident),)*) => {
        /// The typed body of an agent-server event.
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum UiEvent<'a> {
            $($(#[$note])* $variant($view<'a>),)*
        }

        impl<'a> UiEvent<'a> {
            /// The keys of the known events, in the order of the variants.
            pub const KINDS: &'static [&'static str] =
                &[$(stringify!($variant),)*];

            fn new(name: &str, value: Value<'a>) -> Option<UiEvent<'a>> {
                value.as_object()?;
                Some(match name {
                    $(stringify!($variant) => {
                        UiEvent::$variant($view::new(value))
                    })*
                    _ => return None,
                })
            }

            /// Returns the body of the event: the value of the record's only
            /// key.
            pub fn value(self) -> Value<'a> {
                match self {
                    $(UiEvent::$variant(view) => view.value(),)*
                }
            }
        }

        /// The fields of which a record has one: its key is the name of the
        /// event.
        impl<'a> ViewFields<'a> for UiEvent<'a> {
            const FIELDS: Fields<'a> = Fields {
                own: &[$(
                    ViewField::new::<$view<'a>>(stringify!($variant), None),
                )*],
                parent: None,
            };
        }
    };
}
ui_messages!(ui_view);

/// An event of an agent server: an object whose only key is the name of the
/// event.
///
/// # Example
///
/// This reads an event.
///
/// ```
/// use linetape::{Decoder, Message, message::server::UiEvent};
///
/// let line = br#"{"TextChunk":{"text":"Hi","session_id":1}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let Message::Ui(ui) = record.message() else { panic!("not an event") };
/// let UiEvent::TextChunk(chunk) = ui.event() else { panic!("not text") };
/// assert_eq!((chunk.text(), chunk.session_id()), (Some("Hi"), Some(1)));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct UiMessage<'a> {
    record: Value<'a>,
    name: &'a str,
    event: UiEvent<'a>,
}

impl<'a> UiMessage<'a> {
    pub(crate) fn from_object(
        record: Value<'a>,
        object: Object<'a>,
    ) -> Option<UiMessage<'a>> {
        let (name, _) = object.iter().next()?;
        let mut value = None;
        for (key, latest) in object {
            // Repetitions of the same key are accepted; the last value is
            // used.
            value = Some(latest).filter(|_| key == name);
            value?;
        }
        let value = value?;
        Some(UiMessage { record, name, event: UiEvent::new(name, value)? })
    }

    /// Returns the name of the event.
    pub fn name(self) -> &'a str {
        self.name
    }

    /// Returns the typed body of the event.
    pub fn event(self) -> UiEvent<'a> {
        self.event
    }

    /// Returns the underlying record.
    pub fn value(self) -> Value<'a> {
        self.record
    }

    /// Returns the identifier of the session that the event belongs to.
    pub fn session_id(self) -> Option<i64> {
        self.event.value().get("session_id")?.as_i64()
    }
}

views!(@shown UiMessage);
