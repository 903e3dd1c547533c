//! Secrets that are recognised by what stands around them.

use std::sync::LazyLock;

use linetape_redact::{Redactor, Replacement, RuleLevel, Rules};
use proptest::prelude::*;

use crate::{
    planted::planted,
    support::{replacements, rules, stars, text},
};

/// The keys of fields are written with `\"` inside of a string, so a line with
/// nothing else to redact was copied.
#[test]
fn fields_of_json_inside_a_string_are_found() {
    let line = r#"{"text":"{\"cwd\":\"/srv/x\",\"n\":{\"email\" : \"y\"}}"}"#;
    let ours = text(&mut stars(RuleLevel::Personal), line);
    let expected =
        r#"{"text":"{\"cwd\":\"***\",\"n\":{\"email\" : \"***\"}}"}"#;
    assert_eq!(ours, expected);
    let rules = Rules::builder().field("customer").build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    let line = r#"{"a":"{\"b\":\"{\\\"customer\\\":\\\"ACME\\\"}\"}"}"#;
    let expected = r#"{"a":"{\"b\":\"{\\\"customer\\\":\\\"***\\\"}\"}"}"#;
    assert_eq!(text(&mut redactor, line), expected);
}

/// A key in an array of lines lost its first line only, and seemed to be
/// redacted.
#[test]
fn private_keys_may_be_arrays_of_lines() {
    let (begin, end) =
        ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let data = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    for (sign, newline) in [("", ""), ("+", ""), (" ", "\\n"), ("-", "\\r\\n")]
    {
        let line = format!(
            r#"{{"lines":["{sign}fn a()","{sign}{begin}{newline}","{sign}{data}{newline}","{sign}Qw=={newline}","{sign}{end}{newline}","{sign}abc"],"x":"Qw=="}}"#
        );
        let mut redactor = stars(RuleLevel::Secrets);
        let ours = text(&mut redactor, &line);
        assert!(!ours.contains(data), "{ours}");
        assert_eq!(ours.matches("Qw==").count(), 1, "{ours}");
        assert!(!ours.contains("END"), "{ours}");
        let rest = format!(r#""{sign}abc"],"x":"Qw=="}}"#);
        assert!(ours.ends_with(&rest), "{ours}");
        assert_eq!(text(&mut redactor, &ours), ours);
    }
    let headers = r#"{"a":["-----BEGIN RSA PRIVATE KEY-----","Proc-Type: 4,ENCRYPTED","","AbC1","x y","AbC1"]}"#;
    let ours = text(&mut stars(RuleLevel::Secrets), headers);
    assert_eq!(ours, r#"{"a":["***","***","","***","x y","AbC1"]}"#);
    let public = r#"{"a":["-----BEGIN PUBLIC KEY-----","AbC1"]}"#;
    assert_eq!(text(&mut stars(RuleLevel::Secrets), public), public);
}

/// A percent escape ends with a letter or digit, so no word seemed to begin;
/// and an underscore was a part of the word.
#[test]
fn tokens_are_found_in_urls_and_after_underscores() {
    let mut redactor = stars(RuleLevel::Secrets);
    // These begin with a name, and not with the token.
    let is_token = |rule: &str| {
        !["url-password", "curl-user", "private-key", "telegram", "maxmind"]
            .contains(&rule)
    };
    for planted in planted(4).iter().filter(|p| is_token(p.rule)) {
        if !planted.before.is_empty() || !planted.after.is_empty() {
            continue;
        }
        for before in ["?q=%22", "a%3D", "%20", "an OLD_"] {
            let ours = redactor.text(&format!("{before}{}", planted.secret));
            let rule = planted.rule;
            assert!(!ours.contains(&planted.secret), "{rule}: {ours}");
        }
    }
}

/// Headers can be arrays, whose key is the context of each item.
#[test]
fn the_key_of_an_array_is_the_context_of_its_items() {
    let mut redactor = stars(RuleLevel::Secrets);
    let basic = "Basic YWRhOnNlY3JldA==";
    let line = format!(
        r#"{{"Authorization":["{basic}", "{basic}",["{basic}"],"{basic}"],"x-api-key" : [ "0123456789abcdef" ],"b":["0123456789abcdef"],"{basic}":[]}}"#
    );
    let expected = format!(
        r#"{{"Authorization":["Basic ***", "Basic ***",["{basic}"],"{basic}"],"x-api-key" : [ "***" ],"b":["0123456789abcdef"],"{basic}":[]}}"#
    );
    let ours = text(&mut redactor, &line);
    assert_eq!(ours, expected);
    assert_eq!(text(&mut redactor, &ours), expected);
}

/// The type of the block before counted, and one that was written after the
/// data did not.
#[test]
fn only_the_data_of_its_own_block_is_signed() {
    let data = "iVBORw0KGgo".repeat(9);
    let rules = Rules::builder().drop_images(true).build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    let line = format!(
        r#"{{"content":[{{"data":"{data}","type":"redacted_thinking"}},{{"source":{{"data":"{data}","type":"base64"}},"type":"image"}}]}}"#
    );
    let expected = format!(
        r#"{{"content":[{{"data":"{data}","type":"redacted_thinking"}},{{"source":{{"data":"***","type":"base64"}},"type":"image"}}]}}"#
    );
    assert_eq!(text(&mut redactor, &line), expected);
}

/// After the first replacement, a value was searched again without its key, so
/// a second run found more.
#[test]
fn a_second_run_changes_nothing_where_a_rule_needs_the_key() {
    for replacement in replacements() {
        let rules = rules(RuleLevel::All);
        let mut redactor = Redactor::new(rules, replacement);
        let line = r#"{"password":"-home-ada-x","token":"/home/ada/a@b.org"}"#;
        let once = text(&mut redactor, line);
        assert_eq!(text(&mut redactor, &once), once);
    }
}

fn part() -> impl Strategy<Value = String> {
    let keys: &'static [&str] =
        &["cwd", "email", "password", "text", "n", "customer"];
    let values: &'static [&str] = &[
        "/srv/x",
        "a@b.org",
        "hunter2hunter2",
        "%3DAKIAABCDEFGHIJKLMNOP",
        "-home-ada-x",
        "plain",
    ];
    let leaf = (prop::sample::select(keys), prop::sample::select(values))
        .prop_map(|(key, value)| format!(r#"{{"{key}":"{value}"}}"#));
    leaf.prop_recursive(3, 8, 2, move |inner| {
        let nested = (prop::sample::select(keys), inner, any::<bool>());
        nested.prop_map(|(key, inner, is_text)| match is_text {
            true => serde_json::json!({ key: inner }).to_string(),
            false => format!(r#"{{"{key}":{inner}}}"#),
        })
    })
}

proptest! {
    /// Lines are first searched for anything to redact, as they are written. A
    /// line that has an escape is always searched in full. Both ways have to
    /// find the same.
    #[test]
    fn the_quick_search_misses_nothing(inner in part()) {
        static RULES: LazyLock<Rules> = LazyLock::new(|| {
            let rules = Rules::builder().level(RuleLevel::All).field("customer");
            rules.build().unwrap()
        });
        let mut redactor = Redactor::new(RULES.clone(), Replacement::stars());
        let quick = text(&mut redactor, &format!(r#"{{"a":{inner}}}"#));
        let full = text(&mut redactor, &format!(r#"{{"a":{inner},"z":"\u007a"}}"#));
        let full = full.replace(r#","z":"\u007a""#, "");
        prop_assert_eq!(quick, full);
    }
}

/// Values of fields are replaced without a search. That must not change which
/// of them are replaced.
#[test]
fn a_field_is_replaced_whatever_its_value_is() {
    let mut redactor = stars(RuleLevel::Personal);
    for (line, clean) in [
        (r#"{"cwd":"/srv","n":1}"#, r#"{"cwd":"***","n":1}"#),
        (
            r#"{ "cwd" : "a\"b\\" , "x":"cwd" }"#,
            r#"{ "cwd" : "***" , "x":"cwd" }"#,
        ),
        (r#"{"cwd":"","email":null,"user_id":true}"#, ""),
        (r#"{"x":["cwd","/srv"],"y":"cwd","z":"/srv"}"#, ""),
        (r#"{"cwd":"cwd","email":"cwd"}"#, r#"{"cwd":"***","email":"***"}"#),
        (
            r#"{"cwd":{"cwd":"/srv"},"email":"x"}"#,
            r#"{"cwd":"***","email":"***"}"#,
        ),
        (
            r#"{"cwd":["/srv"],"user_id":17}"#,
            r#"{"cwd":"***","user_id":"***"}"#,
        ),
        (r#"{"cwd":"***","cwd":"/srv"}"#, r#"{"cwd":"***","cwd":"***"}"#),
        (
            r#"{"cwd":"/home/ada","p":"/home/ada/x"}"#,
            r#"{"cwd":"***","p":"/home/***/x"}"#,
        ),
        (r#"{"cw\u0064":"/srv"}"#, r#"{"cw\u0064":"***"}"#),
    ] {
        let clean = if clean.is_empty() { line } else { clean };
        assert_eq!(text(&mut redactor, line), clean);
    }
    let rules =
        Rules::builder().level(RuleLevel::None).field("uuid").field("a");
    let rules = rules.allow("/srv").build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    let clean = text(&mut redactor, r#"{"uuid":"u","a":"/srv","a":"b"}"#);
    assert!(clean.starts_with("{\"uuid\":\"redacted-"), "{clean}");
    assert!(clean.ends_with(r#""a":"/srv","a":"***"}"#), "{clean}");
}

/// After a replacement, only what is near it is searched again. What begins far
/// before it must be, too: otherwise a second run would find it.
#[test]
fn a_replacement_can_make_a_match_that_begins_far_before_it() {
    let how = Replacement::pseudonym(b"a key of 16 bytes, or more").unwrap();
    let rules = rules(RuleLevel::All);
    let mut redactor = Redactor::new(rules, how);
    for length in [20, 1100, 5000] {
        let head = "a1".repeat(length / 2);
        let line = format!(
            "{{\"a\":\"{} eyJ{head}.ey/home/jo {}\"}}",
            "x ".repeat(length),
            "y ".repeat(length)
        );
        let once = text(&mut redactor, &line);
        assert!(!once.contains(&head), "{length}");
        assert_eq!(text(&mut redactor, &once), once, "{length}");
    }
}

/// A digit in the middle of a short value did not count: it had to have nearly
/// the least length before or after it, so `hunter22!` was left as it is.
#[test]
fn a_digit_counts_wherever_it_is() {
    for (level, name, length) in [
        (RuleLevel::Secrets, "Authorization: Bearer ", 16),
        (RuleLevel::Secrets, "x-api-key: ", 16),
    ] {
        let mut redactor = stars(level);
        for length in [length, length + 1, 3 * length] {
            for at in 0..length {
                let value =
                    "a".repeat(at) + "7" + &"b".repeat(length - at - 1);
                let clean = redactor.text(&format!("{name}{value} c"));
                assert_eq!(clean, format!("{name}*** c"), "{value}");
            }
        }
        let short = format!("{name}{}7 c", "a".repeat(length - 2));
        // Of a name that always has a secret, a value may be shorter.
        if name.starts_with('A') {
            assert_eq!(redactor.text(&short), short);
        }
        let words = format!("{name}{} c", "a".repeat(length + 9));
        assert_eq!(redactor.text(&words), words);
    }
}

/// The names of accounts and organisations stayed, and some ids. An account goes
/// as a whole, with whatever names it has; the names of tools stay.
#[test]
fn accounts_are_personal() {
    for (line, expected) in [
        (
            r#"{"session_context":{"email":"ada","account":"ada.l","cwd":"/srv","gitBranch":"x"}}"#,
            r#"{"session_context":{"email":"***","account":"***","cwd":"***","gitBranch":"***"}}"#,
        ),
        (
            r#"{"a":{"accountUuid":"a1","ownerAccountUuid":"a2","ownerOrganizationUuid":"o1","account_name":"x","emailAddress":"ada"}}"#,
            r#"{"a":{"accountUuid":"***","ownerAccountUuid":"***","ownerOrganizationUuid":"***","account_name":"***","emailAddress":"***"}}"#,
        ),
        (
            r#"{"organization":"E","organizationId":"o1","organization_id":"o1","organizationName":"E"}"#,
            r#"{"organization":"***","organizationId":"***","organization_id":"***","organizationName":"***"}"#,
        ),
        (
            r#"{"userId":"u1","user_uuid":"u2","first_name":"Ada","lastName":"L","displayName":"Ada L"}"#,
            r#"{"userId":"***","user_uuid":"***","first_name":"***","lastName":"***","displayName":"***"}"#,
        ),
        (
            r#"{"account":{"display_name":"Ada L","plan":"max"},"oauthAccount":{"n":[1]},"n":1}"#,
            r#"{"account":"***","oauthAccount":"***","n":1}"#,
        ),
        (
            r#"{"text":"{\"account\":\"ada\",\"userId\" : \"u1\"}"}"#,
            r#"{"text":"{\"account\":\"***\",\"userId\" : \"***\"}"}"#,
        ),
        (
            r#"{"tool_name":"Bash","display_name":"Bash"}"#,
            r#"{"tool_name":"Bash","display_name":"Bash"}"#,
        ),
    ] {
        assert_eq!(text(&mut stars(RuleLevel::Personal), line), expected);
        assert_eq!(text(&mut stars(RuleLevel::Secrets), line), line);
    }
}
