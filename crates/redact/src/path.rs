/*!
JSON Pointers in which `*` is any key or index.
*/

use linetape::{Error, Value};

use crate::error::invalid;

/// A pointer.
#[derive(Clone, Debug)]
pub(crate) struct Path(Vec<Token>);

#[derive(Clone, Debug)]
enum Token {
    Any,
    /// A key, or the index of an item.
    Key(Box<str>),
}

impl Path {
    pub(crate) fn new(text: &str) -> Result<Path, Error> {
        let bad = || invalid(format!("`{text}` is not a JSON Pointer"));
        let tokens = text.strip_prefix('/').ok_or_else(bad)?.split('/');
        let token = |token: &str| {
            let is_bad = |rest: &str| !rest.starts_with(['0', '1']);
            match token {
                "*" => Ok(Token::Any),
                _ if token.split('~').skip(1).any(is_bad) => Err(bad()),
                _ => {
                    let key = token.replace("~1", "/").replace("~0", "~");
                    Ok(Token::Key(key.into()))
                }
            }
        };
        Ok(Path(tokens.map(token).collect::<Result<_, _>>()?))
    }

    /// Calls `each` with all values that the pointer names.
    pub(crate) fn values<'a>(
        &self,
        root: Value<'a>,
        each: &mut impl FnMut(Value<'a>),
    ) {
        step(&self.0, root, each);
    }
}

/// The recursion is as deep as the pointer is long.
fn step<'a>(
    tokens: &[Token],
    value: Value<'a>,
    each: &mut impl FnMut(Value<'a>),
) {
    let Some((token, rest)) = tokens.split_first() else {
        return each(value);
    };
    for (key, value) in value.as_object().into_iter().flatten() {
        if token.is(key) {
            step(rest, value, each);
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        let is_it = match token {
            Token::Any => true,
            Token::Key(key) => key.parse() == Ok(index),
        };
        if is_it {
            step(rest, item, each);
        }
    }
}

impl Token {
    fn is(&self, key: &str) -> bool {
        match self {
            Token::Any => true,
            Token::Key(own) => **own == *key,
        }
    }
}
