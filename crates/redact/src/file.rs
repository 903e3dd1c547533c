/*!
Rules from a TOML file.
*/

use std::collections::BTreeMap;

use linetape::Error;
use serde::Deserialize;

use crate::{error::invalid, rule::RuleLevel, rules::RulesBuilder};

/// The content of a file with rules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Content {
    level: Option<String>,
    enable: Vec<String>,
    disable: Vec<String>,
    patterns: BTreeMap<String, String>,
    users: Vec<String>,
    fields: Vec<String>,
    pointers: Vec<String>,
    allow: Vec<String>,
    drop_images: Option<bool>,
}

impl RulesBuilder {
    /// Adds the rules of a TOML file.
    ///
    /// | key | is |
    /// |---|---|
    /// | `level` | the [level](RulesBuilder::level) |
    /// | `enable`, `disable` | lists of names of built-in rules |
    /// | `patterns` | a table of [regular expressions](RulesBuilder::pattern) by name |
    /// | `users` | a list of [names of users](RulesBuilder::user) |
    /// | `fields` | a list of [keys](RulesBuilder::field) |
    /// | `pointers` | a list of [JSON Pointers](RulesBuilder::pointer) |
    /// | `allow` | a list of [regular expressions](RulesBuilder::allow) |
    /// | `drop_images` | whether [images](RulesBuilder::drop_images) are dropped |
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not TOML, or has an unknown key or level.
    /// The error does not quote the text, which could be a file with keys that
    /// was given by mistake.
    ///
    /// # Example
    ///
    /// This shows a file with two rules.
    ///
    /// ```
    /// use linetape_redact::{Redactor, Replacement, Rules};
    ///
    /// let rules = Rules::builder().toml(r#"
    ///     level = "personal"
    ///     pointers = ["/message/id"]
    ///     [patterns]
    ///     ticket = 'TICKET-\d+'
    /// "#)?;
    /// let mut redactor = Redactor::new(rules.build()?, Replacement::stars());
    /// assert_eq!(redactor.text("see TICKET-12"), "see ***");
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn toml(mut self, text: &str) -> Result<RulesBuilder, Error> {
        let content: Content =
            toml::from_str(text).map_err(|error| refused(text, &error))?;
        if let Some(level) = content.level {
            let level = level.parse::<RuleLevel>().map_err(|_| {
                invalid(
                    "unknown level; expected none, secrets, personal or all",
                )
            })?;
            self = self.level(level);
        }
        if let Some(drop) = content.drop_images {
            self = self.drop_images(drop);
        }
        let Content { enable, disable, fields, pointers, .. } = content;
        self = enable.into_iter().fold(self, RulesBuilder::enable);
        self = disable.into_iter().fold(self, RulesBuilder::disable);
        self = fields.into_iter().fold(self, RulesBuilder::field);
        self = pointers.into_iter().fold(self, RulesBuilder::pointer);
        self = content.allow.into_iter().fold(self, RulesBuilder::allow);
        for name in &content.users {
            self = self.user(name);
        }
        for (name, pattern) in content.patterns {
            self = self.pattern(name, pattern);
        }
        Ok(self)
    }
}

/// Returns the error of a text that does not have rules: its line and the
/// reason, but nothing of the text.
fn refused(text: &str, error: &toml::de::Error) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.as_bytes().get(..start).unwrap_or_default();
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    // Some reasons quote a key or a value.
    let reason = match error.message() {
        reason if reason.starts_with("unknown field") => "unknown key",
        reason
            if reason.starts_with("invalid ") && reason.contains("type") =>
        {
            "a value of the wrong type"
        }
        // What was expected is quoted, too.
        reason => reason.split(['"', '`']).next().unwrap_or_default(),
    };
    let reason = reason.trim_end().trim_end_matches(", expected");
    invalid(format!("line {line}: {reason}"))
}
