//! Text in many scripts, raw and escaped.

use crate::{
    ids::{Clock, end_line, id},
    random::{Lengths, Random},
    text::{number, push},
};

/// Words as raw UTF-8. Each list is one script.
const RAW: [&[&str]; 14] = [
    // Two bytes per character.
    &["Größe", "façade", "smörgås", "žluťoučký", "mañana", "İstanbul"],
    &["λόγος", "θάλασσα", "ἀρχή", "ψυχή"],
    &["привет", "строка", "ёлка", "щит", "їжак"],
    &["שלום", "מילה", "שורה"],
    &["مرحبا", "سطر", "لغة", "كتاب"],
    // Three bytes per character.
    &["नमस्ते", "भाषा", "पंक्ति"],
    &["สวัสดี", "ภาษา", "บรรทัด"],
    &["你好", "行", "字符串", "解析", "世界"],
    &["こんにちは", "ファイル", "読む"],
    &["안녕", "문자열", "줄"],
    &["€", "…", "→", "“so”", "—", "√2"],
    // Four bytes per character.
    &["😀", "🎉", "🧵", "👩‍👩‍👧", "🇳🇴", "👍🏽"],
    &["𝔘𝔫𝔦", "𝒜𝓁", "𐍈𐌰", "𠮷野", "𓀀"],
    // Letters with combining characters.
    &["e\u{301}te\u{301}", "n\u{303}", "Z\u{351}\u{36b}a\u{30a}", "o\u{308}"],
];

/// Words that are completely or partly escaped.
const ESCAPED: [&str; 16] = [
    r"\u00e9t\u00e9",
    r"\u00DF",
    r"\u03bb\u03cc",
    r"\u0441\u043b\u043e\u0432\u043e",
    r"\u05e9\u05dc",
    r"\u4f60\u597d",
    r"\u3053\u3093",
    r"\uc548\ub155",
    r"\ud83d\ude00",
    r"\uD83C\uDF89",
    r"\ud835\udd18n",
    r"e\u0301",
    r"\u2028",
    r"\u001b[1m",
    r"\uFEFF",
    r"caf\u00e9 😀 \ud83d\udc4d",
];

#[derive(Debug)]
pub(crate) struct Unicode {
    random: Random,
    clock: Clock,
    session: u64,
}

impl Unicode {
    pub(crate) fn new(seed: u64) -> Unicode {
        let mut random = Random::new(seed);
        let clock = Clock::new(&mut random);
        let session = random.next();
        Unicode { random, clock, session }
    }

    pub(crate) fn line(&mut self, out: &mut Vec<u8>) {
        const LENGTH: Lengths = Lengths([10, 80, 600, 3_000, 20_000, 60_000]);
        self.clock.pass(&mut self.random, 20_000);
        let length = self.random.length(&LENGTH);
        match self.random.below(4) {
            0 => {
                push(out, r#"{"type":"user","message":{"role":"user","#);
                push(out, r#""content":""#);
                self.text(out, length);
                push(out, r#""}"#);
            }
            1 => {
                // Text in keys.
                push(out, r#"{"type":"user","message":{"role":"user","#);
                push(out, r#""content":[]},"tool_use_result":{"#);
                for at in 0..length / 60 + 1 {
                    push(out, if at == 0 { "\"" } else { ",\"" });
                    self.text(out, 12);
                    // The number makes the key unique.
                    number(out, at as u64);
                    push(out, r#"":""#);
                    self.text(out, 30);
                    out.push(b'"');
                }
                out.push(b'}');
            }
            _ => {
                push(out, r#"{"type":"assistant","message":{"id":""#);
                id(out, "msg_01", self.random.next());
                push(out, r#"","type":"message","role":"assistant","#);
                push(out, r#""model":"claude-opus-5","content":[{"#);
                push(out, r#""type":"text","text":""#);
                self.text(out, length);
                push(out, r#""}],"stop_reason":null}"#);
            }
        }
        end_line(out, self.session, self.random.next(), &self.clock);
    }

    /// Appends words of about `length` bytes. The script changes after a few
    /// words, as in real text.
    fn text(&mut self, out: &mut Vec<u8>, length: usize) {
        let end = out.len() + length;
        while out.len() < end {
            let script = self.random.pick(&RAW);
            for _ in 0..self.random.between(1, 6) {
                push(out, self.random.pick(script));
                out.push(b' ');
            }
            match self.random.below(4) {
                0 => push(out, self.random.pick(&ESCAPED)),
                1 => push(out, r"\n"),
                2 => push(out, "plain words, "),
                _ => {}
            }
        }
    }
}
