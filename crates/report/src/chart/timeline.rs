//! The time line: calls and sub-agents in active time.

use std::io;

use super::draw::{Shape, WIDTH, begin, begin_svg, plural, table};
use crate::{
    figures::{Utc, duration},
    html::Html,
};

/// A pause that is longer is cut out.
const PAUSE: i64 = 5 * 60 * 1000;

/// A call that runs longer waits for a person, as far as can be told.
const LONGEST: i64 = 10 * 60 * 1000;

/// Parallel calls in one lane; more of them are drawn over each other.
const ROWS: usize = 4;

/// More lanes are drawn in one.
const LANES: usize = 12;

/// Maps times to active time: pauses of more than five minutes are cut out.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Start, end, and the active time before it.
    parts: Vec<(i64, i64, i64)>,
}

impl Clock {
    /// Creates the clock of a session, from the times of its steps and from
    /// the starts and ends of its calls.
    pub fn new(
        times: impl Iterator<Item = i64>,
        calls: impl Iterator<Item = (i64, i64)>,
    ) -> Clock {
        let calls = calls.filter(|(start, end)| {
            end.checked_sub(*start).is_some_and(|ms| ms <= LONGEST)
        });
        let calls = calls.filter(|(start, end)| start <= end);
        let mut spans: Vec<(i64, i64)> = vec![];
        for (start, end) in times.map(|at| (at, at)).chain(calls) {
            match spans.last_mut() {
                // Most steps are soon after the step before, so that there are
                // far fewer spans than steps.
                Some((first, last))
                    if start.saturating_sub(*last) <= PAUSE
                        && first.saturating_sub(end) <= PAUSE =>
                {
                    *first = start.min(*first);
                    *last = end.max(*last);
                }
                _ => spans.push((start, end)),
            }
        }
        spans.sort_unstable();
        let mut parts: Vec<(i64, i64, i64)> = vec![];
        for (start, end) in spans {
            match parts.last_mut() {
                Some((_, last, _)) if start.saturating_sub(*last) <= PAUSE => {
                    *last = end.max(*last);
                }
                Some((first, last, before)) => {
                    let before =
                        before.saturating_add(last.saturating_sub(*first));
                    parts.push((start, end, before));
                }
                None => parts.push((start, end, 0)),
            }
        }
        Clock { parts }
    }

    /// Returns the active time at a time, in milliseconds.
    pub fn at(&self, time: i64) -> i64 {
        let after = self.parts.partition_point(|part| part.0 <= time);
        let part = after.checked_sub(1).and_then(|at| self.parts.get(at));
        part.map_or(0, |(start, end, before)| {
            before.saturating_add(time.min(*end).saturating_sub(*start))
        })
    }

    /// Returns the whole active time in milliseconds.
    pub fn total(&self) -> u64 {
        let last = self.parts.last();
        let total = last.map_or(0, |(start, end, before)| {
            before.saturating_add(end.saturating_sub(*start))
        });
        u64::try_from(total).unwrap_or(0)
    }

    /// Returns the pauses: active time before them, start and length.
    fn pauses(&self) -> impl Iterator<Item = (i64, i64, i64)> {
        self.parts.windows(2).filter_map(|pair| match pair {
            [(_, end, _), (start, _, before)] => {
                Some((*before, *end, start.saturating_sub(*end)))
            }
            _ => None,
        })
    }
}

/// A call in a lane.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    pub start: i64,
    pub end: i64,
    pub failed: bool,
}

/// The main conversation, or a sub-agent.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    name: String,
    /// From when to when it was at work.
    spans: Vec<(i64, i64)>,
    /// In the order of their starts.
    bars: Vec<Bar>,
}

impl Lane {
    pub fn new(
        name: String,
        spans: Vec<(i64, i64)>,
        mut bars: Vec<Bar>,
    ) -> Lane {
        bars.sort_by_key(|bar| bar.start);
        Lane { name, spans, bars }
    }
}

/// Writes the time line.
pub fn timeline(
    html: &mut Html<'_>,
    clock: &Clock,
    lanes: &[Lane],
) -> io::Result<()> {
    let total = clock.total();
    if total == 0 {
        return Ok(());
    }
    let scale = WIDTH / total as f64;
    let x = |time: i64| clock.at(time) as f64 * scale;
    let pauses: Vec<_> = clock.pauses().collect();
    let cut = pauses.iter().fold(0i64, |sum, one| sum.saturating_add(one.2));
    let cut = u64::try_from(cut).unwrap_or(0);
    let agents = lanes.len().saturating_sub(1) as u64;
    let about = format!(
        "{} of activity{}. The first lane is the main conversation{}.",
        duration(total),
        match pauses.len() {
            0 => String::new(),
            1 => format!(
                "; a pause of {} is cut out, marked by a dashed line",
                duration(cut)
            ),
            n => format!(
                "; {} of together {} are cut out, marked by dashed lines",
                plural(n as u64, "pause"),
                duration(cut)
            ),
        },
        match agents {
            0 => String::new(),
            n => format!(", the others are {}", plural(n, "sub-agent")),
        }
    );
    begin(html, "Time line", &about)?;
    let count = lanes.len().min(LANES);
    let tall = 40u64;
    html.markup("<div class=\"plot\"><span></span>")?;
    begin_svg(html, "Time line", &about, count as u64 * tall)?;
    let (mut back, mut fine, mut failed) =
        (Shape::default(), Shape::default(), Shape::default());
    for (at, lane) in lanes.iter().enumerate() {
        let y = (at.min(LANES - 1) as u64 * tall) as f64;
        draw(lane, y, tall as f64, x, [&mut back, &mut fine, &mut failed]);
    }
    html.within("<path class=\"fbg\" d=\"", &back.0, "\"/>")?;
    html.within("<path class=\"f2\" d=\"", &fine.0, "\"/>")?;
    html.within("<path class=\"fbad\" d=\"", &failed.0, "\"/>")?;
    if pauses.len() < 500 {
        html.markup("<path class=\"cut\" d=\"")?;
        for (before, _, _) in &pauses {
            html.markup("M")?;
            html.number((*before as f64 * scale).round() as u64)?;
            html.markup(" 0V")?;
            html.number(count as u64 * tall)?;
        }
        html.markup("\"/>")?;
    }
    html.within(
        "</svg><div class=\"x\"><span>0</span><span>",
        &duration(total),
        "</span></div></div>\n",
    )?;
    let rows = lanes.iter().take(500).map(|lane| {
        let first = lane.spans.iter().map(|span| span.0).min();
        let active = Clock::new(
            lane.spans.iter().flat_map(|span| [span.0, span.1]),
            lane.bars.iter().map(|bar| (bar.start, bar.end)),
        );
        vec![
            lane.name.clone(),
            first.map(|at| Utc(at).shown()).unwrap_or_default(),
            duration(active.total()),
            lane.bars.len().to_string(),
            lane.bars.iter().filter(|bar| bar.failed).count().to_string(),
        ]
    });
    table(html, &["Lane", "From", "Active", "Calls", "Failed"], rows)?;
    html.markup("</figure>\n")
}

/// Draws a lane: when it was at work, calls, and failed calls.
fn draw(
    lane: &Lane,
    y: f64,
    tall: f64,
    x: impl Fn(i64) -> f64,
    [back, fine, failed]: [&mut Shape; 3],
) {
    for (start, end) in &lane.spans {
        let (start, end) = (x(*start), x(*end));
        back.rectangle(start, y + 4.0, (end - start).max(1.0), tall - 8.0);
    }
    let row_height = (tall - 12.0) / ROWS as f64;
    let mut ends = [f64::MIN; ROWS];
    for bar in &lane.bars {
        let (start, end) = (x(bar.start), x(bar.end));
        let free = ends.iter().position(|last| *last <= start);
        let row = free.unwrap_or(0);
        let width = (end - start).max(1.5);
        // What is less than a pixel after another one cannot be seen.
        let is_new = start + width > ends.get(row).unwrap_or(&0.0) + 0.3;
        if let Some(last) = ends.get_mut(row) {
            *last = last.max(end);
        }
        if is_new || bar.failed {
            let shape = if bar.failed { &mut *failed } else { &mut *fine };
            let y = y + 6.0 + row as f64 * row_height;
            shape.rectangle(start, y, width, row_height - 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN: i64 = 60_000;

    #[test]
    fn pauses_are_cut_out_and_long_waits_too() {
        let times = [0, MIN, 3 * MIN, 60 * MIN, 61 * MIN];
        // The second call waited for a person.
        let calls = [(3 * MIN, 10 * MIN), (10 * MIN, 59 * MIN)];
        let clock = Clock::new(times.into_iter(), calls.into_iter());
        assert_eq!(clock.total(), 11 * 60_000);
        assert_eq!(clock.at(-5), 0);
        assert_eq!(clock.at(2 * MIN), 2 * MIN);
        assert_eq!(clock.at(30 * MIN), 10 * MIN);
        assert_eq!(clock.at(61 * MIN), 11 * MIN);
        let pauses: Vec<_> = clock.pauses().collect();
        assert_eq!(pauses, [(10 * MIN, 10 * MIN, 50 * MIN)]);
    }

    /// Steps are merged as they come, in any order, to the same clock.
    #[test]
    fn the_order_of_steps_does_not_matter() {
        let mut times: Vec<i64> = (0..200i64)
            .map(|n| n * n % 97 * 2 * MIN + n % 3 * 40 * MIN)
            .collect();
        let none = || std::iter::empty();
        let clock = Clock::new(times.iter().copied(), none());
        times.sort_unstable();
        let sorted = Clock::new(times.iter().copied(), none());
        assert_eq!(clock.parts, sorted.parts);
        times.reverse();
        let reversed = Clock::new(times.into_iter(), none());
        assert_eq!(reversed.parts, sorted.parts);
    }

    #[test]
    fn times_out_of_order_and_at_the_ends_do_not_overflow() {
        let times = [i64::MAX, i64::MIN, 0];
        let clock = Clock::new(times.into_iter(), std::iter::empty());
        assert_eq!((clock.total(), clock.at(i64::MAX)), (0, 0));
    }
}
