/*!
Builds a set of rules.
*/

use std::sync::Arc;

use linetape::Error;

use crate::{
    builtin::{FIELDS, builtin},
    error::invalid,
    grams::GramsBuilder,
    path::Path,
    rule::{Rule, RuleLevel, Tail},
    rules::{
        ESCAPE, FIELD, IMAGE, Inner, KEY, OVERSIZED, PATH, Rules, STREAM,
        TRIGGER,
        data::IMAGES,
        searched::{MAGIC, Searched, compile},
    },
};

impl Rules {
    /// Compiles a set of rules.
    pub(super) fn of(builder: &RulesBuilder) -> Result<Rules, Error> {
        if builder.has_blank_user {
            return Err(invalid("the name of a user is blank"));
        }
        let mut names: Vec<Box<str>> = vec![];
        let (mut found, mut grams) = (vec![], GramsBuilder::default());
        let is_on = |rule: &&'static Rule| {
            let is_named =
                |names: &[String]| names.iter().any(|name| name == rule.name);
            (rule.level <= builder.level || is_named(&builder.on))
                && !is_named(&builder.off)
        };
        for name in builder.on.iter().chain(&builder.off) {
            if builtin().iter().all(|rule| rule.name != name) {
                let text = format!("unknown rule `{name}`");
                return Err(invalid(text));
            }
        }
        // Of two rules that find the same, the first one is named: the one that
        // knows what it is. Stable sorting keeps the order of the others.
        let mut rules: Vec<&Rule> = builtin().iter().filter(is_on).collect();
        rules.sort_by_key(|rule| (rule.is_judged(), rule.is_assigned()));
        for rule in rules {
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
            for literal in MAGIC {
                grams.add(literal, Tail::Any, false, true, names.len());
            }
            names.push(IMAGE.into());
            found.push(Searched::image());
        }
        let mut own = vec![];
        for (name, pattern) in &builder.patterns {
            own.push((names.len(), compile(&[pattern], name)?));
            names.push(name.as_str().into());
        }
        names.extend([FIELD, PATH, IMAGE, OVERSIZED].map(Into::into));

        let mut fields: Vec<Box<str>> = vec![];
        if builder.level >= RuleLevel::Personal {
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
        let index = |wanted: &str| {
            let mut searched = names.iter().take(found.len());
            searched.position(|name| **name == *wanted)
        };
        let (private_key, assigned) =
            (index("private-key"), index("assigned-secret"));
        Ok(Rules(Arc::new(Inner {
            names,
            grams: grams.build(),
            found,
            own,
            private_key,
            assigned,
            has_odd_field: fields.iter().any(|field| !is_plain(field)),
            fields,
            paths: paths.collect::<Result<_, _>>()?,
            images: builder.images,
            allowed,
        })))
    }
}

/// Returns whether a key is always written as it is, and has no wildcard of
/// literals.
fn is_plain(key: &str) -> bool {
    key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}

/// Builds a set of rules. See [`Rules`] for an example.
#[derive(Clone, Debug, Default)]
pub struct RulesBuilder {
    level: RuleLevel,
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
    pub fn level(mut self, level: RuleLevel) -> RulesBuilder {
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
