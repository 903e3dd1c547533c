/*!
The tokens of a JSON Pointer (RFC 6901): the parts between the slashes.
*/

/// Returns a token as an array index. `None` if it is not a decimal number
/// without leading zeros.
pub(crate) fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || !token.starts_with(['0', '+']);
    token.parse().ok().filter(|_| plain)
}

/// Returns the characters of the key that a token refers to: `~1` means `/`,
/// and `~0` means `~`. Any other use of `~` is invalid, and yields `None`.
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

/// Returns whether a token refers to the key `wanted`.
pub(crate) fn names(token: &str, wanted: &str) -> bool {
    match token.contains('~') {
        true => key(token).eq(wanted.chars().map(Some)),
        false => token == wanted,
    }
}
