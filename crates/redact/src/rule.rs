use std::{fmt, ops::Range, str::FromStr};

use linetape::Error;

use crate::{assigned, error::invalid};

/// How much is redacted. Each level includes the ones before it.
///
/// # Example
///
/// This shows the names of levels.
///
/// ```
/// use linetape_redact::RuleLevel;
///
/// assert_eq!("personal".parse::<RuleLevel>()?, RuleLevel::Personal);
/// assert!(RuleLevel::Secrets < RuleLevel::Personal);
/// assert_eq!(RuleLevel::default(), RuleLevel::Secrets);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash,
)]
#[non_exhaustive]
pub enum RuleLevel {
    /// No built-in rule.
    None,
    /// Keys, tokens, private keys, passwords in connection strings, and any
    /// value that is assigned to a name such as `password`.
    #[default]
    Secrets,
    /// Also what identifies people and machines: e-mail addresses, user names
    /// in home directories, and fields such as `cwd` and `gitBranch`.
    Personal,
    /// Also IP addresses. This has false positives.
    All,
}

impl RuleLevel {
    /// Returns the name of the level.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleLevel::None => "none",
            RuleLevel::Secrets => "secrets",
            RuleLevel::Personal => "personal",
            RuleLevel::All => "all",
        }
    }
}

impl fmt::Display for RuleLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RuleLevel {
    type Err = Error;

    /// Parses a name that [`as_str`](RuleLevel::as_str) returns.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind
    /// [`ErrorKind::InvalidInput`](linetape::ErrorKind::InvalidInput) for any
    /// other text.
    fn from_str(name: &str) -> Result<RuleLevel, Error> {
        let levels = [
            RuleLevel::None,
            RuleLevel::Secrets,
            RuleLevel::Personal,
            RuleLevel::All,
        ];
        let level = levels.into_iter().find(|level| level.as_str() == name);
        level.ok_or_else(|| invalid(format!("unknown level `{name}`")))
    }
}

/// A built-in rule: what it matches, and at which level it is on.
///
/// # Example
///
/// This shows how to list the rules.
///
/// ```
/// let rules = linetape_redact::builtin();
/// let jwt = rules.iter().find(|rule| rule.name() == "jwt").unwrap();
/// assert_eq!(jwt.level().as_str(), "secrets");
/// assert_eq!(jwt.gitleaks(), ["jwt"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub(crate) name: &'static str,
    pub(crate) level: RuleLevel,
    /// Every match contains one of these texts. In them, `#` stands for any
    /// decimal digit, and `^` for any hexadecimal digit.
    pub(crate) literals: &'static [&'static str],
    /// What follows the literal.
    pub(crate) tail: Tail,
    /// How many bytes of a match may be before the literal.
    pub(crate) lead: usize,
    /// The regular expression. Its first group with a match is what is
    /// replaced, or else the whole match.
    pub(crate) pattern: &'static str,
    pub(crate) gitleaks: &'static [&'static str],
}

/// What must follow the literal of a rule. This is a cheap test that is made
/// before the regular expression is run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tail {
    /// Anything.
    Any,
    /// At least this number of hexadecimal digits.
    Hex(usize),
    /// At least this number of letters and digits.
    Alnum(usize),
    /// At least this number of characters that occur in tokens: letters,
    /// digits and `_-+/=.~%`.
    Token(usize),
    /// The user name and the password of a URL, which end with `:` and `@`.
    User,
    /// An option with a `u`, such as `-u`, among the next 8 KiB, or a command that
    /// goes on beyond them.
    Login,
    /// A character that comes before a value, such as `=`, `:` or a quote,
    /// among the next 42 characters.
    Near,
    /// The domain of an e-mail address. Its name is before the literal.
    Domain,
    /// The literal begins the numbers of an IPv4 address.
    Quad,
    /// The literal begins the groups of an IPv6 address.
    Groups,
    /// A value is assigned to the name that ends with the literal.
    Assigned,
}

impl Rule {
    /// Returns whether matches begin with the literal, at the start of a word.
    pub(crate) fn is_word(&self) -> bool {
        let flags = ["(?-u)", "(?i-u)", "(?i)"];
        let mut flags =
            flags.iter().filter_map(|flags| self.pattern.strip_prefix(flags));
        let pattern = flags.next().unwrap_or(self.pattern);
        // Not one of several alternatives.
        let is_one = pattern.starts_with(r"\b(?:") || !pattern.contains('|');
        self.lead == 0 && pattern.starts_with(r"\b") && is_one
    }

    /// Returns whether a match has many lines, and an end of its own.
    pub(crate) fn is_private_key(&self) -> bool {
        self.name == "private-key"
    }

    /// Returns whether a match begins with the name of a command, and ends with
    /// an option that can be far behind it.
    pub(crate) fn is_command(&self) -> bool {
        matches!(self.tail, Tail::Login)
    }

    /// Returns whether matches are a name and the value that is assigned to it.
    pub(crate) fn is_assigned(&self) -> bool {
        matches!(self.tail, Tail::Assigned)
    }

    /// Returns whether some matches of the pattern stay.
    pub(crate) fn is_judged(&self) -> bool {
        let names = [
            "command-password",
            "cookie",
            "login-option",
            "netrc",
            "pgpass",
            "url-password",
        ];
        self.is_assigned() || names.contains(&self.name)
    }

    /// Returns whether a match of the [pattern](Rule::pattern) stays: of some
    /// rules, a reference to a variable, a placeholder, a word, or code. `whole`
    /// is the match in a text, and `part` is what would be replaced of it.
    ///
    /// # Example
    ///
    /// This shows a secret, and a reference.
    ///
    /// ```
    /// let rules = linetape_redact::builtin();
    /// let rule = rules.iter().find(|r| r.name() == "assigned-secret").unwrap();
    /// assert!(!rule.keeps("password=hunter22x", 0..18, 9..18));
    /// assert!(rule.keeps("password=$PASSWORD", 0..18, 9..18));
    /// ```
    pub fn keeps(
        &self,
        text: &str,
        whole: Range<usize>,
        part: Range<usize>,
    ) -> bool {
        let value = text.get(part.clone()).unwrap_or_default();
        match self.name {
            "assigned-secret" => assigned::is_kept(text, whole.start, &part),
            "command-password" | "pgpass" => {
                assigned::stands_for_another(value)
            }
            "netrc" => {
                assigned::stands_for_another(value)
                    || !assigned::is_netrc(text, whole.start, &part)
            }
            "url-password" => assigned::is_reference(value),
            "cookie" => !assigned::has_random(value),
            "login-option" => {
                assigned::stands_for_another(value)
                    || !assigned::has_random(value)
            }
            _ => false,
        }
    }

    /// Returns whether matches are e-mail addresses.
    pub(crate) fn is_email(&self) -> bool {
        self.name == "email"
    }

    /// Returns whether base64 data has what the rule matches, by chance: the
    /// literals are base64 of zeros.
    pub(crate) fn is_in_base64(&self) -> bool {
        matches!(self.name, "aws-bedrock" | "facebook-page" | "square")
    }

    /// Returns whether the case of the literals has to be right.
    pub(crate) fn is_exact(&self) -> bool {
        !self.pattern.contains("(?i")
    }

    /// Returns the name of the rule.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the lowest level at which the rule is on.
    pub fn level(&self) -> RuleLevel {
        self.level
    }

    /// Returns the regular expression. Its first group with a match is
    /// replaced, or the whole match if there is none.
    pub fn pattern(&self) -> &'static str {
        self.pattern
    }

    /// Returns the ids of the rules of gitleaks' default configuration on which
    /// this rule is modelled.
    pub fn gitleaks(&self) -> &'static [&'static str] {
        self.gitleaks
    }
}

/// Returns whether a byte can be before the `@` of an e-mail address.
pub(crate) fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte)
}
