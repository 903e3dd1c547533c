//! Every rule finds what it is for, in every spelling and depth.

use std::collections::BTreeSet;

use linetape_redact::{Redactor, Replacement, RuleLevel, builtin};

use crate::{
    logs::exhaustive,
    planted::planted,
    support::{found, replacements, secrets, spellings, text},
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
        .filter(|rule| rule.level() == RuleLevel::Secrets)
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
    let rules = builtin().iter().filter(|r| r.level() == RuleLevel::Secrets);
    let names: Vec<&str> = rules.map(|rule| rule.name()).collect();
    assert!(names.is_sorted());
    let names: BTreeSet<&str> = names.into_iter().collect();
    assert_eq!(planted, names);
}

/// Recall on the planted secrets is 100 %: each form, in each spelling, as a
/// value, a key, and in JSON inside of strings.
#[test]
fn no_planted_secret_survives() {
    let rules = secrets();
    let seeds = if exhaustive() { 4 } else { 1 };
    for seed in 0..seeds {
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
    let mut redactor = Redactor::new(secrets(), Replacement::stars());
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
