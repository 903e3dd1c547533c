/*!
Finds the offset of a tape node in the text of its line.
*/

use crate::scan::{is_whitespace, scalar_end, string_end};

/// Returns the offset of the `n`th value or key of a valid line, counted from
/// 0 in the order of the text. Takes O(offset).
#[cold]
pub(crate) fn nth_node(line: &[u8], n: usize) -> Option<usize> {
    let mut left = n;
    let mut at = 0;
    loop {
        let byte = *line.get(at)?;
        if is_whitespace(byte) || matches!(byte, b',' | b':' | b'}' | b']') {
            at += 1;
            continue;
        }
        if left == 0 {
            return Some(at);
        }
        left -= 1;
        at = match byte {
            b'"' => string_end(line, at) + 1,
            b'{' | b'[' => at + 1,
            _ => scalar_end(line, at)?,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::nth_node;

    #[test]
    fn nodes_are_found_where_they_begin() {
        let line = br#" {"a\"," : [ 1 , true,"b"],"c":{} } "#;
        let places: Vec<usize> =
            (0..).map_while(|n| nth_node(line, n)).collect();
        assert_eq!(places, [1, 2, 11, 13, 17, 22, 27, 31]);
    }
}
