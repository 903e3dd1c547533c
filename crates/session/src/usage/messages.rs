use std::collections::HashMap;

use linetape::message::{
    ApiMessage, Content, FromValue, Message, Usage, stream::Assistant,
};

use crate::{Tokens, names::Names, tokens::Figures};

/// The messages of the model, and what they used.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// By the message's id and the request's.
    known: HashMap<Box<[u8]>, usize>,
    /// Every message, also those of which no line tells of usage yet.
    all: Vec<Spent>,
    /// The turns of servers, by session. A turn counts as one message.
    turns: HashMap<Option<u32>, Turns>,
    /// Where keys are put together.
    key: Vec<u8>,
}

/// What one message used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// Whether any line tells of usage.
    is_told: bool,
    is_sidechain: bool,
    figures: Figures,
    pub(crate) session: Option<u32>,
    pub(crate) model: Option<u32>,
    pub(crate) day: Option<u32>,
}

/// The turns of one session of a server.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    /// The turn in progress.
    open: Option<usize>,
    /// The turn before any end of one. Lines before these may belong to it.
    first: Option<usize>,
    /// Whether any turn has ended.
    has_ended: bool,
}

/// What is asked of every message of the model. It is looked up in one pass,
/// because there are so many.
pub(crate) struct Reply<'m> {
    id: Option<&'m str>,
    model: Option<&'m str>,
    usage: Option<Usage<'m>>,
    pub(crate) content: Option<Content<'m>>,
}

impl<'m> Reply<'m> {
    pub(crate) fn of(message: ApiMessage<'m>) -> Reply<'m> {
        let [id, model, usage, content] =
            message.value().get_many(["id", "model", "usage", "content"]);
        Reply {
            id: id.and_then(FromValue::from_value),
            model: model.and_then(FromValue::from_value),
            usage: usage.and_then(FromValue::from_value),
            content: content.and_then(FromValue::from_value),
        }
    }
}

impl Spent {
    pub(crate) fn tokens(&self) -> Tokens {
        self.figures.tokens()
    }

    /// Takes over what is said later, unless a line of a sub-agent says it of
    /// a message of the main conversation. What is not said stays as it was.
    fn restate(&mut self, later: &Spent) {
        match (self.is_told, later.is_told) {
            (_, false) => return,
            (false, true) => return *self = *later,
            (true, true) => {}
        }
        match (self.is_sidechain, later.is_sidechain) {
            (false, true) => return,
            (true, false) => return *self = *later,
            _ => {}
        }
        self.figures.restate(later.figures);
        self.session = later.session.or(self.session);
        self.model = later.model.or(self.model);
        self.day = later.day.or(self.day);
    }
}

impl Messages {
    /// Adds a line of a message, and says which message that is.
    pub(crate) fn add(
        &mut self,
        said: Assistant<'_>,
        reply: &Reply<'_>,
        session: Option<u32>,
        names: &mut Names,
    ) -> usize {
        self.key.clear();
        if let Some(id) = reply.id {
            self.key.extend(id.bytes());
            self.key.extend(said.request_id().unwrap_or_default().bytes());
            // So that an id ends where it ends, whatever is in it.
            self.key.extend(id.len().to_le_bytes());
        } else if let Some(uuid) = said.uuid() {
            self.key.extend(uuid.bytes());
            // This is in no text, nor at the end of a length.
            self.key.push(0xFF);
        }
        let spent = match reply.usage {
            None => Spent::default(),
            Some(usage) => Spent {
                is_told: true,
                is_sidechain: Message::Assistant(said).is_sidechain(),
                figures: Figures::of(usage),
                session,
                model: reply.model.map(|model| names.number(model)),
                day: said
                    .timestamp()
                    .and_then(day)
                    .map(|day| names.number(day)),
            },
        };
        match self.known.get(self.key.as_slice()) {
            Some(&number) => {
                if let Some(known) = self.all.get_mut(number) {
                    known.restate(&spent);
                }
                number
            }
            None => {
                let number = self.push(spent);
                if !self.key.is_empty() {
                    self.known.insert(self.key.as_slice().into(), number);
                }
                number
            }
        }
    }

    fn push(&mut self, spent: Spent) -> usize {
        self.all.push(spent);
        self.all.len() - 1
    }

    /// The turn that a session of a server is in.
    pub(crate) fn turn(&mut self, session: Option<u32>) -> usize {
        let turns = self.turns.entry(session).or_default();
        if let Some(open) = turns.open {
            return open;
        }
        let number = self.all.len();
        turns.open = Some(number);
        if !turns.has_ended {
            turns.first = Some(number);
        }
        self.push(Spent::default())
    }

    /// Takes note of what a turn has used so far.
    pub(crate) fn update_turn(
        &mut self,
        session: Option<u32>,
        tokens: Tokens,
    ) {
        let number = self.turn(session);
        if let Some(turn) = self.all.get_mut(number) {
            let figures = Figures::from(tokens);
            *turn = Spent { is_told: true, figures, session, ..*turn };
        }
    }

    pub(crate) fn end_turn(&mut self, session: Option<u32>) {
        let turns = self.turns.entry(session).or_default();
        turns.open = None;
        turns.has_ended = true;
    }

    /// The messages that tell of usage.
    pub(crate) fn spent(&self) -> impl Iterator<Item = &Spent> {
        self.all.iter().filter(|spent| spent.is_told)
    }

    /// A message, if it tells of usage.
    pub(crate) fn get(&self, number: usize) -> Option<&Spent> {
        self.all.get(number).filter(|spent| spent.is_told)
    }

    /// Adds messages that came later, with their names changed as told. Gives
    /// the new number of each.
    pub(crate) fn append(
        &mut self,
        later: Messages,
        rename: impl Fn(Option<u32>) -> Option<u32>,
    ) -> Vec<usize> {
        // What is a message that is here already, by its key or its turn.
        let mut same = vec![None; later.all.len()];
        let mut keys = vec![None; later.all.len()];
        for (key, number) in later.known {
            if let Some(same) = same.get_mut(number) {
                *same = self.known.get(&key).copied();
            }
            if let Some(place) = keys.get_mut(number) {
                *place = Some(key);
            }
        }
        for (session, turns) in &later.turns {
            let open = self.turns.get(&rename(*session));
            let open = open.and_then(|turns| turns.open);
            if let Some(same) = turns.first.and_then(|at| same.get_mut(at)) {
                *same = open;
            }
        }

        let mut numbers = Vec::with_capacity(later.all.len());
        for ((spent, same), key) in later.all.iter().zip(same).zip(keys) {
            let spent = Spent {
                session: rename(spent.session),
                model: rename(spent.model),
                day: rename(spent.day),
                ..*spent
            };
            let number = match same {
                Some(number) => number,
                None => self.push(spent),
            };
            if same.is_some()
                && let Some(known) = self.all.get_mut(number)
            {
                known.restate(&spent);
            } else if let Some(key) = key {
                self.known.insert(key, number);
            }
            numbers.push(number);
        }

        let renumber = |number: Option<usize>| numbers.get(number?).copied();
        for (session, later) in later.turns {
            let turns = self.turns.entry(rename(session)).or_default();
            if !turns.has_ended && turns.first.is_none() {
                turns.first = renumber(later.first);
            }
            if later.has_ended || later.open.is_some() {
                turns.open = renumber(later.open);
            }
            turns.has_ended |= later.has_ended;
        }
        numbers
    }
}

/// The day of a timestamp, if it begins with one.
fn day(timestamp: &str) -> Option<&str> {
    let day = timestamp.get(..10)?;
    let is_good = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_good.then_some(day)
}
