/*!
Slash commands: their names and outputs are tagged text in `user` and `system`
messages.
*/

pub(crate) const OUTPUT: (&str, &str) =
    ("<local-command-stdout>", "</local-command-stdout>");
const ERRORS: (&str, &str) =
    ("<local-command-stderr>", "</local-command-stderr>");
const NAME: (&str, &str) = ("<command-name>", "</command-name>");

/// The call or the output of a slash command.
pub(crate) enum Command<'a> {
    /// The name of the called command.
    Called(&'a str),
    /// The output of the command.
    Wrote(&'a str),
}

impl<'a> Command<'a> {
    pub(crate) fn read(text: &'a str) -> Option<Command<'a>> {
        let text = text.trim();
        if let Some((name, _)) =
            text.strip_prefix(NAME.0).and_then(|rest| rest.split_once(NAME.1))
        {
            return Some(Command::Called(name));
        }
        let inside =
            |(open, close)| text.strip_prefix(open)?.strip_suffix(close);
        inside(OUTPUT).or_else(|| inside(ERRORS)).map(Command::Wrote)
    }
}
