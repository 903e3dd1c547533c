//! The inputs and results of tool calls.

use crate::{
    ids::{agent, id},
    random::Random,
    text::{
        CODE_LINE, Code, base64, number, output, path, prose, push, word,
        words,
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Edit,
    Read,
    /// An image, as one long base64 string.
    ReadImage,
    Bash,
    /// A command that failed.
    BashError,
    /// A command that prints a diff.
    BashDiff,
    Grep,
    Glob,
    Write,
    Todo,
    TaskUpdate,
    /// A sub-agent.
    Task,
}

/// A tool call.
///
/// It has a seed instead of texts. The call and the result are different
/// lines, and both generate their shared texts from the seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) tool: Tool,
    pub(crate) seed: u64,
    /// The approximate size of the result in bytes, including its copy.
    pub(crate) size: usize,
}

impl Call {
    /// Returns the tool's name in the log.
    pub(crate) fn name(&self) -> &'static str {
        match self.tool {
            Tool::Edit => "Edit",
            Tool::Read | Tool::ReadImage => "Read",
            Tool::Bash | Tool::BashError | Tool::BashDiff => "Bash",
            Tool::Grep => "Grep",
            Tool::Glob => "Glob",
            Tool::Write => "Write",
            Tool::Todo => "TodoWrite",
            Tool::TaskUpdate => "TaskUpdate",
            Tool::Task => "Task",
        }
    }

    /// Writes the id of the call.
    pub(crate) fn id(&self, out: &mut Vec<u8>) {
        id(out, "toolu_01", self.seed);
    }

    /// Returns a random number generator for one aspect of the call.
    fn random(&self, aspect: u64) -> Random {
        Random::new(self.seed.wrapping_add(aspect << 56))
    }

    fn path(&self, out: &mut Vec<u8>) {
        path(out, &mut self.random(1));
    }

    fn prompt(&self, out: &mut Vec<u8>) {
        let mut random = self.random(2);
        let length = random.between(300, 1_500) as usize;
        prose(out, &mut random, length);
    }

    fn pattern(&self, out: &mut Vec<u8>) {
        push(out, r"func.*");
        push(out, word(&mut self.random(3)));
        push(out, r"\\(");
    }

    /// Writes the text that an edit replaces.
    fn old_text(&self, out: &mut Vec<u8>) {
        let count = self.random(4).between(2, 9) as usize;
        Code::new(self.seed ^ 4).lines(out, count);
    }

    /// Writes the replacement of an edit.
    fn new_text(&self, out: &mut Vec<u8>) {
        let count = self.random(5).between(3, 30) as usize;
        Code::new(self.seed ^ 5).lines(out, count);
    }

    /// Writes the output of a command or a search.
    fn stdout(&self, out: &mut Vec<u8>) {
        let mut random = self.random(6);
        match self.tool {
            Tool::BashDiff => {
                let count = self.size / 2 / CODE_LINE;
                Code::with_tabs(self.seed).diff(out, count);
            }
            Tool::Grep => {
                let end = out.len() + self.size / 2;
                let mut code = Code::new(self.seed);
                while out.len() < end {
                    path(out, &mut random);
                    out.push(b':');
                    number(out, u64::from(random.below(900)));
                    out.push(b':');
                    code.line(out);
                    push(out, r"\n");
                }
            }
            _ => output(out, &mut random, self.size / 2),
        }
    }

    /// Writes the report of a sub-agent.
    fn report(&self, out: &mut Vec<u8>) {
        let mut random = self.random(7);
        let end = out.len() + self.size / 2;
        while out.len() < end {
            prose(out, &mut random, 500);
            push(out, r"\n\n```\n");
            Code::new(random.next()).lines(out, 12);
            push(out, r"```\n\n");
        }
    }

    fn todos(&self, out: &mut Vec<u8>, done: u32) {
        let mut random = self.random(8);
        out.push(b'[');
        for at in 0..random.between(3, 6) {
            if at > 0 {
                out.push(b',');
            }
            push(out, r#"{"content":"Check the "#);
            words(out, &mut random, 24);
            push(out, r#"","status":""#);
            push(out, if at < done { "completed" } else { "pending" });
            push(out, r#"","activeForm":"Checking the "#);
            push(out, word(&mut random));
            push(out, r#""}"#);
        }
        out.push(b']');
    }

    /// Returns the number of lines of the file that is read or edited.
    fn lines(&self) -> usize {
        match self.tool {
            // The result contains the text twice, once with line numbers.
            Tool::Read => self.size / (2 * CODE_LINE + 9),
            _ => self.size / CODE_LINE,
        }
        .max(1)
    }

    /// Writes the input object.
    pub(crate) fn input(&self, out: &mut Vec<u8>) {
        match self.tool {
            Tool::Edit => {
                push(out, r#"{"replace_all":false,"file_path":""#);
                self.path(out);
                push(out, r#"","old_string":""#);
                self.old_text(out);
                push(out, r#"","new_string":""#);
                self.new_text(out);
                push(out, r#""}"#);
            }
            Tool::Read | Tool::ReadImage => {
                push(out, r#"{"file_path":""#);
                self.path(out);
                push(out, r#""}"#);
            }
            Tool::Bash | Tool::BashError | Tool::BashDiff => {
                push(out, r#"{"command":"go test ./"#);
                self.command(out);
                push(out, r#"","description":"Run the tests of "#);
                push(out, word(&mut self.random(10)));
                push(out, r#""}"#);
            }
            Tool::Grep => {
                push(out, r#"{"pattern":""#);
                self.pattern(out);
                push(out, r#"","path":"/home/dev/orchard","output_mode":"#);
                push(out, r#""content","-n":true}"#);
            }
            Tool::Glob => {
                push(out, r#"{"pattern":"**/*"#);
                push(out, word(&mut self.random(3)));
                push(out, r#"*.go"}"#);
            }
            Tool::Write => {
                push(out, r#"{"file_path":""#);
                self.path(out);
                push(out, r#"","content":""#);
                Code::new(self.seed).lines(out, self.lines());
                push(out, r#""}"#);
            }
            Tool::Todo => {
                push(out, r#"{"todos":"#);
                self.todos(out, 1);
                out.push(b'}');
            }
            Tool::TaskUpdate => {
                push(out, r#"{"taskId":""#);
                number(out, u64::from(self.random(9).between(1, 12)));
                push(out, r#"","status":"completed"}"#);
            }
            Tool::Task => {
                push(out, r#"{"description":"Look into the "#);
                push(out, word(&mut self.random(10)));
                push(out, r#"","prompt":""#);
                self.prompt(out);
                push(out, r#"","subagent_type":"Explore"}"#);
            }
        }
    }

    /// Writes a part of a command, without escapes.
    fn command(&self, out: &mut Vec<u8>) {
        let mut random = self.random(11);
        let length = random.between(8, 140) as usize;
        words(out, &mut random, length);
    }

    /// Writes the `tool_result` block.
    pub(crate) fn result(&self, out: &mut Vec<u8>) {
        if self.tool == Tool::BashError {
            push(out, r#"{"type":"tool_result","content":"Exit code 1\n"#);
            self.stdout(out);
            push(out, r#"","is_error":true,"tool_use_id":""#);
            self.id(out);
            push(out, r#""}"#);
            return;
        }
        push(out, r#"{"tool_use_id":""#);
        self.id(out);
        push(out, r#"","type":"tool_result","content":"#);
        match self.tool {
            Tool::ReadImage => {
                push(out, r#"[{"type":"image","source":{"type":"base64","#);
                push(out, r#""data":""#);
                self.image(out);
                push(out, r#"","media_type":"image/png"}}]"#);
            }
            Tool::Task => {
                push(out, r#"[{"type":"text","text":""#);
                self.report(out);
                push(out, r#""},{"type":"text","text":"agentId: "#);
                agent(out, self.seed);
                push(out, r#" (for resuming)"}]"#);
            }
            _ => {
                out.push(b'"');
                self.answer(out);
                out.push(b'"');
            }
        }
        if matches!(self.tool, Tool::Bash | Tool::BashDiff) {
            push(out, r#","is_error":false"#);
        }
        out.push(b'}');
    }

    /// Writes a result that is a single text.
    fn answer(&self, out: &mut Vec<u8>) {
        match self.tool {
            Tool::Read => {
                Code::new(self.seed).numbered(out, self.lines());
            }
            Tool::Edit => {
                push(out, "The file ");
                self.path(out);
                push(out, " has been updated successfully.");
            }
            Tool::Write => {
                push(out, "File created successfully at: ");
                self.path(out);
            }
            Tool::Todo => push(
                out,
                "Todos have been modified successfully. Please go on with \
                 the tasks at hand, if there are any.",
            ),
            Tool::TaskUpdate => push(out, "Updated task status"),
            Tool::Glob => {
                let mut random = self.random(6);
                for _ in 0..self.size / 80 + 1 {
                    path(out, &mut random);
                    push(out, r"\n");
                }
            }
            _ => self.stdout(out),
        }
    }

    fn image(&self, out: &mut Vec<u8>) {
        base64(out, &mut self.random(6), self.size / 2);
    }

    /// Writes the structured copy of the result: `toolUseResult` in a
    /// transcript, `tool_use_result` in a stream.
    pub(crate) fn detail(&self, out: &mut Vec<u8>) {
        match self.tool {
            Tool::Edit => {
                push(out, r#"{"filePath":""#);
                self.path(out);
                push(out, r#"","oldString":""#);
                self.old_text(out);
                push(out, r#"","newString":""#);
                self.new_text(out);
                push(out, r#"","originalFile":""#);
                Code::new(self.seed).lines(out, self.lines());
                push(out, r#"","structuredPatch":[{"oldStart":"#);
                self.patch(out);
                push(out, r#"],"userModified":false,"replaceAll":false}"#);
            }
            Tool::Read => {
                push(out, r#"{"type":"text","file":{"filePath":""#);
                self.path(out);
                push(out, r#"","content":""#);
                Code::new(self.seed).lines(out, self.lines());
                push(out, r#"","numLines":"#);
                number(out, self.lines() as u64);
                push(out, r#","startLine":1,"totalLines":"#);
                number(out, self.lines() as u64);
                push(out, "}}");
            }
            Tool::ReadImage => {
                push(out, r#"{"type":"image","file":{"base64":""#);
                self.image(out);
                push(out, r#"","type":"image/png","originalSize":"#);
                number(out, self.size as u64 / 2 * 3 / 4);
                push(out, "}}");
            }
            Tool::Bash | Tool::BashDiff => {
                push(out, r#"{"stdout":""#);
                self.stdout(out);
                push(out, r#"","stderr":"","interrupted":false,"#);
                push(out, r#""isImage":false}"#);
            }
            Tool::BashError => {
                push(out, r#""Error: Exit code 1\n"#);
                self.stdout(out);
                out.push(b'"');
            }
            Tool::Grep => {
                push(out, r#"{"mode":"content","numFiles":0,"#);
                push(out, r#""filenames":[],"content":""#);
                self.stdout(out);
                push(out, r#"","numLines":"#);
                number(out, self.size as u64 / 160);
                out.push(b'}');
            }
            Tool::Glob => {
                push(out, r#"{"filenames":["#);
                let mut random = self.random(6);
                let count = self.size / 80 + 1;
                for at in 0..count {
                    push(out, if at == 0 { "\"" } else { ",\"" });
                    path(out, &mut random);
                    out.push(b'"');
                }
                push(out, r#"],"durationMs":"#);
                number(out, u64::from(random.between(3, 900)));
                push(out, r#","numFiles":"#);
                number(out, count as u64);
                push(out, r#","truncated":false}"#);
            }
            Tool::Write => {
                push(out, r#"{"type":"create","filePath":""#);
                self.path(out);
                push(out, r#"","content":""#);
                Code::new(self.seed).lines(out, self.lines());
                push(out, r#"","structuredPatch":[],"originalFile":null}"#);
            }
            Tool::Todo => {
                push(out, r#"{"oldTodos":"#);
                self.todos(out, 0);
                push(out, r#","newTodos":"#);
                self.todos(out, 1);
                out.push(b'}');
            }
            Tool::TaskUpdate => {
                push(out, r#"{"success":true,"taskId":""#);
                number(out, u64::from(self.random(9).between(1, 12)));
                push(out, r#"","updatedFields":["status"],"statusChange":"#);
                push(out, r#"{"from":"in_progress","to":"completed"}}"#);
            }
            Tool::Task => {
                push(out, r#"{"status":"completed","prompt":""#);
                self.prompt(out);
                push(out, r#"","agentId":""#);
                agent(out, self.seed);
                push(out, r#"","content":[{"type":"text","text":""#);
                self.report(out);
                push(out, r#""}],"totalDurationMs":"#);
                let mut random = self.random(9);
                number(out, u64::from(random.between(9_000, 200_000)));
                push(out, r#","totalTokens":"#);
                number(out, u64::from(random.between(20_000, 90_000)));
                push(out, r#","totalToolUseCount":"#);
                number(out, u64::from(random.between(3, 40)));
                out.push(b'}');
            }
        }
    }

    /// Writes one hunk of a diff, from the value of `oldStart` on.
    fn patch(&self, out: &mut Vec<u8>) {
        let mut random = self.random(9);
        let mut code = Code::new(self.seed ^ 5);
        let (start, count) = (random.between(1, 400), random.between(8, 20));
        number(out, u64::from(start));
        push(out, r#","oldLines":"#);
        number(out, u64::from(count / 2));
        push(out, r#","newStart":"#);
        number(out, u64::from(start));
        push(out, r#","newLines":"#);
        number(out, u64::from(count));
        push(out, r#","lines":["#);
        for at in 0..count {
            push(out, if at == 0 { "\"" } else { ",\"" });
            push(out, if at < 3 || at + 3 >= count { " " } else { "+" });
            code.line(out);
            out.push(b'"');
        }
        push(out, "]}");
    }
}
