//! The comparison: all engines alternate, and the best run of each is used.

use crate::{
    data::Data,
    engines,
    jobs::{Job, Tally},
    native::Native,
    report::{Row, Table},
    run::Run,
};

/// Runs all engines of a job.
pub fn compare<'d>(
    job: Job,
    data: &'d Data,
    native: Option<&'d Native>,
    rounds: usize,
) -> Table<'d> {
    let engines = engines::of(job).into_iter();
    let mut runs: Vec<_> =
        engines.map(|engine| Run::here(engine, data)).collect();
    if let Some(native) = native {
        runs.extend(native.on(job, data));
    }
    Table { job, data, rows: measure(&runs, rounds) }
}

/// Runs all engines in turn, `rounds` times. A peer may return another result
/// than the first engine, which the table shows; linetape may not.
fn measure(runs: &[Run<'_>], rounds: usize) -> Vec<Row> {
    let mut tally = Tally::default();
    // The first run is not timed: it is for the results, and warms up.
    let answers: Vec<String> =
        runs.iter().map(|run| run.run(&mut tally).answer).collect();
    let mut best = vec![f64::MAX; runs.len()];
    for _ in 0..rounds {
        for (at, run) in runs.iter().enumerate() {
            let outcome = run.run(&mut tally);
            best[at] = best[at].min(outcome.seconds);
            assert_eq!(outcome.answer, answers[at], "{} wavers", run.name);
        }
    }
    let mut rows = vec![];
    for ((run, seconds), answer) in runs.iter().zip(best).zip(&answers) {
        let agrees = *answer == answers[0];
        assert!(agrees || !run.ours, "{} is wrong: {answer}", run.name);
        rows.push(Row {
            engine: run.name,
            ours: run.ours,
            seconds,
            answer: answer.clone(),
            agrees,
        });
    }
    rows
}
