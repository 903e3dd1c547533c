//! The rules and replacements of the command line.

use std::{env, fs, path::PathBuf};

use clap::Args;
use linetape::{Error, ErrorKind};
use linetape_redact::{Replacement, RuleLevel, Rules};

/// The variable that has the key of pseudonyms.
const KEY: &str = "LINETAPE_REDACT_KEY";

/// What is redacted, and how.
#[derive(Args)]
pub struct Options {
    /// The level of the built-in rules: none, secrets, personal or all
    /// [default: secrets]
    #[arg(long, value_name = "LEVEL")]
    level: Option<RuleLevel>,
    /// A TOML file with rules
    #[arg(long = "rules", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Enable a built-in rule of a higher level
    #[arg(long = "enable", value_name = "RULE")]
    enabled: Vec<String>,
    /// Disable a built-in rule
    #[arg(long = "disable", value_name = "RULE")]
    disabled: Vec<String>,
    /// Also redact what a regular expression matches: its first group, or the
    /// whole match if there is no group
    #[arg(long = "pattern", value_name = "NAME=REGEX", value_parser = named)]
    patterns: Vec<(String, String)>,
    /// Also redact the values at a JSON Pointer, in which `*` is any key or
    /// index
    #[arg(long = "pointer", value_name = "POINTER")]
    pointers: Vec<String>,
    /// Also redact the value of every member with this key; `true`, `false`
    /// and `null` are kept
    #[arg(long = "field", value_name = "KEY")]
    fields: Vec<String>,
    /// Also redact the name of a user, wherever it is a separate word, in
    /// upper and lower case
    #[arg(long = "user", value_name = "NAME")]
    users: Vec<String>,
    /// Keep a secret if this regular expression matches all of it
    #[arg(long = "allow", value_name = "REGEX")]
    allowed: Vec<String>,
    /// Drop the base64 data of images and other files, in which no rule can
    /// find secrets
    #[arg(long)]
    drop_images: bool,
    /// Replace each secret with this text instead of `***`
    #[arg(long, value_name = "TEXT", group = "how")]
    with: Option<String>,
    /// Delete each secret, and the members at each --pointer
    #[arg(long, group = "how")]
    remove: bool,
    /// Replace each secret with a pseudonym; equal secrets get equal ones
    ///
    /// Pseudonyms are computed with a key of at least 16 bytes, which is read
    /// from --key-file or from the variable LINETAPE_REDACT_KEY. Anyone who
    /// has the key can recover a guessable secret by a dictionary attack.
    #[arg(long, group = "how")]
    pseudonyms: bool,
    /// The file with the key of pseudonyms
    #[arg(long, value_name = "FILE", requires = "pseudonyms")]
    key_file: Option<PathBuf>,
}

/// Parses `NAME=REGEX`.
fn named(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, regex)) if !name.is_empty() && !regex.is_empty() => {
            Ok((name.to_string(), regex.to_string()))
        }
        _ => Err("expected NAME=REGEX"),
    }
}

impl Options {
    /// Returns the rules.
    pub fn rules(&self) -> Result<Rules, Error> {
        let mut rules = Rules::builder();
        for path in &self.files {
            let text = fs::read_to_string(path).map_err(|error| {
                let path = path.display();
                Error::new(ErrorKind::InvalidInput, format!("{path}: {error}"))
            })?;
            // Each file is also compiled by itself, so that an error names it.
            let made = Rules::builder().toml(&text);
            made.and_then(|rules| rules.build()).map_err(|error| {
                let path = path.display();
                Error::new(ErrorKind::InvalidInput, format!("{path}: {error}"))
            })?;
            rules = rules.toml(&text)?;
        }
        if let Some(level) = self.level {
            rules = rules.level(level);
        }
        for name in &self.enabled {
            rules = rules.enable(name);
        }
        for name in &self.disabled {
            rules = rules.disable(name);
        }
        for (name, pattern) in &self.patterns {
            rules = rules.pattern(name, pattern);
        }
        for pointer in &self.pointers {
            rules = rules.pointer(pointer);
        }
        for field in &self.fields {
            rules = rules.field(field);
        }
        for user in &self.users {
            rules = rules.user(user);
        }
        for pattern in &self.allowed {
            rules = rules.allow(pattern);
        }
        if self.drop_images {
            rules = rules.drop_images(true);
        }
        rules.build()
    }

    /// Returns the replacement.
    pub fn replacement(&self) -> Result<Replacement, Error> {
        if let Some(text) = &self.with {
            return Replacement::text(text);
        }
        if self.remove {
            return Ok(Replacement::removal());
        }
        if !self.pseudonyms {
            return Ok(Replacement::stars());
        }
        let key = match &self.key_file {
            Some(path) => fs::read(path).map_err(|error| {
                let path = path.display();
                Error::new(ErrorKind::InvalidInput, format!("{path}: {error}"))
            })?,
            None => match env::var_os(KEY) {
                Some(key) => key.into_encoded_bytes(),
                None => {
                    let text = format!(
                        "--pseudonyms needs --key-file or the variable {KEY}"
                    );
                    return Err(Error::new(ErrorKind::InvalidInput, text));
                }
            },
        };
        // An editor puts a newline at the end of a file.
        Replacement::pseudonym(key.trim_ascii_end())
    }
}
