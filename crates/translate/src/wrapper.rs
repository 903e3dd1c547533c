use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use linetape::{
    Error, Value,
    message::{
        Block, Message, ToolCall,
        control::{CanUseTool, Request},
        stream::{Assistant, User},
        system::{System, TaskNotification, TaskStatus},
    },
};

use linetape_session::{Answer, Facts};

use crate::{
    call::{block_call, calls, input_text, is_task, line_call},
    frame::{Frame, SubAgentStatus},
    text,
};

/// Translates stream-json and transcripts into [`Frame`]s for a chat client:
/// texts of the model, progress, sub-agents, and tools that need permission.
///
/// The [crate documentation](crate#wrapper) lists which message becomes which
/// frame, and how progress and sub-agents are found in a text.
///
/// # Costs
///
/// Memory: the id of the last session, the names of agents, and the ids of
/// calls without a result so far.
///
/// # Example
///
/// This shows the frames of a text and of two calls.
///
/// ```
/// use linetape::lines;
/// use linetape_translate::Wrapper;
///
/// let log = br#"{"type":"assistant","session_id":"s1","message":{"content":[{"type":"text","text":"Running test 5 of 20..."}]}}
/// {"type":"assistant","session_id":"s1","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}},{"type":"tool_use","id":"t2","name":"Task","input":{"subagent_type":"Explore","description":"Find it"}}]}}
/// {"type":"user","session_id":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"Found"}]}}
/// "#;
/// let mut wrapper = Wrapper::new();
/// let mut written = String::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     for frame in wrapper.translate(line?.peek()?)? {
///         written += &serde_json::to_string(&frame)?;
///         written += "\n";
///     }
/// }
/// assert_eq!(written, r#"{"type":"claude_response","content":"Running test 5 of 20...","conversationId":"s1"}
/// {"type":"progress_update","currentStep":"Running tests","completedSteps":5,"totalSteps":20,"percentage":25.0}
/// {"type":"permission_request","toolUseId":"t1","toolName":"Bash","input":{"command":"ls"},"conversationId":"s1"}
/// {"type":"sub_agent_progress","agent":"Explore","status":"started","description":"Find it","toolUseId":"t2","conversationId":"s1"}
/// {"type":"sub_agent_progress","agent":"Explore","status":"finished","toolUseId":"t2","conversationId":"s1"}
/// "#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Wrapper {
    /// The session of the last message with a session id.
    conversation: Option<Box<str>>,
    /// The names of sub-agents, from `init` and from calls.
    agents: HashSet<Box<str>>,
    /// The name of each running sub-agent, by the id of the call that started
    /// it.
    running: HashMap<Box<str>, Option<Box<str>>>,
    /// The ids of the calls with a permission request.
    asked: HashSet<Box<str>>,
}

/// The frames of the message that is being translated.
struct Frames<'a> {
    list: Vec<Frame<'a>>,
    conversation: Option<Cow<'a, str>>,
}

impl Wrapper {
    /// Creates a translator.
    pub fn new() -> Wrapper {
        Wrapper::default()
    }

    /// Returns the frames of a message, in order. Most messages have none or
    /// one.
    ///
    /// # Errors
    ///
    /// Returns the error of [`Line::decode`](linetape::Line::decode), if the
    /// line of the message was not checked before and is invalid. Then the
    /// translator is unchanged.
    pub fn translate<'a>(
        &mut self,
        message: Message<'a>,
    ) -> Result<Vec<Frame<'a>>, Error> {
        message.check()?;
        let facts = Facts::of(message);
        let conversation = self.conversation_of(&facts);
        let mut frames = Frames { list: vec![], conversation };
        match message {
            Message::Assistant(said) => {
                self.assistant(said, &facts, &mut frames);
            }
            Message::User(user) => {
                for answer in facts.answers().filter(|it| !it.is_remote) {
                    self.result(user, answer, &mut frames);
                }
            }
            Message::ControlRequest(request) => {
                if let Request::CanUseTool(ask) = request.body() {
                    self.can_use_tool(ask, &mut frames);
                }
            }
            Message::System(System::Init(init)) => {
                for name in init.agents().into_iter().flatten() {
                    self.learn(name);
                }
            }
            Message::System(System::TaskNotification(news)) => {
                self.task_ended(news, &mut frames);
            }
            Message::System(system) => {
                let failed = facts.is_error();
                let answers = matches!(system, System::ToolResult(_));
                if let Some(id) = facts.parent_uuid()
                    && (answers || failed)
                {
                    self.answered(id, failed, &mut frames);
                }
            }
            _ => {}
        }
        Ok(frames.list)
    }

    /// Ends a log.
    ///
    /// The first messages of the next log do not inherit the session of this
    /// one. Names of agents and calls without a result are kept.
    pub fn finish(&mut self) {
        self.conversation = None;
    }

    /// Returns the session of a message, or else of the last message with a
    /// session id.
    fn conversation_of<'a>(
        &mut self,
        facts: &Facts<'a>,
    ) -> Option<Cow<'a, str>> {
        let last = &mut self.conversation;
        let Some(own) = facts.session_name() else {
            return last.as_deref().map(|id| Cow::Owned(id.to_owned()));
        };
        if last.as_deref() != Some(&*own) {
            *last = Some(own.as_ref().into());
        }
        Some(own)
    }

    fn learn(&mut self, name: &str) {
        if !self.agents.contains(name) {
            self.agents.insert(name.into());
        }
    }

    fn assistant<'a>(
        &mut self,
        said: Assistant<'a>,
        facts: &Facts<'a>,
        frames: &mut Frames<'a>,
    ) {
        // A text may mention a sub-agent that a later block calls.
        for call in calls(facts).filter(is_task) {
            if let Some(agent) = input_text(&call, "subagent_type") {
                self.learn(agent);
            }
        }
        for block in said.content() {
            match block {
                // Text of a sub-agent is for the model and not for the user.
                Block::Text(_) if facts.is_sidechain() => {}
                Block::Text(text) => {
                    if let Some(text) = text.text() {
                        self.text(text, frames);
                    }
                }
                other => {
                    if let Some(call) = block_call(other) {
                        self.call(call, frames);
                    }
                }
            }
        }
        if let Some(call) = line_call(facts) {
            self.call(call, frames);
        }
    }

    fn text<'a>(&self, text: &'a str, frames: &mut Frames<'a>) {
        let conversation_id = frames.conversation.clone();
        let said = Frame::ClaudeResponse { content: text, conversation_id };
        frames.list.push(said);
        text::progress(text, |found| {
            let (completed, total) =
                (f64::from(found.completed), f64::from(found.total));
            frames.list.push(Frame::ProgressUpdate {
                current_step: found.step.to_string(),
                completed_steps: found.completed.into(),
                total_steps: found.total.into(),
                percentage: completed * 100.0 / total,
            });
        });
        text::mentions(text, &self.agents, |name| {
            frames.sub_agent(
                Some(name.into()),
                SubAgentStatus::Mentioned,
                None,
                None,
            );
        });
    }

    fn call<'a>(&mut self, call: ToolCall<'a>, frames: &mut Frames<'a>) {
        if is_task(&call) {
            return self.task(call, frames);
        }
        self.ask(call.id(), call.name(), call.input(), None, frames);
    }

    /// Adds the start of a sub-agent, unless the call was on an earlier line.
    fn task<'a>(&mut self, call: ToolCall<'a>, frames: &mut Frames<'a>) {
        let agent = input_text(&call, "subagent_type");
        if let Some(id) = call.id() {
            if self.running.contains_key(id) {
                return;
            }
            self.running.insert(id.into(), agent.map(Box::from));
        }
        frames.sub_agent(
            agent.map(Cow::Borrowed),
            SubAgentStatus::Started,
            input_text(&call, "description"),
            call.id(),
        );
    }

    fn can_use_tool<'a>(
        &mut self,
        ask: CanUseTool<'a>,
        frames: &mut Frames<'a>,
    ) {
        let (id, name, input) =
            (ask.tool_use_id(), ask.tool_name(), ask.input());
        self.ask(id, name, input, ask.description(), frames);
    }

    /// Adds a request for permission, once for each call.
    fn ask<'a>(
        &mut self,
        tool_use_id: Option<&'a str>,
        tool_name: Option<&'a str>,
        input: Option<Value<'a>>,
        description: Option<&'a str>,
        frames: &mut Frames<'a>,
    ) {
        if let Some(id) = tool_use_id {
            if self.asked.contains(id) {
                return;
            }
            self.asked.insert(id.into());
        }
        let said = || input?.get("description")?.as_str();
        frames.list.push(Frame::PermissionRequest {
            tool_use_id,
            tool_name,
            input,
            description: description.or_else(said),
            conversation_id: frames.conversation.clone(),
        });
    }

    fn result<'a>(
        &mut self,
        user: User<'a>,
        answer: Answer<'a>,
        frames: &mut Frames<'a>,
    ) {
        let Some(id) = answer.call else { return };
        let failed = answer.is_error;
        if !failed && is_launch(user) {
            // The sub-agent runs in the background until its notification.
            self.asked.remove(id);
            return;
        }
        self.answered(id, failed, frames);
    }

    fn answered<'a>(
        &mut self,
        id: &'a str,
        failed: bool,
        frames: &mut Frames<'a>,
    ) {
        self.asked.remove(id);
        let status = if failed {
            SubAgentStatus::Failed
        } else {
            SubAgentStatus::Finished
        };
        self.ended(id, status, frames);
    }

    /// Adds the end of a sub-agent that ran in the background.
    fn task_ended<'a>(
        &mut self,
        news: TaskNotification<'a>,
        frames: &mut Frames<'a>,
    ) {
        let status = match news.status() {
            Some(TaskStatus::Completed) => SubAgentStatus::Finished,
            Some(
                TaskStatus::Failed | TaskStatus::Killed | TaskStatus::Stopped,
            ) => SubAgentStatus::Failed,
            _ => return,
        };
        if let Some(id) = news.tool_use_id() {
            self.ended(id, status, frames);
        }
    }

    fn ended<'a>(
        &mut self,
        id: &'a str,
        status: SubAgentStatus,
        frames: &mut Frames<'a>,
    ) {
        if let Some(agent) = self.running.remove(id) {
            let agent = agent.map(|agent| Cow::Owned(agent.into_string()));
            frames.sub_agent(agent, status, None, Some(id));
        }
    }
}

impl<'a> Frames<'a> {
    fn sub_agent(
        &mut self,
        agent: Option<Cow<'a, str>>,
        status: SubAgentStatus,
        description: Option<&'a str>,
        tool_use_id: Option<&'a str>,
    ) {
        self.list.push(Frame::SubAgentProgress {
            agent,
            status,
            description,
            tool_use_id,
            conversation_id: self.conversation.clone(),
        });
    }
}

/// Returns whether a result only reports that a sub-agent was launched in the
/// background.
fn is_launch(user: User<'_>) -> bool {
    let status =
        user.tool_use_result().and_then(|result| result.get("status"));
    status.and_then(|status| status.as_str()) == Some("async_launched")
}
