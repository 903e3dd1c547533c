/*!
Fills in the templates of `lines.txt`.

A placeholder is `$name` or `$name(arguments)`. It has a scope: the line, or
what the first argument names (`session`, `message`, `call`, `owner`). The same
name and arguments in the same scope always give the same text, so that a call
and its result, which are different lines, agree.

| placeholder | text |
|---|---|
| `$uuid`, `$id`, `$agent` | the id of the scope: a uuid, 22 letters, or short |
| `$parent`, `$owner` | the id of the last line or of the owner in quotes, or `null` |
| `$time`, `$index`, `$text` | the time, the index in a list, the text of the line |
| `$name` | the tool of the call |
| `$input`, `$result`, `$detail` | the template of that name for the tool |
| `$number(LENGTH)` | a number |
| `$pick(WORD...)`, `$either(NAME...)` | one of the words; one of the templates |
| `$list(LENGTH NAME)`, `$run(LENGTH NAME)` | items of a template, with commas between them or without |
| a name of [`text::write`] | a text: `$prose(LENGTH)` |
| `$edges(LENGTH)`, `$backslashes`, `$deep(LEVELS)` | see [`pathological`] |
| the name of a template | the template, whose scope is that of the placeholder |

LENGTH is a number; a minimum and a maximum; the six numbers of a
[`Lengths`](crate::random::Lengths); or `size`, the size of the call.
*/

use std::{collections::BTreeMap, sync::LazyLock};

use crate::{
    pathological,
    random::{Random, hash},
    text,
};

// A `HashMap` points into its allocation, which valgrind takes for a leak.
static TEMPLATES: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let mut templates = BTreeMap::new();
    let mut name = "";
    for line in include_str!("lines.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut rest = line.strip_prefix("  ");
        if rest.is_none() {
            let start = line.split_once(' ').unwrap_or((line, ""));
            (name, rest) = (start.0, Some(start.1));
        }
        let template: &mut String = templates.entry(name).or_default();
        *template += rest.unwrap_or_default();
    }
    templates
});

/// Returns the template with a name, which must exist.
pub(crate) fn template(name: &str) -> &'static str {
    match TEMPLATES.get(name) {
        Some(template) => template,
        None => panic!("lines.txt has no template {name}"),
    }
}

/// A call of a tool.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Call {
    pub(crate) seed: u64,
    /// The kind of tool, such as `Bash.error`.
    pub(crate) tool: &'static str,
    /// The length in bytes of the longest text in the result.
    pub(crate) size: u32,
}

/// What a line is about: the seeds of the things that it mentions, whose ids
/// and texts follow from the seeds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scope<'t> {
    pub(crate) line: u64,
    pub(crate) session: u64,
    pub(crate) message: u64,
    pub(crate) call: Call,
    /// The call that started the sub-agent.
    pub(crate) owner: Option<u64>,
    /// The last line of the session.
    pub(crate) parent: Option<u64>,
    pub(crate) index: u32,
    /// The offset of the line in the log.
    pub(crate) offset: usize,
    /// Milliseconds since 1970.
    pub(crate) now: u64,
    /// A part of the line that was written before, escaped.
    pub(crate) text: &'t str,
}

impl Scope<'_> {
    /// Appends a template with its placeholders filled in.
    pub(crate) fn fill(&self, out: &mut String, template: &str) {
        let mut parts = template.split('$');
        *out += parts.next().unwrap_or_default();
        for part in parts {
            let is_end = |c| !matches!(c, 'a'..='z' | '0'..='9' | '_');
            let end = part.find(is_end).unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            let inner = rest.strip_prefix('(').and_then(|r| r.split_once(')'));
            let (arguments, rest) = inner.unwrap_or(("", rest));
            self.placeholder(out, name, arguments);
            *out += rest;
        }
    }

    fn placeholder(&self, out: &mut String, name: &str, arguments: &str) {
        let parts = arguments.split_once(' ').unwrap_or((arguments, ""));
        let (seed, arguments) = match parts.0 {
            "session" => (self.session, parts.1),
            "message" => (self.message, parts.1),
            "call" => (self.call.seed, parts.1),
            "owner" => (self.owner.unwrap_or_default(), parts.1),
            _ => (self.line, arguments),
        };
        let random = &mut Random::new(seed ^ hash(arguments));
        let words: Vec<&str> = arguments.split(' ').collect();
        let tool = self.call.tool.split('.').next().unwrap_or_default();
        match name {
            "uuid" => text::uuid(out, seed),
            "id" => text::id(out, seed),
            "agent" => *out += &format!("a{:06x}", seed >> 40),
            "parent" => self.link(out, self.parent, r#""$uuid""#),
            "owner" => self.link(out, self.owner, r#""toolu_01$id""#),
            "time" => text::time(out, self.now),
            "index" => *out += &self.index.to_string(),
            "text" => *out += self.text,
            "name" => *out += tool,
            "input" => self.fill(out, template(&format!("{tool}.input"))),
            "result" | "detail" => {
                self.fill(
                    out,
                    template(&format!("{}.{name}", self.call.tool)),
                );
            }
            "number" => *out += &self.length(random, &words).to_string(),
            "pick" => *out += random.pick(&words),
            "either" => {
                self.fill_with(out, seed, template(random.pick(&words)));
            }
            "list" | "run" => {
                let item = template(words.last().copied().unwrap_or_default());
                for index in 0..self.length(random, &words) {
                    let is_next = name == "list" && index > 0;
                    *out += if is_next { "," } else { "" };
                    let line = random.next();
                    Scope { line, index, ..*self }.fill(out, item);
                }
            }
            "edges" | "log_edges" => {
                let offset = if name == "edges" { 0 } else { self.offset };
                let length = self.length(random, &words);
                pathological::edges(out, random, offset, length);
            }
            "backslashes" => pathological::backslashes(out, random),
            "deep" => pathological::deep(out, self.length(random, &words)),
            _ => {
                let length = self.length(random, &words) as usize;
                if !text::write(out, random, name, length) {
                    self.fill_with(out, seed, template(name));
                }
            }
        }
    }

    /// Appends a template that has another scope than the line.
    fn fill_with(&self, out: &mut String, line: u64, template: &str) {
        Scope { line, ..*self }.fill(out, template);
    }

    fn link(&self, out: &mut String, to: Option<u64>, template: &str) {
        match to {
            Some(seed) => self.fill_with(out, seed, template),
            None => *out += "null",
        }
    }

    /// Returns the length or number that arguments stand for.
    fn length(&self, random: &mut Random, words: &[&str]) -> u32 {
        let numbers = words.iter().filter_map(|word| word.parse().ok());
        match *numbers.collect::<Vec<u32>>() {
            [length] => length,
            [low, high] => random.between(low, high),
            [a, b, c, d, e, f] => random.length([a, b, c, d, e, f]),
            _ => self.call.size,
        }
    }
}
