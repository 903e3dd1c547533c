/// A conversation of a session: the main one, or a sub-agent's.
///
/// # Example
///
/// This shows how to distinguish a sub-agent from the main conversation.
///
/// ```
/// use linetape::lines;
/// use linetape_session::{Thread, Turns};
///
/// let log = br#"{"type":"user","message":{"content":"Ask around."}}
/// {"type":"user","parent_tool_use_id":"t1","message":{"content":"Ask."}}
/// "#;
/// let mut turns = Turns::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     let line = line?;
///     turns.add(line.checked()?, line.position());
/// }
/// let threads: Vec<_> = turns.turns().map(|turn| turn.thread()).collect();
/// assert_eq!(threads, [Thread::Main, Thread::Call("t1")]);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Thread<'t> {
    /// The main conversation.
    Main,
    /// A sub-agent, by the tool call that started it: `parent_tool_use_id`.
    Call(&'t str),
    /// A sub-agent of a transcript, by its `agentId`.
    Agent(&'t str),
    /// A sidechain without a name, identified by the uuid of its first line.
    Sidechain(&'t str),
}
