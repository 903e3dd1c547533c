//! The same program, built for this CPU: it runs as a child process, and
//! alternates with the other engines.
//!
//! sonic-rs chooses its instructions at compile time, so its documentation
//! recommends such a build. The parent writes a line for each run, and the
//! child answers with a line of JSON.

use std::{
    cell::RefCell,
    env, fmt,
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    data::{self, Data},
    engine::Engine,
    engines,
    jobs::{Job, Tally},
    run::{Outcome, Run},
};

/// The variable with the path of the second program. The script `run` builds
/// it, and sets this.
const BINARY: &str = "PEERS_NATIVE_BINARY";

/// The engines that benefit from a second build.
const ENGINES: &str = "sonic-rs";

pub struct Native(RefCell<Pipes>);

struct Pipes {
    child: Child,
    /// `None` when the child should end.
    requests: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Native {
    /// Returns `None` if there is no second program.
    pub fn start() -> Option<Native> {
        let binary = env::var_os(BINARY).filter(|name| !name.is_empty())?;
        let mut command = Command::new(binary);
        command.arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                eprintln!("{BINARY}: {error}");
                return None;
            }
        };
        let requests = child.stdin.take();
        let replies = BufReader::new(child.stdout.take()?);
        Some(Native(RefCell::new(Pipes { child, requests, replies })))
    }

    /// Returns the engines for `job`, prepared for `data`.
    pub fn on<'d>(&'d self, job: Job, data: &'d Data) -> Vec<Run<'d>> {
        let mut engines = engines::of(job);
        engines.retain(|engine| engine.name.starts_with(ENGINES));
        let run = |engine: &Engine| {
            let data = data.name.to_owned();
            let request = Request { job, data, engine: engine.name.into() };
            // Names live until the end of the program, and there are few.
            let name = format!("{} (native)", engine.name).leak();
            Run::elsewhere(name, move || {
                let outcome = self.0.borrow_mut().ask(&request);
                outcome.unwrap_or_else(|error| panic!("{request}: {error}"))
            })
        };
        engines.into_iter().map(run).collect()
    }
}

impl Pipes {
    fn ask(&mut self, request: &Request) -> io::Result<Outcome> {
        let requests = self.requests.as_mut();
        writeln!(requests.expect("open until the end"), "{request}")?;
        let mut reply = String::new();
        self.replies.read_line(&mut reply)?;
        read_reply(&reply).ok_or_else(|| io::Error::other(reply))
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.requests = None;
        // If this fails, the error cannot be reported.
        let _ = self.child.wait();
    }
}

/// The loop of the child: one run for each line, until the input ends.
pub fn serve() -> io::Result<()> {
    let mut server = Server::default();
    for line in io::stdin().lines() {
        let reply = match Request::parse(&line?) {
            Some(request) => server.run(&request),
            None => None,
        };
        println!("{}", write_reply(reply.as_ref()));
    }
    Ok(())
}

#[derive(Default)]
struct Server {
    sets: Vec<&'static Data>,
    runs: Vec<(Request, Run<'static>)>,
    tally: Tally,
}

impl Server {
    /// Returns `None` if there is no such data or engine.
    fn run(&mut self, request: &Request) -> Option<Outcome> {
        let known = self.runs.iter().position(|(known, _)| known == request);
        let at = match known {
            Some(at) => at,
            None => {
                let data = self.data(&request.data)?;
                let mut engines = engines::of(request.job).into_iter();
                let engine = engines.find(|e| e.name == request.engine)?;
                self.runs.push((request.clone(), Run::here(engine, data)));
                self.runs.len() - 1
            }
        };
        Some(self.runs[at].1.run(&mut self.tally))
    }

    fn data(&mut self, name: &str) -> Option<&'static Data> {
        let known = self.sets.iter().find(|data| data.name == name);
        if known.is_some() {
            return known.copied();
        }
        // Loaded data is needed until the end.
        let data: &'static Data = Box::leak(Box::new(data::set(name)?));
        self.sets.push(data);
        Some(data)
    }
}

/// The protocol: the job, the data and the engine, separated by spaces. Only
/// the name of the engine may contain spaces.
#[derive(Clone, Debug, PartialEq)]
struct Request {
    job: Job,
    data: String,
    engine: String,
}

impl Request {
    fn parse(line: &str) -> Option<Request> {
        let (job, rest) = line.trim_end().split_once(' ')?;
        let (data, engine) = rest.split_once(' ')?;
        let [data, engine] = [data, engine].map(str::to_owned);
        Some(Request { job: Job::named(job)?, data, engine })
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { job, data, engine } = self;
        write!(f, "{} {data} {engine}", job.name())
    }
}

fn write_reply(outcome: Option<&Outcome>) -> Value {
    match outcome {
        Some(Outcome { seconds, answer }) => {
            json!({ "seconds": seconds, "answer": answer })
        }
        None => json!({ "error": "no such job, data or engine" }),
    }
}

fn read_reply(line: &str) -> Option<Outcome> {
    let reply: Value = serde_json::from_str(line).ok()?;
    let answer = reply["answer"].as_str()?.to_owned();
    Some(Outcome { seconds: reply["seconds"].as_f64()?, answer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_the_wire() {
        for job in Job::ALL {
            let [data, engine] =
                ["stream", "sonic-rs get, valid"].map(str::to_owned);
            let request = Request { job, data, engine };
            let line = format!("{request}\n");
            assert_eq!(Request::parse(&line), Some(request));
        }
        for line in ["", "J1", "J1 stream", "J9 stream sonic-rs"] {
            assert_eq!(Request::parse(line), None, "{line}");
        }
    }

    #[test]
    fn replies_survive_the_wire() {
        let answer = "a \"b\"/none 1,\nc 2".to_owned();
        let outcome = Outcome { seconds: 0.012_345_678_9, answer };
        let line = write_reply(Some(&outcome)).to_string();
        assert!(!line.contains('\n'));
        assert_eq!(read_reply(&line), Some(outcome));
        assert_eq!(read_reply(&write_reply(None).to_string()), None);
        assert_eq!(read_reply(""), None);
    }
}
