//! What charts share: scales, shapes, headings, keys and tables.

use std::{fmt::Write, io};

use crate::{
    figures::{grouped, short},
    html::Html,
};

/// The width and height of a drawing, in its own units.
pub const WIDTH: f64 = 1000.0;
pub const HEIGHT: f64 = 100.0;

/// The colours of series, by their classes.
pub const FILLS: [&str; 6] = [
    "<path class=\"f1\" d=\"",
    "<path class=\"f2\" d=\"",
    "<path class=\"f3\" d=\"",
    "<path class=\"f4\" d=\"",
    "<path class=\"f5\" d=\"",
    "<path class=\"f6\" d=\"",
];

/// Returns the start of a path in the nth colour.
pub fn fill(nth: usize) -> &'static str {
    FILLS.get(nth).copied().unwrap_or(FILLS[5])
}

/// The outline of rectangles, as the data of one path.
#[derive(Default)]
pub struct Shape(pub String);

impl Shape {
    pub fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64) {
        // Writing to a string does not fail.
        _ = write!(
            self.0,
            "M{} {}h{}v{}h-{}z",
            brief(x),
            brief(y),
            brief(width),
            brief(height),
            brief(width)
        );
    }

    pub fn write(&self, html: &mut Html<'_>, nth: usize) -> io::Result<()> {
        html.within(fill(nth), &self.0, "\"/>")
    }
}

/// Returns a coordinate with at most one decimal.
pub fn brief(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Begins a chart: its heading, and what it shows.
pub fn begin(
    html: &mut Html<'_>,
    heading: &'static str,
    about: &str,
) -> io::Result<()> {
    html.markup("<figure class=\"chart\"><figcaption><h3>")?;
    html.markup(heading)?;
    html.within("</h3><p>", about, "</p></figcaption>\n")
}

/// Begins a drawing, with a title and a description for those who cannot see
/// it.
pub fn begin_svg(
    html: &mut Html<'_>,
    title: &str,
    about: &str,
    height: u64,
) -> io::Result<()> {
    html.markup("<svg role=\"img\"")?;
    html.attribute("aria-label", &format!("{title}. {about}"))?;
    html.markup(" preserveAspectRatio=\"none\" viewBox=\"0 0 1000 ")?;
    html.number(height)?;
    html.within("\"><title>", title, "</title>")?;
    html.within("<desc>", about, "</desc>")
}

/// Writes a chart of columns, one beside the other, with its scale.
pub fn columns(
    html: &mut Html<'_>,
    title: &str,
    about: &str,
    series: &[Shape],
    top: u64,
    ends: [&str; 2],
    over: impl FnOnce(&mut Html<'_>) -> io::Result<()>,
) -> io::Result<()> {
    html.within(
        "<div class=\"plot\"><div class=\"y\"><span>",
        &short(top),
        "",
    )?;
    html.markup("</span><span>0</span></div>")?;
    begin_svg(html, title, about, 100)?;
    html.markup("<path class=\"grid\" d=\"M0 0.5H1000M0 50H1000\"/>")?;
    for (nth, shape) in series.iter().enumerate() {
        shape.write(html, nth)?;
    }
    over(html)?;
    html.within("</svg><div class=\"x\"><span>", ends[0], "</span><span>")?;
    html.within("", ends[1], "</span></div></div>\n")
}

/// Writes a table behind a chart, folded.
pub fn table(
    html: &mut Html<'_>,
    heads: &[&'static str],
    rows: impl Iterator<Item = Vec<String>>,
) -> io::Result<()> {
    html.markup(
        "<details class=\"nums\"><summary>Numbers</summary>\
         <div class=\"wide\" tabindex=\"0\"><table><thead><tr>",
    )?;
    for (at, head) in heads.iter().enumerate() {
        html.markup(if at == 0 { "<th>" } else { "<th class=\"n\">" })?;
        html.markup(head)?;
        html.markup("</th>")?;
    }
    html.markup("</tr></thead><tbody>\n")?;
    for row in rows {
        html.markup("<tr>")?;
        for (at, cell) in row.iter().enumerate() {
            html.markup(if at == 0 { "<td>" } else { "<td class=\"n\">" })?;
            html.within("", cell, "</td>")?;
        }
        html.markup("</tr>\n")?;
    }
    html.markup("</tbody></table></div></details>")
}

/// Writes the names of the colours.
pub fn key(html: &mut Html<'_>, names: &[String]) -> io::Result<()> {
    html.markup("<ul class=\"key\">")?;
    for (nth, name) in names.iter().enumerate() {
        html.markup("<li><svg aria-hidden=\"true\" viewBox=\"0 0 1 1\">")?;
        html.within(fill(nth), "M0 0h1v1h-1z", "\"/></svg>")?;
        html.within("", name, "</li>")?;
    }
    html.markup("</ul>")
}

/// Divides `count` items into at most `most` groups, as ranges of indexes.
pub fn groups(count: usize, most: usize) -> Vec<std::ops::Range<usize>> {
    let size = count.div_ceil(most.max(1)).max(1);
    (0..count)
        .step_by(size)
        .map(|start| start..(start + size).min(count))
        .collect()
}

/// Returns the place and width of a column.
pub fn column(at: usize, of: usize) -> (f64, f64) {
    let step = WIDTH / of.max(1) as f64;
    // Wide columns have gaps, and few columns are not too wide.
    let gap = if step > 8.0 { step * 0.15 } else { 0.0 };
    let width = (step - gap).min(60.0);
    (at as f64 * step + (step - width) / 2.0, width)
}

/// Returns a value on a scale to `top`, as a height.
pub fn height(value: u64, top: u64) -> f64 {
    HEIGHT * value as f64 / top.max(1) as f64
}

/// Returns a word with its count: `1 call`, `2 calls`.
pub fn plural(count: u64, word: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {word}{s}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_items_once() {
        for (count, most) in [(0, 5), (1, 5), (5, 5), (6, 5), (1_001, 240)] {
            let groups = groups(count, most);
            assert!(groups.len() <= most);
            let items: Vec<usize> = groups.into_iter().flatten().collect();
            assert_eq!(items, (0..count).collect::<Vec<_>>());
        }
    }
}
