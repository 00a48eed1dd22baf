//! `[mail]`.

use super::EffectTime::AfterRestart;
use super::KeyKind::{Other, Text, Texts, Word, Words};
use super::{ConfigTable, is, needed, without};
use crate::config::mail;

pub(super) const MAIL: ConfigTable = ConfigTable {
    header: "[mail]",
    about: "Mail to people who approve: a notice of what waits for them, and a digest once a day. No mail has arguments or results \
         in it; links lead to the console at `public_url`.",
    accepted: mail::KEYS,
    keys: &[
        needed(
            "smtp",
            Other("host and port, or a URL"),
            "The server that takes mails: `smtp.example.com:587`, `smtp://…` or `smtps://…`.",
        ),
        without(
            "tls",
            Word(&["required", "starttls", "none"]),
            "`required` for `smtps://` and port 465, else `starttls`",
            "`required` encrypts from the start, `starttls` before anything else is said; `none` is for servers on this machine alone.",
        ),
        without("user", Text, "none", "The name to sign in with."),
        without(
            "password",
            Text,
            "none",
            "The password to sign in with; keep it in the environment: `${SMTP_PASSWORD}`.",
        ),
        needed("from", Text, "The sender: `gate@example.com` or `Toolgate <gate@example.com>`."),
        needed("to", Texts, "Whom mails go to, at most 20 addresses. Each gets its own mail."),
        is(
            "notices",
            Words(&["approvals", "questions", "servers", "reviews"]),
            "[\"approvals\", \"questions\", \"servers\", \"reviews\"]",
            "What a mail is sent about at once: calls that wait for approval, questions and actions that wait for a person, servers that \
                 are degraded, tools that wait for a review.",
        ),
        without(
            "digest_at",
            Other("a time of day such as `08:00`"),
            "no digest",
            "When a digest of the last day is sent: calls, failures, refusals, what waits, what changed. None is sent on a day without any.",
        ),
        is(
            "timezone",
            Text,
            "\"UTC\"",
            "The time zone of `digest_at`, by its IANA name such as `Europe/Berlin`.",
        ),
    ],
    changes: AfterRestart,
    least: "[mail]\nsmtp = \"smtp.example.com\"\nfrom = \"gate@example.com\"\nto = [\"approvers@example.com\"]\n",
    example: "[mail]\nsmtp = \"smtp.example.com:587\"\nuser = \"gate\"\npassword = \"${SMTP_PASSWORD:-none}\"\n\
              from = \"Toolgate <gate@example.com>\"\nto = [\"approvers@example.com\"]\nnotices = [\"approvals\"]\n\
              digest_at = \"08:00\"\ntimezone = \"Europe/Berlin\"\n",
};
