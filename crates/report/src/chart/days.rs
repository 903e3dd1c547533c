//! Tokens per day by model, on the index.

use std::{collections::BTreeMap, io};

use linetape_session::Tokens;

use super::draw::{
    FILLS, Shape, begin, column, columns, groups, height, key, plural, table,
};
use crate::{figures::grouped, html::Html};

/// The tokens of a day and a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    pub day: String,
    pub model: String,
    pub tokens: Tokens,
}

impl Day {
    fn all(&self) -> u64 {
        let Tokens {
            input_tokens,
            output_tokens,
            cache_creation_input_tokens,
            cache_read_input_tokens,
            ..
        } = self.tokens;
        [
            input_tokens,
            output_tokens,
            cache_creation_input_tokens,
            cache_read_input_tokens,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }
}

/// Writes the tokens of all kinds by day, with a colour for each model.
pub fn tokens_per_day(html: &mut Html<'_>, all: &[Day]) -> io::Result<()> {
    let mut models: BTreeMap<&str, u64> = BTreeMap::new();
    let mut days: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for one in all {
        let tokens = one.all();
        let sum = models.entry(&one.model).or_default();
        *sum = sum.saturating_add(tokens);
        let day = days.entry(&one.day).or_default();
        let sum = day.entry(&one.model).or_default();
        *sum = sum.saturating_add(tokens);
    }
    let sum = |day: &BTreeMap<&str, u64>| {
        day.values().fold(0u64, |sum, one| sum.saturating_add(*one))
    };
    let total = sum(&models);
    if total == 0 {
        return Ok(());
    }
    let mut names: Vec<(&str, u64)> = models.into_iter().collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    // The last colour is for all others.
    let colour = |name: &str| {
        let at = names.iter().position(|(known, _)| *known == name);
        at.unwrap_or(usize::MAX).min(FILLS.len() - 1)
    };
    let listed: Vec<(&str, &BTreeMap<&str, u64>)> =
        days.iter().map(|(day, by)| (*day, by)).collect();
    let parts = groups(listed.len(), 180);
    let part_sum = |part: &std::ops::Range<usize>| {
        let part = listed.get(part.clone()).unwrap_or_default();
        part.iter().fold(0u64, |all, (_, by)| all.saturating_add(sum(by)))
    };
    let top = parts.iter().map(part_sum).max().unwrap_or(0);
    let mut shapes: Vec<Shape> =
        FILLS.iter().map(|_| Shape::default()).collect();
    for (at, part) in parts.iter().enumerate() {
        let mut heights = [0u64; FILLS.len()];
        for (_, by) in listed.get(part.clone()).unwrap_or_default() {
            for (name, tokens) in *by {
                if let Some(sum) = heights.get_mut(colour(name)) {
                    *sum = sum.saturating_add(*tokens);
                }
            }
        }
        let (x, width) = column(at, parts.len());
        let mut y = 100.0;
        for (shape, tokens) in shapes.iter_mut().zip(heights) {
            let tall = height(tokens, top);
            y -= tall;
            if tall > 0.0 {
                shape.rectangle(x, y, width, tall);
            }
        }
    }
    let about = format!(
        "{} tokens of all kinds on {}, in UTC, by model.",
        grouped(total),
        plural(listed.len() as u64, "day"),
    );
    begin(html, "Tokens per day", &about)?;
    let ends = [listed.first(), listed.last()]
        .map(|day| day.map_or("", |(day, _)| *day));
    let ends = if listed.len() == 1 { [ends[0], ""] } else { ends };
    columns(
        html,
        "Tokens per day by model",
        &about,
        &shapes,
        top,
        ends,
        |_| Ok(()),
    )?;
    let mut shown: Vec<String> = names
        .iter()
        .take(FILLS.len() - 1)
        .map(|(name, _)| name.to_string())
        .collect();
    match names.len() {
        n if n < FILLS.len() => {}
        6 => shown.extend(names.last().map(|(name, _)| name.to_string())),
        _ => shown.push("others".to_string()),
    }
    key(html, &shown)?;
    let rows = all.iter().map(|one| {
        vec![
            format!("{} {}", one.day, one.model),
            grouped(one.tokens.input_tokens),
            grouped(one.tokens.output_tokens),
            grouped(one.tokens.cache_creation_input_tokens),
            grouped(one.tokens.cache_read_input_tokens),
        ]
    });
    let heads =
        ["Day and model", "Input", "Output", "Cache written", "Cache read"];
    table(html, &heads, rows)?;
    html.markup("</figure>\n")
}
