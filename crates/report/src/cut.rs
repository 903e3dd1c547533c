/*!
Long texts cut to a line.
*/

use linetape_session::conversation::Summary;

/// Returns the first line of a text that is not empty, with at most `most`
/// characters.
pub(crate) fn first_line(text: &str, most: usize) -> String {
    let lines = text.lines().map(str::trim);
    let line = lines.into_iter().find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    match line.char_indices().nth(most) {
        Some((end, _)) => {
            format!("{}...", line.get(..end).unwrap_or_default().trim_end())
        }
        None => line.to_string(),
    }
}

/// Returns the subject of a call, with at most `most` characters. The end of a
/// path is kept, since it is the name of a file.
pub(crate) fn subject(call: &Summary, most: usize) -> String {
    let subject = &call.subject;
    let start = match most.checked_sub(1).filter(|_| call.is_path) {
        Some(last) => subject.char_indices().nth_back(last),
        None => return first_line(subject, most),
    };
    match start {
        Some((at, _)) if at > 0 => {
            format!("...{}", subject.get(at..).unwrap_or_default())
        }
        _ => subject.clone(),
    }
}
