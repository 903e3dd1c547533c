//! Secrets that are made here: at least one for each form of each rule of the
//! level `secrets`, and for each rule of gitleaks that has a fixed prefix.
//!
//! No test file contains a secret, so that no scanner reports one.

/// How a secret of a rule is made: the name of the rule, the text before it
/// (which stays), and its parts. `a36` is 36 letters and digits, `l` lower-case
/// letters and digits, `U` upper-case ones, `h` hexadecimal digits, `d` digits,
/// `b` letters of base64; everything else is itself.
pub const FORMS: &[(&str, &str, &[&str])] = &[
    ("1password", "", &["ops_eyJ", "a:250"]),
    (
        "1password-secret-key",
        "",
        &["A3-", "U:6", "-", "U:11", "-", "U:5", "-", "U:5", "-", "U:5"],
    ),
    (
        "1password-secret-key",
        "",
        &[
            "A3-", "U:6", "-", "U:6", "-", "U:5", "-", "U:5", "-", "U:5", "-",
            "U:5",
        ],
    ),
    ("adobe", "", &["p8e-", "l:32"]),
    ("age", "", &["AGE-SECRET-KEY-1", "U:58"]),
    ("airtable", "", &["pat", "a:14", ".", "h:64"]),
    ("alibaba", "", &["LTAI", "a:20"]),
    ("anthropic", "", &["sk-ant-api03-", "a:93", "AA"]),
    ("anthropic", "", &["sk-ant-admin01-", "a:93", "AA"]),
    ("artifactory", "", &["AKCp", "a:69"]),
    ("artifactory", "", &["cmVmd", "a:59"]),
    ("assigned-secret", "DB_PASSWORD=", &["a:15", "7"]),
    ("assigned-secret", "\"clientSecret\": \"", &["a:20", "7"]),
    ("atlassian", "", &["ATATT3", "a:186"]),
    ("authorization", "Authorization: Basic ", &["b:24", "=="]),
    (
        "authress",
        "",
        &["sc_", "l:8", ".", "l:4", ".acc_", "l:12", ".", "l:40"],
    ),
    (
        "authress",
        "",
        &["authress_", "l:8", ".", "l:5", ".acc-", "l:12", ".", "l:40"],
    ),
    ("aws-access-key", "", &["AKIA", "U:16"]),
    ("aws-access-key", "", &["ASIA", "U:16"]),
    ("aws-access-key", "", &["A3TX", "U:16"]),
    ("aws-bedrock", "", &["ABSK", "b:120"]),
    ("aws-bedrock", "", &["bedrock-api-key-", "a:40"]),
    ("aws-secret-key", "aws_secret_access_key = ", &["b:40"]),
    ("aws-session-token", "AWS_SESSION_TOKEN=", &["IQoJ", "b:200"]),
    (
        "aws-signature",
        "AWS4-HMAC-SHA256 SignedHeaders=host, Signature=",
        &["h:64"],
    ),
    ("azure-client-secret", "", &["a:3", "8Q~", "a:34"]),
    ("azure-sas", "https://x.example/c?sv=1&sig=", &["b:43", "%3D"]),
    ("azure-storage-key", "AccountKey=", &["b:86", "=="]),
    ("beamer", "beamer_key = ", &["b_", "l:44"]),
    ("bearer", "Bearer ", &["7", "a:40"]),
    ("clickhouse", "", &["4b1d", "a:38"]),
    ("clojars", "", &["CLOJARS_", "l:60"]),
    ("cloudflare-origin", "", &["v1.0-", "h:24", "-", "h:146"]),
    ("command-password", "sshpass -p ", &["a:12"]),
    ("connection-password", "Server=db;Uid=app;Password=", &["a:16"]),
    ("connection-password", "jdbc:x://db/y?user=app&password=", &["a:9"]),
    ("cookie", "Cookie: ", &["sid=7", "a:24"]),
    ("curl-header", "curl -H 'Private-Token: ", &["7", "a:20"]),
    ("curl-user", "curl -s -u admin:", &["a:12"]),
    ("databricks", "", &["dapi", "h:32", "-2"]),
    ("defined-networking", "", &["dnkey-", "l:26", "-", "l:52"]),
    ("digitalocean", "", &["doo_v1_", "h:64"]),
    ("digitalocean", "", &["dop_v1_", "h:64"]),
    ("digitalocean", "", &["dor_v1_", "h:64"]),
    (
        "discord-webhook",
        "https://discord.com/api/webhooks/",
        &["d:18", "/", "a:60"],
    ),
    ("docker", "", &["dckr_pat_", "a:27"]),
    ("doppler", "", &["dp.pt.", "l:43"]),
    ("dropbox", "", &["sl.", "a:135"]),
    ("duffel", "", &["duffel_live_", "a:43"]),
    ("duffel", "", &["duffel_test_", "a:43"]),
    ("dynatrace", "", &["dt0c01.", "l:24", ".", "l:64"]),
    ("easypost", "", &["EZAK", "a:54"]),
    ("easypost", "", &["EZTK", "a:54"]),
    ("elevenlabs", "", &["sk_", "h:48"]),
    ("facebook-page", "", &["EAAM", "a:110"]),
    ("facebook-page", "", &["EAAC", "a:110"]),
    ("figma", "", &["figd_", "a:40"]),
    ("flutterwave", "", &["FLWSECK_TEST-", "h:12"]),
    ("flutterwave", "", &["FLWPUBK_TEST-", "h:32", "-X"]),
    ("flutterwave", "", &["FLWSECK_TEST-", "h:32", "-X"]),
    ("flyio", "", &["fo1_", "a:43"]),
    ("flyio", "", &["fm1a_", "b:120"]),
    ("flyio", "", &["fm2_", "b:120"]),
    ("frameio", "", &["fio-u-", "l:64"]),
    ("freemius", "'secret_key' => '", &["sk_", "a:29"]),
    ("github", "", &["ghp_", "a:36"]),
    ("github", "", &["gho_", "a:36"]),
    ("github", "", &["ghu_", "a:36"]),
    ("github", "", &["ghs_", "a:36"]),
    ("github", "", &["ghr_", "a:36"]),
    ("github-fine-grained", "", &["github_pat_", "a:82"]),
    ("gitlab", "", &["glpat-", "a:20"]),
    ("gitlab", "", &["glpat-", "a:27", ".", "l:9"]),
    ("gitlab", "", &["glptt-", "h:40"]),
    ("gitlab", "", &["glcbt-", "a:3", "_", "a:20"]),
    ("gitlab", "", &["gldt-", "a:20"]),
    ("gitlab", "", &["glffct-", "a:20"]),
    ("gitlab", "", &["glft-", "a:20"]),
    ("gitlab", "", &["glimt-", "a:25"]),
    ("gitlab", "", &["glagent-", "a:50"]),
    ("gitlab", "", &["gloas-", "a:64"]),
    ("gitlab", "", &["glrt-", "a:20"]),
    ("gitlab", "", &["glrt-t1_", "a:27", ".", "l:9"]),
    ("gitlab", "", &["glsoat-", "a:20"]),
    ("gitlab", "", &["GR1348941", "a:20"]),
    ("gitlab-session", "_gitlab_session=", &["l:32"]),
    ("gocardless", "gocardless: ", &["live_", "l:40"]),
    ("google-api-key", "", &["AIza", "a:35"]),
    ("google-oauth", "", &["GOCSPX-", "a:28"]),
    ("google-oauth", "", &["ya29.", "a:60"]),
    ("google-refresh", "", &["1//0", "a:60"]),
    ("grafana", "", &["eyJrIjoi", "a:90"]),
    ("grafana", "", &["glc_", "b:60"]),
    ("grafana", "", &["glsa_", "a:32", "_", "h:8"]),
    ("groq", "", &["gsk_", "a:52"]),
    ("harness", "", &["pat.", "a:22", ".", "a:24", ".", "a:20"]),
    ("harness", "", &["sat.", "a:22", ".", "a:24", ".", "a:20"]),
    ("hashicorp-terraform", "", &["l:14", ".atlasv1.", "l:64"]),
    ("heroku", "", &["HRKU-AA", "a:58"]),
    ("huggingface", "", &["hf_", "a:34"]),
    ("huggingface", "", &["api_org_", "a:34"]),
    ("infracost", "", &["ico-", "a:32"]),
    ("intra42", "", &["s-s4t2ud-", "h:64"]),
    ("intra42", "", &["s-s4t2af-", "h:64"]),
    ("jwt", "", &["eyJ", "a:30", ".eyJ", "a:40", ".", "a:43"]),
    ("jwt-base64", "", &["ZXlK", "aGJHY2lPaU", "b:60"]),
    ("langsmith", "", &["lsv2_pt_", "h:32", "_", "h:10"]),
    ("linear", "", &["lin_api_", "a:40"]),
    ("lob", "", &["live_", "h:35"]),
    ("lob", "", &["test_pub_", "h:31"]),
    ("login-option", "http -a ada:", &["7", "a:12"]),
    ("mailgun", "", &["key-", "h:32"]),
    ("mailgun-public", "", &["pubkey-", "h:32"]),
    ("mapbox", "", &["pk.", "l:60", ".", "l:22"]),
    ("maxmind", "", &["a:6", "_", "a:29", "_mmk"]),
    (
        "microsoft-teams-webhook",
        "https://x.webhook.office.com/webhookb2/",
        &[
            "h:8",
            "-",
            "h:4",
            "@",
            "h:8",
            "/IncomingWebhook/",
            "h:32",
            "/",
            "h:8",
        ],
    ),
    ("netrc", "machine h login ada password ", &["a:12"]),
    ("new-relic", "", &["NRJS-", "h:19"]),
    ("new-relic", "", &["NRII-", "l:32"]),
    ("new-relic", "", &["NRAK-", "U:27"]),
    ("notion", "", &["ntn_", "d:11", "a:35"]),
    ("npm", "", &["npm_", "a:36"]),
    ("nuget-password", "<add key=\"Password\" value=\"", &["a:12"]),
    ("nvidia", "", &["nvapi-", "a:64"]),
    ("octopus-deploy", "", &["API-", "U:26"]),
    ("okta", "okta_token = ", &["00", "a:40"]),
    ("openai", "", &["sk-", "a:20", "T3BlbkFJ", "a:20"]),
    ("openai", "", &["sk-proj-", "a:74", "T3BlbkFJ", "a:74"]),
    ("openai", "", &["sk-svcacct-", "a:58", "T3BlbkFJ", "a:58"]),
    ("openai", "", &["sk-or-v1-", "h:64"]),
    ("openshift", "", &["sha256~", "a:43"]),
    ("perplexity", "", &["pplx-", "a:48"]),
    ("pgpass", "db.example.com:5432:app:ada:", &["a:12"]),
    ("pinecone", "", &["pcsk_", "a:5", "_", "a:63"]),
    (
        "plaid",
        "",
        &[
            "access-sandbox-",
            "h:8",
            "-",
            "h:4",
            "-",
            "h:4",
            "-",
            "h:4",
            "-",
            "h:12",
        ],
    ),
    ("planetscale", "", &["pscale_tkn_", "a:43"]),
    ("planetscale", "", &["pscale_oauth_", "a:43"]),
    ("planetscale", "", &["pscale_pw_", "a:43"]),
    ("postman", "", &["PMAK-", "h:24", "-", "h:34"]),
    ("prefect", "", &["pnu_", "a:36"]),
    (
        "private-key",
        "",
        &[
            "-----BEGIN ",
            "RSA PRIVATE KEY-----\n",
            "b:64",
            "\n",
            "b:64",
            "\n-----END RSA ",
            "PRIVATE KEY-----",
        ],
    ),
    (
        "private-key",
        "",
        &[
            "-----BEGIN ",
            "PRIVATE KEY-----\n> ",
            "b:64",
            "\n-----END ",
            "PRIVATE KEY-----",
        ],
    ),
    ("pulumi", "", &["pul-", "h:40"]),
    ("pypi", "", &["pypi-AgEIcHlwaS5vcmc", "a:60"]),
    ("readme", "", &["rdme_", "l:70"]),
    ("replicate", "", &["r8_", "a:37"]),
    ("resend", "", &["re_", "a:8", "_", "a:24"]),
    ("rubygems", "", &["rubygems_", "h:48"]),
    ("scalingo", "", &["tk-us-", "a:48"]),
    ("sendgrid", "", &["SG.", "a:22", ".", "a:43"]),
    ("sendinblue", "", &["xkeysib-", "h:64", "-", "a:16"]),
    (
        "sentry",
        "",
        &["sntrys_eyJpYXQiO", "b:40", "LCJyZWdpb25fdXJs", "b:40", "_", "b:43"],
    ),
    ("sentry", "", &["sntryu_", "h:64"]),
    ("settlemint", "", &["sm_aat_", "a:16"]),
    ("settlemint", "", &["sm_pat_", "a:16"]),
    ("settlemint", "", &["sm_sat_", "a:16"]),
    ("shippo", "", &["shippo_live_", "h:40"]),
    ("shopify", "", &["shpat_", "h:32"]),
    ("shopify", "", &["shpca_", "h:32"]),
    ("shopify", "", &["shppa_", "h:32"]),
    ("shopify", "", &["shpss_", "h:32"]),
    ("slack", "", &["xoxb-", "d:12", "-", "d:12", "-", "a:24"]),
    ("slack", "", &["xoxb-", "d:10", "-", "a:20"]),
    ("slack", "", &["xoxe.xoxb-1-", "U:164"]),
    ("slack", "", &["xoxe-1-", "U:146"]),
    ("slack", "", &["xoxs-", "d:10", "-", "d:10", "-", "d:10", "-", "h:10"]),
    ("slack", "", &["xoxa-2-", "a:30"]),
    ("slack", "", &["xoxp-", "d:11", "-", "d:11", "-", "d:11", "-", "a:30"]),
    ("slack-app", "", &["xapp-1-", "U:11", "-", "d:13", "-", "h:64"]),
    (
        "slack-webhook",
        "https://hooks.slack.com/services/",
        &["U:9", "/", "U:11", "/", "a:24"],
    ),
    ("sonar", "", &["squ_", "h:40"]),
    ("sourcegraph", "", &["sgp_", "h:16", "_", "h:40"]),
    ("sourcegraph", "", &["sgp_", "h:40"]),
    ("square", "", &["EAAA", "a:60"]),
    ("square", "", &["sq0atp-", "a:22"]),
    ("stripe", "", &["sk_live_", "a:24"]),
    ("stripe", "", &["rk_test_", "a:24"]),
    ("stripe", "", &["whsec_", "b:32"]),
    ("sumologic", "sumo_id = ", &["su", "a:12"]),
    ("supabase", "", &["sbp_", "h:40"]),
    ("tailscale", "", &["tskey-auth-", "a:12", "-", "a:32"]),
    ("tavily", "", &["tvly-dev-", "a:32"]),
    ("telegram", "", &["d:10", ":AA", "a:33"]),
    ("telegram", "https://api.telegram.org/bot", &["d:7", ":A", "a:34"]),
    ("twilio", "", &["SK", "h:32"]),
    ("twitter-bearer", "twitter: ", &["AAAAAAAAAAA", "AAAAAAAAAAA", "a:90"]),
    ("typeform", "", &["tfp_", "a:59"]),
    ("url-password", "postgres://app:", &["a:16"]),
    ("url-password", "https://", &["h:8"]),
    ("vault", "", &["hvs.", "a:95"]),
    ("vault", "", &["hvb.", "a:150"]),
    ("vault-legacy", "", &["s.", "a:23", "7"]),
    ("x-api-key", "X-Api-Key: ", &["h:32"]),
    ("xai", "", &["xai-", "a:80"]),
    ("yandex", "", &["AQVN", "a:36"]),
    ("yandex", "", &["t1.", "a:40", ".", "a:86"]),
    ("yandex-aws", "yandex: ", &["YC", "a:38"]),
];

/// A secret that was made.
#[derive(Clone, Debug)]
pub struct Planted {
    pub rule: &'static str,
    /// What stands before it, and stays.
    pub before: &'static str,
    pub secret: String,
    /// What stands behind it, and stays.
    pub after: &'static str,
}

impl Planted {
    /// The secret, and what belongs to it.
    pub fn whole(&self) -> String {
        format!("{}{}{}", self.before, self.secret, self.after)
    }
}

/// Makes one secret of each form.
pub fn planted(seed: u64) -> Vec<Planted> {
    let mut state = seed ^ 0x9E37_79B9_7F4A_7C15;
    let forms = FORMS.iter().map(|(rule, before, parts)| Planted {
        rule,
        before,
        secret: parts.iter().map(|part| made(part, &mut state)).collect(),
        after: match *rule {
            "url-password" => "@db.example.com/x",
            "freemius" | "curl-header" => "'",
            "assigned-secret" if before.ends_with('"') => "\"",
            "nuget-password" => "\" />",
            _ => "",
        },
    });
    // `https://user:password@`: all of the password, not the user.
    let fix = |mut planted: Planted| {
        if planted.before == "https://" {
            planted.before = "https://user:";
        }
        planted
    };
    forms.map(fix).collect()
}

fn made(part: &str, state: &mut u64) -> String {
    let Some((class, count)) = part.split_once(':') else {
        return part.to_string();
    };
    let class = match class {
        "a" => "abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789",
        "l" => "abcdefghijkmnopqrstuvwxyz0123456789",
        "U" => "ABCDEFGHJKLMNPQRSTUVWXYZ234567",
        "h" => "0123456789abcdef",
        "d" => "0123456789",
        "b" => {
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
        }
        _ => return part.to_string(),
    };
    let mut next = || {
        // xorshift64*
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33
    };
    let count: usize = count.parse().unwrap();
    let pick = |_| {
        let at = next() as usize % class.len();
        char::from(class.as_bytes()[at])
    };
    (0..count).map(pick).collect()
}
