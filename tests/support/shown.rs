//! What linetape makes of a line, as JSON with the names of types and fields.

use std::fmt::{self, Debug, Display};

use serde_json::Value as Json;

/// Longer lists and objects have a line for each item or member.
const WIDTH: usize = 79;

/// A JSON value whose members keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// A value without items or members, as JSON.
    Leaf(String),
    List(Vec<Shown>),
    Object(Vec<(String, Shown)>),
}

impl Shown {
    /// The `Debug` text of an owned type as JSON. Absent fields are left out.
    ///
    /// | Rust | JSON |
    /// |---|---|
    /// | a struct | an object, with the name of the type as `$` |
    /// | a variant that holds a struct | the same, with `Variant(Type)` as `$` |
    /// | a variant that holds a value | an object with one member |
    /// | a variant alone | `"::Variant"` |
    /// | a field of the type `f64` | a number with a point |
    /// | the fields of a parent, in `base` | those of the struct |
    pub fn of(value: impl Debug) -> Shown {
        let text = format!("{value:?}");
        let mut parser = Parser { rest: &text };
        let shown = parser.value();
        assert_eq!(parser.rest, "", "{text}");
        shown.unwrap_or_else(|| Shown::Leaf("null".to_string()))
    }

    pub fn text(text: &str) -> Shown {
        Shown::Leaf(Json::from(text).to_string())
    }

    fn is_empty(&self) -> bool {
        matches!(self, Shown::Object(members) if members.is_empty())
    }

    /// Writes the value, the first line of which begins at a column.
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        indent: usize,
        column: usize,
    ) -> fmt::Result {
        let compact = self.compact();
        // The comma after it counts, too.
        if column + compact.chars().count() < WIDTH {
            return f.write_str(&compact);
        }
        let inner = indent + 2;
        let begin = |f: &mut fmt::Formatter<'_>, at, bracket| {
            let before = if at == 0 { bracket } else { "," };
            write!(f, "{before}\n{:inner$}", "")
        };
        match self {
            Shown::Leaf(text) => return f.write_str(text),
            Shown::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    begin(f, at, "[")?;
                    item.write(f, inner, inner)?;
                }
            }
            Shown::Object(members) => {
                for (at, (key, value)) in members.iter().enumerate() {
                    begin(f, at, "{")?;
                    let key = Json::from(&key[..]).to_string();
                    write!(f, "{key}: ")?;
                    value.write(f, inner, inner + key.len() + 2)?;
                }
            }
        }
        let end = if matches!(self, Shown::List(_)) { ']' } else { '}' };
        write!(f, "\n{:indent$}{end}", "")
    }

    fn compact(&self) -> String {
        match self {
            Shown::Leaf(text) => text.clone(),
            Shown::List(items) => {
                let items: Vec<_> = items.iter().map(Shown::compact).collect();
                format!("[{}]", items.join(", "))
            }
            Shown::Object(members) => {
                let member = |(key, value): &(String, Shown)| {
                    format!("{}: {}", Json::from(&key[..]), value.compact())
                };
                let members: Vec<_> = members.iter().map(member).collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }
}

impl Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0, 0)
    }
}

/// The members of an object that is put together.
#[derive(Debug, Default, PartialEq)]
pub struct Members(Vec<(String, Shown)>);

impl Members {
    pub fn put(&mut self, key: &str, value: Shown) {
        self.0.push((key.to_string(), value));
    }

    pub fn append(&mut self, others: Members) {
        self.0.extend(others.0);
    }

    /// Adds a value unless it is absent.
    pub fn put_some(&mut self, key: &str, value: Option<impl Debug>) {
        if let Some(value) = value {
            self.put(key, Shown::of(value));
        }
    }

    /// Adds a flag if it is set.
    pub fn put_flag(&mut self, key: &str, is_set: bool) {
        self.put_some(key, is_set.then_some(true));
    }

    /// Adds a list unless it is empty.
    pub fn put_list(&mut self, key: &str, items: Vec<Shown>) {
        if !items.is_empty() {
            self.put(key, Shown::List(items));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn shown(self) -> Shown {
        Shown::Object(self.0)
    }
}

/// Reads what `Debug` writes for owned types and for `serde_json::Value`.
struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !is_part(c));
        let (taken, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// Reads a value. Returns `None` for an absent one.
    fn value(&mut self) -> Option<Shown> {
        match self.rest.chars().next()? {
            '"' => Some(Shown::text(&self.string())),
            '-' | '0'..='9' => {
                let number = self.take(|c| !",)]} ".contains(c));
                Some(Shown::Leaf(number.to_string()))
            }
            '[' => Some(self.list()),
            '{' => Some(self.map()),
            _ => self.named(),
        }
    }

    fn string(&mut self) -> String {
        let mut text = String::new();
        assert!(self.skip("\""), "{}", self.rest);
        while !self.skip("\"") {
            text += self.take(|c| !"\\\"".contains(c));
            if self.skip("\\") {
                let escape = self.rest.chars().next().unwrap();
                self.rest = &self.rest[1..];
                text.push(match escape {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '0' => '\0',
                    'u' => {
                        self.skip("{");
                        let code = self.take(|c| c != '}');
                        self.skip("}");
                        let code = u32::from_str_radix(code, 16).unwrap();
                        char::from_u32(code).unwrap()
                    }
                    other => other,
                });
            }
        }
        text
    }

    fn list(&mut self) -> Shown {
        let mut items = vec![];
        self.skip("[");
        while !self.skip("]") {
            items.extend(self.value());
            self.skip(", ");
        }
        Shown::List(items)
    }

    fn map(&mut self) -> Shown {
        let mut members = vec![];
        self.skip("{");
        while !self.skip("}") {
            let key = self.string();
            self.skip(": ");
            members.extend(self.value().map(|value| (key, value)));
            self.skip(", ");
        }
        Shown::Object(members)
    }

    /// Reads a value that begins with a name.
    fn named(&mut self) -> Option<Shown> {
        let name = self.take(|c| c.is_alphanumeric() || c == '_');
        if self.skip(" { ") {
            return Some(self.fields(name));
        }
        // `Object {..}` and `Array [..]` of serde_json.
        if self.skip(" ") {
            return self.value();
        }
        if self.skip("(") {
            let value = self.value();
            assert!(self.skip(")"), "{}", self.rest);
            return Some(within(name, value?));
        }
        match name {
            "None" => None,
            "Null" => Some(Shown::Leaf("null".to_string())),
            "true" | "false" => Some(Shown::Leaf(name.to_string())),
            _ => Some(Shown::text(&format!("::{name}"))),
        }
    }

    fn fields(&mut self, name: &str) -> Shown {
        let mut members = vec![("$".to_string(), Shown::text(name))];
        while !self.skip("}") {
            let field = self.take(|c| c != ':');
            self.skip(": ");
            let is_float = self.rest.starts_with("Some(Number(");
            let value = self.value().filter(|value| !value.is_empty());
            if let ("base", Some(Shown::Object(parent))) = (field, &value) {
                members.extend_from_slice(&parent[1..]);
                let _ = self.skip(", ") || self.skip(" ");
                continue;
            }
            members.extend(value.map(|value| match value {
                Shown::Leaf(number)
                    if is_float && !number.contains(['.', 'e']) =>
                {
                    (field.to_string(), Shown::Leaf(number + ".0"))
                }
                value => (field.to_string(), value),
            }));
            let _ = self.skip(", ") || self.skip(" ");
        }
        Shown::Object(members)
    }
}

/// A value within a variant.
fn within(variant: &str, value: Shown) -> Shown {
    match value {
        // Of `Option`, `OrString` and serde_json: the value is enough.
        value
            if ["Some", "Number", "String", "Bool", "Object"]
                .contains(&variant) =>
        {
            value
        }
        Shown::Object(mut members)
            if members.first().is_some_and(|(key, _)| key == "$") =>
        {
            if let Shown::Leaf(name) = &mut members[0].1 {
                *name = format!("\"{variant}({})\"", name.trim_matches('"'));
            }
            Shown::Object(members)
        }
        value => Shown::Object(vec![(variant.to_string(), value)]),
    }
}

#[test]
fn owned_types_are_shown_with_their_names() {
    #[derive(Debug)]
    #[allow(dead_code)]
    struct Ship {
        name: Option<&'static str>,
        crew: Option<u64>,
        depth: Option<serde_json::Number>,
        state: Option<State>,
        next: Option<Vec<State>>,
        cargo: Option<Json>,
        extra: std::collections::BTreeMap<String, Json>,
    }
    #[derive(Debug)]
    #[allow(dead_code)]
    enum State {
        Moored,
        Other(String),
        Towed(Box<Ship>),
        Steamed(Box<Steamer>),
    }
    #[derive(Debug)]
    #[allow(dead_code)]
    struct Steamer {
        coal: Option<u64>,
        base: Ship,
    }
    let none = || Ship {
        name: None,
        crew: None,
        depth: None,
        state: None,
        next: None,
        cargo: None,
        extra: [].into(),
    };
    let crewed = Ship { crew: Some(2), ..none() };
    let steamer = Steamer { coal: Some(3), base: crewed };
    let ship = Ship {
        name: Some("a \"b\"\n\\ \u{7} \u{e9}"),
        crew: Some(7),
        depth: Some(7.into()),
        state: Some(State::Moored),
        next: Some(vec![
            State::Other("x".into()),
            State::Towed(none().into()),
            State::Steamed(steamer.into()),
        ]),
        cargo: Some(serde_json::json!({"a": [1, -2.5, null, true, "}"]})),
        extra: [("b".to_string(), Json::Null)].into(),
    };
    let expected = r#"{
  "$": "Ship",
  "name": "a \"b\"\n\\ \u0007 é",
  "crew": 7,
  "depth": 7.0,
  "state": "::Moored",
  "next": [
    {"Other": "x"},
    {"$": "Towed(Ship)"},
    {"$": "Steamed(Steamer)", "coal": 3, "crew": 2}
  ],
  "cargo": {"a": [1, -2.5, null, true, "}"]},
  "extra": {"b": null}
}"#;
    assert_eq!(Shown::of(ship).to_string(), expected);
}
