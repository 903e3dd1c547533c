//! Stream-json, as it is exchanged between an agent and its host.

use std::collections::VecDeque;

use crate::{
    ids::{Clock, agent, id, uuid},
    random::{Lengths, Random},
    text::{base64, number, prose, push, word, words},
    tool::{Call, Tool},
    usage::{full_usage, usage},
};

/// The relative frequency of each tool.
const TOOLS: [(u32, Tool); 7] = [
    (40, Tool::Read),
    (20, Tool::Bash),
    (16, Tool::Grep),
    (10, Tool::Edit),
    (4, Tool::BashError),
    (6, Tool::Glob),
    (4, Tool::Todo),
];

/// A content block, and its division into deltas.
#[derive(Debug)]
struct Block {
    kind: Kind,
    /// The concatenated deltas, escaped for a JSON string.
    text: Vec<u8>,
    /// The end offset of each delta. The last one is the end of the text.
    cuts: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Thinking,
    Text,
    Tool(Call),
}

/// A planned line.
#[derive(Debug)]
enum Step {
    Initialize(u64),
    Initialized(u64),
    Init,
    Status,
    Prompt,
    KeepAlive,
    MessageStart(u64),
    BlockStart(Kind, u32),
    /// The bytes of the delta, escaped.
    Delta(Kind, u32, Vec<u8>),
    BlockStop(u32),
    /// A complete block. The last field is the call that started the
    /// sub-agent.
    Assistant(u64, Box<Block>, Option<Call>),
    MessageDelta(u64),
    MessageStop,
    MayUse(Call),
    Allowed(Call),
    ToolResult(Call, Option<Call>),
    /// The progress of a sub-agent.
    Progress(Call),
    RateLimit,
    Retry,
    End,
}

#[derive(Debug)]
pub(crate) struct Stream {
    random: Random,
    clock: Clock,
    steps: VecDeque<Step>,
    session: u64,
    /// The number of remaining turns of the session.
    turns: u32,
}

impl Stream {
    pub(crate) fn new(seed: u64) -> Stream {
        let mut random = Random::new(seed);
        let clock = Clock::new(&mut random);
        Stream { random, clock, steps: VecDeque::new(), session: 0, turns: 0 }
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
            self.turns = self.random.between(2, 8);
            self.session = self.random.next();
            let request = self.random.next();
            self.steps.push_back(Step::Initialize(request));
            self.steps.push_back(Step::Initialized(request));
        }
        self.turns -= 1;
        self.steps.push_back(Step::Prompt);
        self.steps.push_back(Step::Init);
        self.steps.push_back(Step::Status);
        for _ in 0..self.random.between(2, 6) {
            if self.random.chance(12) {
                self.steps.push_back(Step::KeepAlive);
            }
            if self.random.chance(8) {
                self.steps.push_back(Step::Retry);
            }
            let call = self.call();
            self.plan_message(Some(call));
            if self.random.chance(15) {
                self.steps.push_back(Step::RateLimit);
            }
            if self.random.chance(25) {
                self.steps.push_back(Step::MayUse(call));
                self.steps.push_back(Step::Allowed(call));
            }
            if call.tool == Tool::Task {
                self.plan_agent(call);
            }
            self.steps.push_back(Step::ToolResult(call, None));
        }
        self.plan_message(None);
        self.steps.push_back(Step::End);
    }

    fn call(&mut self) -> Call {
        const SIZE: Lengths = Lengths([20, 420, 2_100, 6_000, 8_000, 140_000]);
        let tool = if self.random.chance(40) {
            Tool::Task
        } else {
            self.random.weighted(&TOOLS)
        };
        let size = self.random.length(&SIZE);
        Call { tool, seed: self.random.next(), size }
    }

    /// Plans a streamed message: its events, and before the last event of each
    /// block the complete block.
    fn plan_message(&mut self, call: Option<Call>) {
        let message = self.random.next();
        self.steps.push_back(Step::MessageStart(message));
        let mut kinds = Vec::with_capacity(3);
        if self.random.chance(40) {
            kinds.push(Kind::Thinking);
        }
        if call.is_none() || self.random.chance(25) {
            kinds.push(Kind::Text);
        }
        kinds.extend(call.map(Kind::Tool));
        for (at, kind) in (0..).zip(kinds) {
            let block = self.block(kind);
            self.steps.push_back(Step::BlockStart(kind, at));
            let mut start = 0;
            for &end in &block.cuts {
                let part = block.text[start..end].to_vec();
                self.steps.push_back(Step::Delta(kind, at, part));
                start = end;
            }
            let whole = Box::new(block);
            self.steps.push_back(Step::Assistant(message, whole, None));
            self.steps.push_back(Step::BlockStop(at));
        }
        self.steps.push_back(Step::MessageDelta(message));
        self.steps.push_back(Step::MessageStop);
    }

    /// Plans the lines of a sub-agent, which have no stream events.
    fn plan_agent(&mut self, parent: Call) {
        for _ in 0..self.random.between(10, 32) {
            let mut call = self.call();
            // These results have no structured copy.
            call.size *= 2;
            if call.tool == Tool::Task {
                call.tool = Tool::Grep;
            }
            let message = self.random.next();
            for kind in [Kind::Thinking, Kind::Tool(call)] {
                if matches!(kind, Kind::Thinking) && self.random.chance(55) {
                    continue;
                }
                let block = Box::new(self.block(kind));
                let step = Step::Assistant(message, block, Some(parent));
                self.steps.push_back(step);
            }
            self.steps.push_back(Step::ToolResult(call, Some(parent)));
            if self.random.chance(40) {
                self.steps.push_back(Step::Progress(parent));
            }
        }
    }

    /// Generates a block and divides it into deltas.
    fn block(&mut self, kind: Kind) -> Block {
        const TEXT: Lengths = Lengths([20, 60, 300, 1_200, 2_500, 4_000]);
        let mut text = Vec::new();
        let mut cuts = Vec::new();
        if let Kind::Tool(call) = kind {
            // The deltas contain JSON inside a string, which is escaped again.
            let mut input = Vec::new();
            call.input(&mut input);
            let mut next = 0;
            for byte in input {
                if text.len() >= next && !text.is_empty() {
                    cuts.push(text.len());
                    next = text.len() + self.cut();
                } else if text.is_empty() {
                    next = self.cut();
                }
                if matches!(byte, b'"' | b'\\') {
                    text.push(b'\\');
                }
                text.push(byte);
            }
        } else {
            let end = self.random.length(&TEXT);
            while text.len() < end {
                let length = self.cut();
                prose(&mut text, &mut self.random, length);
                cuts.push(text.len());
            }
        }
        if cuts.last() != Some(&text.len()) {
            cuts.push(text.len());
        }
        Block { kind, text, cuts }
    }

    /// Returns the length of the next delta.
    fn cut(&mut self) -> usize {
        self.random.between(20, 150) as usize
    }

    fn write(&mut self, out: &mut Vec<u8>, step: Step) {
        self.clock.pass(&mut self.random, 700);
        match step {
            Step::Initialize(request) => {
                push(out, r#"{"request_id":""#);
                uuid(out, request);
                push(out, r#"","type":"control_request","request":{"#);
                push(out, r#""subtype":"initialize","hooks":{},"#);
                push(out, r#""systemPrompt":""#);
                prose(out, &mut self.random, 800);
                push(out, r#""}}"#);
            }
            Step::Initialized(request) => self.initialized(out, request),
            Step::Init => self.init(out),
            Step::Status => {
                push(out, r#"{"type":"system","subtype":"status","#);
                push(out, r#""status":"requesting""#);
                self.sign(out);
            }
            Step::Prompt => {
                const PROMPT: Lengths =
                    Lengths([8, 60, 900, 1_600, 1_800, 2_000]);
                push(out, r#"{"type":"user","message":{"role":"user","#);
                push(out, r#""content":""#);
                let length = self.random.length(&PROMPT);
                prose(out, &mut self.random, length);
                push(out, r#""},"parent_tool_use_id":null"#);
                self.sign(out);
            }
            Step::KeepAlive => push(out, r#"{"type":"keep_alive"}"#),
            Step::MessageStart(message) => self.event(out, |out, random| {
                push(out, r#"{"type":"message_start","message":{"model":"#);
                push(out, r#""claude-opus-5","id":""#);
                id(out, "msg_01", message);
                push(out, r#"","type":"message","role":"assistant","#);
                push(out, r#""content":[],"stop_reason":null,"#);
                push(out, r#""stop_sequence":null,"stop_details":null,"#);
                push(out, r#""usage":"#);
                usage(out, random);
                push(out, "}}");
            }),
            Step::BlockStart(kind, at) => self.event(out, |out, _| {
                push(out, r#"{"type":"content_block_start","index":"#);
                number(out, u64::from(at));
                push(out, r#","content_block":{"type":"#);
                match kind {
                    Kind::Thinking => {
                        push(out, r#""thinking","thinking":"","#);
                        push(out, r#""signature":""}}"#);
                    }
                    Kind::Text => push(out, r#""text","text":""}}"#),
                    Kind::Tool(call) => {
                        push(out, r#""tool_use","id":""#);
                        call.id(out);
                        push(out, r#"","name":""#);
                        push(out, call.name());
                        push(out, r#"","input":{},"caller":{"#);
                        push(out, r#""type":"direct"}}}"#);
                    }
                }
            }),
            Step::Delta(kind, at, part) => self.event(out, |out, _| {
                push(out, r#"{"type":"content_block_delta","index":"#);
                number(out, u64::from(at));
                push(out, r#","delta":{"type":"#);
                push(
                    out,
                    match kind {
                        Kind::Thinking => r#""thinking_delta","thinking":""#,
                        Kind::Text => r#""text_delta","text":""#,
                        Kind::Tool(_) => {
                            r#""input_json_delta","partial_json":""#
                        }
                    },
                );
                out.extend_from_slice(&part);
                push(out, r#""}}"#);
            }),
            Step::BlockStop(at) => self.event(out, |out, _| {
                push(out, r#"{"type":"content_block_stop","index":"#);
                number(out, u64::from(at));
                out.push(b'}');
            }),
            Step::Assistant(message, block, parent) => {
                self.assistant(out, message, &block, parent);
            }
            Step::MessageDelta(message) => self.event(out, |out, _| {
                push(out, r#"{"type":"message_delta","delta":{"#);
                push(out, r#""stop_reason":"tool_use","stop_sequence":null,"#);
                push(out, r#""stop_details":null},"usage":{"iterations":[{"#);
                push(out, r#""type":"message","usage":"#);
                usage(out, &mut Random::new(message));
                push(out, r#"}],"output_tokens":"#);
                number(out, message >> 53);
                push(out, r#"},"context_management":{"applied_edits":[]}}"#);
            }),
            Step::MessageStop => self.event(out, |out, _| {
                push(out, r#"{"type":"message_stop"}"#);
            }),
            Step::MayUse(call) => {
                push(out, r#"{"type":"control_request","request_id":""#);
                uuid(out, call.seed ^ 1);
                push(out, r#"","request":{"subtype":"can_use_tool","#);
                push(out, r#""tool_name":""#);
                push(out, call.name());
                push(out, r#"","input":"#);
                call.input(out);
                push(out, r#","tool_use_id":""#);
                call.id(out);
                push(out, r#""}}"#);
            }
            Step::Allowed(call) => {
                push(out, r#"{"type":"control_response","response":{"#);
                push(out, r#""subtype":"success","request_id":""#);
                uuid(out, call.seed ^ 1);
                push(out, r#"","response":{"behavior":"allow","#);
                push(out, r#""toolUseID":""#);
                call.id(out);
                push(out, r#""}}}"#);
            }
            Step::ToolResult(call, parent) => {
                push(out, r#"{"type":"user","message":{"role":"user","#);
                push(out, r#""content":["#);
                call.result(out);
                push(out, r#"]},"parent_tool_use_id":"#);
                parent_id(out, parent);
                push(out, r#","timestamp":""#);
                self.clock.write(out);
                out.push(b'"');
                if parent.is_none() {
                    push(out, r#","tool_use_result":"#);
                    call.detail(out);
                }
                self.sign(out);
            }
            Step::Progress(call) => self.progress(out, call),
            Step::RateLimit => {
                push(out, r#"{"type":"rate_limit_event","rate_limit_info":"#);
                push(out, r#"{"status":"allowed","resetsAt":"#);
                number(out, 1_787_000_000 + (self.random.next() >> 44));
                push(out, r#","rateLimitType":"five_hour","#);
                push(out, r#""overageStatus":"allowed","#);
                push(out, r#""isUsingOverage":false}"#);
                self.sign(out);
            }
            Step::Retry => {
                push(out, r#"{"type":"system","subtype":"api_retry","#);
                push(out, r#""attempt":1,"max_retries":10,"#);
                push(out, r#""retry_delay_ms":"#);
                number(out, u64::from(self.random.between(400, 900)));
                push(out, r#","error_status":529,"error":"server_error""#);
                self.sign(out);
            }
            Step::End => self.result(out),
        }
    }

    /// Ends the line with `session_id` and `uuid`.
    fn sign(&mut self, out: &mut Vec<u8>) {
        push(out, r#","session_id":""#);
        uuid(out, self.session);
        push(out, r#"","uuid":""#);
        uuid(out, self.random.next());
        push(out, r#""}"#);
    }

    fn event(
        &mut self,
        out: &mut Vec<u8>,
        event: impl FnOnce(&mut Vec<u8>, &mut Random),
    ) {
        push(out, r#"{"type":"stream_event","event":"#);
        event(out, &mut self.random);
        push(out, r#","session_id":""#);
        uuid(out, self.session);
        push(out, r#"","parent_tool_use_id":null,"uuid":""#);
        uuid(out, self.random.next());
        push(out, r#""}"#);
    }

    fn initialized(&mut self, out: &mut Vec<u8>, request: u64) {
        push(out, r#"{"type":"control_response","response":{"#);
        push(out, r#""subtype":"success","request_id":""#);
        uuid(out, request);
        push(out, r#"","response":{"commands":["#);
        for at in 0..self.random.between(8, 24) {
            push(out, if at == 0 { r#"{"name":""# } else { r#",{"name":""# });
            push(out, word(&mut self.random));
            push(out, r#"","description":""#);
            prose(out, &mut self.random, 60);
            push(out, r#"","argumentHint":""}"#);
        }
        push(out, r#"],"output_style":"default"}}}"#);
    }

    fn init(&mut self, out: &mut Vec<u8>) {
        push(out, r#"{"type":"system","subtype":"init","#);
        push(out, r#""cwd":"/home/dev/orchard","tools":["Task","Bash","#);
        push(out, r#""Glob","Grep","Read","Edit","Write","TodoWrite"],"#);
        push(out, r#""mcp_servers":[{"name":""#);
        push(out, word(&mut self.random));
        push(out, r#"","status":"connected"}],"model":"claude-opus-5","#);
        push(out, r#""permissionMode":"default","slash_commands":["#);
        for at in 0..self.random.between(4, 40) {
            push(out, if at == 0 { "\"" } else { ",\"" });
            push(out, word(&mut self.random));
            out.push(b'-');
            push(out, word(&mut self.random));
            out.push(b'"');
        }
        push(out, r#"],"apiKeySource":"none","claude_code_version":"#);
        push(out, r#""2.1.238","output_style":"default","agents":["#);
        push(out, r#""general-purpose","Explore"],"skills":[],"plugins":[]"#);
        self.sign(out);
    }

    fn assistant(
        &mut self,
        out: &mut Vec<u8>,
        message: u64,
        block: &Block,
        parent: Option<Call>,
    ) {
        const SIGNATURE: Lengths =
            Lengths([200, 260, 500, 1_600, 2_800, 4_000]);
        push(out, r#"{"type":"assistant","message":{"model":"#);
        push(out, r#""claude-opus-5","id":""#);
        id(out, "msg_01", message);
        push(out, r#"","type":"message","role":"assistant","content":["#);
        match block.kind {
            Kind::Thinking => {
                push(out, r#"{"type":"thinking","thinking":""#);
                out.extend_from_slice(&block.text);
                push(out, r#"","signature":""#);
                let length = self.random.length(&SIGNATURE);
                base64(out, &mut self.random, length);
                push(out, r#""}"#);
            }
            Kind::Text => {
                push(out, r#"{"type":"text","text":""#);
                out.extend_from_slice(&block.text);
                push(out, r#""}"#);
            }
            Kind::Tool(call) => {
                push(out, r#"{"type":"tool_use","id":""#);
                call.id(out);
                push(out, r#"","name":""#);
                push(out, call.name());
                push(out, r#"","input":"#);
                call.input(out);
                push(out, r#","caller":{"type":"direct"}}"#);
            }
        }
        push(out, r#"],"stop_reason":null,"stop_sequence":null,"#);
        push(out, r#""stop_details":null,"usage":"#);
        let mut random = Random::new(message);
        // Some agent versions write fewer fields.
        if message & 1 == 0 {
            usage(out, &mut random);
        } else {
            full_usage(out, &mut random);
        }
        push(
            out,
            r#","diagnostics":null,"context_management":null},"parent_tool_use_id":"#,
        );
        parent_id(out, parent);
        push(out, r#","request_id":""#);
        id(out, "req_01", message);
        push(out, r#"","timestamp":""#);
        self.clock.write(out);
        out.push(b'"');
        self.sign(out);
    }

    fn progress(&mut self, out: &mut Vec<u8>, call: Call) {
        const SUMMARY: Lengths = Lengths([40, 120, 300, 520, 700, 800]);
        push(out, r#"{"type":"system","subtype":"task_progress","#);
        push(out, r#""task_id":""#);
        agent(out, call.seed);
        push(out, r#"","tool_use_id":""#);
        call.id(out);
        push(out, r#"","description":"Look into the "#);
        push(out, word(&mut self.random));
        push(out, r#"","subagent_type":"Explore","usage":{"#);
        push(out, r#""total_tokens":"#);
        number(out, u64::from(self.random.between(9_000, 90_000)));
        push(out, r#","tool_uses":"#);
        number(out, u64::from(self.random.between(1, 30)));
        push(out, r#","duration_ms":"#);
        number(out, u64::from(self.random.between(900, 90_000)));
        push(out, r#"},"last_tool_name":"Read","summary":""#);
        let length = self.random.length(&SUMMARY);
        prose(out, &mut self.random, length);
        out.push(b'"');
        self.sign(out);
    }

    fn result(&mut self, out: &mut Vec<u8>) {
        let failed = self.random.chance(6);
        push(out, r#"{"type":"result","subtype":""#);
        push(out, if failed { "error_during_execution" } else { "success" });
        push(out, r#"","is_error":"#);
        push(out, if failed { "true" } else { "false" });
        push(out, r#","duration_ms":"#);
        let duration = self.random.between(3_000, 400_000);
        number(out, u64::from(duration));
        push(out, r#","duration_api_ms":"#);
        number(out, u64::from(duration) * 4 / 5);
        push(out, r#","num_turns":"#);
        number(out, u64::from(self.random.between(1, 40)));
        push(out, r#","result":""#);
        words(out, &mut self.random, 60);
        prose(out, &mut self.random, 400);
        push(out, r#"","total_cost_usd":0."#);
        number(out, u64::from(self.random.between(100_000, 999_999)));
        push(out, r#","usage":"#);
        full_usage(out, &mut self.random);
        push(out, r#","modelUsage":{"claude-opus-5":{"inputTokens":"#);
        number(out, u64::from(self.random.below(900)));
        push(out, r#","outputTokens":"#);
        number(out, u64::from(self.random.below(9_000)));
        push(out, r#","costUSD":0."#);
        number(out, u64::from(self.random.between(100_000, 999_999)));
        push(out, r#","contextWindow":1000000}},"permission_denials":[]"#);
        self.sign(out);
    }
}

/// Writes the id of the call that started a sub-agent.
fn parent_id(out: &mut Vec<u8>, parent: Option<Call>) {
    match parent {
        None => push(out, "null"),
        Some(call) => {
            out.push(b'"');
            call.id(out);
            out.push(b'"');
        }
    }
}
