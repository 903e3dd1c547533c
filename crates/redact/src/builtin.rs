/*!
The built-in rules.

Each pattern begins at one of its literals, or up to `lead` bytes before it. No
literal and no tail may reject what its pattern matches: a test makes texts from
each pattern, and compares.

A pattern is meant to match at least what the rules of gitleaks match on which it
is modelled. In doubt it matches more, since nobody has to act on a false
positive in a log.
*/

use crate::rule::{
    Rule,
    RuleLevel::{self, All, Personal, Secrets},
    Tail::{
        self, Alnum, Any, Assigned, Domain, Groups, Hex, Login, Near, Quad,
        Token, User,
    },
};

/// Returns all built-in rules, in the order of their names within a level.
pub fn builtin() -> &'static [Rule] {
    RULES
}

/// The keys whose values identify people or machines: replaced as a whole at
/// the level `personal`, in any object. `display_name` is not among them, since
/// tools have one, too; that of an account goes with the account.
pub(crate) const FIELDS: &[&str] = &[
    "account",
    "accountEmail",
    "accountId",
    "accountName",
    "accountUuid",
    "account_email",
    "account_id",
    "account_name",
    "account_uuid",
    "branch",
    "cwd",
    "displayName",
    "email",
    "emailAddress",
    "email_address",
    "firstName",
    "first_name",
    "fullName",
    "full_name",
    "gitBranch",
    "git_branch",
    "host",
    "hostname",
    "lastName",
    "last_name",
    "machineId",
    "machine_id",
    "oauthAccount",
    "oauth_account",
    "organization",
    "organizationId",
    "organizationName",
    "organizationUuid",
    "organization_id",
    "organization_name",
    "organization_uuid",
    "originalCwd",
    "ownerAccountUuid",
    "ownerOrganizationUuid",
    "owner_account_uuid",
    "owner_organization_uuid",
    "userEmail",
    "userID",
    "userId",
    "userName",
    "userUuid",
    "user_email",
    "user_id",
    "user_name",
    "user_uuid",
    "username",
];

const fn rule(
    name: &'static str,
    literals: &'static [&'static str],
    tail: Tail,
    pattern: &'static str,
    gitleaks: &'static [&'static str],
) -> Rule {
    Rule { name, level: Secrets, literals, tail, lead: 0, pattern, gitleaks }
}

/// A rule whose matches begin before the literal.
const fn led(lead: usize, rule: Rule) -> Rule {
    Rule { lead, ..rule }
}

const fn at(level: RuleLevel, rule: Rule) -> Rule {
    Rule { level, ..rule }
}

/// A pattern for a text of characters with a special one among them, such as a
/// digit, and of a least length: for each number of characters that may be before
/// the special one, how many must be after it, and one more. The last character is
/// not one that ends a sentence.
macro_rules! mixed {
    ($any:literal, $special:literal, $last:literal, $most:literal, $($before:literal $after:literal)*) => {
        concat!(
            $($any, "{", $before, "}", $special, $any, "{", $after, ",}", $last, "|",)*
            $any, "{", $most, ",}", $special, "(?:", $any, "*", $last, ")?",
        )
    };
}

#[rustfmt::skip]
macro_rules! mixed_8 {
    ($any:literal, $special:literal, $last:literal) => {
        mixed!($any, $special, $last, "7", "0" "6" "1" "5" "2" "4" "3" "3" "4" "2" "5" "1" "6" "0")
    };
}

#[rustfmt::skip]
macro_rules! mixed_16 {
    ($any:literal, $special:literal, $last:literal) => {
        mixed!($any, $special, $last, "15",
            "0" "14" "1" "13" "2" "12" "3" "11" "4" "10" "5" "9" "6" "8" "7" "7"
            "8" "6" "9" "5" "10" "4" "11" "3" "12" "2" "13" "1" "14" "0")
    };
}

/// An option with the name of a user and a password.
#[rustfmt::skip]
macro_rules! login {
    () => {
        concat!(
            r#"\s-(?:[a-z]{0,6}u\s{0,5}|-(?:proxy-)?user[\s=]\s{0,5})"#,
            r#"(?:"[^":\n]{0,64}:((?:[^"\s${<]|\{[^{"\n])[^"\n]{2,}|<[^">\n]{2,})"|'[^':\n]{0,64}:((?:[^'\s${<]|\{[^{'\n])[^'\n]{2,}|<[^'>\n]{2,})'|["']?[^\s:"']{1,64}:(/?[^\s"'${<>/][^\s"']{2,}))"#,
        )
    };
}

/// A value that is assigned to a name: in quotes, or up to a space or a sign
/// that ends it. A header has a scheme before it.
#[rustfmt::skip]
macro_rules! assigned_value {
    () => {
        concat!(
            r#"(?:[bfru]{0,2}"(?:(?:bearer|basic|token|apikey|digest) {1,3})?((?:[^"\\\n]|\\[^\n]){6,})"#,
            r#"|[bfru]{0,2}'(?:(?:bearer|basic|token|apikey|digest) {1,3})?((?:[^'\\\n]|\\[^\n]){6,})"#,
            r#"|`(?:(?:bearer|basic|token|apikey|digest) {1,3})?((?:[^`\\\n]|\\[^\n]){6,})"#,
            r#"|(?:(?:bearer|basic|token|apikey|digest) {1,3})?"#,
            r#"((?:[^\s"'`\\,;&<>|]|\\[!#-&(-+.:-@^{-~]){5,}(?:[^\s"'`\\,;&<>|.:)\]}?]|\\[!#-&(-+.:-@^{-~])))"#,
        )
    };
}

/// A name that a secret is assigned to, from its word on, and what may follow
/// the word in it.
#[rustfmt::skip]
macro_rules! assigned_name {
    () => {
        concat!(
            r"(?i)(?-u:pass(?:word|wd|wort|phrase|code)?|pwd|secret(?:[_-]id|(?-i:Id))?|token|",
            r"key|-signature|credentials?|cookie|auth(?:orization)?)",
r"(?-u:[_-](?:again|base64|base|confirmation|confirm|default|dev|hash|key|live|new|old|production|prod|repeat|staging|test|value)|key|[_-]?[0-9]{1,2}|(?-i:Again|Base64|Base|Confirmation|Confirm|Default|Dev|Hash|Key|Live|New|Old|Production|Prod|Repeat|Staging|Test|Value)){0,3}",
        )
    };
}

/// The option of `curl-user`, which is searched by itself.
pub(crate) const LOGIN: &str = concat!("(?i)", login!());

/// The words of names that secrets are assigned to.
#[rustfmt::skip]
const ASSIGNED: &[&str] = &[
    "pass\"", "pass'", "pass=", "pass:", r"pass\", "password", "passwd", "passwort", "passphrase", "passcode", "pwd", "secret", "token",
    "key", "-signature",
    "credential", "cookie", "auth\"", "auth'", "auth=", "auth:", r"auth\", "authorization",
];

#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule("1password", &["ops_eyJ"], Token(100), r"(?-u)ops_eyJ[A-Za-z0-9+/]{100,}={0,3}", &["1password-service-account-token"]),
    rule("1password-secret-key", &["A3-"], Token(20), r"(?-u)\bA3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}", &["1password-secret-key"]),
    rule("adobe", &["p8e-"], Alnum(32), r"(?i-u)\bp8e-[a-z0-9]{32}", &["adobe-client-secret"]),
    rule("age", &["AGE-SECRET-KEY-1"], Alnum(50), r"(?i-u)AGE-SECRET-KEY-1[a-z0-9]{58}", &["age-secret-key"]),
    rule("airtable", &["pat"], Alnum(14), r"(?-u)\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}", &["airtable-personnal-access-token"]),
    rule("alibaba", &["LTAI"], Alnum(12), r"(?-u)\bLTAI[A-Za-z0-9]{12,}", &["alibaba-access-key-id"]),
    rule("anthropic", &["sk-ant-"], Token(20), r"(?-u)sk-ant-[A-Za-z0-9_-]{20,}", &["anthropic-admin-api-key", "anthropic-api-key"]),
    rule("artifactory", &["AKCp", "cmVmd"], Alnum(59), r"(?-u)\b(?:AKCp[A-Za-z0-9]{69,}|cmVmd[A-Za-z0-9]{59,})", &["artifactory-api-key", "artifactory-reference-token"]),
    rule("assigned-secret", ASSIGNED, Assigned, concat!(
        assigned_name!(), "(?:",
        // `${NAME:-value}`, `name || "value"` and `name ?? "value"`.
        r#":-["']?([^\s"'`\\{}$][^\s"'`\\{}]{5,})["']?\}"#,
        r#"|["'`]?\]?\)?[ \t]{0,3}(?:\|\||\?\?)[ \t]{0,3}["'`]([^\s"'`\\]{6,})["'`]"#,
        // A value with `&` in it, which is no parameter of a URL.
        r#"|(?:=|[ \t])([^\s"'`\\,;&<>|=(){}]{0,64}&[^\s"'`\\,;<>|=(){}]{0,128})(?:[\s"'`\\,;<>|)]|\z)|"#,
        // `name: value`, `"name": "value"`, `name: Type = value`.
        r#"["'`]?\]?\*{0,2}[ \t]{0,60}(?::[ \t]{0,2}[&A-Za-z<>?|\[\] ']{1,30}=|:=|=>|!?={1,3}|:)\*{0,2}[ \t]{0,60}"#, assigned_value!(),
        // `<name>value</name>`.
        r"|>[ \t]{0,60}([^\s<>]{6,})<",
        // `name: NAME`, and `value: ...` after it.
        r#"|["'`]?[,}]?[\s,]{0,40}["'`]?val(?:ue)?["'`]?[ \t]{0,60}[:=][ \t]{0,60}"#, assigned_value!(),
        // `("name", "value")`.
        r#"|["'`][ \t]{0,60},[ \t]{0,60}["'`](?:(?:bearer|basic|token|apikey|digest) {1,3})?([^"'`\\\n]{6,})["'`]"#,
        // `--name value`, and `name is value`.
        r"|(?: is| was)?:?[ \t]{1,3}", assigned_value!(),
        ")",
    ), &[]),
    rule("atlassian", &["ATATT3"], Token(100), r"(?-u)\bATATT3[A-Za-z0-9_=-]{100,}", &["atlassian-api-token"]),
    rule("authorization", &["authorization"], Any, r#"(?i-u)authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:basic|token|apikey)\s+([A-Za-z0-9+/_.=-]{7,}[A-Za-z0-9+/_=-])"#, &[]),
    rule("authress", &["sc_", "ext_", "scauth_", "authress_"], Alnum(5), r"(?i-u)\b(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}", &["authress-service-client-access-key"]),
    rule("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA", "A3T"], Alnum(16), r"(?-u)\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b", &["aws-access-token"]),
    rule("aws-bedrock", &["ABSK", "bedrock-api-key-"], Token(20), r"(?-u)\bABSK[A-Za-z0-9+/]{109,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=_-]{20,}", &["aws-amazon-bedrock-api-key-long-lived", "aws-amazon-bedrock-api-key-short-lived"]),
    rule("aws-secret-key", &["secret_access", "secret-access", "secretaccess", "aws_secret_key"], Any, r#"(?i)(?:secret[_-]?access[_-]?key|aws_secret_key)["'\s:=>]{1,8}([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)"#, &[]),
    rule("aws-session-token", &["session_token", "session-token", "sessiontoken", "security-token"], Any, r#"(?i)(?:session[_-]?|security-)token["'\s:=>]{1,8}([A-Za-z0-9/+=%]{100,})"#, &[]),
    rule("aws-signature", &["Signature=", "Signature%3D"], Hex(64), r"(?-u)Signature(?:=|%3D)([0-9a-fA-F]{64,})", &[]),
    led(3, rule("azure-client-secret", &["#Q~"], Token(31), r"(?-u)[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}", &["azure-ad-client-secret"])),
    rule("azure-sas", &["?sig=", "&sig="], Token(30), r"(?-u)[?&]sig=([A-Za-z0-9%/+=_-]{30,})", &[]),
    rule("azure-storage-key", &["AccountKey=", "SharedAccessKey="], Token(40), r"(?-u)(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})", &[]),
    rule("beamer", &["beamer"], Near, r#"(?i)beamer[^\n]{0,40}?[=:"'\s,>(](b_[a-z0-9=_-]{44})"#, &["beamer-api-token"]),
    rule("bearer", &["bearer "], Any, concat!(r"(?i-u)\bbearer +(", mixed_16!("[A-Za-z0-9._~+/=-]", r"\d", "[A-Za-z0-9_~+/=-]"), ")"), &[]),
    rule("clickhouse", &["4b1d"], Alnum(38), r"(?-u)\b4b1d[A-Za-z0-9]{38}\b", &["clickhouse-cloud-api-secret-key"]),
    rule("clojars", &["CLOJARS_"], Alnum(60), r"(?i-u)CLOJARS_[a-z0-9]{60}", &["clojars-api-token"]),
    rule("cloudflare-origin", &["v1.0-"], Hex(24), r"(?-u)\bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}", &["cloudflare-origin-ca-key"]),
    rule("command-password", &["mysql", "mariadb", "mongo", "sshpass", "redis-cli", "login", "identified by '", "identified by \"", r"identified by \", "requirepass", "masterauth"], Any, concat!(
        // No option of another command.
        r#"(?i-u)\b(?:(?:(?:mysql|mariadb)[a-z-]{0,16}[ \t](?:[ -%'-:<-{}~]{0,200}?[ \t])?-p|sshpass[ \t](?:[ -%'-:<-{}~]{0,40}?[ \t])?-p ?|"#,
        r#"redis-cli[ \t](?:[ -%'-:<-{}~]{0,200}?[ \t])?(?:-a|--pass)[ =]|mongo[a-z]{0,8}[ \t][ -%'-:<-{}~]{0,200}?[ \t]-p[ =]?|"#,
        r#"login[ \t](?:[ -%'-:<-{}~]{0,200}?[ \t])?-p[ =]?|(?:requirepass|masterauth)[ \t])"#,
        r#"(?:'([ -&(-\[\]-~]{4,})|"([ !#-\[\]-~]{4,})|([!#-&(-+./-:=?-Z_a-z~@\]^{}][!#-&(-+./-:=?-Z_a-z~@\]^{}-]{5,}))"#,
        r#"|identified by (?:'([ -&(-\[\]-~]{4,})|"([ !#-\[\]-~]{4,})))"#,
    ), &[]),
    led(2, rule("connection-password", &["password=", "pwd="], Any, concat!(
        // In quotes, then with spaces, then up to the next space.
        r#"(?i); ?(?:password|pwd)=(?:'([^'\s${<][^'\n]{2,})'|"([^"\s${<][^"\n]{2,})"|([^\s;&"'<>\\${}\[\]*(/~.][^;&"'<>\\\n]{2,127});)"#,
        r#"|[;?&] ?(?:password|pwd)=([^\s;&"'<>\\${}\[\]*(][^\s;&"'<>\\]{2,})"#,
        // The first member.
        r#"|(?:^|["'])(?:password|pwd)=([^\s;&"'<>\\${}\[\]*(/~.][^\s;&"'<>\\]{2,}); ?[a-z][a-z ]{1,30}="#,
    ), &[])),
    rule("cookie", &["cookie", "--cookie", "curl"], Any, concat!(
        r#"(?i)(?-u:cookie["']?[ \t]{0,3}[:=][ \t]{0,3}["']?|--cookie[ =]["']?|\bcurl(?:[ \t][ -~]{0,200}?)? -b ["']?)"#,
        r#"((?-u:[A-Za-z0-9_.$-]{1,64})=[^\s;"'\\,=]*={0,2}(?:; ?(?-u:[A-Za-z0-9_.$-]{1,64})=[^\s;"'\\,=]*={0,2}){0,50})"#,
    ), &[]),
    rule("curl-header", &["-H \"", "-H '", r"-H \", "-H\"", "-H'", r"-H\", "--header"], Any, concat!(
        r#"(?i)(?:-H ?|--header[ =])["'](?:(?:proxy-)?authorization: {0,5}(?:[a-z][a-z0-9-]{2,20} {1,5})?|(?:[a-z]+-){0,4}(?:key|token|secret): {0,5})("#,
        mixed_8!("[A-Za-z0-9_=~@.+/-]", "[0-9]", "[A-Za-z0-9_=~@+/-]"), ")",
    ), &["curl-auth-header"]),
    // A command goes on after a newline that is escaped, and beyond `;` and `|`: these may be
    // in quotes, in a URL or in another command that is a part of this one.
    rule("curl-user", &["curl"], Login, concat!(r#"(?i)(?-u:\b)curl(?-u:\b)(?:[^\n]|[\\^`]\r?\n)*?"#, login!()), &["curl-auth-user"]),
    rule("databricks", &["dapi"], Hex(32), r"(?-u)\bdapi[a-f0-9]{32}(?:-\d)?", &["databricks-api-token"]),
    rule("defined-networking", &["dnkey-"], Token(26), r"(?i-u)\bdnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}", &["defined-networking-api-token"]),
    rule("digitalocean", &["doo_v1_", "dop_v1_", "dor_v1_"], Hex(64), r"(?i-u)\bdo[opr]_v1_[a-f0-9]{64}", &["digitalocean-access-token", "digitalocean-pat", "digitalocean-refresh-token"]),
    rule("discord-webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], Any, r"(?-u)discord(?:app)?\.com/api/webhooks/(\d+/[A-Za-z0-9_-]{20,})", &[]),
    rule("docker", &["dckr_pat_"], Token(20), r"(?-u)\bdckr_pat_[A-Za-z0-9_-]{20,}", &[]),
    rule("doppler", &["dp.pt."], Alnum(40), r"(?i-u)dp\.pt\.[a-z0-9]{40,44}", &["doppler-api-token"]),
    rule("dropbox", &["sl."], Token(130), r"(?i-u)\bsl\.[a-z0-9=_-]{130,}", &["dropbox-short-lived-api-token"]),
    rule("duffel", &["duffel_test_", "duffel_live_"], Token(43), r"(?i-u)duffel_(?:test|live)_[a-z0-9_=-]{43}", &["duffel-api-token"]),
    rule("dynatrace", &["dt0c01."], Alnum(24), r"(?i-u)dt0c01\.[a-z0-9]{24}\.[a-z0-9]{64}", &["dynatrace-api-token"]),
    rule("easypost", &["EZAK", "EZTK"], Alnum(54), r"(?-u)\bEZ[AT]K[A-Za-z0-9]{54}", &["easypost-api-token", "easypost-test-api-token"]),
    rule("elevenlabs", &["sk_"], Hex(48), r"(?-u)\bsk_[a-f0-9]{48}\b", &[]),
    rule("facebook-page", &["EAAM", "EAAC"], Alnum(100), r"(?-u)\bEAA[MC][A-Za-z0-9]{100,}", &["facebook-page-access-token"]),
    rule("figma", &["figd_"], Token(30), r"(?-u)\bfigd_[A-Za-z0-9_-]{30,}", &[]),
    rule("flutterwave", &["FLWSECK_TEST-", "FLWPUBK_TEST-", "FLWSECK-", "FLWPUBK-"], Alnum(12), r"(?i-u)FLW(?:SECK|PUBK)(?:_TEST)?-[a-z0-9]{12,40}(?:-X)?", &["flutterwave-encryption-key", "flutterwave-public-key", "flutterwave-secret-key"]),
    rule("flyio", &["fo1_", "fm1a_", "fm1r_", "fm2_"], Token(43), r"(?-u)\b(?:fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3})", &["flyio-access-token"]),
    rule("frameio", &["fio-u-"], Token(64), r"(?i-u)fio-u-[a-z0-9_=-]{64}", &["frameio-api-token"]),
    rule("freemius", &["secret_key"], Any, r#"(?i)secret_key["']\s{0,5}=>\s{0,5}["'](sk_\S{29})["']"#, &["freemius-secret-key"]),
    rule("github", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Alnum(36), r"(?-u)gh[pousr]_[0-9A-Za-z]{36,255}", &["github-app-token", "github-oauth", "github-pat", "github-refresh-token"]),
    rule("github-fine-grained", &["github_pat_"], Token(22), r"(?-u)github_pat_\w{22,255}", &["github-fine-grained-pat"]),
    rule("gitlab", &["glpat-", "glptt-", "glcbt-", "gldt-", "glffct-", "glft-", "glimt-", "glagent-", "gloas-", "glrt-", "glsoat-", "GR1348941"], Token(20), r"(?-u)(?:gl(?:pat|ptt|cbt|dt|ffct|ft|imt|agent|oas|rt|soat)-|GR1348941)[\w-]{20,300}(?:\.[0-9a-z]{9})?", &["gitlab-cicd-job-token", "gitlab-deploy-token", "gitlab-feature-flag-client-token", "gitlab-feed-token", "gitlab-incoming-mail-token", "gitlab-kubernetes-agent-token", "gitlab-oauth-app-secret", "gitlab-pat", "gitlab-pat-routable", "gitlab-ptt", "gitlab-rrt", "gitlab-runner-authentication-token", "gitlab-runner-authentication-token-routable", "gitlab-scim-token"]),
    rule("gitlab-session", &["_gitlab_session="], Alnum(32), r"(?-u)_gitlab_session=([0-9a-z]{32})", &["gitlab-session-cookie"]),
    rule("gocardless", &["gocardless"], Near, r#"(?i)gocardless[^\n]{0,40}?[=:"'\s,>(](live_[a-z0-9_=-]{40})"#, &["gocardless-api-token"]),
    rule("google-api-key", &["AIza"], Token(35), r"(?-u)\bAIza[\w-]{35}", &["gcp-api-key"]),
    rule("google-oauth", &["GOCSPX-", "ya29."], Token(20), r"(?-u)\b(?:GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,})", &[]),
    rule("google-refresh", &["1//0"], Token(30), r"(?-u)\b1//0[A-Za-z0-9_-]{30,}", &[]),
    rule("grafana", &["eyJrIjoi", "glc_", "glsa_"], Token(32), r"(?i-u)\b(?:eyJrIjoi[a-z0-9]{60,400}={0,3}|glc_[a-z0-9+/]{32,400}={0,3}|glsa_[a-z0-9]{32}_[a-f0-9]{8})", &["grafana-api-key", "grafana-cloud-api-token", "grafana-service-account-token"]),
    rule("groq", &["gsk_"], Alnum(40), r"(?-u)\bgsk_[A-Za-z0-9]{40,}", &[]),
    rule("harness", &["pat.", "sat."], Token(22), r"(?-u)(?:pat|sat)\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", &["harness-api-key"]),
    led(14, rule("hashicorp-terraform", &[".atlasv1."], Token(60), r"(?i-u)[a-z0-9]{14}\.atlasv1\.[a-z0-9_=-]{60,70}", &["hashicorp-tf-api-token"])),
    rule("heroku", &["HRKU-AA"], Token(50), r"(?-u)\bHRKU-AA[0-9A-Za-z_-]{50,}", &["heroku-api-key-v2"]),
    rule("huggingface", &["hf_", "api_org_"], Alnum(34), r"(?-u)\b(?:hf|api_org)_[A-Za-z0-9]{34,}", &["huggingface-access-token", "huggingface-organization-api-token"]),
    rule("infracost", &["ico-"], Alnum(32), r"(?-u)\bico-[A-Za-z0-9]{32}", &["infracost-api-token"]),
    rule("intra42", &["s-s4t2ud-", "s-s4t2af-"], Hex(64), r"(?i-u)\bs-s4t2(?:ud|af)-[a-f0-9]{64}", &["intra42-client-secret"]),
    rule("jwt", &["eyJ", "eyA", "eyI"], Token(17), r"(?-u)\bey[AIJ][A-Za-z0-9_-]{16,}\.ey[A-Za-z0-9/_-]{10,}(?:\.[A-Za-z0-9/_=-]*)?", &["jwt"]),
    rule("jwt-base64", &["ZXlK"], Token(40), r"(?-u)\bZXlK[A-Za-z0-9/_+-]{40,}={0,2}", &["jwt-base64"]),
    rule("langsmith", &["lsv2_pt_", "lsv2_sk_"], Token(32), r"(?-u)\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}\b", &[]),
    rule("linear", &["lin_api_"], Alnum(40), r"(?i-u)lin_api_[a-z0-9]{40}", &["linear-api-key"]),
    rule("lob", &["live_", "test_"], Token(35), r"(?-u)\b(?:live|test)_(?:[a-f0-9]{35}|pub_[a-f0-9]{31})\b", &["lob-api-key", "lob-pub-api-key"]),
    // For commands with such an option, other than `curl`.
    rule("login-option", &[" -u ", "--user=", "--user ", "--auth=", "--auth ", "http ", "https "], Any, concat!(
        r#"(?-u)(?: -u |--(?:user|auth)[= ]|\bhttps? (?:[ -%'-:<-{}~]{0,200}? )?-a[ =])"#,
        r#"["']?[A-Za-z0-9._@-]{1,64}:([!#-&(-+.-9;-Z_a-z~^{}-]{6,})"#,
    ), &[]),
    rule("mailgun", &["key-"], Hex(32), r"(?-u)\bkey-[a-f0-9]{32}\b", &["mailgun-private-api-token"]),
    rule("mailgun-public", &["pubkey-"], Hex(32), r"(?-u)\bpubkey-[a-f0-9]{32}\b", &["mailgun-pub-key"]),
    rule("mapbox", &["pk."], Alnum(60), r"(?i-u)\bpk\.[a-z0-9]{60,}\.[a-z0-9_-]{22}", &["mapbox-api-token"]),
    led(36, rule("maxmind", &["_mmk"], Any, r"(?-u)\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", &["maxmind-license-key"])),
    rule("microsoft-teams-webhook", &[".webhook.office.com/webhookb2/"], Any, r"(?-u)\.webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{36,})", &["microsoft-teams-webhook"]),
    rule("netrc", &["login"], Any, r"(?i-u)\blogin[ \t\r\n]+[!-~]{1,100}[ \t\r\n]+password[ \t\r\n]+([!-~]{4,})", &[]),
    rule("new-relic", &["NRJS-", "NRII-", "NRAK-"], Token(19), r"(?i-u)\bNR(?:JS-[a-f0-9]{19}|II-[a-z0-9-]{32}|AK-[a-z0-9]{27})", &["new-relic-browser-api-token", "new-relic-insert-key", "new-relic-user-api-key"]),
    rule("notion", &["ntn_", "secret_"], Alnum(43), r"(?-u)\b(?:ntn_[A-Za-z0-9]{43,}|secret_[A-Za-z0-9]{43})\b", &["notion-api-token"]),
    rule("npm", &["npm_"], Alnum(36), r"(?i-u)\bnpm_[a-z0-9]{36}", &["npm-access-token"]),
    rule("nuget-password", &["<add key="], Any, r#"(?i)<add key=\\?"(?:ClearText)?Password\\?"\s{0,5}value=\\?"([^"\\]{8,})"#, &["nuget-config-password"]),
    rule("nvidia", &["nvapi-"], Token(60), r"(?-u)\bnvapi-[\w-]{60,}", &[]),
    rule("octopus-deploy", &["API-"], Alnum(26), r"(?-u)\bAPI-[A-Z0-9]{26}", &["octopus-deploy-api-key"]),
    rule("okta", &["okta"], Near, r#"(?i)okta[^\n]{0,40}?[=:"'\s,>(](00[\w=-]{40})(?:[^\w=-]|$)"#, &["okta-access-token"]),
    rule("openai", &["sk-"], Token(20), r"(?-u)\bsk-(?:(?:proj|svcacct|admin|or-v1|lf|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})", &["openai-api-key"]),
    rule("openshift", &["sha256~"], Token(43), r"(?-u)\bsha256~[\w-]{43}", &["openshift-user-token"]),
    rule("perplexity", &["pplx-"], Alnum(48), r"(?-u)\bpplx-[A-Za-z0-9]{48}", &["perplexity-api-key"]),
    rule("pgpass", &[":5432:", ":*:"], Any, r#"(?-u):(?:5432|\*):[!#-&(-9;-\[\]-~]{1,64}:[!#-&(-9;-\[\]-~]{1,64}:([!#-&(-9;-\[\]-~]{6,})"#, &[]),
    rule("pinecone", &["pcsk_"], Token(40), r"(?-u)\bpcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{50,}", &[]),
    rule("plaid", &["access-sandbox-", "access-development-", "access-production-"], Hex(8), r"(?i-u)\baccess-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", &["plaid-api-token"]),
    rule("planetscale", &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], Token(32), r"(?i-u)\bpscale_(?:tkn|oauth|pw)_[\w=.-]{31,63}[\w=-]", &["planetscale-api-token", "planetscale-oauth-token", "planetscale-password"]),
    rule("postman", &["PMAK-"], Hex(24), r"(?i-u)\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}", &["postman-api-token"]),
    rule("prefect", &["pnu_"], Alnum(36), r"(?-u)\bpnu_[A-Za-z0-9]{36}", &["prefect-api-token"]),
    // Without an end, a key reaches to the end of the text.
    rule("private-key", &["-----BEGIN"], Any, concat!(
        r"(?i)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----",
        r"(?:[\s\S]*?-----END[ A-Z0-9_-]{0,100}-----",
        // Without its last line: lines of data or headers, with numbers or without
        // anything before them,
        r"|(?:(?:\x1b\[[0-9;]*m)*(?:\s|\\[nr])+(?:(?:\d{1,7}[→|:\t]\s*)*",
        r"(?:[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{2,15}={1,2}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\]{1,200})",
        // or long lines of data after a sign, a number or the name of a file;
        r#"|(?:[-+>|#* \t"']|[0-9]{1,7} ?[→|:\t]\s*|[A-Za-z0-9_./-]+:[0-9]{1,7}[:-]|\x1b\[[0-9;]*m)+[A-Za-z0-9+/=]{48,}))+"#,
        // and a last line that ends the text.
        r#"(?:(?:\x1b\[[0-9;]*m)*\s+(?:[-+>|#* \t"']|[0-9]{1,7} ?[→|:\t]\s*|[A-Za-z0-9_./-]+:[0-9]{1,7}[:-]|\x1b\[[0-9;]*m)*[A-Za-z0-9+/]{2,63}\z)?"#,
        r")?",
    ), &["private-key"]),
    rule("pulumi", &["pul-"], Hex(40), r"(?-u)\bpul-[a-f0-9]{40}", &["pulumi-api-token"]),
    rule("pypi", &["pypi-AgEI"], Token(50), r"(?-u)pypi-AgEI[\w-]{50,1000}", &["pypi-upload-token"]),
    rule("readme", &["rdme_"], Alnum(70), r"(?-u)\brdme_[a-z0-9]{70}", &["readme-api-token"]),
    rule("replicate", &["r8_"], Alnum(37), r"(?-u)\br8_[A-Za-z0-9]{37,}", &[]),
    rule("resend", &["re_"], Token(27), r"(?-u)\bre_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}\b", &[]),
    rule("rubygems", &["rubygems_"], Hex(48), r"(?-u)\brubygems_[a-f0-9]{48}", &["rubygems-api-token"]),
    rule("scalingo", &["tk-us-"], Token(48), r"(?-u)\btk-us-[\w-]{48}", &["scalingo-api-token"]),
    rule("sendgrid", &["SG."], Token(66), r"(?-u)\bSG\.[A-Za-z0-9=_.-]{66}", &["sendgrid-api-token"]),
    rule("sendinblue", &["xkeysib-"], Hex(64), r"(?-u)\bxkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}", &["sendinblue-api-token"]),
    rule("sentry", &["sntrys_", "sntryu_"], Token(64), r"(?-u)\bsntry[su]_[A-Za-z0-9+/=_]{64,}", &["sentry-org-token", "sentry-user-token"]),
    rule("settlemint", &["sm_aat_", "sm_pat_", "sm_sat_"], Alnum(16), r"(?-u)\bsm_[aps]at_[A-Za-z0-9]{16}", &["settlemint-application-access-token", "settlemint-personal-access-token", "settlemint-service-access-token"]),
    rule("shippo", &["shippo_live_", "shippo_test_"], Hex(40), r"(?-u)\bshippo_(?:live|test)_[a-fA-F0-9]{40}", &["shippo-api-token"]),
    rule("shopify", &["shpat_", "shpca_", "shppa_", "shpss_"], Hex(32), r"(?-u)shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", &["shopify-access-token", "shopify-custom-access-token", "shopify-private-app-access-token", "shopify-shared-secret"]),
    rule("slack", &["xoxa", "xoxb", "xoxc", "xoxd", "xoxe", "xoxo", "xoxp", "xoxr", "xoxs"], Token(9), r"(?i-u)xox[abcdeoprs][.-][a-z0-9](?:[a-z0-9.-]|%(?:25)*(?:2[BF]|3D)){6,}(?:[a-z0-9]|%(?:25)*(?:2[BF]|3D))", &["slack-bot-token", "slack-config-access-token", "slack-config-refresh-token", "slack-legacy-bot-token", "slack-legacy-token", "slack-legacy-workspace-token", "slack-user-token"]),
    rule("slack-app", &["xapp-"], Token(6), r"(?i-u)xapp-\d-[a-z0-9]+-\d+-[a-z0-9]+", &["slack-app-token"]),
    rule("slack-webhook", &["hooks.slack.com/"], Any, r"(?-u)hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,})", &["slack-webhook-url"]),
    rule("sonar", &["squ_", "sqp_", "sqa_"], Alnum(40), r"(?-u)\bsq[apu]_[A-Za-z0-9]{40}", &["sonar-api-token"]),
    rule("sourcegraph", &["sgp_"], Token(40), r"(?i-u)\bsgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}", &["sourcegraph-access-token"]),
    rule("square", &["EAAA", "sq0atp-"], Token(22), r"(?-u)\b(?:EAAA|sq0atp-)[\w-]{22,60}\b", &["square-access-token"]),
    rule("stripe", &["sk_test_", "sk_live_", "sk_prod_", "rk_test_", "rk_live_", "rk_prod_", "whsec_"], Token(10), r"(?-u)\b(?:[rs]k_(?:test|live|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})", &["stripe-access-token"]),
    rule("sumologic", &["sumo"], Near, r#"(?i)sumo[^\n]{0,40}?[=:"'\s,>(](su[a-z0-9]{12})\b"#, &["sumologic-access-id"]),
    rule("supabase", &["sbp_"], Hex(40), r"(?-u)\bsbp_[a-f0-9]{40}", &[]),
    rule("tailscale", &["tskey-"], Token(17), r"(?-u)\btskey-[a-z]+-[A-Za-z0-9-]{15,}", &[]),
    rule("tavily", &["tvly-"], Token(20), r"(?-u)\btvly-(?:dev-|prod-)?[A-Za-z0-9]{20,}", &[]),
    led(19, rule("telegram", &[":A"], Token(34), r"(?-u)(?:\b|bot)(\d{5,16}:A[\w-]{34})\b{end-half}", &["telegram-bot-api-token"])),
    rule("twilio", &["SK"], Hex(32), r"(?-u)\bSK[0-9a-fA-F]{32}", &["twilio-api-key"]),
    rule("twitter-bearer", &["twitter"], Near, r#"(?i)twitter[^\n]{0,40}?[=:"'\s,>(](A{22}[a-z0-9%]{80,})"#, &["twitter-bearer-token"]),
    rule("typeform", &["tfp_"], Token(59), r"(?i-u)\btfp_[a-z0-9_.=-]{59}", &["typeform-api-token"]),
    rule("url-password", &["://"], User, r#"://[^\s"'<>/@:]*:([^\s"'<>/]+|[^\s"'<>/@]*[^\d\s"'<>/@][^\s"'<>/@]*/[^\s"'<>@]{0,256})@"#, &["sidekiq-sensitive-url"]),
    rule("vault", &["hvs.", "hvb."], Token(90), r"(?-u)\bhv[sb]\.[\w-]{90,}", &["vault-batch-token", "vault-service-token"]),
    rule("vault-legacy", &["s."], Alnum(24), r"(?-u)\bs\.[A-Za-z0-9]*\d[A-Za-z0-9]*\b", &["vault-service-token"]),
    rule("x-api-key", &["x-api-key"], Any, concat!(r#"(?i-u)x-api-key["']?\s{0,3}[:=]\s{0,3}["']?("#, mixed_16!("[A-Za-z0-9._~+/=-]", r"\d", "[A-Za-z0-9_~+/=-]"), ")"), &[]),
    rule("xai", &["xai-"], Alnum(70), r"(?-u)\bxai-[A-Za-z0-9]{70,}", &[]),
    rule("yandex", &["AQVN", "t1."], Token(35), r"(?-u)\b(?:AQVN[A-Za-z0-9_-]{35,38}|t1\.[A-Za-z0-9_-]+={0,2}\.[A-Za-z0-9_-]{86}={0,2})", &["yandex-access-token", "yandex-api-key"]),
    rule("yandex-aws", &["yandex"], Near, r#"(?i)yandex[^\n]{0,40}?[=:"'\s,>(](YC[a-z0-9_-]{38})"#, &["yandex-aws-access-token"]),

    at(Personal, led(64, rule("email", &["@"], Domain, r"(?-u)[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}\b", &[]))),
    at(Personal, led(64, rule("email-in-url", &["%40"], Domain, r"(?-u)[A-Za-z0-9._%+-]{1,64}%40[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}\b", &[]))),
    at(Personal, rule("user", &["/home/", "/Users/", r"\Users", r"\home"], Any, r#"(?:/home/|/Users/|\\(?i:Users|home)\\{1,4})([^\s/\\"'`:;,<>|*?(){}\[\]$]+)"#, &[])),
    at(Personal, rule("user-in-name", &["-home-", "-Users-"], Token(1), r"(?i-u)-(?:home|Users)-([A-Za-z0-9_.]+)", &[])),
    at(Personal, rule("user-in-url", &["%2Fhome%", "%2fhome%", "%5Chome%", "%5chome%", "%2FUsers%", "%2fUsers%", "%5CUsers%", "%5cUsers%"], Any, r"(?-u)%(?:2[Ff]|5[Cc])(?:home|Users)%(?:2[Ff]|5[Cc])((?:[A-Za-z0-9_.~+-]|%20)+)", &[])),
    // Only before a separator: otherwise these may be the next words of a sentence.
    at(Personal, rule("user-with-space", &["/Users/", r"\Users"], Any, r#"(?:/Users/|\\(?i:Users)\\{1,4})([^\s/\\"'`:;,<>|*?(){}\[\]$]{1,40}(?:\\{0,4} [^\s/\\"'`:;,<>|*?(){}\[\]$]{1,40}){1,3})[/\\]"#, &[])),

    at(All, led(3, rule("ipv4", &["#.##", "#.#."], Quad, r"(?-u)\b(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\b", &[]))),
    at(All, led(4, rule("ipv6", &["^:^^", "^:^:", "^::^"], Groups, r"(?i-u)\b(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b|\b[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,5}::[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,5}\b|\b(?:[0-9a-f]{1,4}:){2,7}:", &[]))),
];
