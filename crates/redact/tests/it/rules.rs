//! Every rule finds what it is for, in every spelling and depth.

use std::collections::BTreeSet;

use linetape_redact::{Level, Redactor, Replacement, Rules, builtin};

use crate::{
    planted::planted,
    support::{found, redacted, replacements, spellings, stars, text},
};

/// The rules of gitleaks 8.30 that have a fixed prefix, or a name and a fixed
/// prefix.
const GITLEAKS: &[&str] = &[
    "1password-secret-key",
    "1password-service-account-token",
    "adobe-client-secret",
    "age-secret-key",
    "airtable-personnal-access-token",
    "alibaba-access-key-id",
    "anthropic-admin-api-key",
    "anthropic-api-key",
    "artifactory-api-key",
    "artifactory-reference-token",
    "atlassian-api-token",
    "authress-service-client-access-key",
    "aws-access-token",
    "aws-amazon-bedrock-api-key-long-lived",
    "aws-amazon-bedrock-api-key-short-lived",
    "beamer-api-token",
    "clickhouse-cloud-api-secret-key",
    "clojars-api-token",
    "cloudflare-origin-ca-key",
    "curl-auth-header",
    "curl-auth-user",
    "databricks-api-token",
    "defined-networking-api-token",
    "digitalocean-access-token",
    "digitalocean-pat",
    "digitalocean-refresh-token",
    "doppler-api-token",
    "dropbox-short-lived-api-token",
    "duffel-api-token",
    "dynatrace-api-token",
    "easypost-api-token",
    "easypost-test-api-token",
    "facebook-page-access-token",
    "flutterwave-encryption-key",
    "flutterwave-public-key",
    "flutterwave-secret-key",
    "flyio-access-token",
    "frameio-api-token",
    "freemius-secret-key",
    "gcp-api-key",
    "github-app-token",
    "github-fine-grained-pat",
    "github-oauth",
    "github-pat",
    "github-refresh-token",
    "gitlab-cicd-job-token",
    "gitlab-deploy-token",
    "gitlab-feature-flag-client-token",
    "gitlab-feed-token",
    "gitlab-incoming-mail-token",
    "gitlab-kubernetes-agent-token",
    "gitlab-oauth-app-secret",
    "gitlab-pat",
    "gitlab-pat-routable",
    "gitlab-ptt",
    "gitlab-rrt",
    "gitlab-runner-authentication-token",
    "gitlab-runner-authentication-token-routable",
    "gitlab-scim-token",
    "gitlab-session-cookie",
    "gocardless-api-token",
    "grafana-api-key",
    "grafana-cloud-api-token",
    "grafana-service-account-token",
    "harness-api-key",
    "heroku-api-key-v2",
    "huggingface-access-token",
    "huggingface-organization-api-token",
    "infracost-api-token",
    "intra42-client-secret",
    "jwt",
    "jwt-base64",
    "linear-api-key",
    "lob-api-key",
    "lob-pub-api-key",
    "mailgun-private-api-token",
    "mailgun-pub-key",
    "mapbox-api-token",
    "microsoft-teams-webhook",
    "new-relic-browser-api-token",
    "new-relic-insert-key",
    "new-relic-user-api-key",
    "notion-api-token",
    "npm-access-token",
    "nuget-config-password",
    "octopus-deploy-api-key",
    "okta-access-token",
    "openai-api-key",
    "openshift-user-token",
    "perplexity-api-key",
    "plaid-api-token",
    "planetscale-api-token",
    "planetscale-oauth-token",
    "planetscale-password",
    "postman-api-token",
    "prefect-api-token",
    "private-key",
    "pulumi-api-token",
    "pypi-upload-token",
    "readme-api-token",
    "rubygems-api-token",
    "scalingo-api-token",
    "sendgrid-api-token",
    "sendinblue-api-token",
    "sentry-org-token",
    "sentry-user-token",
    "settlemint-application-access-token",
    "settlemint-personal-access-token",
    "settlemint-service-access-token",
    "shippo-api-token",
    "shopify-access-token",
    "shopify-custom-access-token",
    "shopify-private-app-access-token",
    "shopify-shared-secret",
    "sidekiq-sensitive-url",
    "slack-app-token",
    "slack-bot-token",
    "slack-config-access-token",
    "slack-config-refresh-token",
    "slack-legacy-bot-token",
    "slack-legacy-token",
    "slack-legacy-workspace-token",
    "slack-user-token",
    "slack-webhook-url",
    "sonar-api-token",
    "sourcegraph-access-token",
    "square-access-token",
    "stripe-access-token",
    "sumologic-access-id",
    "telegram-bot-api-token",
    "twilio-api-key",
    "twitter-bearer-token",
    "typeform-api-token",
    "vault-batch-token",
    "vault-service-token",
    "yandex-access-token",
    "yandex-api-key",
    "yandex-aws-access-token",
];

#[test]
fn every_rule_of_gitleaks_with_a_fixed_prefix_is_covered() {
    let ours: BTreeSet<&str> = builtin()
        .iter()
        .filter(|rule| rule.level() == Level::Secrets)
        .flat_map(|rule| rule.gitleaks().iter().copied())
        .collect();
    for id in GITLEAKS {
        assert!(ours.contains(id), "{id}");
    }
}

#[test]
fn every_secret_is_planted_and_names_are_unique() {
    let planted: BTreeSet<&str> =
        planted(1).iter().map(|planted| planted.rule).collect();
    let rules = builtin().iter().filter(|r| r.level() == Level::Secrets);
    let names: Vec<&str> = rules.map(|rule| rule.name()).collect();
    assert!(names.is_sorted());
    let names: BTreeSet<&str> = names.into_iter().collect();
    assert_eq!(planted, names);
}

/// Recall on the planted secrets is 100 %: each form, in each spelling, as a
/// value, a key, and in JSON inside of strings.
#[test]
fn no_planted_secret_survives() {
    let rules = Rules::secrets();
    for seed in 0..2 {
        for planted in planted(seed) {
            let whole = planted.whole();
            let quoted = |text: &str| serde_json::to_string(text).unwrap();
            let json = format!("{{\"k\":{}}}", quoted(&whole));
            let mut texts = vec![];
            for spelled in spellings(&whole) {
                texts.push(format!("{{\"a\":\"{spelled}\"}}"));
                texts.push(format!("{{\"a\":[\"x {spelled} y\"]}}"));
                texts.push(format!("{{\"{spelled}\":1}}"));
                texts.push(format!("{{\"a\":\"\\n{spelled}\\n\"}}"));
                // JSON inside of a string, with its own escapes.
                let inner = format!("{{\"k\": \"{spelled}\"}}");
                texts.push(format!("{{\"a\":{}}}", quoted(&inner)));
                let inner = format!("Result: [\"{spelled}\"");
                texts.push(format!("{{\"a\":{}}}", quoted(&inner)));
            }
            // Two levels deeper.
            let deeper = format!("{{\"j\":{}}}", quoted(&json));
            texts.push(format!("{{\"a\":{}}}", quoted(&deeper)));
            for replacement in replacements() {
                let mut redactor =
                    Redactor::new(rules.clone(), replacement.clone());
                for line in &texts {
                    let ours = text(&mut redactor, line);
                    let why = format!("{}: {line}\n{ours}", planted.rule);
                    assert!(!found(&redactor).is_empty(), "{why}");
                    redactor.clear_findings();
                    for text in readings(&ours) {
                        assert!(!text.contains(&planted.secret), "{why}");
                    }
                    // Twice is once.
                    assert_eq!(text(&mut redactor, &ours), ours, "{why}");
                    let again = found(&redactor);
                    assert!(again.is_empty(), "{again:?} {why}");
                }
            }
        }
    }
}

/// All strings of a line, also those of JSON inside of strings, however deep.
fn readings(line: &str) -> Vec<String> {
    fn add(value: &serde_json::Value, all: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) => {
                if let Ok(inner) = serde_json::from_str(text) {
                    add(&inner, all);
                }
                all.push(text.clone());
            }
            serde_json::Value::Array(items) => {
                items.iter().for_each(|item| add(item, all));
            }
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    all.push(key.clone());
                    add(value, all);
                }
            }
            _ => {}
        }
    }
    let mut all = vec![];
    add(&serde_json::from_str(line).unwrap(), &mut all);
    all
}

/// What is around a secret stays, and the right rule is named.
#[test]
fn only_the_secret_goes() {
    let mut redactor = Redactor::new(Rules::secrets(), Replacement::stars());
    for planted in planted(7) {
        let whole = planted.whole();
        let line = serde_json::json!({ "a": format!("é {whole} \"x\"") });
        let ours = text(&mut redactor, &line.to_string());
        let rest = format!("{}***{}", planted.before, planted.after);
        let expected = serde_json::json!({ "a": format!("é {rest} \"x\"") });
        assert_eq!(ours, expected.to_string(), "{}", planted.rule);
        assert_eq!(found(&redactor)[0], planted.rule, "{whole}");
        redactor.clear_findings();
    }
}

#[test]
fn levels_and_names_choose_rules() {
    let line = r#"{"cwd":"/home/ada/x","a":"ada@example.org at 10.1.2.3, /Users/ada/y","p":"C:\\Users\\ada\\z","n":"-home-ada-x","v6":"fe80::1:2"}"#;
    let all = |level| text(&mut stars(level), line);
    assert_eq!(all(Level::Secrets), line);
    assert_eq!(
        all(Level::Personal),
        r#"{"cwd":"***","a":"*** at 10.1.2.3, /Users/***/y","p":"C:\\Users\\***\\z","n":"-home-***-x","v6":"fe80::1:2"}"#
    );
    assert_eq!(
        all(Level::All),
        r#"{"cwd":"***","a":"*** at ***, /Users/***/y","p":"C:\\Users\\***\\z","n":"-home-***-x","v6":"***"}"#
    );
    let rules = Rules::builder().enable("email").disable("jwt");
    let mut redactor =
        Redactor::new(rules.build().unwrap(), Replacement::stars());
    assert!(text(&mut redactor, line).contains("*** at 10.1.2.3, /Users/a"));
    assert!(Rules::builder().enable("nothing").build().is_err());

    let mut redactor = stars(Level::All);
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
    let mut redactor = stars(Level::Personal);
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
        let rules = Rules::builder().level(Level::None).user(name).build();
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
        .level(Level::None)
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

/// A second space was not expected by the test before the pattern.
#[test]
fn a_bearer_token_may_stand_behind_several_spaces() {
    let line = format!(r#"{{"a":"Bearer  1{}/"}}"#, "aB2".repeat(12));
    let ours = text(&mut stars(Level::Secrets), &line);
    assert_eq!(ours, r#"{"a":"Bearer  ***"}"#);
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
        .level(Level::None)
        .pattern("a", r"id=(\S+) key=\S+")
        .pattern("b", r"key=(\S+)")
        .build()
        .unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    assert_eq!(redactor.text("id=5 key=SECRET"), "id=*** key=***");
}

/// Backslashes were a part of tokens, so the escape of a quote went with one.
#[test]
fn json_inside_of_strings_stays_valid() {
    let token = format!(
        "{}.{}.{}",
        ["ey", "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"].concat(),
        ["ey", "JzdWIiOiIxMjM0NTY3ODkwIn0"].concat(),
        "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
    );
    let inner = serde_json::json!({ "command": format!("x \"{token}\" y") });
    let middle = serde_json::json!({ "b": inner.to_string() });
    let line = serde_json::json!({ "a": middle.to_string() }).to_string();
    let mut redactor = Redactor::new(Rules::secrets(), Replacement::stars());
    let ours = text(&mut redactor, &line);
    let expected = serde_json::json!({ "command": "x \"***\" y" });
    let expected = serde_json::json!({ "b": expected.to_string() });
    let expected = serde_json::json!({ "a": expected.to_string() });
    assert_eq!(ours, expected.to_string());
    let json = inner.to_string();
    assert_eq!(
        redactor.text(&json),
        serde_json::json!({ "command": "x \"***\" y" }).to_string()
    );
}

/// Without its last line, only the first line of a key was replaced if the
/// lines had numbers, or headers came before the data.
#[test]
fn the_start_of_a_private_key_is_found() {
    let begin = ["-----BEGIN RSA PRIVATE ", "KEY-----"].concat();
    let data = "MIIEpAIBAAKCAQEA7bq".repeat(3);
    let mut redactor = Redactor::new(Rules::secrets(), Replacement::stars());
    for key in [
        format!("     1→{begin}\n     2→{data}\n     3→{data}"),
        format!(
            "{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,1F\n\n\
             {data}\n{data}"
        ),
    ] {
        let ours = redactor.text(&format!("{key}\nthe end")).to_string();
        assert!(!ours.contains(&data), "{ours}");
        assert!(ours.ends_with("***\nthe end"), "{ours}");
    }
}

#[test]
fn passwords_of_urls_may_have_signs() {
    let mut redactor = Redactor::new(Rules::secrets(), Replacement::stars());
    for (url, expected) in [
        ("postgres://u:p@ssword9@db/x", "postgres://u:***@db/x"),
        (r"postgres://u:p\w0rdXX@db", "postgres://u:***@db"),
        ("postgres://u:pa/ss@db", "postgres://u:***@db"),
        ("http://localhost:3000/@vite/x", "http://localhost:3000/@vite/x"),
    ] {
        assert_eq!(redactor.text(url), expected);
    }
    let line = serde_json::json!({ "a": r"postgres://u:p\w0rdXX@db" });
    let ours = text(&mut redactor, &line.to_string());
    assert_eq!(ours, r#"{"a":"postgres://u:***@db"}"#);
}

#[test]
fn tokens_are_found_however_short_or_plain_they_are() {
    let mut redactor = Redactor::new(Rules::secrets(), Replacement::stars());
    let slack = ["xox", "a-12345678"].concat();
    assert_eq!(redactor.text(&slack), "***");
    let bearer = "Bearer abcdefghijklmnopqrstuvw7xyzABC";
    assert_eq!(redactor.text(bearer), "Bearer ***");
    let words = "the bearer authenticationmechanismsarehere";
    assert_eq!(redactor.text(words), words);
}
