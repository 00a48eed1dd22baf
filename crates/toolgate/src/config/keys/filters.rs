//! `[[filters]]`.

use super::EffectTime::WhileRunning;
use super::KeyKind::{Text, Texts, Word, Words};
use super::{ConfigTable, is, needed, without};
use crate::config::filters;

/// The names of kinds, which a test compares with the parser's.
const KINDS: &[&str] = &[
    "card",
    "iban",
    "email",
    "phone",
    "ssn",
    "aws_key",
    "private_key",
    "jwt",
    "bearer_token",
    "basic_auth",
    "url_password",
    "github_token",
    "gitlab_token",
    "slack_token",
    "google_key",
    "azure_key",
    "stripe_key",
    "webhook_secret",
    "model_key",
    "huggingface_token",
    "npm_token",
    "pypi_token",
    "sendgrid_key",
    "digitalocean_token",
    "vault_token",
    "shopify_token",
    "databricks_token",
    "linear_key",
    "atlassian_token",
    "age_key",
    "toolgate_token",
    "personal",
    "secrets",
];

pub(super) const FILTERS: ConfigTable = ConfigTable {
    header: "[[filters]]",
    about: "Content that must not go out in arguments or come in with results. All filters that match a tool apply. \
         `toolgate filters test` shows what they would have done to recent calls.",
    accepted: filters::KEYS,
    keys: &[
        needed(
            "name",
            Text,
            "The name that appears wherever something is masked, in refusals, and in the ledger.",
        ),
        is(
            "on",
            Word(&["arguments", "results", "both"]),
            "\"both\"",
            "What is searched: the arguments that go to servers, the results that come back, or both. With `ask` it is \
                 `arguments`.",
        ),
        is(
            "tools",
            Texts,
            "[\"*\"]",
            "Patterns for canonical names: `*` matches any characters, `?` matches one.",
        ),
        without(
            "match",
            Text,
            "`kinds` alone",
            "A regular expression. Matching takes linear time, so look-around and back-references are not supported.",
        ),
        without(
            "kinds",
            Words(KINDS),
            "`match` alone",
            "Kinds of personal data and of secrets, with their check digits where they have any. One of `match` and \
                 `kinds` is required.",
        ),
        needed(
            "action",
            Word(&["mask", "block", "ask"]),
            "`mask` replaces the match with `[masked: NAME]`; `block` refuses the call or withholds the result; `ask` \
                 asks a person before the call is sent.",
        ),
        without(
            "approvers",
            Texts,
            "anyone who may approve",
            "Groups from which one person must agree, with `ask`.",
        ),
    ],
    changes: WhileRunning,
    least: "[[filters]]\nname = \"f\"\nkinds = [\"card\"]\naction = \"mask\"\n",
    example: "[[filters]]\nname = \"no personal data in tickets\"\non = \"arguments\"\ntools = [\"tickets:*\"]\n\
              kinds = [\"personal\"]\nmatch = '(?i)customer-\\d{6}'\naction = \"ask\"\napprovers = [\"privacy\"]\n",
};
