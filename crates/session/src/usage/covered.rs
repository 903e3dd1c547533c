/*!
Which messages of a stream the results of its session are about.

A result reports what its process has used since the result before. If a process
is killed, it writes none, and the messages of the stream that it wrote are in no
result: neither in that of the process that resumes the session, nor in one that
is never written.

But a `system/init` does not always begin a process: the agent writes one when a
sub-agent in the background has ended, too. So what decides is whether the result
can be about all messages since the one before. The lines of messages have the
counts of the input from the start, so the sums of these show it.
*/

use crate::{
    Tokens,
    cost::{Runs, Told},
    usage::spent::Spent,
};

/// What the results of one session report, and the messages of its stream that
/// they are not about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Covered {
    pub(crate) reported: Tokens,
    /// The tokens of these messages.
    pub(crate) outside: Tokens,
    /// How many of them have placeholders.
    pub(crate) placeholders: u64,
}

impl Covered {
    /// Compares the results of a session with the messages of its stream, which
    /// are in ascending order of their indexes.
    pub(crate) fn of(runs: &Runs, streamed: &[(usize, Spent)]) -> Covered {
        let mut covered = Covered::default();
        let (mut start, mut rest) = (0, streamed);
        for result in runs.told() {
            let end = rest.partition_point(|(index, _)| *index < result.at);
            let (run, later) = rest.split_at_checked(end).unwrap_or_default();
            let inits = runs.inits().iter().copied();
            let inits = inits.filter(|at| (start..result.at).contains(at));
            covered.add(&result, run, inits);
            (start, rest) = (result.at, later);
        }
        covered.leave(rest.iter().map(|(_, spent)| spent));
        covered
    }

    /// Returns what the results report beyond the messages. `all` is the sum of
    /// those of the session.
    pub(crate) fn beyond(&self, all: Tokens) -> Tokens {
        self.reported.without(all.without(self.outside)).four()
    }

    /// Adds a result, with the messages since the one before and the indexes
    /// at which a process may have begun.
    fn add(
        &mut self,
        result: &Told,
        run: &[(usize, Spent)],
        inits: impl Iterator<Item = usize>,
    ) {
        let used =
            result.since.unwrap_or_else(|| match restarts(result, run) {
                true => result.sums,
                false => result.growth,
            });
        self.reported += used;
        let split = |at| {
            let first = run.partition_point(|(index, _)| *index < at);
            run.split_at_checked(first)
        };
        let splits = [0].into_iter().chain(inits).filter_map(split);
        let fits = |messages: &[(usize, Spent)]| {
            let sum: Tokens =
                messages.iter().map(|(_, spent)| spent.tokens()).sum();
            inputs(sum).iter().zip(inputs(used)).all(|(sum, of)| *sum <= of)
        };
        let mut fitting = splits.filter(|(_, messages)| fits(messages));
        let all = run.iter().map(|(_, spent)| spent);
        match fitting.next() {
            // A process that was killed wrote these.
            Some((before, _)) => {
                self.leave(before.iter().map(|(_, spent)| spent));
            }
            // The lines of sub-agents may come before the result, and their
            // tokens with the next one.
            None => self.leave(all.filter(|spent| {
                !spent.rank.is_sidechain()
                    && spent.tokens().without(used).four() != Tokens::default()
            })),
        }
    }

    /// Leaves out messages that the results are not about.
    fn leave<'s>(&mut self, messages: impl Iterator<Item = &'s Spent>) {
        for spent in messages {
            self.outside += spent.tokens();
            self.placeholders += u64::from(spent.has_placeholder());
        }
    }
}

/// Returns whether the sums of a result began at 0 again, although none of them
/// is lower than before: some have grown, but not one of those of the input,
/// of which all messages have some.
fn restarts(result: &Told, run: &[(usize, Spent)]) -> bool {
    let has_all = |at: usize| {
        let has = |spent: &Spent| inputs(spent.tokens()).get(at) > Some(&0);
        !run.is_empty() && run.iter().all(|(_, spent)| has(spent))
    };
    let grown = inputs(result.growth);
    let mut stopped = grown.iter().enumerate().filter(|(_, more)| **more == 0);
    result.growth.four() != Tokens::default()
        && stopped.any(|(at, _)| has_all(at))
}

/// Returns the counts of the input.
fn inputs(tokens: Tokens) -> [u64; 3] {
    [
        tokens.input_tokens,
        tokens.cache_creation_input_tokens,
        tokens.cache_read_input_tokens,
    ]
}
