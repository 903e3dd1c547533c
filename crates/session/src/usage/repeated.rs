/*!
The usage of the line before. The lines of a message repeat its usage, so most
lines need no more than a comparison of the texts.
*/

use linetape::Value;

use crate::tokens::Figures;

/// A longer text is not kept.
const MAX_TEXT: usize = 4096;

/// The last usage that was read, as it is written and as it was understood.
#[derive(Debug, Default)]
pub(crate) struct LastUsage {
    /// Empty if there is none.
    text: String,
    figures: Figures,
    has_iterations: bool,
}

impl LastUsage {
    /// Reads the usage of a line. Returns the list of its iterations as well,
    /// if it has one.
    pub(crate) fn read<'a>(
        &mut self,
        usage: Value<'a>,
    ) -> (Figures, Option<Value<'a>>) {
        // A decoded line has no text.
        let text = usage.raw().filter(|text| text.len() <= MAX_TEXT);
        if text.is_some_and(|text| text == self.text) {
            let iterations =
                self.has_iterations.then(|| usage.get("iterations"));
            return (self.figures, iterations.flatten());
        }
        let (figures, iterations) = Figures::with_iterations(usage);
        if let Some(text) = text {
            self.text.clear();
            self.text.push_str(text);
            self.figures = figures;
            self.has_iterations = iterations.is_some();
        }
        (figures, iterations)
    }
}

#[cfg(test)]
mod tests {
    use linetape::Decoder;

    use super::*;

    /// Whatever was read before, the answer is that of the line alone.
    #[test]
    fn a_repeated_usage_reads_as_the_first_one() {
        let long =
            format!(r#"{{"output_tokens":7,"x":"{}"}}"#, "x".repeat(5000));
        let usages = [
            r#"{"output_tokens":1}"#,
            r#"{"output_tokens":1}"#,
            r#"{"output_tokens":1 }"#,
            r#"{"output_tokens":2,"speed":"fast","iterations":[{"type":"message"}]}"#,
            r#"{"output_tokens":2,"speed":"fast","iterations":[{"type":"message"}]}"#,
            &long,
            &long,
            r#"{"output_tokens":1}"#,
            "{}",
            "{}",
        ];
        let mut last = LastUsage::default();
        let mut decoder = Decoder::new();
        for usage in usages {
            let line = format!(r#"{{"type":"x","usage":{usage}}}"#);
            let record = decoder.decode(line.as_bytes()).unwrap();
            let decoded = record.value().get("usage").unwrap();
            let (wanted, wanted_list) = Figures::with_iterations(decoded);
            let wanted_list = wanted_list.map(|list| list.to_string());
            // A decoded line is neither compared nor kept.
            let (figures, _) = last.read(decoded);
            assert_eq!(figures.parts(), wanted.parts(), "{usage}");

            let mut decoder = Decoder::new();
            let line = decoder.line(line.as_bytes());
            let value = line.peek().unwrap().value().get("usage").unwrap();
            let (figures, list) = last.read(value);
            assert_eq!(figures.parts(), wanted.parts(), "{usage}");
            assert_eq!(figures.is_fast, wanted.is_fast, "{usage}");
            let list = list.map(|list| list.to_string());
            assert_eq!(list, wanted_list, "{usage}");
        }
    }
}
