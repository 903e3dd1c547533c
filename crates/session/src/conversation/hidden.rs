/*!
Characters that cannot be seen.
*/

/// Returns whether a character cannot be seen, or changes the order or the
/// lines of the text around it. A page or a terminal should show its code
/// instead: a hidden text is read by a model, but not by a person.
///
/// These are the bidirectional controls, the line and paragraph separators,
/// and what Unicode calls ignorable. Those that are a part of words and emoji
/// are not hidden: the joiners `U+200C` and `U+200D`, and the variation
/// selectors `U+FE0E` and `U+FE0F`. Control characters are not counted here:
/// see [`char::is_control`].
///
/// # Example
///
/// This shows a soft hyphen, and a heart in two characters.
///
/// ```
/// use linetape_session::conversation::is_hidden;
///
/// assert!(is_hidden('\u{ad}'));
/// assert!(!"❤\u{fe0f}".contains(is_hidden));
/// ```
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' // soft hyphen
        | '\u{34f}' // grapheme joiner
        | '\u{61c}' // bidirectional mark
        | '\u{115f}' | '\u{1160}' // fillers of Hangul
        | '\u{17b4}' | '\u{17b5}' // vowels of Khmer that are not written
        | '\u{180b}'..='\u{180f}' // selectors of Mongolian
        | '\u{200b}' // space without a width
        | '\u{200e}' | '\u{200f}' // bidirectional marks,
        | '\u{2028}'..='\u{202e}' // separators, embeddings and overrides,
        | '\u{2060}'..='\u{206f}' // isolates, operators without a sign
        | '\u{3164}' | '\u{ffa0}' // fillers of Hangul
        | '\u{fe00}'..='\u{fe0d}' // variation selectors
        | '\u{feff}' // byte order mark
        | '\u{fff0}'..='\u{fffb}' // unassigned, annotations
        | '\u{1bca0}'..='\u{1bca3}' // shorthand
        | '\u{1d173}'..='\u{1d17a}' // music
        | '\u{e0000}'..='\u{e0fff}' // tags, variation selectors
    )
}
