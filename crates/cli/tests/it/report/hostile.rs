//! A log that attacks every field of every message type: nothing of it
//! becomes markup. `ci/browser` opens such a page in a browser.

use serde_json::{Map, Value, json};

use crate::support::{document, linetape, text};

/// Each would run, restyle the page or fetch something as markup.
const ATTACKS: [&str; 9] = [
    "<script>attack()</script>",
    "<img src=x onerror=\"attack()\">",
    "\"><svg onload=\"attack()\">",
    "'><details open ontoggle='attack()'>",
    "[a](javascript:attack()) ![b](https://attack.example/b.png)",
    "</title></style></script><script>attack()</script>",
    "\x1b]0;attack\x07\u{202e}attack\u{202c}\0",
    "</pre></div></main>--><meta http-equiv=refresh content=0;attack>",
    "```</code>\n<style>attack{}</style>\n| <b onclick=attack()> |\n|-|",
];

/// The elements of a page. Those without text in them are not ended.
const ELEMENTS: [&str; 58] = [
    "a",
    "article",
    "b",
    "blockquote",
    "body",
    "br",
    "button",
    "code",
    "dd",
    "desc",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "input",
    "li",
    "main",
    "meta",
    "nav",
    "ol",
    "p",
    "path",
    "pre",
    "s",
    "script",
    "section",
    "span",
    "strong",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "ul",
    "!doctype",
    "html",
    "main",
    "span",
    "div",
    "p",
];

const VOID: [&str; 6] = ["br", "hr", "input", "meta", "path", "!doctype"];

const ATTRIBUTES: [&str; 28] = [
    "aria-hidden",
    "aria-label",
    "aria-pressed",
    "charset",
    "class",
    "content",
    "d",
    "data-v",
    "datetime",
    "dir",
    "hidden",
    "href",
    "html",
    "http-equiv",
    "id",
    "lang",
    "name",
    "placeholder",
    "preserveAspectRatio",
    "rel",
    "role",
    "start",
    "tabindex",
    "title",
    "type",
    "viewBox",
    "/",
    "",
];

/// Makes values of all types of the schema, with an attack in each string.
struct Maker {
    known: Value,
    count: usize,
}

impl Maker {
    fn attack(&mut self) -> Value {
        self.count += 1;
        ATTACKS[self.count % ATTACKS.len()].into()
    }

    fn lookup(&self, table: &str, name: &str) -> Option<Value> {
        let parts = self.known.as_object().unwrap().values();
        parts.map(|part| &part[table][name]).find(|v| !v.is_null()).cloned()
    }

    fn value(&mut self, kind: &str, depth: u8) -> Value {
        let inner = |kind: &str| kind[1..kind.len() - 1].to_string();
        match kind {
            "bool" => return true.into(),
            "u64" | "i64" | "f64" => return 7.into(),
            _ if kind.starts_with('[') => {
                return json!([self.value(&inner(kind), depth)]);
            }
            _ if kind.starts_with('{') => {
                let key = self.attack().as_str().unwrap().to_string();
                return json!({ key: self.value(&inner(kind), depth) });
            }
            _ if depth > 7 => return self.attack(),
            _ => {}
        }
        if let Some(union) = self.lookup("unions", kind) {
            let mut variants = self.variants(&union, depth);
            let at = self.count % variants.len();
            return variants.swap_remove(at);
        }
        match self.lookup("structs", kind) {
            Some(shape) => self.object(&shape, depth).into(),
            None => self.attack(),
        }
    }

    fn object(&mut self, shape: &Value, depth: u8) -> Map<String, Value> {
        let mut made = match shape["parent"].as_str() {
            Some(parent) => match self.lookup("structs", parent) {
                Some(parent) => self.object(&parent, depth),
                None => Map::new(),
            },
            None => Map::new(),
        };
        for field in shape["fields"].as_array().into_iter().flatten() {
            let key = field["key"].as_str().unwrap().to_string();
            let kind = field["type"].as_str().unwrap().to_string();
            made.insert(key, self.value(&kind, depth + 1));
        }
        made
    }

    /// Returns an object of each variant.
    fn variants(&mut self, union: &Value, depth: u8) -> Vec<Value> {
        let mut made = vec![];
        let tag = union["by"].as_str().unwrap().to_string();
        for (name, kind) in union["variants"].as_object().unwrap() {
            let kind = kind.as_str().unwrap();
            let mut objects = match self.lookup("unions", kind) {
                Some(union) => self.variants(&union, depth),
                None => {
                    let shape = self.lookup("structs", kind);
                    let shape = shape.unwrap_or_default();
                    vec![self.object(&shape, depth).into()]
                }
            };
            for object in &mut objects {
                object[&tag] = name.as_str().into();
            }
            made.extend(objects);
        }
        made
    }
}

/// Returns the log, and the number of types in it.
fn log() -> (String, usize) {
    let known = document(&linetape(&["schema", "--known", "--json"], b""));
    let mut maker = Maker { known, count: 0 };
    let union = |maker: &Maker, name| maker.lookup("unions", name).unwrap();
    let messages = union(&maker, "Message");
    let mut lines = maker.variants(&messages, 0);
    let types = lines.len();
    let blocks = union(&maker, "Block");
    for role in ["user", "assistant"] {
        for attack in ATTACKS {
            for mut block in maker.variants(&blocks, 2) {
                for key in ["text", "thinking", "content", "name"] {
                    if !block[key].is_null() {
                        block[key] = attack.into();
                    }
                }
                let id = format!("{attack}{}", lines.len());
                if !block["input"].is_null() {
                    block["id"] = id.clone().into();
                    block["input"] = json!({ "file_path": attack,
                        "command": attack, attack: [attack] });
                    let names = ["Edit", "Bash", "Task", attack];
                    block["name"] = names[lines.len() % 4].into();
                }
                lines.push(json!({ "type": role, "message": {
                    "id": id, "model": attack, "content": [block],
                    "usage": { "input_tokens": 3 } } }));
                let lines_of_patch = [format!("-{attack}"), attack.into()];
                lines.push(json!({ "type": "user",
                    "message": { "content": [{ "type": "tool_result",
                        "tool_use_id": id, "is_error": true,
                        "content": attack }] },
                    "toolUseResult": { "agentId": attack,
                        "structuredPatch": [{ "lines": lines_of_patch }] } }));
            }
        }
    }
    let mut log = String::new();
    for (nth, line) in lines.iter_mut().enumerate() {
        line["sessionId"] = "hostile".into();
        line["session_id"] = "hostile".into();
        line["uuid"] = format!("u{nth}").into();
        line["isSidechain"] = false.into();
        line["parent_tool_use_id"] = Value::Null;
        line["parentUuid"] = Value::Null;
        log += &format!("{line}\n");
    }
    (log, types)
}

/// Returns the names and attributes of all tags. Fails at a `<` that is not
/// the start of a tag as linetape writes it.
fn check_tags(page: &str) -> usize {
    let (mut rest, mut count, mut open) = (page, 0, vec![]);
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap();
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        count += 1;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "</{name}>");
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let name = name.trim_end_matches('/');
        assert!(ELEMENTS.contains(&name), "<{tag}>");
        if !VOID.contains(&name) {
            open.push(name);
        }
        check_attributes(attributes);
        if ["style", "script"].contains(&name) {
            let end = format!("</{name}>");
            rest = &rest[rest.find(&end).unwrap()..];
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    count
}

fn check_attributes(attributes: &str) {
    let mut rest = attributes.trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let name = &rest[..end];
        assert!(ATTRIBUTES.contains(&name), "{name:?} in {attributes}");
        rest = &rest[end..];
        if let Some(value) = rest.strip_prefix("=\"") {
            let (value, after) = value.split_once('"').unwrap();
            let is_link = name == "href";
            let schemes = ["#", "http://", "https://", "mailto:", "index"];
            assert!(
                !is_link || schemes.iter().any(|s| value.starts_with(s)),
                "{value}"
            );
            rest = after;
        } else {
            assert!(!rest.starts_with('='), "{attributes}");
        }
        rest = rest.trim_start();
    }
}

#[test]
fn nothing_of_a_log_becomes_markup() {
    let (log, types) = log();
    assert!(types > 90, "{types}");
    let output = linetape(&["report", "-", "-o", "-"], log.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = text(&output.stdout);
    let count = check_tags(page);
    assert!(count > 2_000, "{count}");
    // Otherwise there was nothing to attack with.
    let attacks = page.matches("attack").count();
    assert!(attacks > 1_000, "{attacks}");
    assert_eq!(page.matches("<script").count(), 1);
    for hidden in ['\x1b', '\u{202e}', '\0'] {
        assert!(!page.contains(hidden), "{hidden:?}");
    }
}

/// The test above would pass if it could not see the markup of an attack.
#[test]
fn markup_of_an_attack_is_found() {
    let page = linetape(&["report", "--sample", "-o", "-"], b"").stdout;
    let page = text(&page);
    check_tags(page);
    for attack in ATTACKS.iter().take(4) {
        let broken = page.replace("</main>", &format!("{attack}</main>"));
        let found = std::panic::catch_unwind(|| check_tags(&broken));
        assert!(
            found.is_err() || broken.matches("<script").count() > 1,
            "{attack}"
        );
    }
}
