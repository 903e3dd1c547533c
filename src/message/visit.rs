/*!
[`Message::visit`], which traverses a record along the schema.
*/

use crate::message::{
    Message,
    control::{ControlRequest, ControlResponse, Request, Response},
    schema::{SchemaWalk, Shape, ViewFields, Visited},
};

impl<'a> Message<'a> {
    /// Visits the members and items of the record in the order of the text,
    /// both those that the schema describes and those that it does not know.
    ///
    /// An object or array is visited before its members or items. The inside
    /// of a value is visited only if its reading is [`Reading::Read`]. The
    /// record's `type` and `subtype` are always known; in a message of an
    /// unknown type, they are the only known keys.
    ///
    /// [`Reading::Read`]: crate::message::Reading::Read
    ///
    /// The schema consists of the fields of the views. It does not include
    /// other keys that accessors such as [`Message::session_id`] may read. If
    /// the [`body`](ControlRequest::body) of a control message is the message
    /// itself, the message has the fields of both views.
    ///
    /// In a peeked line, keys are unescaped, but string values are not: a
    /// string with an invalid escape sequence counts as a string.
    ///
    /// # Example
    ///
    /// This finds the values that the schema does not know.
    ///
    /// ```
    /// use linetape::{
    ///     Decoder,
    ///     message::{PathStep, Reading},
    /// };
    ///
    /// let line = br#"{"type":"user","mood":"merry",
    ///     "message":{"role":"user","content":[{"type":"text","text":7}]}}"#;
    /// let mut decoder = Decoder::new();
    /// let record = decoder.decode(line)?;
    /// let mut found = vec![];
    /// record.message().visit(|visited| match visited.reading {
    ///     Reading::Read | Reading::Json => {}
    ///     reading => found.push((visited.path.to_vec(), reading)),
    /// });
    ///
    /// use PathStep::{Index, Key};
    /// let text = [Key("message"), Key("content"), Index(0), Key("text")];
    /// let expected = [
    ///     (vec![Key("mood")], Reading::UnknownKey),
    ///     (text.to_vec(), Reading::OtherType),
    /// ];
    /// assert_eq!(found, expected);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn visit(self, mut each: impl FnMut(Visited<'_, 'a>)) {
        let Some(object) = self.value().as_object() else { return };
        let walk = &mut SchemaWalk::new(&mut each);
        match self {
            Message::ControlRequest(request) if request.is_flat() => {
                let beside = ControlRequest::FIELDS;
                Request::walk_beside(object, KIND, beside, walk);
            }
            Message::ControlResponse(response) if response.is_flat() => {
                let beside = ControlResponse::FIELDS;
                Response::walk_beside(object, KIND, beside, walk);
            }
            _ => self.walk(object, walk),
        }
    }
}

/// The keys that define the kind of a record.
pub(crate) const KIND: &[&str] = &["type", "subtype"];
