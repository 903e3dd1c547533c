/*!
Writes the token usage of a message.
*/

use crate::{
    random::Random,
    text::{number, push},
};

/// Writes the usage with all fields.
pub(crate) fn full_usage(out: &mut Vec<u8>, random: &mut Random) {
    let mut again = random.clone();
    usage(out, random);
    out.pop();
    push(out, r#","server_tool_use":{"web_search_requests":0,"#);
    push(out, r#""web_fetch_requests":0},"iterations":["#);
    usage(out, &mut again);
    push(out, r#"],"speed":"standard"}"#);
}

/// Writes the usage that every message has.
pub(crate) fn usage(out: &mut Vec<u8>, random: &mut Random) {
    push(out, r#"{"input_tokens":"#);
    number(out, u64::from(random.between(1, 12)));
    push(out, r#","cache_creation_input_tokens":"#);
    number(out, u64::from(random.between(80, 20_000)));
    push(out, r#","cache_read_input_tokens":"#);
    number(out, u64::from(random.between(14_000, 160_000)));
    push(out, r#","cache_creation":{"ephemeral_5m_input_tokens":0,"#);
    push(out, r#""ephemeral_1h_input_tokens":"#);
    number(out, u64::from(random.between(80, 20_000)));
    push(out, r#"},"output_tokens":"#);
    number(out, u64::from(random.between(1, 900)));
    push(out, r#","service_tier":"standard","#);
    push(out, r#""inference_geo":"not_available"}"#);
}
