mod builder;
mod data;
mod scan;
mod searched;

use std::{ops::Range, sync::Arc};

use regex_automata::{Input, hybrid::dfa::Cache, meta::Regex};

use crate::{
    assigned,
    grams::{Grams, GramsBuilder, Hits, Literal},
    path::Path,
    probe::Seen,
    strings::string_around,
};
use data::{IMAGES, quoted_value};
use scan::Scan;
use searched::{LONG_MATCH, Searched, replaced};

pub use builder::RulesBuilder;
pub(crate) use data::is_blob;

/// A compiled set of rules. It can be shared by several threads.
///
/// # Example
///
/// This shows how to add a rule for internal host names.
///
/// ```
/// use linetape_redact::{RuleLevel, Redactor, Replacement, Rules};
///
/// let rules = Rules::builder()
///     .level(RuleLevel::Secrets)
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
    /// The rule for values that are assigned to names.
    assigned: Option<usize>,
    /// The keys of fields that are replaced.
    fields: Vec<Box<str>>,
    /// Whether a field is not in the literals.
    has_odd_field: bool,
    paths: Vec<Path>,
    /// Whether data of images are dropped.
    images: bool,
    allowed: Option<Regex>,
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
            assigned: None,
            fields: vec![],
            has_odd_field: false,
            paths: vec![],
            images: false,
            allowed: None,
        }))
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

    /// Returns what of the value of a member is a secret by its key, and the
    /// index of the rule.
    pub(crate) fn member(&self, key: &str, value: &str) -> Option<Found> {
        let rule = self.0.assigned?;
        let range = assigned::member(key, value)?;
        let secret = value.get(range.clone())?;
        (!self.is_allowed(secret)).then_some(Found { range, rule })
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

    /// Returns whether a rule is one for data of images.
    pub(crate) fn is_image(&self, rule: usize) -> bool {
        self.name(rule) == IMAGE
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
            Seen::Match(whole) if !searched.is_judged() => {
                searched.part(text, &whole).map_or(Seen::Unsure, Seen::Match)
            }
            Seen::Match(whole) | Seen::Escaped(whole) => {
                searched.judged(text, &whole)
            }
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
        let mut scan = Scan::new(text);
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
                && let Some(range) = rule.find(text, at, &mut scan)
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
