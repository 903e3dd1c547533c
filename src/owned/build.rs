/*!
Constructors for the messages that a host sends to an agent.
*/

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::owned::{
    AnswerBlock, ApiMessage, Content, OrString,
    control::{
        ControlRequest, ControlResponse, ErrorResponse, PermissionAnswer,
        Request, Response, SetModel, SetPermissionMode, SuccessResponse,
        UnknownRequest, UnknownResponse,
    },
    schema::own,
    server::{ControllerInputPayload, Role, TurnId},
    source::Members,
    stream::User,
};

impl User {
    /// Creates a user message with the given text.
    ///
    /// # Example
    ///
    /// This serialises a prompt.
    ///
    /// ```
    /// use linetape::owned::{Message, stream::User};
    ///
    /// let message = Message::from(User::says("Hello"));
    /// assert_eq!(
    ///     serde_json::to_string(&message)?,
    ///     r#"{"type":"user","message":{"role":"user","content":"Hello"}}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn says(text: impl Into<String>) -> User {
        let message = ApiMessage {
            role: Some("user".to_string()),
            content: Some(Content::Text(text.into())),
            ..ApiMessage::default()
        };
        let mut user = User::default();
        user.message = Some(OrString::Object(message));
        user
    }
}

impl ControlRequest {
    /// Creates a request. The response will have the same `request_id`.
    ///
    /// # Example
    ///
    /// This interrupts an agent.
    ///
    /// ```
    /// use linetape::owned::{Message, control::{ControlRequest, Request}};
    ///
    /// let request = ControlRequest::new("r1", Request::interrupt());
    /// assert_eq!(
    ///     serde_json::to_string(&Message::from(request))?,
    ///     r#"{"type":"control_request","request":{"subtype":"interrupt"},"request_id":"r1"}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(
        request_id: impl Into<String>,
        request: Request,
    ) -> ControlRequest {
        let mut message = ControlRequest {
            request: Some(request),
            ..ControlRequest::default()
        };
        message.request_id = Some(request_id.into());
        message
    }
}

impl ControlRequest {
    /// Returns the request body: the nested object, or the message itself if
    /// the body's members are part of it.
    ///
    /// # Example
    ///
    /// This reads both forms.
    ///
    /// ```
    /// use linetape::owned::control::{ControlRequest, Request};
    ///
    /// for json in [
    ///     r#"{"request":{"subtype":"set_model","model":"opus"}}"#,
    ///     r#"{"subtype":"set_model","model":"opus"}"#,
    /// ] {
    ///     let message: ControlRequest = serde_json::from_str(json)?;
    ///     let body = message.body();
    ///     let Request::SetModel(request) = &*body else { panic!() };
    ///     assert_eq!(request.model.as_deref(), Some("opus"));
    /// }
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn body(&self) -> Cow<'_, Request> {
        let has_outer_subtype = self.extra.contains_key("subtype");
        match &self.request {
            Some(Request::Other(other))
                if has_outer_subtype && other.lacks_subtype() => {}
            Some(request) => return Cow::Borrowed(request),
            None => {}
        }
        Cow::Owned(own(Members::of_map(members(self))))
    }
}

impl UnknownRequest {
    /// Returns whether there is no `subtype`, not even of another type.
    fn lacks_subtype(&self) -> bool {
        self.subtype.is_none() && !self.extra.contains_key("subtype")
    }
}

impl UnknownResponse {
    /// Returns whether there is no `subtype`, not even of another type.
    fn lacks_subtype(&self) -> bool {
        self.subtype.is_none() && !self.extra.contains_key("subtype")
    }
}

/// Returns all members of a message.
fn members(message: &impl Serialize) -> Map<String, Json> {
    match serde_json::to_value(message) {
        Ok(Json::Object(members)) => members,
        _ => Map::new(),
    }
}

impl Request {
    /// Creates a request to interrupt the agent.
    pub fn interrupt() -> Request {
        Request::Interrupt(Box::default())
    }

    /// Creates a request to change the permission mode.
    pub fn set_permission_mode(mode: &str) -> Request {
        let mode = Some(mode.into());
        let request = SetPermissionMode { mode, ..Default::default() };
        Request::SetPermissionMode(Box::new(request))
    }

    /// Creates a request to change the model.
    pub fn set_model(model: impl Into<String>) -> Request {
        let model = Some(model.into());
        let request = SetModel { model, ..Default::default() };
        Request::SetModel(Box::new(request))
    }
}

impl ControlResponse {
    /// Creates the response to a request that succeeded.
    pub fn success(
        request_id: impl Into<String>,
        response: Json,
    ) -> ControlResponse {
        let mut success = SuccessResponse {
            response: Some(response),
            ..SuccessResponse::default()
        };
        success.request_id = Some(request_id.into());
        let response = Some(Response::Success(Box::new(success)));
        ControlResponse { response, ..ControlResponse::default() }
    }

    /// Creates the response to a request that failed.
    pub fn error(
        request_id: impl Into<String>,
        error: impl Into<String>,
    ) -> ControlResponse {
        let mut failure = ErrorResponse {
            error: Some(error.into()),
            ..ErrorResponse::default()
        };
        failure.request_id = Some(request_id.into());
        let response = Some(Response::Error(Box::new(failure)));
        ControlResponse { response, ..ControlResponse::default() }
    }

    /// Creates the response that allows a tool use, with the given input.
    ///
    /// # Example
    ///
    /// This answers a permission request.
    ///
    /// ```
    /// use linetape::{Decoder, owned::control::ControlResponse};
    ///
    /// let answer = ControlResponse::allow("r1", serde_json::json!({"a": 1}));
    /// let line = serde_json::to_vec(&linetape::owned::Message::from(answer))?;
    /// let mut decoder = Decoder::new();
    /// let record = decoder.decode(&line)?;
    /// let behavior = record.value().pointer("/response/response/behavior");
    /// assert_eq!(behavior.and_then(|b| b.as_str()), Some("allow"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn allow(
        request_id: impl Into<String>,
        updated_input: Json,
    ) -> ControlResponse {
        let answer = PermissionAnswer {
            behavior: Some("allow".to_string()),
            updated_input: Some(updated_input),
            ..PermissionAnswer::default()
        };
        ControlResponse::success(request_id, Json::Object(members(&answer)))
    }

    /// Creates the response that denies a tool use. `message` is the reason,
    /// for the model.
    pub fn deny(
        request_id: impl Into<String>,
        message: impl Into<String>,
    ) -> ControlResponse {
        let answer = PermissionAnswer {
            behavior: Some("deny".to_string()),
            message: Some(message.into()),
            ..PermissionAnswer::default()
        };
        ControlResponse::success(request_id, Json::Object(members(&answer)))
    }
}

impl ControlResponse {
    /// Returns the response body: the nested object, or the message itself if
    /// the body's members are part of it.
    pub fn body(&self) -> Cow<'_, Response> {
        let has_outer_subtype = self.extra.contains_key("subtype");
        match &self.response {
            Some(Response::Other(other))
                if has_outer_subtype && other.lacks_subtype() => {}
            Some(response) => return Cow::Borrowed(response),
            None => {}
        }
        Cow::Owned(own(Members::of_map(members(self))))
    }
}

impl AnswerBlock {
    /// Returns whether the tool failed; `false` if `is_error` is absent.
    pub fn is_error(&self) -> bool {
        self.failed == Some(true)
    }
}

impl TurnId {
    /// Creates the identifier of the user's turn with the given sequence
    /// number.
    pub fn new_user_turn(sequence: u64) -> TurnId {
        let (role, sequence) = (Some(Role::User), Some(sequence));
        TurnId { role, sequence, ..TurnId::default() }
    }

    /// Creates the identifier of the assistant's turn with the given sequence
    /// number.
    pub fn new_assistant_turn(sequence: u64) -> TurnId {
        let (role, sequence) = (Some(Role::Assistant), Some(sequence));
        TurnId { role, sequence, ..TurnId::default() }
    }
}

impl ControllerInputPayload {
    /// Creates user input for a session of an agent server.
    ///
    /// # Example
    ///
    /// This serialises the input.
    ///
    /// ```
    /// use linetape::owned::server::{ControllerInputPayload, TurnId};
    ///
    /// let turn = TurnId::new_user_turn(1);
    /// let input = ControllerInputPayload::data(1, "Hi", turn);
    /// assert_eq!(
    ///     serde_json::to_string(&input)?,
    ///     r#"{"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1}}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn data(
        session_id: i64,
        content: impl Into<String>,
        turn_id: TurnId,
    ) -> ControllerInputPayload {
        ControllerInputPayload {
            session_id: Some(session_id),
            content: Some(content.into()),
            turn_id: Some(turn_id),
            ..ControllerInputPayload::default()
        }
    }
}
