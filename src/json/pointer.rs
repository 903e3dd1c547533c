/*!
The tokens of a JSON Pointer (RFC 6901), between the slashes.
*/

/// The array index that a token stands for.
pub(crate) fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || !token.starts_with(['0', '+']);
    token.parse().ok().filter(|_| plain)
}

/// The key that a token stands for, one character at a time: `~1` stands for
/// `/`, and `~0` for `~`. Any other use of `~` is none.
pub(crate) fn key(token: &str) -> impl Iterator<Item = Option<char>> {
    let mut rest = token.chars();
    std::iter::from_fn(move || match rest.next()? {
        '~' => match rest.next() {
            Some('0') => Some(Some('~')),
            Some('1') => Some(Some('/')),
            _ => Some(None),
        },
        c => Some(Some(c)),
    })
}

/// Whether a token stands for the key.
pub(crate) fn names(token: &str, wanted: &str) -> bool {
    match token.contains('~') {
        true => key(token).eq(wanted.chars().map(Some)),
        false => token == wanted,
    }
}
