/*!
The frame of every page: policy, style and script.
*/

use std::{fmt::Write, io};

use hmac_sha256::Hash;

use crate::html::Html;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The first lines of a page. The policy is before anything that it governs.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n\
    <meta charset=\"utf-8\">\n\
    <meta http-equiv=\"Content-Security-Policy\"";

/// Writes a page with a title. `mark` says what the page was made from.
pub fn page(
    html: &mut Html<'_>,
    title: &str,
    mark: &str,
    body: impl FnOnce(&mut Html<'_>) -> io::Result<()>,
) -> io::Result<()> {
    html.markup(HEAD)?;
    html.attribute("content", &policy())?;
    html.markup(">\n<meta name=\"linetape-source\"")?;
    html.attribute("content", mark)?;
    html.markup(
        ">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n",
    )?;
    html.within("<title>", title, "</title>\n<style>")?;
    html.markup(STYLE)?;
    html.markup("</style>\n</head>\n<body>\n")?;
    html.markup("<a class=\"skip\" href=\"#main\">Skip to content</a>\n")?;
    body(html)?;
    html.markup("<script>")?;
    html.markup(SCRIPT)?;
    html.markup("</script>\n</body>\n</html>\n")
}

/// Returns the Content-Security-Policy: this style, this script, nothing else.
fn policy() -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; \
         base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    )
}

/// Returns a short hash of the style and the script of pages: a page that was
/// made with others looks different.
///
/// # Example
///
/// See [`Options::source`](crate::Options::source), of which it can be a part.
///
/// ```
/// assert_eq!(linetape_report::layout().len(), 16);
/// ```
pub fn layout() -> String {
    let hash = hexadecimal(Hash::hash(policy().as_bytes()));
    hash.get(..16).unwrap_or_default().to_string()
}

/// Returns the hash of an element's content, as a policy names it.
fn hash(content: &str) -> String {
    format!("sha256-{}", base64(&Hash::hash(content.as_bytes())))
}

/// Returns a digest as 64 hexadecimal digits.
pub fn hexadecimal(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] =
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(*group.get(at).unwrap_or(&0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = (bits >> (18 - 6 * at)) & 63;
            let digit = DIGITS.get(digit as usize).copied();
            let digit = digit.filter(|_| at <= group.len());
            text.push(char::from(digit.unwrap_or(b'=')));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_a_policy() {
        // From the specification of Content-Security-Policy, level 2.
        assert_eq!(
            hash("alert('Hello, world.');"),
            "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
        );
        assert_eq!(base64(b"a"), "YQ==");
        assert_eq!(base64(b"ab"), "YWI=");
    }

    #[test]
    fn style_and_script_are_small_and_cannot_end_their_elements() {
        assert!(SCRIPT.len() < 8 << 10, "{}", SCRIPT.len());
        assert!(STYLE.len() < 12 << 10, "{}", STYLE.len());
        for text in [SCRIPT, STYLE] {
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
