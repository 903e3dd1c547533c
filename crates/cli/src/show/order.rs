//! Logs that are read twice: sessions in reading order, with results at their
//! calls and sub-agents at theirs.

use std::{
    fs::File,
    io::{self, Cursor, Seek},
};

use linetape_flow::Format;
use linetape_session::{
    Conversation, Facts,
    conversation::{Place, Recall, Step, StepKind, Turn},
};

use crate::{
    complaints::Complaints,
    files::Files,
    gathered::{Described, gathered},
    input::Input,
    outcome::Outcome,
    output::Prints,
    plain::format,
    recognised::{Recognised, Recognition},
    show::{conversation::Conversation as Printed, paper::Paper},
    spool::{Again, Spool},
    table::counted,
};

/// Returns whether all paths can be read twice without a copy: files and
/// folders, but no pipes.
pub fn is_possible(files: &Files) -> bool {
    files.paths().iter().all(|path| {
        let is_pipe = path.exists() && !path.is_file() && !path.is_dir();
        path.as_os_str() != "-" && !is_pipe
    })
}

/// Reads all inputs. The function `paper` is called when nothing more is
/// written to standard error.
pub fn run<P: Paper>(
    files: &Files,
    full: bool,
    paper: impl FnOnce() -> P,
) -> io::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    let mut conversation = Conversation::new();
    let mut recall = Recall::new(files.limits());
    let inputs = files.inputs(Prints::AsItGoes, &mut outcome);
    let mut spool = Spool::default();
    let mut agents = Recognition::default();
    for input in gathered(inputs, files) {
        let kept = match keep(&input, &mut spool) {
            Ok(kept) => kept,
            Err(error) => {
                outcome.report(&input, &error, Outcome::CouldNotRun);
                continue;
            }
        };
        let recognised = read(
            files,
            &input,
            kept,
            &mut conversation,
            &mut recall,
            &mut outcome,
        )?;
        agents.add(&input, recognised);
    }
    agents.is_foreign(&mut outcome);
    conversation.finish();
    let mut printed = Printed::new(paper(), full, true);
    let mut order = Order { recall, printed: &mut printed };
    let lost = conversation.lost_lines();
    for session in conversation.sessions() {
        if session.turns().next().is_none() {
            order.printed.copy(session)?;
        }
        for turn in session.turns() {
            order.turn(turn)?;
        }
    }
    if lost > 0 {
        printed.paper.set_depth(0);
        let lines = counted(lost, "bad line");
        printed.paper.note(&format!("warning: {lines}"))?;
    }
    printed.end_chunks()?;
    printed.paper.flush()?;
    Ok(outcome)
}

/// Opens an input, and returns whether it is a file of plain lines. Compressed
/// files, JSON arrays and standard input are copied to a temporary file.
fn keep(
    input: &Input,
    spool: &mut Spool,
) -> io::Result<(Box<dyn Again>, bool)> {
    let mut copied = |input: &Input| {
        let mut source = input.open()?;
        spool.add(|out| io::copy(&mut source, out).map(drop))
    };
    let Some(path) = input.path() else {
        let kept: Box<dyn Again> = match input {
            Input::Sample => Box::new(Cursor::new(input.sample())),
            _ => Box::new(copied(input)?),
        };
        return Ok((kept, false));
    };
    let mut file = File::open(path)?;
    if format(&file)? != Format::Plain {
        return Ok((Box::new(copied(input)?), false));
    }
    file.rewind()?;
    Ok((Box::new(file), true))
}

/// Adds the lines of an input. Returns whose they are.
fn read(
    files: &Files,
    input: &Input,
    (mut kept, is_plain): (Box<dyn Again>, bool),
    conversation: &mut Conversation,
    recall: &mut Recall<Box<dyn Again>>,
    outcome: &mut Outcome,
) -> io::Result<Recognised> {
    let mut recognised = Recognised::default();
    let source = u32::try_from(recall.sources()).unwrap_or(u32::MAX);
    let mut complaints = Complaints::default();
    let mut reader = files.reader(linetape::Level::Checked).build(&mut kept);
    while let Some(line) = reader.next_line() {
        let line = line.and_then(|line| line.check().map(|()| line));
        let added = line.and_then(|line| {
            let facts = Facts::of(line.checked()?);
            recognised.add(facts.message());
            conversation.add_facts(&facts, Place::of_line(source, &line))
        });
        if let Err(error) = added {
            conversation.add_lost();
            complaints.error(input, &error, outcome);
        }
    }
    complaints.end(input);
    drop(reader);
    if let Some(described) = input.path().and_then(Described::beside) {
        // `stats` complains about a bad one.
        _ = described.tell(|agent, kind, task, call| {
            conversation.add_agent(agent, kind, task, call);
        });
    }
    match input.path().filter(|_| is_plain) {
        // There may be more files than a process may open.
        Some(path) => {
            let path = path.to_path_buf();
            recall.add_opener(move || Ok(Box::new(File::open(&path)?)));
        }
        None => recall.add_source(kept),
    }
    Ok(recognised)
}

/// Prints turns, whose lines are read again.
struct Order<'p, P> {
    recall: Recall<Box<dyn Again>>,
    printed: &'p mut Printed<P>,
}

impl<P: Paper> Order<'_, P> {
    /// Prints a turn. Sub-agents are nested only a few levels deep.
    fn turn(&mut self, turn: Turn<'_>) -> io::Result<()> {
        let mut steps = turn.steps().peekable();
        while let Some(step) = steps.next() {
            if !step.is_abandoned() {
                self.step(step)?;
                continue;
            }
            let mut abandoned = vec![step];
            while let Some(next) = steps.next_if(|next| next.is_abandoned()) {
                abandoned.push(next);
            }
            self.printed.abandoned(abandoned.len())?;
            if self.printed.full {
                for step in abandoned {
                    self.step(step)?;
                }
            }
        }
        Ok(())
    }

    /// Prints a step, and the sub-agents and the result of a call.
    fn step(&mut self, step: Step<'_>) -> io::Result<()> {
        self.print(step)?;
        if let Some(agent) = step.agent() {
            return self.inner(agent.turns());
        }
        let call = step.call().filter(|_| step.kind() == StepKind::Call);
        let Some(call) = call else { return Ok(()) };
        for agent in call.agents() {
            self.inner(agent.turns())?;
        }
        match call.answer() {
            Some(answer) => self.print(answer),
            None => Ok(()),
        }
    }

    /// Prints the turns of a sub-agent.
    fn inner<'c>(
        &mut self,
        turns: impl Iterator<Item = Turn<'c>>,
    ) -> io::Result<()> {
        self.printed.depth += 1;
        for turn in turns {
            self.turn(turn)?;
        }
        self.printed.depth -= 1;
        Ok(())
    }

    fn print(&mut self, step: Step<'_>) -> io::Result<()> {
        let printed = &mut *self.printed;
        let shown =
            self.recall.step(step, |facts| printed.step(step, facts))?;
        // A file that has changed since it was first read has lost lines.
        shown.unwrap_or(Ok(()))
    }
}
