//! The figures of a page.

use std::{collections::HashMap, io};

use linetape_session::{
    Facts,
    conversation::{Call, Session, Step, StepKind, Summary},
};

use crate::{
    chart::{Bar, Clock, Lane, Request, Tool, sort_tools},
    cut::{first_line, subject},
    lines::{Lines, found},
    log::{Log, clock},
};

/// The figures, and the lines of lists that are before the transcript.
#[derive(Debug, Default)]
pub(crate) struct Data<'l> {
    pub(crate) clock: Clock,
    /// All requests, also those of sub-agents.
    pub(crate) requests: &'l [Request],
    /// How many requests of the main conversation are before each compaction.
    pub(crate) compactions: Vec<usize>,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) tools: Vec<Tool>,
    /// Model, US dollars and output tokens.
    pub(crate) costs: Vec<(String, f64, u64)>,
    pub(crate) files: Vec<Touched>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) turns: Vec<Listed>,
}

/// A file that was edited.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub(crate) path: String,
    pub(crate) edits: u64,
    pub(crate) failed: u64,
    pub(crate) added: u64,
    pub(crate) removed: u64,
    /// The first call.
    pub(crate) call: usize,
}

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) call: usize,
    pub(crate) name: String,
    pub(crate) why: String,
    /// The step of the notification that says so, if it ran in the background.
    pub(crate) told: Option<usize>,
}

/// A line of the list of turns.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) prompt: Option<String>,
    pub(crate) started_at: Option<i64>,
    pub(crate) active_ms: u64,
    pub(crate) calls: u64,
    pub(crate) failed: u64,
    pub(crate) is_abandoned: bool,
}

impl<'l> Data<'l> {
    pub(crate) fn gather(
        log: &'l Log,
        session: Session<'_>,
        lines: &mut dyn Lines,
    ) -> io::Result<Data<'l>> {
        let mut data = Data { clock: clock(session), ..Data::default() };
        data.usage(log, session);
        data.lanes(session);
        let mut tools: HashMap<&str, Tool> = HashMap::new();
        let mut files: HashMap<String, usize> = HashMap::new();
        for call in session.calls() {
            let name = call.name().unwrap_or("unnamed tool");
            let tool = tools.entry(name).or_default();
            tool.calls += 1;
            tool.failed += u64::from(call.is_error());
            tool.times.extend(call.duration());
            data.touched(call, &mut files, lines)?;
            data.failed(call, lines)?;
        }
        data.tools = tools
            .into_iter()
            .map(|(name, tool)| Tool { name: name.to_string(), ..tool })
            .collect();
        sort_tools(&mut data.tools);
        let lines_changed = |file: &Touched| {
            std::cmp::Reverse(file.added.saturating_add(file.removed))
        };
        data.files.sort_by_key(lines_changed);
        data.list(session, lines)?;
        Ok(data)
    }

    fn usage(&mut self, log: &'l Log, session: Session<'_>) {
        let Some(spent) = log.spent(session) else { return };
        self.requests = &spent.all;
        let main = spent.all.iter().filter(|one| !one.is_of_agent);
        let steps = session.turns().flat_map(|turn| turn.steps());
        let cuts = steps.filter(|step| step.kind() == StepKind::Compaction);
        self.compactions = cuts
            .filter_map(|cut| {
                let at = cut.time()?;
                let times = main.clone().filter_map(|one| one.time());
                Some(times.filter(|time| *time <= at).count())
            })
            .collect();
        self.costs = spent.models.clone();
        self.costs.sort_by(|a, b| b.1.total_cmp(&a.1));
    }

    fn lanes(&mut self, session: Session<'_>) {
        let span = |turn: linetape_session::conversation::Turn<'_>| {
            Some((turn.started_at()?, turn.ended_at()?))
        };
        let bars = |turn: linetape_session::conversation::Turn<'_>| {
            let calls = turn.calls().filter_map(|call| {
                let (start, end) = (call.started_at()?, call.ended_at()?);
                let failed = call.is_error();
                (start <= end).then_some(Bar { start, end, failed })
            });
            calls.collect::<Vec<_>>()
        };
        self.lanes.push(Lane::new(
            "Main conversation".to_string(),
            session.turns().filter_map(span).collect(),
            session.turns().flat_map(bars).collect(),
        ));
        for agent in session.agents() {
            let kind = agent.kind().unwrap_or("sub-agent");
            let task = agent.task().map(|task| format!(": {task}"));
            let name = format!("{kind}{}", task.unwrap_or_default());
            self.lanes.push(Lane::new(
                first_line(&name, 100),
                agent.turns().filter_map(span).collect(),
                agent.turns().flat_map(bars).collect(),
            ));
        }
    }

    /// Notes the file that a call changes.
    fn touched(
        &mut self,
        call: Call<'_>,
        files: &mut HashMap<String, usize>,
        lines: &mut dyn Lines,
    ) -> io::Result<()> {
        let changed = call.changed_lines();
        let name = call.name().unwrap_or_default();
        let is_edit =
            matches!(name, "Edit" | "MultiEdit" | "Write" | "NotebookEdit");
        let Some(step) = call.step().filter(|_| is_edit || changed.is_some())
        else {
            return Ok(());
        };
        let mut detail = String::new();
        let path = found(lines, step, |facts| {
            detail = Summary::of_step(step, facts).detail;
            path(facts, step)
        })?;
        let Some(path) = path.flatten() else { return Ok(()) };
        let failed = call.is_error();
        let changed = changed.or(stated(&detail)).filter(|_| !failed);
        let at = *files.entry(path.clone()).or_insert(self.files.len());
        if at == self.files.len() {
            let call = call.index();
            self.files.push(Touched { path, call, ..Touched::default() });
        }
        if let Some(file) = self.files.get_mut(at) {
            let (added, removed) = changed.unwrap_or_default();
            file.edits += 1;
            file.failed += u64::from(call.is_error());
            file.added += u64::from(added);
            file.removed += u64::from(removed);
        }
        Ok(())
    }

    fn failed(
        &mut self,
        call: Call<'_>,
        lines: &mut dyn Lines,
    ) -> io::Result<()> {
        if !call.is_error() {
            return Ok(());
        }
        let mut failure = Failure {
            call: call.index(),
            name: call.name().unwrap_or("unnamed tool").to_string(),
            why: String::new(),
            told: call.notification().map(|told| told.index()),
        };
        if let Some(step) = call.step() {
            let name = found(lines, step, |facts| {
                let mut told = Summary::of_step(step, facts);
                told.subject = subject(&told, 160);
                first_line(&told.to_string(), 300)
            })?;
            failure.name = name.unwrap_or(failure.name);
        }
        // In the background, the answer is that the call has begun.
        if let Some(step) = call.notification().or(call.answer()) {
            let why = found(lines, step, |facts| {
                first_line(&step.words(facts), 200)
            })?;
            failure.why = why.unwrap_or_default();
        }
        self.failures.push(failure);
        Ok(())
    }

    fn list(
        &mut self,
        session: Session<'_>,
        lines: &mut dyn Lines,
    ) -> io::Result<()> {
        for turn in session.turns() {
            let prompt = match turn.prompt() {
                Some(step) => found(lines, step, |facts| {
                    first_line(&step.words(facts), 120)
                })?,
                None => None,
            };
            let [start, end] = [turn.started_at(), turn.ended_at()]
                .map(|at| at.map_or(0, |at| self.clock.at(at)));
            let (mut calls, mut failed) = (0, 0);
            for call in turn.calls() {
                calls += 1;
                failed += u64::from(call.is_error());
            }
            self.turns.push(Listed {
                prompt,
                started_at: turn.started_at(),
                active_ms: u64::try_from(end.saturating_sub(start))
                    .unwrap_or(0),
                calls,
                failed,
                is_abandoned: turn.is_abandoned(),
            });
        }
        Ok(())
    }
}

/// Returns the numbers of lines in `+12 -3`, in which one may be missing.
fn stated(detail: &str) -> Option<(u32, u32)> {
    let mut parts = detail.split(' ');
    let mut number = |sign: char| {
        let part = parts.clone().next()?.strip_prefix(sign)?.parse().ok()?;
        parts.next();
        Some(part)
    };
    let numbers: (Option<u32>, Option<u32>) = (number('+'), number('-'));
    match numbers {
        (None, None) => None,
        (added, removed) => Some((added.unwrap_or(0), removed.unwrap_or(0))),
    }
}

/// Returns the file that a call names.
fn path(facts: &Facts<'_>, step: Step<'_>) -> Option<String> {
    let input = step.input(facts)?;
    let keys = ["file_path", "notebook_path", "path"];
    let path = keys.iter().find_map(|key| input.get(key)?.as_str())?;
    Some(path.to_string())
}

#[cfg(test)]
mod tests {
    use super::stated;

    #[test]
    fn changed_lines_are_read_from_a_summary() {
        assert_eq!(stated("+12 -3"), Some((12, 3)));
        assert_eq!(stated("+12"), Some((12, 0)));
        assert_eq!(stated("-3"), Some((0, 3)));
        assert_eq!(stated("in src"), None);
        assert_eq!(stated(""), None);
    }
}
