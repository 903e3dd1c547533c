//! Lines of 20 to 60 bytes, where the cost per line exceeds the cost per byte.

use crate::{
    random::Random,
    text::{number, push, word},
};

#[derive(Debug)]
pub(crate) struct Tiny {
    random: Random,
}

impl Tiny {
    pub(crate) fn new(seed: u64) -> Tiny {
        Tiny { random: Random::new(seed) }
    }

    pub(crate) fn line(&mut self, out: &mut Vec<u8>) {
        let random = &mut self.random;
        match random.below(10) {
            0..5 => push(out, r#"{"type":"keep_alive"}"#),
            5 => {
                push(out, r#"{"type":"system","subtype":"status","#);
                push(out, r#""status":null}"#);
            }
            6 => {
                push(out, r#"{"type":"ping","n":"#);
                number(out, u64::from(random.below(100_000)));
                out.push(b'}');
            }
            7 => {
                push(out, r#"{"n":"#);
                number(out, u64::from(random.below(1_000)));
                push(out, r#","type":"ack","ok":true}"#);
            }
            8 => {
                push(out, r#"{"type":"prompt_suggestion","suggestion":""#);
                push(out, word(random));
                push(out, r#""}"#);
            }
            _ => {
                push(out, r#"{"type":"note","words":[""#);
                push(out, word(random));
                push(out, r#"",""#);
                push(out, word(random));
                push(out, r#""]}"#);
            }
        }
    }
}
