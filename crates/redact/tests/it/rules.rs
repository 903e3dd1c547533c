//! Which rules are on: by level, by name, and those of the caller.

use linetape_redact::{Redactor, Replacement, RuleLevel, Rules};

use crate::support::{found, redacted, stars, text};

#[test]
fn levels_and_names_choose_rules() {
    let line = r#"{"cwd":"/home/ada/x","a":"ada@example.org at 10.1.2.3, /Users/ada/y","p":"C:\\Users\\ada\\z","n":"-home-ada-x","v6":"fe80::1:2"}"#;
    let all = |level| text(&mut stars(level), line);
    assert_eq!(all(RuleLevel::Secrets), line);
    assert_eq!(
        all(RuleLevel::Personal),
        r#"{"cwd":"***","a":"*** at 10.1.2.3, /Users/***/y","p":"C:\\Users\\***\\z","n":"-home-***-x","v6":"fe80::1:2"}"#
    );
    assert_eq!(
        all(RuleLevel::All),
        r#"{"cwd":"***","a":"*** at ***, /Users/***/y","p":"C:\\Users\\***\\z","n":"-home-***-x","v6":"***"}"#
    );
    let rules = Rules::builder().enable("email").disable("jwt");
    let mut redactor =
        Redactor::new(rules.build().unwrap(), Replacement::stars());
    assert!(text(&mut redactor, line).contains("*** at 10.1.2.3, /Users/a"));
    assert!(Rules::builder().enable("nothing").build().is_err());

    let mut redactor = stars(RuleLevel::All);
    assert_eq!(redactor.text("2001:db8:1::/48 a::b x"), "***/48 *** x");
    // Groups of one digit were not found.
    assert_eq!(redactor.text("1:2:3:4:5:6:7:8 is"), "*** is");
    // Paths of Rust, and addresses that begin with `::`, stay.
    let kept = "std::io ::1 :: 1:2:3 12:30:45";
    assert_eq!(redactor.text(kept), kept);
    redactor.clear_findings();
    let line = r#"{"a":"password = hunter2hunter2","tokens":12345678}"#;
    let ours = text(&mut redactor, line);
    assert_eq!(ours, r#"{"a":"password = ***","tokens":12345678}"#);
}

/// Of a name with a space, only the first word was replaced.
#[test]
fn names_in_home_directories_may_have_dots_and_spaces() {
    let mut redactor = stars(RuleLevel::Personal);
    for (before, after) in [
        (r"C:\Users\Anna B\proj", r"C:\Users\***\proj"),
        (r"c:\users\Anna B. Lee\x", r"c:\users\***\x"),
        (r"C:\\Users\\Anna B\\x", r"C:\\Users\\***\\x"),
        ("C:/Users/Anna B/x", "C:/Users/***/x"),
        ("ls /Users/anna b/proj", "ls /Users/***/proj"),
        (r"ls /Users/anna\ b/proj", "ls /Users/***/proj"),
        ("/home/anna.b/proj", "/home/***/proj"),
        ("/Users/anna%20b/proj", "/Users/***/proj"),
        ("file:%2F%2F%2Fhome%2Fanna.b%2Fx", "file:%2F%2F%2Fhome%2F***%2Fx"),
        ("u=%2fUsers%2fanna%20b%2fx", "u=%2fUsers%2f***%2fx"),
        // The words of a sentence stay.
        ("in /Users/ada and /home/bob b/x", "in /Users/*** and /home/*** b/x"),
        ("it is /Users/ada now", "it is /Users/*** now"),
        (r"C:\Users\ada is in D:\x", r"C:\Users\*** is in D:\x"),
        ("GET /users/17/x and %2Fusers%2F17", ""),
    ] {
        let after = if after.is_empty() { before } else { after };
        assert_eq!(redactor.text(before), after);
        let line = serde_json::json!({ "a": before }).to_string();
        let expected = serde_json::json!({ "a": after }).to_string();
        assert_eq!(text(&mut redactor, &line), expected);
    }
}

/// Only this spelling of a name was found, and a blank name was accepted.
#[test]
fn a_user_is_found_in_each_spelling_of_the_name() {
    let with = |name: &str| {
        let rules = Rules::builder().level(RuleLevel::None).user(name).build();
        rules.map(|rules| Redactor::new(rules, Replacement::stars()))
    };
    let mut redactor = with("ada.lovelace").unwrap();
    assert_eq!(
        redactor.text("ADA.Lovelace -Users-ada-lovelace-x Ada Lovelace adax"),
        "*** -Users-***-x *** adax"
    );
    let mut redactor = with("ada.").unwrap();
    assert_eq!(redactor.text("by ada. Or adam"), "by *** Or adam");
    for blank in ["", " "] {
        assert!(with(blank).is_err());
    }
}

#[test]
fn own_rules_replace_their_first_group() {
    let rules = Rules::builder()
        .level(RuleLevel::None)
        .pattern("ticket", r"TICKET-\d+")
        .pattern("owner", r"owner: (\w+)")
        .user("a.b")
        .allow(r"TICKET-1\d*")
        .build()
        .unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    let line =
        r#"{"a":"TICKET-12 TICKET-23, owner: ad\u0061","b":"x_a.b_ a.b axb"}"#;
    assert_eq!(
        text(&mut redactor, line),
        r#"{"a":"TICKET-12 ***, owner: ***","b":"x_***_ *** axb"}"#
    );
    assert_eq!(found(&redactor), ["ticket", "owner", "user", "user"]);
    let error = Rules::builder().pattern("mine", "a(").build().unwrap_err();
    assert!(error.to_string().contains("rule `mine`"), "{error}");
    assert!(error.to_string().contains("unclosed group"), "{error}");
    // It quoted the pattern, which could hold a secret.
    for secret in ["sekret(", "sekret)", "sekret{9999999}"] {
        let error = Rules::builder().allow(secret).build().unwrap_err();
        assert!(!error.to_string().contains("sekret"), "{error}");
    }
}

#[test]
fn rules_can_come_from_a_file() {
    let file = "level = \"none\"\nusers = [\"ada\"]\nfields = [\"f\"]\n\
        allow = [\"ok.*\"]\ndrop_images = true\nenable = [\"ipv4\"]\n\
        [patterns]\nx = \"x+\"\n";
    let rules = Rules::builder().toml(file).unwrap().build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    let line = r#"{"f":"1","g":"ada xx 1.2.3.4","h":"okxx","f":"ok"}"#;
    assert_eq!(
        text(&mut redactor, line),
        r#"{"f":"***","g":"*** *** ***","h":"ok***","f":"ok"}"#
    );
    for bad in ["level = \"high\"", "other = 1", "level"] {
        assert!(Rules::builder().toml(bad).is_err(), "{bad}");
    }
}

#[test]
fn pointers_name_values_at_any_place() {
    let log =
        br#"{"a":{"b":[{"c":"x"},{"c":2},{"d":{"c":"\u0079"}}]},"c":"z"}"#;
    let with = |pointer: &str, how: Replacement| {
        let rules = Rules::builder().pointer(pointer).build().unwrap();
        let mut redactor = Redactor::new(rules, how);
        String::from_utf8(redacted(&mut redactor, log)).unwrap()
    };
    assert_eq!(
        with("/a/b/*/c", Replacement::stars()),
        r#"{"a":{"b":[{"c":"***"},{"c":"***"},{"d":{"c":"\u0079"}}]},"c":"z"}"#
    );
    assert_eq!(
        with("/*/b/2/d", Replacement::removal()),
        r#"{"a":{"b":[{"c":"x"},{"c":2},{}]},"c":"z"}"#
    );
    assert_eq!(
        with("/c", Replacement::removal()),
        String::from_utf8_lossy(log).replace(r#","c":"z""#, "")
    );
    for bad in ["a", "/~", "/a~2"] {
        assert!(Rules::builder().pointer(bad).build().is_err(), "{bad}");
    }
}

/// One rule hid the matches of another, since only the first was searched.
#[test]
fn own_rules_do_not_hide_each_other() {
    let rules = Rules::builder()
        .level(RuleLevel::None)
        .pattern("a", r"id=(\S+) key=\S+")
        .pattern("b", r"key=(\S+)")
        .build()
        .unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    assert_eq!(redactor.text("id=5 key=SECRET"), "id=*** key=***");
}
