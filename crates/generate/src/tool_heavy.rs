//! Tool calls with huge results: source files and diffs.

use crate::{
    ids::{Clock, end_line, id},
    random::{Lengths, Random},
    text::push,
    tool::{Call, Tool},
};

#[derive(Debug)]
pub(crate) struct ToolHeavy {
    random: Random,
    clock: Clock,
    session: u64,
    /// The last call, until its result is written.
    open: Option<Call>,
}

impl ToolHeavy {
    pub(crate) fn new(seed: u64) -> ToolHeavy {
        let mut random = Random::new(seed);
        let clock = Clock::new(&mut random);
        let session = random.next();
        ToolHeavy { random, clock, session, open: None }
    }

    pub(crate) fn line(&mut self, out: &mut Vec<u8>) {
        self.clock.pass(&mut self.random, 5_000);
        match self.open.take() {
            None => self.call(out),
            Some(call) => self.result(out, call),
        }
        end_line(out, self.session, self.random.next(), &self.clock);
    }

    fn call(&mut self, out: &mut Vec<u8>) {
        const SIZE: Lengths =
            Lengths([20_000, 30_000, 90_000, 300_000, 600_000, 900_000]);
        let tool = self.random.pick(&[
            Tool::Read,
            Tool::Edit,
            Tool::BashDiff,
            Tool::BashDiff,
            Tool::Grep,
        ]);
        let size = self.random.length(&SIZE);
        let call = Call { tool, seed: self.random.next(), size };
        push(out, r#"{"type":"assistant","message":{"id":""#);
        id(out, "msg_01", call.seed);
        push(out, r#"","type":"message","role":"assistant","model":"#);
        push(out, r#""claude-opus-5","content":[{"type":"tool_use","id":""#);
        call.id(out);
        push(out, r#"","name":""#);
        push(out, call.name());
        push(out, r#"","input":"#);
        call.input(out);
        push(out, r#"}],"stop_reason":null},"parent_tool_use_id":null"#);
        self.open = Some(call);
    }

    fn result(&self, out: &mut Vec<u8>, call: Call) {
        push(out, r#"{"type":"user","message":{"role":"user","content":["#);
        call.result(out);
        push(out, r#"]},"parent_tool_use_id":null,"tool_use_result":"#);
        call.detail(out);
    }
}
