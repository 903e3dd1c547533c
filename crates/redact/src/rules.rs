use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use linetape::Error;
use regex_automata::{
    Anchored, Input,
    hybrid::dfa::Cache,
    meta::{Config, Regex},
    util::{captures::Captures, syntax},
};

use crate::{
    builtin::{FIELDS, builtin},
    grams::{
        Grams, GramsBuilder, Hits, Literal, begins_after_sign, ends_sequence,
    },
    path::Path,
    probe::{Probe, Seen},
    rule::{Level, Rule, Tail},
    strings::string_around,
};

/// A compiled set of rules. It can be shared by several threads.
///
/// # Example
///
/// This shows how to add a rule for internal host names.
///
/// ```
/// use linetape_redact::{Level, Redactor, Replacement, Rules};
///
/// let rules = Rules::builder()
///     .level(Level::Secrets)
///     .pattern("host", r"\b[a-z]+\.corp\.example\b")
///     .build()?;
/// let mut redactor = Redactor::new(rules, Replacement::stars());
/// assert_eq!(redactor.text("ssh db.corp.example"), "ssh ***");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rules(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    names: Vec<Box<str>>,
    grams: Grams,
    /// The built-in rules that are on: the first of `names`.
    found: Vec<Searched>,
    /// The rules of the caller, for which every string is searched, and the
    /// indexes of their names. Each is searched for itself, since matches of
    /// different rules can overlap.
    own: Vec<(usize, Regex)>,
    /// The rule for private keys.
    private_key: Option<usize>,
    /// The keys of fields that are replaced.
    fields: Vec<Box<str>>,
    /// Whether a field is not in the literals.
    has_odd_field: bool,
    paths: Vec<Path>,
    /// Whether data of images are dropped.
    images: bool,
    allowed: Option<Regex>,
}

/// A rule that is searched where its literal stands. To compile all rules takes
/// longer than to redact a short log, so each is compiled when it is needed.
#[derive(Debug)]
struct Searched {
    pattern: &'static str,
    /// `None` for the data of images.
    rule: Option<&'static Rule>,
    regex: OnceLock<Option<Regex>>,
    probe: OnceLock<Option<Probe>>,
    lead: usize,
    reach: usize,
    is_in_base64: bool,
}

/// A literal in the text of a line: where it is, and what it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) at: usize,
    pub(crate) what: What,
}

/// Why the place of a literal has to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It is a literal of the rule with this index, which may match here.
    Rule(usize),
    /// It is the start of a private key, whose end may be in another string.
    PrivateKey,
    /// It is the key of a field that is replaced.
    Field,
    /// It is an escape, `\u` or `\/`, which can be a part of any literal.
    Escape,
    /// It is in the events of streams, so the line may be one.
    Stream,
    /// It is the key of image data, or of a field in JSON inside of a string.
    Other,
}

/// What [`Rules::probe`] reuses: one for each rule.
pub(crate) type Caches = Vec<Option<Cache>>;

/// The owner of literals because of which a string is looked at.
const TRIGGER: usize = usize::MAX;

/// The owner of literals of streams, and of escapes.
const STREAM: usize = usize::MAX - 2;
const ESCAPE: usize = usize::MAX - 3;

/// The owner of the keys of fields.
const KEY: usize = usize::MAX - 1;

/// How far a match can reach behind its start. Without a limit, texts with
/// very many literals would take quadratic time.
const REACH: usize = 8 << 10;

/// The same for rules whose matches begin before their literal.
const SHORT_REACH: usize = 1 << 10;

/// The same for rules that match texts of several lines.
const LONG_REACH: usize = 64 << 10;

/// A match of so many bytes ends where its characters end, so a match that
/// begins inside of it ends there, too.
const LONG_MATCH: usize = 1 << 10;

/// Names of rules that are no patterns.
const FIELD: &str = "field";
const PATH: &str = "path";
const IMAGE: &str = "image";
const OVERSIZED: &str = "oversized-stream";

/// The indexes of these names, counted from the last.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Other {
    Field = 4,
    Path = 3,
    Image = 2,
    Oversized = 1,
}

/// What was found: where, and the index of the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) rule: usize,
}

impl Rules {
    /// Returns the built-in rules of the default level.
    pub fn secrets() -> Rules {
        Rules::of(&RulesBuilder::default()).unwrap_or_else(|_| Rules::none())
    }

    /// Begins a set of rules, with the default level.
    pub fn builder() -> RulesBuilder {
        RulesBuilder::default()
    }

    fn none() -> Rules {
        Rules(Arc::new(Inner {
            names: vec![],
            grams: GramsBuilder::default().build(),
            found: vec![],
            own: vec![],
            private_key: None,
            fields: vec![],
            has_odd_field: false,
            paths: vec![],
            images: false,
            allowed: None,
        }))
    }

    fn of(builder: &RulesBuilder) -> Result<Rules, Error> {
        if builder.has_blank_user {
            return Err(Error::invalid_input("the name of a user is blank"));
        }
        let mut names: Vec<Box<str>> = vec![];
        let (mut found, mut grams) = (vec![], GramsBuilder::default());
        let is_on = |rule: &&Rule| {
            let is_named =
                |names: &[String]| names.iter().any(|name| name == rule.name);
            (rule.level <= builder.level || is_named(&builder.on))
                && !is_named(&builder.off)
        };
        for name in builder.on.iter().chain(&builder.off) {
            if builtin().iter().all(|rule| rule.name != name) {
                let text = format!("unknown rule `{name}`");
                return Err(Error::invalid_input(text));
            }
        }
        for rule in builtin().iter().filter(is_on) {
            for literal in rule.literals {
                let (is_word, is_exact) = (rule.is_word(), rule.is_exact());
                let owner = names.len();
                grams.add(literal, rule.tail, is_word, is_exact, owner);
            }
            names.push(rule.name.into());
            found.push(Searched::new(rule));
        }
        if builder.images {
            for literal in IMAGES {
                let literal = format!("\"{literal}\"");
                grams.add(&literal, Tail::Any, false, true, TRIGGER);
            }
            grams.add(";base64,", Tail::Any, false, true, names.len());
            names.push(IMAGE.into());
            found.push(Searched::data_url());
        }
        let mut own = vec![];
        for (name, pattern) in &builder.patterns {
            own.push((names.len(), compile(&[pattern], name)?));
            names.push(name.as_str().into());
        }
        names.extend([FIELD, PATH, IMAGE, OVERSIZED].map(Into::into));

        let mut fields: Vec<Box<str>> = vec![];
        if builder.level >= Level::Personal {
            fields.extend(FIELDS.iter().map(|field| (*field).into()));
        }
        fields.extend(builder.fields.iter().map(|f| f.as_str().into()));
        fields.sort_unstable();
        fields.dedup();
        for field in fields.iter().filter(|field| is_plain(field)) {
            grams.add(&format!("\"{field}\""), Tail::Any, false, true, KEY);
            // In JSON inside of a string, the quotes are escaped.
            let nested = format!("\"{field}\\");
            grams.add(&nested, Tail::Any, false, true, TRIGGER);
        }
        // In these, anything can be hidden: any character can be an escape,
        // and a piece of a stream ends anywhere.
        grams.add(r"\u^^", Tail::Any, false, true, ESCAPE);
        grams.add(r"\/", Tail::Any, false, true, ESCAPE);
        grams.add("content_block_delta", Tail::Any, false, true, STREAM);
        grams.add("content_block_start", Tail::Any, false, true, STREAM);
        grams.add("\"TextChunk\"", Tail::Any, false, true, STREAM);
        let allowed = match &builder.allowed[..] {
            [] => None,
            allowed => Some(compile(allowed, "allow list")?),
        };
        let paths = builder.paths.iter().map(|path| Path::new(path));
        let mut searched = names.iter().take(found.len());
        let private_key = searched.position(|name| **name == *"private-key");
        Ok(Rules(Arc::new(Inner {
            names,
            grams: grams.build(),
            found,
            own,
            private_key,
            has_odd_field: fields.iter().any(|field| !is_plain(field)),
            fields,
            paths: paths.collect::<Result<_, _>>()?,
            images: builder.images,
            allowed,
        })))
    }

    /// Returns the name of a rule.
    pub(crate) fn name(&self, rule: usize) -> &str {
        self.0.names.get(rule).map_or("", |name| name)
    }

    pub(crate) fn other(&self, other: Other) -> usize {
        self.0.names.len().saturating_sub(other as usize)
    }

    pub(crate) fn paths(&self) -> &[Path] {
        &self.0.paths
    }

    pub(crate) fn is_field(&self, key: &str) -> bool {
        self.0.fields.binary_search_by(|own| (**own).cmp(key)).is_ok()
    }

    /// Returns the index of the rule for private keys, if it is on.
    pub(crate) fn private_key(&self) -> Option<usize> {
        self.0.private_key
    }

    /// Returns whether data of images is dropped.
    pub(crate) fn drops_images(&self) -> bool {
        self.0.images
    }

    /// Returns whether the value of a member may be the data of an image, which
    /// is dropped.
    pub(crate) fn is_image_key(&self, key: &str) -> bool {
        self.0.images && IMAGES.contains(&key)
    }

    /// Returns whether a text has a literal of a rule. `hits` is reused memory.
    pub(crate) fn has_literal(&self, text: &str, hits: &mut Hits) -> bool {
        let count = self.0.found.len();
        let hit = |_, literal: &Literal| literal.owner >= count;
        !self.0.grams.find(text.as_bytes(), hits, hit)
    }

    /// Returns whether every string of a line is searched, whether it has a
    /// literal or not.
    pub(crate) fn need_all(&self) -> bool {
        let Inner { own, paths, has_odd_field, .. } = &*self.0;
        !own.is_empty() || !paths.is_empty() || *has_odd_field
    }

    /// Sets `spots` to the literals of a line as it is written, in ascending
    /// order. Without any, no rule matches in the line, unless the rules
    /// [`need_all`](Rules::need_all). `hits` is reused memory.
    #[inline]
    pub(crate) fn look(
        &self,
        line: &[u8],
        hits: &mut Hits,
        spots: &mut Vec<Spot>,
    ) {
        spots.clear();
        let key = self.0.private_key;
        self.0.grams.find(line, hits, |at, literal| {
            let what = match literal.owner {
                KEY => What::Field,
                STREAM => What::Stream,
                ESCAPE => What::Escape,
                TRIGGER => What::Other,
                owner if key == Some(owner) => What::PrivateKey,
                owner => What::Rule(owner),
            };
            spots.push(Spot { at, what });
            true
        });
        // A window can be at the end of its literal.
        spots.sort_unstable_by_key(|spot| spot.at);
    }

    /// Returns what a rule finds with its literal at an offset of a string as
    /// it is written, and what of it is replaced. The string has no `\u` and no
    /// `\/`.
    pub(crate) fn probe(
        &self,
        rule: usize,
        text: &str,
        at: usize,
        is_key: bool,
        caches: &mut Caches,
    ) -> Seen {
        let Some(searched) = self.0.found.get(rule) else {
            return Seen::Unsure;
        };
        let Some(probe) = searched.probe() else { return Seen::Unsure };
        caches.resize_with(self.0.found.len(), || None);
        let Some(cache) = caches.get_mut(rule) else { return Seen::Unsure };
        let cache = cache.get_or_insert_with(|| probe.cache());
        match probe.look(cache, text.as_bytes(), at, is_key) {
            Seen::Match(whole) => match searched.part(text, &whole) {
                Some(range) => Seen::Match(range),
                None => Seen::Unsure,
            },
            seen => seen,
        }
    }

    /// Returns whether a rule finds nothing with its literal at an offset of a
    /// line, in whatever string that is. If it is in none, nothing is found.
    pub(crate) fn is_false(
        &self,
        rule: usize,
        line: &[u8],
        at: usize,
        caches: &mut Caches,
    ) -> bool {
        let Some(searched) = self.0.found.get(rule) else { return false };
        let Some(probe) = searched.probe() else { return false };
        let Some((text, is_key)) = string_around(line, at, searched.lead)
        else {
            return false;
        };
        caches.resize_with(self.0.found.len(), || None);
        let Some(cache) = caches.get_mut(rule) else { return false };
        let cache = cache.get_or_insert_with(|| probe.cache());
        let (start, text) = (text.start, line.get(text).unwrap_or_default());
        probe.look(cache, text, at - start, is_key) == Seen::Nothing
    }

    /// Adds everything that is found in a text, in any order. `ends` and `hits`
    /// are reused memory.
    pub(crate) fn find(
        &self,
        text: &str,
        ends: &mut Vec<usize>,
        hits: &mut Hits,
        all: &mut Vec<Found>,
    ) {
        let bytes = text.as_bytes();
        ends.clear();
        ends.resize(self.0.found.len(), 0);
        self.0.grams.find(bytes, hits, |at, literal| {
            let owner = literal.owner;
            if owner == KEY {
                let range = quoted_value(text, at + literal.len());
                if let Some(range) = range {
                    self.add(text, range, self.other(Other::Field), all);
                }
            } else if let Some(rule) = self.0.found.get(owner)
                && let Some(end) = ends.get_mut(owner)
                // In a long match, the same rule is not tried again.
                && at >= *end
                && let Some(range) = rule.find(text, at)
            {
                if range.len() >= LONG_MATCH {
                    *end = range.end;
                }
                self.add(text, range, owner, all);
            }
            true
        });
        for (rule, regex) in &self.0.own {
            let mut captures = regex.create_captures();
            let mut at = 0;
            while at <= text.len() {
                let input = Input::new(text).range(at..);
                regex.search_captures(&input, &mut captures);
                let Some(whole) = captures.get_match() else { break };
                if let Some(range) = replaced(&captures) {
                    self.add(text, range, *rule, all);
                }
                at = whole.end() + usize::from(whole.is_empty());
                while !text.is_char_boundary(at) && at < text.len() {
                    at += 1;
                }
            }
        }
    }

    fn add(
        &self,
        text: &str,
        range: Range<usize>,
        rule: usize,
        all: &mut Vec<Found>,
    ) {
        let Some(secret) = text.get(range.clone()) else { return };
        if !secret.is_empty() && !self.is_allowed(secret) {
            all.push(Found { range, rule });
        }
    }

    pub(crate) fn is_allowed(&self, secret: &str) -> bool {
        let allowed = self.0.allowed.as_ref();
        allowed.is_some_and(|allowed| {
            let found = allowed.find(secret);
            found.is_some_and(|found| found.range() == (0..secret.len()))
        })
    }
}

/// Returns whether a key is always written as it is, and has no wildcard of
/// literals.
fn is_plain(key: &str) -> bool {
    key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}

/// Keys whose values are data of images, and of other files.
const IMAGES: [&str; 2] = ["base64", "data"];

/// Data in a URL, and how far it begins before `;base64,`.
const DATA_URL: &str =
    r"(?-u)data:[\w.+/;=-]{0,120};base64,[A-Za-z0-9+/=\s]{16,}";
const DATA_URL_LEAD: usize = 125;

/// Returns whether a text is base64 of more than a few bytes. Long paths and
/// numbers are not: base64 has letters of both cases, and few signs.
pub(crate) fn is_blob(text: &str) -> bool {
    let bytes = text.trim_end_matches('=').as_bytes();
    let is_base64 = |b: &u8| b.is_ascii_alphanumeric() || is_sign(b);
    text.len() >= 64
        && bytes.iter().all(is_base64)
        && bytes.iter().filter(|b| is_sign(b)).count() <= text.len() / 8
        && bytes.iter().any(u8::is_ascii_uppercase)
}

fn is_sign(byte: &u8) -> bool {
    b"+/-_".contains(byte)
}

/// Returns where the text of a string is that is the value of a member whose
/// key ends before an offset. This is for JSON inside of a string.
fn quoted_value(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let value = value.strip_prefix('"')?;
    let start = text.len() - value.len();
    let mut is_escaped = false;
    let length = value.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some(start..start + length)
}

impl Searched {
    fn new(rule: &'static Rule) -> Searched {
        let lines = rule.pattern.contains(r"[\s\S]");
        let reach = match rule.lead {
            0 if lines => LONG_REACH,
            0 => REACH,
            // These are short. A search that is not anchored goes on to the
            // end of its range.
            lead => lead + SHORT_REACH,
        };
        Searched {
            pattern: rule.pattern,
            rule: Some(rule),
            regex: OnceLock::new(),
            probe: OnceLock::new(),
            lead: rule.lead,
            reach,
            is_in_base64: rule.is_in_base64(),
        }
    }

    /// Returns the rule for data in a URL.
    fn data_url() -> Searched {
        Searched {
            pattern: DATA_URL,
            rule: None,
            regex: OnceLock::new(),
            probe: OnceLock::new(),
            lead: DATA_URL_LEAD,
            reach: usize::MAX,
            is_in_base64: false,
        }
    }

    fn regex(&self) -> Option<&Regex> {
        // A test shows that all of them compile.
        let regex = || compile(&[self.pattern], "").ok();
        self.regex.get_or_init(regex).as_ref()
    }

    /// Returns what is replaced of a match, or `None` if that is not certain.
    fn part(&self, text: &str, whole: &Range<usize>) -> Option<Range<usize>> {
        if whole.len() >= LONG_MATCH || self.is_in_base64 {
            return None;
        }
        let regex = self.regex()?;
        if regex.captures_len() == 1 {
            return Some(whole.clone());
        }
        // What is around the match is not the same as in the automaton.
        let matched = text.get(whole.clone())?;
        let input = Input::new(matched).anchored(Anchored::Yes);
        let mut captures = regex.create_captures();
        regex.search_captures(&input, &mut captures);
        let all = captures.get_group(0).map(|all| all.range());
        let group = replaced(&captures)?;
        (all == Some(0..matched.len()))
            .then(|| group.start + whole.start..group.end + whole.start)
    }

    fn probe(&self) -> Option<&Probe> {
        let probe = || self.rule.and_then(Probe::new);
        self.probe.get_or_init(probe).as_ref()
    }

    /// Returns what is replaced of the match with a literal at an offset.
    fn find(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let regex = self.regex()?;
        let mut start = at.saturating_sub(self.lead);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        let anchored =
            if self.lead == 0 { Anchored::Yes } else { Anchored::No };
        loop {
            // After an escape sequence of a terminal or a percent escape, a
            // word begins although the escape ends with a letter or digit.
            let bytes = text.as_bytes();
            let is_cut = ends_sequence(bytes, at)
                || self.lead == 0 && begins_after_sign(bytes, at);
            let (cut, from) = match is_cut {
                true => (at, start.max(at)),
                false => (0, start),
            };
            let mut end = text.len().min(from.saturating_add(self.reach));
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let part = text.get(cut..)?;
            let input = Input::new(part)
                .range(from - cut..end - cut)
                .anchored(anchored);
            // Most places have no match, and groups cost more to find.
            let whole = regex.search(&input)?;
            let whole = whole.start() + cut..whole.end() + cut;
            if whole.start > at {
                return None;
            }
            if whole.end > at {
                let mut found = whole.clone();
                if regex.captures_len() > 1 {
                    let mut captures = regex.create_captures();
                    regex.search_captures(&input, &mut captures);
                    let group = replaced(&captures)?;
                    found = group.start + cut..group.end + cut;
                }
                // Base64 of zeros begins like some tokens.
                let is_chance =
                    self.is_in_base64 && whole.start > 0 && is_blob(text);
                return Some(found).filter(|_| !is_chance);
            }
            start = whole.end.max(start + 1);
        }
    }
}

/// Returns the first group of a match, or else all of it.
fn replaced(captures: &Captures) -> Option<Range<usize>> {
    let group = captures.get_group(1).or_else(|| captures.get_group(0))?;
    Some(group.range())
}

fn compile<P: AsRef<str>>(patterns: &[P], name: &str) -> Result<Regex, Error> {
    Regex::builder()
        // A dash of `\w` would be a letter in another script.
        .syntax(syntax::Config::new().unicode(true))
        .configure(Config::new().nfa_size_limit(Some(10 << 20)))
        .build_many(patterns)
        .map_err(|error| {
            // The other lines quote the pattern, which could hold a secret.
            let text = match error.syntax_error() {
                Some(error) => error.to_string(),
                None => error.to_string(),
            };
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ");
            Error::invalid_input(format!("rule `{name}`: {reason}"))
        })
}

/// Builds a set of rules. See [`Rules`] for an example.
#[derive(Clone, Debug, Default)]
pub struct RulesBuilder {
    level: Level,
    on: Vec<String>,
    off: Vec<String>,
    patterns: Vec<(String, String)>,
    fields: Vec<String>,
    paths: Vec<String>,
    allowed: Vec<String>,
    images: bool,
    has_blank_user: bool,
}

impl RulesBuilder {
    /// Sets the level of the built-in rules.
    pub fn level(mut self, level: Level) -> RulesBuilder {
        self.level = level;
        self
    }

    /// Enables a built-in rule of any level.
    pub fn enable(mut self, name: impl Into<String>) -> RulesBuilder {
        self.on.push(name.into());
        self
    }

    /// Disables a built-in rule.
    pub fn disable(mut self, name: impl Into<String>) -> RulesBuilder {
        self.off.push(name.into());
        self
    }

    /// Adds a rule: a regular expression in the syntax of the regex crate. Its
    /// first group is replaced, or the whole match if there is no group.
    ///
    /// This is slower than built-in rules: every string of a log is searched,
    /// not only lines with a literal.
    pub fn pattern(
        mut self,
        name: impl Into<String>,
        pattern: impl Into<String>,
    ) -> RulesBuilder {
        self.patterns.push((name.into(), pattern.into()));
        self
    }

    /// Adds a rule for the name of a user, wherever it is a separate word, in
    /// upper and lower case. A dot, a dash, a space and `_` in it match each
    /// other, since names of folders are derived from it.
    pub fn user(mut self, name: &str) -> RulesBuilder {
        self.has_blank_user |= name.trim().is_empty();
        let mut pattern = String::from("(?i)");
        // `_` does not end a word for `\b`, but it does in file names.
        let edge = |c: Option<char>| match c {
            Some(c) if c.is_alphanumeric() => r"(?:\b|_)",
            _ => "",
        };
        pattern += edge(name.chars().next());
        pattern.push('(');
        for c in name.chars() {
            match c {
                '.' | '-' | '_' | ' ' => pattern += "[._ -]",
                c => push_escaped(c, &mut pattern),
            }
        }
        pattern.push(')');
        pattern += edge(name.chars().next_back());
        self.pattern("user", pattern)
    }

    /// Adds a rule for the values of all members with this key, in any
    /// object. Booleans and null stay.
    pub fn field(mut self, key: impl Into<String>) -> RulesBuilder {
        self.fields.push(key.into());
        self
    }

    /// Adds a rule for the values at a JSON Pointer, in which the token `*` is
    /// any key or index.
    pub fn pointer(mut self, pointer: impl Into<String>) -> RulesBuilder {
        self.paths.push(pointer.into());
        self
    }

    /// Adds a regular expression to the allow list: what it matches as a whole
    /// is not replaced.
    pub fn allow(mut self, pattern: impl Into<String>) -> RulesBuilder {
        self.allowed.push(format!("^(?:{})$", pattern.into()));
        self
    }

    /// Sets whether the base64 data of images and other files is dropped. It is
    /// kept by default, and secrets in it are not found.
    pub fn drop_images(mut self, drop: bool) -> RulesBuilder {
        self.images = drop;
        self
    }

    /// Compiles the rules.
    ///
    /// # Errors
    ///
    /// Returns an error if the name of a built-in rule is unknown, if the name
    /// of a user is blank, or if a regular expression or a pointer is invalid.
    pub fn build(self) -> Result<Rules, Error> {
        Rules::of(&self)
    }
}

/// Adds a regular expression that matches exactly a character.
fn push_escaped(c: char, pattern: &mut String) {
    if c.is_ascii_punctuation() && c != '_' {
        pattern.push('\\');
    }
    pattern.push(c);
}
