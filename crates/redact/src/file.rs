/*!
Rules from a TOML file.
*/

use std::collections::BTreeMap;

use linetape::Error;
use serde::Deserialize;

use crate::{rule::Level, rules::RulesBuilder};

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
        let content: Content = toml::from_str(text)
            .map_err(|error| Error::invalid_input(error.to_string()))?;
        if let Some(level) = content.level {
            self = self.level(level.parse::<Level>()?);
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
