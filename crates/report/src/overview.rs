use linetape_session::Tokens;

/// What the index says about a session.
///
/// # Example
///
/// This shows the overview of a short session.
///
/// ```
/// use linetape_report::Log;
///
/// let log = br#"{"type":"user","sessionId":"s1","message":{"content":"Hi\n!"}}"#;
/// let (mut log, mut lines) = (Log::new(), linetape::lines(log));
/// log.add(0, &lines.next_line().unwrap()?)?;
/// let overview = &log.finish()[0];
/// assert_eq!(overview.id.as_deref(), Some("s1"));
/// assert_eq!(overview.title.as_deref(), Some("Hi"));
/// assert_eq!((overview.prompts, overview.calls), (1, 0));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Overview {
    /// The index of the session in its log.
    pub index: usize,
    /// The session id.
    pub id: Option<String>,
    /// The title: given by the user, made by a model, or the first line of
    /// the first prompt, or of the first text of the model.
    pub title: Option<String>,
    /// The working directory.
    pub folder: Option<String>,
    /// The first time, in milliseconds since the Unix epoch.
    pub started_at: Option<i64>,
    /// The last time, in milliseconds since the Unix epoch.
    pub ended_at: Option<i64>,
    /// The time without pauses of more than five minutes, in milliseconds.
    pub active_ms: u64,
    /// The models, sorted.
    pub models: Vec<String>,
    /// The number of prompts.
    pub prompts: u64,
    /// The number of messages of the model, also of sub-agents.
    pub requests: u64,
    /// The number of tool calls, also of sub-agents.
    pub calls: u64,
    /// The number of calls that failed.
    pub failed: u64,
    /// The tokens of all messages, and those that the results of a stream
    /// report and no message has.
    pub tokens: Tokens,
    /// The cost in US dollars, if the log states it.
    pub cost_usd: Option<f64>,
    /// The id of the session that this one was forked from.
    pub forked_from: Option<String>,
    /// The id of the session that this one goes on in.
    pub continued_in: Option<String>,
    /// The name of the page in the folder of the index.
    pub page: Option<String>,
}

impl Overview {
    /// Returns the title, or a name for a session without one.
    pub fn name(&self) -> &str {
        self.title.as_deref().unwrap_or("Untitled session")
    }
}
