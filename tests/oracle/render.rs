//! Text that is shown to a person.

use linetape::{Decoder, Escaped};

/// Asserts that escaped bytes, and errors that quote them, contain no terminal
/// escape sequences.
pub fn render(data: &[u8]) {
    let shown = Escaped::new(data).to_string();
    harmless(&shown);
    // The longest escape of a character is `\u{2028}`, for three bytes. The
    // longest escape of a byte is `\u{1b}`.
    assert!(shown.len() <= 6 * data.len());
    let plain = std::str::from_utf8(data).ok();
    if let Some(text) = plain.filter(|text| !text.contains(is_dangerous)) {
        assert_eq!(shown, text, "what is harmless is not changed");
    }
    if let Err(error) = Decoder::new().decode(data) {
        harmless(&error.to_string());
        harmless(&error.reason().to_string());
        error.snippet().into_iter().for_each(harmless);
        assert!(error.to_string().len() < 1000, "an error is short");
    }
}

pub fn harmless(shown: &str) {
    let found = shown.chars().find(|c| is_dangerous(*c));
    assert!(found.is_none(), "{found:?} in {shown:?}");
}

/// A separate list, independent of the library.
pub fn is_dangerous(c: char) -> bool {
    matches!(
        u32::from(c),
        0..=0x1f
            | 0x7f..=0x9f
            | 0x61c
            | 0x200e..=0x200f
            | 0x2028..=0x202e
            | 0x2066..=0x2069
    )
}
