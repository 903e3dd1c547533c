//! A chart of the rows that `--json` writes: a panel for each job, a bar for
//! each engine.

use std::fmt::{self, Write};

use serde_json::Value;

const WIDTH: usize = 860;
const MARGIN: usize = 20;
/// The start of the bars, after the names.
const NAMES: usize = 250;
const BAR: usize = 14;
const STEP: usize = 19;
const HEAD: usize = 34;
const GAP: usize = 16;
const FOOT_STEP: usize = 14;
/// The number of characters in a line of the footer.
const FOOT_LINE: usize = 140;
/// The length of the longest bar of a panel, with room for a number after it.
const LONGEST: usize = WIDTH - NAMES - MARGIN - 110;

/// For each job on one data set, the engines: the fastest first, and then
/// those with another result.
struct Panel<'r> {
    title: String,
    bars: Vec<Bar<'r>>,
}

struct Bar<'r> {
    engine: &'r str,
    mb_per_s: f64,
    ours: bool,
    agrees: bool,
}

/// Draws the results for one data set. Returns `None` if the input is not a
/// report, or has no results for it.
pub fn svg(report: &Value, data: &str) -> Option<String> {
    let panels = panels(report.get("rows")?.as_array()?, data);
    let rows = |panel: &Panel<'_>| HEAD + panel.bars.len() * STEP + GAP;
    let foot = foot(report);
    let height = 2 * MARGIN
        + panels.iter().map(rows).sum::<usize>()
        + foot.len() * FOOT_STEP;
    let mut out = String::new();
    draw(&foot, data, &panels, height, &mut out).ok()?;
    (!panels.is_empty()).then_some(out)
}

fn panels<'r>(rows: &'r [Value], data: &str) -> Vec<Panel<'r>> {
    let mut panels: Vec<Panel<'r>> = vec![];
    for row in rows {
        let text = |key: &str| row[key].as_str().unwrap_or_default();
        if text("data") != data {
            continue;
        }
        let title = format!("{} {}", text("job"), text("title"));
        if panels.last().is_none_or(|panel| panel.title != title) {
            panels.push(Panel { title, bars: vec![] });
        }
        let engine = text("engine");
        let bar = Bar {
            engine,
            mb_per_s: row["mb_per_s"].as_f64().unwrap_or(0.0),
            ours: engine.starts_with("linetape"),
            agrees: row["agrees"] != false,
        };
        if let Some(panel) = panels.last_mut() {
            panel.bars.push(bar);
        }
    }
    for panel in &mut panels {
        // An engine with another result may have done less work.
        panel.bars.sort_by(|a, b| {
            let agrees = b.agrees.cmp(&a.agrees);
            agrees.then(b.mb_per_s.total_cmp(&a.mb_per_s))
        });
    }
    panels
}

/// Returns the machine and the versions, in lines that are short enough.
fn foot(report: &Value) -> Vec<String> {
    let text = |key: &str| report[key].as_str().unwrap_or_default();
    let mut lines = vec![format!("{} ({})", text("cpu"), text("kernel"))];
    for version in text("versions").split(", ") {
        match lines.last_mut() {
            Some(line) if line.len() + version.len() < FOOT_LINE => {
                *line += ", ";
                *line += version;
            }
            _ => lines.push(version.to_owned()),
        }
    }
    lines
}

fn draw(
    foot: &[String],
    data: &str,
    panels: &[Panel<'_>],
    height: usize,
    out: &mut String,
) -> fmt::Result {
    // The colours must be distinguishable on white and on black.
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">
<style>
  text {{ fill: #24292f }} .quiet {{ fill: #6e7781 }}
  .ours {{ fill: #1a7f64 }} .peer {{ fill: #9aa4ae }}
  @media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }} .quiet {{ fill: #9aa4ae }} .peer {{ fill: #57606a }} .ours {{ fill: #2ea88a }} }}
</style>
<text x="{MARGIN}" y="{MARGIN}" class="quiet">MB/s, more is better; data: {}; linetape in green; * gives another answer</text>"#,
        Escaped(data),
    )?;
    let mut y = MARGIN + 6;
    for panel in panels {
        let fastest = panel.bars.first().map_or(1.0, |bar| bar.mb_per_s);
        y += HEAD;
        writeln!(
            out,
            r#"<text x="{MARGIN}" y="{}" font-size="15" font-weight="bold">{}</text>"#,
            y - 12,
            Escaped(&panel.title),
        )?;
        for bar in &panel.bars {
            draw_bar(bar, fastest, y, out)?;
            y += STEP;
        }
        y += GAP;
    }
    for line in foot {
        y += FOOT_STEP;
        writeln!(
            out,
            r#"<text x="{MARGIN}" y="{y}" class="quiet" font-size="10">{}</text>"#,
            Escaped(line),
        )?;
    }
    writeln!(out, "</svg>")
}

fn draw_bar(
    bar: &Bar<'_>,
    fastest: f64,
    y: usize,
    out: &mut String,
) -> fmt::Result {
    let length = (bar.mb_per_s / fastest).min(1.0) * LONGEST as f64;
    let length = length.round();
    let class = if bar.ours { "ours" } else { "peer" };
    let mark = if bar.agrees { "" } else { " *" };
    writeln!(
        out,
        r#"<text x="{}" y="{}" text-anchor="end">{}{mark}</text><rect x="{NAMES}" y="{y}" width="{length}" height="{BAR}" class="{class}"/><text x="{}" y="{}" class="quiet">{:.0}</text>"#,
        NAMES - 8,
        y + BAR - 3,
        Escaped(bar.engine),
        NAMES as f64 + length + 6.0,
        y + BAR - 3,
        bar.mb_per_s,
    )
}

/// Escapes text between tags.
struct Escaped<'t>(&'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report() -> Value {
        let row = |engine: &str, speed: f64, agrees: bool| {
            json!({
                "job": "J1", "title": "route", "data": "stream",
                "engine": engine, "mb_per_s": speed, "agrees": agrees,
            })
        };
        json!({
            "cpu": "a CPU", "kernel": "avx2", "versions": "a <b>",
            "rows": [row("slow & sure", 100.0, false), row("linetape", 400.0, true)],
        })
    }

    #[test]
    fn the_fastest_is_on_top_and_the_others_are_to_scale() {
        let svg = svg(&report(), "stream").unwrap();
        let place = |text: &str| svg.find(text).unwrap();
        assert!(place(">linetape</text>") < place("slow &amp; sure *"));
        let longest = format!(r#"width="{LONGEST}" height"#);
        let quarter = format!(r#"width="{}" height"#, (LONGEST + 2) / 4);
        assert!(place(&longest) < place(&quarter), "{svg}");
        assert!(svg.contains("a &lt;b&gt;"));
    }

    #[test]
    fn what_is_not_there_is_not_drawn() {
        assert!(svg(&report(), "transcripts").is_none());
        assert!(svg(&json!({}), "stream").is_none());
    }
}
