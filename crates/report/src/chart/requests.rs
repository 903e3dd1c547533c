//! Charts by request to the model: the size of the context, and tokens.

use std::io;

use linetape_session::Tokens;

use super::draw::{
    Shape, begin, column, columns, groups, height, plural, table,
};
use crate::{
    figures::{grouped, short},
    html::Html,
};

/// A request to the model.
///
/// Sessions have very many of them, so it has only what the charts show.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// [`NO_TIME`] if there is none: an `Option` would need 8 bytes more.
    time: i64,
    input: u64,
    written: u64,
    read: u64,
    output: u64,
    pub is_of_agent: bool,
}

const NO_TIME: i64 = i64::MIN;

impl Request {
    pub fn new(
        time: Option<i64>,
        tokens: &Tokens,
        is_of_agent: bool,
    ) -> Request {
        Request {
            time: time.unwrap_or(NO_TIME),
            input: tokens.input_tokens,
            written: tokens.cache_creation_input_tokens,
            read: tokens.cache_read_input_tokens,
            output: tokens.output_tokens,
            is_of_agent,
        }
    }

    /// Returns when the request was made.
    pub fn time(self) -> Option<i64> {
        Some(self.time).filter(|time| *time != NO_TIME)
    }

    /// Returns the size of the context: all tokens that the model read.
    fn context(self) -> u64 {
        self.input.saturating_add(self.written).saturating_add(self.read)
    }
}

/// More columns cannot be told apart.
const COLUMNS: usize = 250;

/// Returns the largest context.
pub fn largest(requests: &[Request]) -> u64 {
    requests.iter().map(|one| one.context()).max().unwrap_or(0)
}

/// Writes the size of the context by request of the main conversation.
/// `compactions` are the numbers of these requests before each compaction.
pub fn context(
    html: &mut Html<'_>,
    requests: &[Request],
    compactions: &[usize],
) -> io::Result<()> {
    let main = requests.iter().filter(|one| !one.is_of_agent);
    let mut contexts = main.map(|one| one.context());
    let count = contexts.clone().count();
    let top = contexts.clone().max().unwrap_or(0);
    if top == 0 {
        return Ok(());
    }
    let parts = groups(count, COLUMNS);
    let mut shape = Shape::default();
    let mut rows = vec![];
    for (at, part) in parts.iter().enumerate() {
        let most = contexts.by_ref().take(part.len()).max().unwrap_or(0);
        let (x, width) = column(at, parts.len());
        let tall = height(most, top);
        shape.rectangle(x, 100.0 - tall, width, tall);
        rows.push(most);
    }
    let about = format!(
        "{}{}; the largest context is {} tokens; {}.",
        plural(count as u64, "request"),
        match count == requests.len() {
            true => "",
            false => " of the main conversation",
        },
        grouped(top),
        match compactions.len() {
            0 => "no compactions".to_string(),
            1 => "1 compaction, marked by a dashed line".to_string(),
            n => format!("{n} compactions, marked by dashed lines"),
        }
    );
    begin(html, "Context by request", &about)?;
    let last = count.to_string();
    let title = "Size of the context by request";
    columns(html, title, &about, &[shape], top, ["1", &last], |html| {
        if compactions.is_empty() {
            return Ok(());
        }
        html.markup("<path class=\"cut\" d=\"")?;
        for at in compactions {
            let x = 1000.0 * *at as f64 / count as f64;
            html.markup("M")?;
            html.number(x.round() as u64)?;
            html.markup(" 0V100")?;
        }
        html.markup("\"/>")
    })?;
    let rows = parts.iter().zip(rows).map(|(part, most)| {
        let before = compactions.iter().filter(|at| part.contains(at));
        let name = match part.len() {
            1 => part.end.to_string(),
            _ => format!("{} to {}", part.start + 1, part.end),
        };
        vec![name, grouped(most), before.count().to_string()]
    });
    table(html, &["Request", "Tokens of context", "Compactions"], rows)?;
    html.markup("</figure>\n")
}

/// Writes tokens by kind, each on a scale of its own: reads from the cache are
/// a thousand times the rest.
pub fn tokens_by_kind(
    html: &mut Html<'_>,
    requests: &[Request],
) -> io::Result<()> {
    type Read = fn(&Request) -> u64;
    let kinds: [(&'static str, Read); 4] = [
        ("Input", |of| of.input),
        ("Written to the cache", |of| of.written),
        ("Read from the cache", |of| of.read),
        ("Output", |of| of.output),
    ];
    if requests.is_empty() {
        return Ok(());
    }
    let parts = groups(requests.len(), COLUMNS / 2);
    let sum = |part: &std::ops::Range<usize>, read: Read| {
        let part = requests.get(part.clone()).unwrap_or_default();
        part.iter().fold(0u64, |sum, one| sum.saturating_add(read(one)))
    };
    let about = "By request, in order. Each kind has a scale of its own.";
    begin(html, "Tokens by kind", about)?;
    html.markup("<div class=\"multi\">")?;
    let last = requests.len().to_string();
    for (nth, (name, read)) in kinds.into_iter().enumerate() {
        let sums: Vec<u64> =
            parts.iter().map(|part| sum(part, read)).collect();
        let top = sums.iter().copied().max().unwrap_or(0);
        let total =
            sums.iter().fold(0u64, |all, one| all.saturating_add(*one));
        // One shape for each colour before, so that each has its own.
        let mut shapes: Vec<Shape> =
            (0..=nth).map(|_| Shape::default()).collect();
        if let Some(shape) = shapes.last_mut() {
            for (at, value) in sums.iter().enumerate() {
                let (x, width) = column(at, sums.len());
                let tall = height(*value, top);
                shape.rectangle(x, 100.0 - tall, width, tall);
            }
        }
        html.markup("<div><p>")?;
        html.markup(name)?;
        html.within(": <b>", &short(total), "</b></p>")?;
        let about = format!("{} tokens in all.", grouped(total));
        columns(html, name, &about, &shapes, top, ["1", &last], |_| Ok(()))?;
        html.markup("</div>")?;
    }
    html.markup("</div>")?;
    let rows = parts.iter().map(|part| {
        let name = match part.len() {
            1 => part.end.to_string(),
            _ => format!("{} to {}", part.start + 1, part.end),
        };
        let sums = kinds.iter().map(|(_, read)| grouped(sum(part, *read)));
        std::iter::once(name).chain(sums).collect()
    });
    let heads = ["Request", "Input", "Cache written", "Cache read", "Output"];
    table(html, &heads, rows)?;
    html.markup("</figure>\n")
}
