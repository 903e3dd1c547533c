//! Session transcripts, as Claude Code saves them.

use std::collections::VecDeque;

use crate::{
    ids::{Clock, agent, id, uuid},
    random::{Lengths, Random},
    text::{base64, number, output, prose, push, word, words},
    tool::{Call, Tool},
};

/// The relative frequency of each tool.
const TOOLS: [(u32, Tool); 12] = [
    (46, Tool::Read),
    (41, Tool::Edit),
    (52, Tool::Bash),
    (4, Tool::BashDiff),
    (9, Tool::BashError),
    (24, Tool::Grep),
    (4, Tool::Glob),
    (4, Tool::Write),
    (5, Tool::Todo),
    (12, Tool::TaskUpdate),
    (2, Tool::Task),
    (1, Tool::ReadImage),
];

/// Returns the size of a result, without the rest of its line.
fn size(tool: Tool, random: &mut Random) -> usize {
    let lengths = match tool {
        Tool::Read => [60, 1_000, 4_700, 31_000, 95_000, 240_000],
        Tool::Edit => [700, 3_700, 19_500, 46_000, 92_000, 260_000],
        Tool::ReadImage => [2_400, 3_000, 40_000, 300_000, 800_000, 950_000],
        Tool::BashError => [20, 60, 300, 3_600, 15_000, 30_000],
        Tool::Grep => [20, 80, 1_500, 24_000, 66_000, 90_000],
        Tool::Glob => [60, 80, 180, 1_500, 6_000, 7_000],
        Tool::Write => [800, 1_400, 6_000, 25_000, 58_000, 70_000],
        Tool::Task => [6_000, 9_000, 14_000, 30_000, 34_000, 60_000],
        _ => [0, 20, 620, 4_500, 64_000, 70_000],
    };
    random.length(&Lengths(lengths))
}

/// A planned line.
#[derive(Clone, Copy, Debug)]
enum Step {
    Summary,
    Snapshot,
    SessionHook,
    Prompt,
    /// The seed belongs to the whole message, which has several lines.
    Thinking(u64),
    Text(u64),
    ToolUse(u64, Call),
    ToolHook(Call),
    BashProgress(Call, u32),
    AgentProgress(Call, u32),
    Result(Call),
    StopHooks,
    TurnDuration,
    Compacted,
}

#[derive(Debug)]
pub(crate) struct Transcript {
    random: Random,
    clock: Clock,
    steps: VecDeque<Step>,
    /// The number of remaining turns of the session.
    turns: u32,
    session: u64,
    /// The members that all lines of a session share, from `isSidechain` on.
    common: Vec<u8>,
    /// The seed of the last line's uuid.
    parent: Option<u64>,
}

impl Transcript {
    pub(crate) fn new(seed: u64) -> Transcript {
        let mut random = Random::new(seed);
        let clock = Clock::new(&mut random);
        Transcript {
            random,
            clock,
            steps: VecDeque::new(),
            turns: 0,
            session: 0,
            common: Vec::new(),
            parent: None,
        }
    }

    pub(crate) fn line(&mut self, out: &mut Vec<u8>) {
        loop {
            if let Some(step) = self.steps.pop_front() {
                return self.write(out, step);
            }
            self.plan();
        }
    }

    /// Plans the lines of one turn.
    fn plan(&mut self) {
        if self.turns == 0 {
            self.begin_session();
        }
        self.turns -= 1;
        self.steps.push_back(Step::Snapshot);
        self.steps.push_back(Step::Prompt);
        for _ in 0..self.random.between(2, 16) {
            self.plan_round();
        }
        let message = self.random.next();
        self.steps.push_back(Step::Text(message));
        if self.random.chance(70) {
            self.steps.push_back(Step::StopHooks);
        }
        if self.random.chance(45) {
            self.steps.push_back(Step::TurnDuration);
        }
        if self.random.chance(4) {
            self.steps.push_back(Step::Compacted);
        }
    }

    /// Plans one message of the assistant, and the results of its calls.
    fn plan_round(&mut self) {
        let message = self.random.next();
        if self.random.chance(52) {
            self.steps.push_back(Step::Thinking(message));
        }
        if self.random.chance(46) {
            self.steps.push_back(Step::Text(message));
        }
        let mut calls = [None; 3];
        for call in &mut calls {
            let tool = self.random.weighted(&TOOLS);
            let size = size(tool, &mut self.random);
            let next = Call { tool, seed: self.random.next(), size };
            self.steps.push_back(Step::ToolUse(message, next));
            *call = Some(next);
            if !self.random.chance(20) {
                break;
            }
        }
        for call in calls.into_iter().flatten() {
            if self.random.chance(44) {
                self.steps.push_back(Step::ToolHook(call));
            }
            match call.tool {
                // A few commands run for minutes.
                Tool::Bash if self.random.chance(12) => {
                    for at in 0..self.random.between(3, 45) {
                        self.steps.push_back(Step::BashProgress(call, at));
                    }
                }
                Tool::Task => {
                    for at in 0..self.random.between(5, 65) {
                        self.steps.push_back(Step::AgentProgress(call, at));
                    }
                }
                Tool::Edit | Tool::Write if self.random.chance(10) => {
                    self.steps.push_back(Step::Snapshot);
                }
                _ => {}
            }
            self.steps.push_back(Step::Result(call));
        }
    }

    fn begin_session(&mut self) {
        self.turns = self.random.between(2, 9);
        self.session = self.random.next();
        self.parent = None;
        if self.random.chance(20) {
            self.steps.push_back(Step::Summary);
        }
        self.steps.push_back(Step::SessionHook);
        let random = &mut self.random;
        let out = &mut self.common;
        out.clear();
        push(out, r#","isSidechain":false,"userType":"external","cwd":""#);
        push(out, r#"/home/dev/orchard","sessionId":""#);
        uuid(out, self.session);
        push(out, r#"","version":"2.1."#);
        number(out, u64::from(random.between(9, 60)));
        push(out, r#"","gitBranch":""#);
        push(out, random.pick(&["main", "feature/", "fix/", "chore/"]));
        push(out, word(random));
        push(out, r#"","slug":""#);
        push(out, random.pick(&["quiet", "amber", "brisk", "mellow"]));
        push(out, random.pick(&["-walking-", "-humming-", "-resting-"]));
        push(out, random.pick(&["fern", "heron", "willow", "pebble"]));
        push(out, r#"","#);
    }

    fn write(&mut self, out: &mut Vec<u8>, step: Step) {
        match step {
            Step::Summary => self.summary(out),
            Step::Snapshot => self.snapshot(out),
            Step::SessionHook => {
                let seed = self.session;
                self.hook(out, "SessionStart", "startup", |out| {
                    uuid(out, seed ^ 1);
                });
            }
            Step::Prompt => self.prompt(out),
            Step::Thinking(message) => self.assistant(out, message, None),
            Step::Text(message) => {
                self.assistant(out, message, Some(Block::Text));
            }
            Step::ToolUse(message, call) => {
                self.assistant(out, message, Some(Block::Tool(call)));
            }
            Step::ToolHook(call) => {
                let name = call.name();
                self.hook(out, "PostToolUse", name, |out| call.id(out));
            }
            Step::BashProgress(call, at) => self.bash(out, call, at),
            Step::AgentProgress(call, at) => self.agent(out, call, at),
            Step::Result(call) => self.result(out, call),
            Step::StopHooks => self.stop_hooks(out),
            Step::TurnDuration => self.turn_duration(out),
            Step::Compacted => self.compacted(out),
        }
    }

    /// Advances the clock and writes the start of a line, including the shared
    /// members.
    fn begin(&mut self, out: &mut Vec<u8>, wait: u32) {
        self.clock.pass(&mut self.random, wait);
        push(out, r#"{"parentUuid":"#);
        match self.parent {
            None => push(out, "null"),
            Some(parent) => {
                out.push(b'"');
                uuid(out, parent);
                out.push(b'"');
            }
        }
        out.extend_from_slice(&self.common);
    }

    /// Writes `uuid` and `timestamp`, and makes this line the parent of the
    /// next.
    fn sign(&mut self, out: &mut Vec<u8>, seed: u64) {
        push(out, r#","uuid":""#);
        uuid(out, seed);
        push(out, r#"","timestamp":""#);
        self.clock.write(out);
        out.push(b'"');
        self.parent = Some(seed);
    }

    fn summary(&mut self, out: &mut Vec<u8>) {
        push(out, r#"{"type":"summary","summary":"Fix the "#);
        words(out, &mut self.random, 30);
        push(out, r#"","leafUuid":""#);
        uuid(out, self.random.next());
        push(out, r#""}"#);
    }

    fn snapshot(&mut self, out: &mut Vec<u8>) {
        let message = self.random.next();
        push(out, r#"{"type":"file-history-snapshot","messageId":""#);
        uuid(out, message);
        push(out, r#"","snapshot":{"messageId":""#);
        uuid(out, message);
        push(out, r#"","trackedFileBackups":{"#);
        for at in 0..self.random.below(9) {
            if at > 0 {
                out.push(b',');
            }
            // The number makes the key unique.
            push(out, r#""internal/"#);
            push(out, word(&mut self.random));
            number(out, u64::from(at));
            push(out, r#".go":{"backupFileName":""#);
            id(out, "", self.random.next());
            push(out, r#"@v1","version":1,"backupTime":""#);
            self.clock.write(out);
            push(out, r#""}"#);
        }
        push(out, r#"},"timestamp":""#);
        self.clock.write(out);
        push(out, r#""},"isSnapshotUpdate":false}"#);
    }

    fn hook(
        &mut self,
        out: &mut Vec<u8>,
        event: &str,
        name: &str,
        tool: impl Fn(&mut Vec<u8>),
    ) {
        self.begin(out, 400);
        push(out, r#""type":"progress","data":{"type":"hook_progress","#);
        push(out, r#""hookEvent":""#);
        push(out, event);
        push(out, r#"","hookName":""#);
        push(out, event);
        out.push(b':');
        push(out, name);
        push(out, r#"","command":"orchard hooks agent "#);
        push(out, event);
        push(out, r#""},"parentToolUseID":""#);
        tool(out);
        push(out, r#"","toolUseID":""#);
        tool(out);
        out.push(b'"');
        let seed = self.random.next();
        self.sign(out, seed);
        out.push(b'}');
    }

    fn prompt(&mut self, out: &mut Vec<u8>) {
        const PROMPT: Lengths = Lengths([4, 40, 120, 2_200, 17_000, 40_000]);
        self.begin(out, 240_000);
        push(out, r#""type":"user","message":{"role":"user","content":""#);
        let length = self.random.length(&PROMPT);
        if length < 2_000 {
            prose(out, &mut self.random, length);
        } else {
            // A prompt with a pasted log.
            prose(out, &mut self.random, 200);
            output(out, &mut self.random, length);
        }
        push(out, r#""}"#);
        let seed = self.random.next();
        self.sign(out, seed);
        push(out, r#","thinkingMetadata":{"level":"high","disabled":false,"#);
        push(out, r#""triggers":[]},"permissionMode":"acceptEdits"}"#);
    }

    /// Writes a line with one block of a message. All lines of a message have
    /// the message's id and a copy of its usage. The key `type` comes after
    /// `message`.
    fn assistant(
        &mut self,
        out: &mut Vec<u8>,
        message: u64,
        block: Option<Block>,
    ) {
        self.begin(out, 9_000);
        push(out, r#""message":"#);
        let seed = match block {
            Some(Block::Tool(call)) => call.seed,
            _ => self.random.next(),
        };
        api_message(out, message, |out| match block {
            None => thinking(out, &mut self.random),
            Some(Block::Text) => text(out, &mut self.random),
            Some(Block::Tool(call)) => tool_use(out, call),
        });
        push(out, r#","requestId":""#);
        id(out, "req_01", message);
        push(out, r#"","type":"assistant""#);
        self.sign(out, seed);
        out.push(b'}');
    }

    fn bash(&mut self, out: &mut Vec<u8>, call: Call, at: u32) {
        self.begin(out, 1_500);
        push(out, r#""type":"progress","data":{"type":"bash_progress","#);
        push(out, r#""output":""#);
        // Each line repeats the output so far.
        let mut random = Random::new(call.seed ^ 0xba);
        let step = random.pick(&[0, 10, 20, 60]);
        let length = step * at.min(20) as usize;
        let shown = length.min(200);
        output(out, &mut random.clone(), shown);
        push(out, r#"","fullOutput":""#);
        output(out, &mut random, length);
        push(out, r#"","elapsedTimeSeconds":"#);
        number(out, u64::from(at) + 2);
        push(out, r#","totalLines":"#);
        number(out, length as u64 / 40);
        push(out, r#"},"toolUseID":"bash-progress-"#);
        number(out, u64::from(at));
        self.end_progress(out, call);
    }

    fn agent(&mut self, out: &mut Vec<u8>, call: Call, at: u32) {
        const RESULT: Lengths =
            Lengths([200, 800, 3_000, 20_000, 68_000, 90_000]);
        self.begin(out, 3_000);
        push(out, r#""type":"progress","data":{"message":{"type":""#);
        // Two lines share a call: the first has the call, the second its
        // result.
        let mut random =
            Random::new(call.seed.wrapping_add(u64::from(at / 2) << 32));
        let tool = random.pick(&[Tool::Read, Tool::Grep, Tool::Read]);
        let (seed, size) = (random.next(), random.length(&RESULT));
        let inner = Call { tool, seed, size };
        if at.is_multiple_of(2) {
            push(out, r#"assistant","message":"#);
            api_message(out, seed, |out| tool_use(out, inner));
        } else {
            push(out, r#"user","message":{"role":"user","content":["#);
            inner.result(out);
            push(out, r#"]},"toolUseResult":"#);
            inner.detail(out);
        }
        push(out, r#","uuid":""#);
        uuid(out, self.random.next());
        push(out, r#"","timestamp":""#);
        self.clock.write(out);
        push(out, r#""},"normalizedMessages":[],"type":"agent_progress","#);
        push(out, r#""prompt":""#);
        let mut random = Random::new(call.seed);
        let length = random.between(300, 1_600) as usize;
        prose(out, &mut random, length);
        push(out, r#"","agentId":""#);
        agent(out, call.seed);
        push(out, r#""},"toolUseID":"agent_"#);
        id(out, "msg_01", seed);
        self.end_progress(out, call);
    }

    /// Ends a progress line of a call.
    fn end_progress(&mut self, out: &mut Vec<u8>, call: Call) {
        push(out, r#"","parentToolUseID":""#);
        call.id(out);
        out.push(b'"');
        let seed = self.random.next();
        self.sign(out, seed);
        out.push(b'}');
    }

    fn result(&mut self, out: &mut Vec<u8>, call: Call) {
        self.begin(out, 4_000);
        push(out, r#""type":"user","message":{"role":"user","content":["#);
        call.result(out);
        push(out, "]}");
        let seed = self.random.next();
        self.sign(out, seed);
        push(out, r#","toolUseResult":"#);
        call.detail(out);
        push(out, r#","sourceToolAssistantUUID":""#);
        uuid(out, call.seed);
        push(out, r#""}"#);
    }

    fn stop_hooks(&mut self, out: &mut Vec<u8>) {
        self.begin(out, 900);
        push(out, r#""type":"system","subtype":"stop_hook_summary","#);
        push(out, r#""hookCount":1,"hookInfos":[{"command":"orchard hooks"#);
        push(out, r#" agent stop"}],"hookErrors":[],"#);
        push(out, r#""preventedContinuation":false,"stopReason":"","#);
        push(out, r#""hasOutput":true,"level":"suggestion""#);
        let seed = self.random.next();
        self.sign(out, seed);
        push(out, r#","toolUseID":""#);
        uuid(out, seed ^ 1);
        push(out, r#""}"#);
    }

    fn turn_duration(&mut self, out: &mut Vec<u8>) {
        self.begin(out, 20);
        push(out, r#""type":"system","subtype":"turn_duration","#);
        push(out, r#""durationMs":"#);
        number(out, u64::from(self.random.between(4_000, 900_000)));
        let seed = self.random.next();
        self.sign(out, seed);
        push(out, r#","isMeta":false}"#);
    }

    fn compacted(&mut self, out: &mut Vec<u8>) {
        let before = self.parent.unwrap_or(self.session);
        // Starts a new chain. The last line becomes the logical parent.
        self.parent = None;
        self.begin(out, 60_000);
        push(out, r#""logicalParentUuid":""#);
        uuid(out, before);
        push(out, r#"","type":"system","subtype":"compact_boundary","#);
        push(out, r#""content":"Conversation compacted","isMeta":false,"#);
        push(out, r#""level":"info","compactMetadata":{"trigger":"auto","#);
        push(out, r#""preTokens":"#);
        number(out, u64::from(self.random.between(150_000, 180_000)));
        out.push(b'}');
        let seed = self.random.next();
        self.sign(out, seed);
        out.push(b'}');
    }
}

/// A content block other than thinking.
#[derive(Clone, Copy, Debug)]
enum Block {
    Text,
    Tool(Call),
}

/// Writes an API message with one block. Everything else in the message
/// depends only on its seed.
fn api_message(
    out: &mut Vec<u8>,
    seed: u64,
    block: impl FnOnce(&mut Vec<u8>),
) {
    let mut random = Random::new(seed);
    push(out, r#"{"model":"claude-opus-4-5-20251101","id":""#);
    id(out, "msg_01", seed);
    push(out, r#"","type":"message","role":"assistant","content":["#);
    block(out);
    push(out, r#"],"stop_reason":null,"stop_sequence":null,"usage":"#);
    let created = u64::from(random.between(80, 20_000));
    push(out, r#"{"input_tokens":"#);
    number(out, u64::from(random.between(1, 12)));
    push(out, r#","cache_creation_input_tokens":"#);
    number(out, created);
    push(out, r#","cache_read_input_tokens":"#);
    number(out, u64::from(random.between(14_000, 160_000)));
    push(out, r#","cache_creation":{"ephemeral_5m_input_tokens":0,"#);
    push(out, r#""ephemeral_1h_input_tokens":"#);
    number(out, created);
    push(out, r#"},"output_tokens":"#);
    number(out, u64::from(random.between(1, 900)));
    push(out, r#","service_tier":"standard","#);
    push(out, r#""inference_geo":"not_available"}}"#);
}

fn thinking(out: &mut Vec<u8>, random: &mut Random) {
    const THOUGHT: Lengths = Lengths([20, 60, 260, 2_200, 9_000, 20_000]);
    const SIGNATURE: Lengths = Lengths([180, 240, 360, 1_700, 5_000, 9_000]);
    push(out, r#"{"type":"thinking","thinking":""#);
    let length = random.length(&THOUGHT);
    prose(out, random, length);
    push(out, r#"","signature":""#);
    let length = random.length(&SIGNATURE);
    base64(out, random, length);
    push(out, r#""}"#);
}

fn text(out: &mut Vec<u8>, random: &mut Random) {
    const TEXT: Lengths = Lengths([10, 30, 90, 560, 2_000, 6_000]);
    push(out, r#"{"type":"text","text":""#);
    let length = random.length(&TEXT);
    prose(out, random, length);
    push(out, r#""}"#);
}

fn tool_use(out: &mut Vec<u8>, call: Call) {
    push(out, r#"{"type":"tool_use","id":""#);
    call.id(out);
    push(out, r#"","name":""#);
    push(out, call.name());
    push(out, r#"","input":"#);
    call.input(out);
    push(out, r#","caller":{"type":"direct"}}"#);
}
