//! `[[filters]]`.

use super::Changes::WhileRunning;
use super::Kind::{Text, Texts, Word, Words};
use super::{Table, is, needed, without};
use crate::config::filters;

/// The names of kinds, which a test holds against what the parser knows.
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

pub(super) const FILTERS: Table = Table {
    header: "[[filters]]",
    about: "What must not go out in arguments or come in with results. All filters that fit a tool apply. \
            `toolgate filters test` says what they would have done to the last calls.",
    accepted: &filters::KEYS,
    keys: &[
        needed("name", Text, "Stands wherever something is masked, in refusals, and in the ledger."),
        is(
            "on",
            Word(&["arguments", "results", "both"]),
            "\"both\"",
            "What is looked through: what goes to servers, what comes back, or both. With `ask` it is `arguments`.",
        ),
        is(
            "tools",
            Texts,
            "[\"*\"]",
            "Patterns over canonical names: `*` stands for any characters, `?` for one.",
        ),
        without(
            "match",
            Text,
            "`kinds` alone",
            "A regular expression. It takes time that grows with the text and not faster, so look-around and back \
             references are not known.",
        ),
        without(
            "kinds",
            Words(KINDS),
            "`match` alone",
            "Kinds of personal data and of secrets, with their check digits where they have any. One of `match` and \
             `kinds` must be there.",
        ),
        needed(
            "action",
            Word(&["mask", "block", "ask"]),
            "Puts `[masked: NAME]` in its place; refuses the call or withholds the result; or asks a person before the \
             call is sent.",
        ),
        without(
            "approvers",
            Texts,
            "anybody who may approve",
            "Groups of which somebody must agree, with `ask`.",
        ),
    ],
    changes: WhileRunning,
    least: "[[filters]]\nname = \"f\"\nkinds = [\"card\"]\naction = \"mask\"\n",
    example: "[[filters]]\nname = \"no personal data in tickets\"\non = \"arguments\"\ntools = [\"tickets:*\"]\n\
              kinds = [\"personal\"]\nmatch = '(?i)customer-\\d{6}'\naction = \"ask\"\napprovers = [\"privacy\"]\n",
};
