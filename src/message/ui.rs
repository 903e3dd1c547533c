use crate::{
    json::{Object, Value},
    message::{
        schema::{ViewField, ViewFields, views},
        server::{
            BatchPermissionRequired, CommandComplete, Complete, Display,
            PermissionRequired, ServerError, ServerSystem, TextChunk,
            TokenUpdate, ToolCompleted, ToolExecuting,
            UserInteractionRequired,
        },
    },
};

/// The events of an agent server, told apart by their one key.
macro_rules! ui_messages {
    ($each:ident) => {
        $each! {
            /// A piece of the answer.
            TextChunk(TextChunk),
            /// A tool starts.
            ToolExecuting(ToolExecuting),
            /// A tool has ended.
            ToolCompleted(ToolCompleted),
            /// A turn is over.
            Complete(Complete),
            /// A tool needs leave.
            PermissionRequired(PermissionRequired),
            /// Several tools need leave.
            BatchPermissionRequired(BatchPermissionRequired),
            /// The user is asked something.
            UserInteractionRequired(UserInteractionRequired),
            /// How many tokens were used.
            TokenUpdate(TokenUpdate),
            /// Something failed.
            Error(ServerError),
            /// News about the server.
            System(ServerSystem),
            /// Something to show to the user.
            Display(Display),
            /// A command has ended.
            CommandComplete(CommandComplete),
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use ui_messages;

macro_rules! ui_view {
    ($($(#[$note:meta])* $variant:ident($view:ident),)*) => {
        /// What an event of an agent server says.
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum UiEvent<'a> {
            $($(#[$note])* $variant($view<'a>),)*
        }

        impl<'a> UiEvent<'a> {
            /// The keys of events that have a variant, in the order of the
            /// variants.
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

            #[doc(hidden)]
            pub fn count_fields(self) -> usize {
                match self {
                    $(UiEvent::$variant(view) => view.count_fields(),)*
                }
            }

            /// The object that belongs to the event's name.
            pub fn value(self) -> Value<'a> {
                match self {
                    $(UiEvent::$variant(view) => view.value(),)*
                }
            }
        }

        /// A record has just one event. Its name is the field's key.
        impl<'a> ViewFields<'a> for UiEvent<'a> {
            const COUNT: usize = 1;

            fn field(key: &str) -> Option<ViewField<'a>> {
                match key {
                    $(stringify!($variant) => {
                        Some(ViewField::new::<$view<'a>>(0, false))
                    })*
                    _ => None,
                }
            }
        }
    };
}
ui_messages!(ui_view);

/// An event of an agent server: an object whose one key is the event's name.
///
/// # Example
///
/// This shows how to read one.
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
            // A key that is repeated is still the only one.
            value = Some(latest).filter(|_| key == name);
            value?;
        }
        let value = value?;
        Some(UiMessage { record, name, event: UiEvent::new(name, value)? })
    }

    /// The event's name.
    pub fn name(self) -> &'a str {
        self.name
    }

    /// What the event says.
    pub fn event(self) -> UiEvent<'a> {
        self.event
    }

    /// The record that this is a view of.
    pub fn value(self) -> Value<'a> {
        self.record
    }

    /// Returns the number of the session that the event belongs to.
    pub fn session_id(self) -> Option<i64> {
        self.event.value().get("session_id")?.as_i64()
    }
}

views!(@shown UiMessage);
