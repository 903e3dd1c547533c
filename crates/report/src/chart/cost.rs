//! The cost by model, where the log states it.

use std::io;

use super::draw::{begin, begin_svg, fill, table};
use crate::{
    figures::{dollars, grouped},
    html::Html,
};

/// Writes the cost by model: names, US dollars and output tokens.
pub fn by_model(
    html: &mut Html<'_>,
    models: &[(String, f64, u64)],
) -> io::Result<()> {
    let top = models.iter().map(|(_, cost, _)| *cost).fold(0.0, f64::max);
    if !(top > 0.0 && top.is_finite()) {
        return Ok(());
    }
    let total: f64 = models.iter().map(|(_, cost, _)| *cost).sum();
    let about = format!("As the agent states it: {} in all.", dollars(total));
    begin(html, "Cost by model", &about)?;
    for (nth, (name, cost, _)) in models.iter().enumerate() {
        html.within("<p class=\"soft\">", name, ": ")?;
        html.within("<b>", &dollars(*cost), "</b></p>")?;
        html.markup("<div class=\"plot one\"><span></span>")?;
        begin_svg(html, name, &dollars(*cost), 10)?;
        html.markup(fill(nth))?;
        html.markup("M0 0H")?;
        html.number((cost / top * 1000.0).max(1.0) as u64)?;
        html.markup("V10H0z\"/></svg></div>")?;
    }
    let rows = models.iter().map(|(name, cost, tokens)| {
        vec![name.clone(), dollars(*cost), grouped(*tokens)]
    });
    table(html, &["Model", "Cost", "Output tokens"], rows)?;
    html.markup("</figure>\n")
}
