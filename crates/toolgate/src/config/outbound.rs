//! `[[webhooks]]`, `[metering]` and `[otlp]`: the receivers of events.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use toolgate_core::event::EventKind;

use super::policy::groups;
use super::problem::ConfigProblems;
use super::reference::VaultReferences;
use super::section::{ConfigSection, Located, require};
use super::value::{OwnHeaders, ReadContext, UrlForm};

pub(super) const WEBHOOKS_KEYS: &[&str] =
    &["name", "url", "secret", "events", "groups", "persons", "decisions"];
pub(super) const METERING_KEYS: &[&str] = &["url", "file", "secret"];
pub(super) const OTLP_KEYS: &[&str] = &["endpoint", "headers", "service_name"];

const NAME_CHARS_MAX: usize = 64;
const SERVICE_NAME: &str = "toolgate";
const WEBHOOK_EVENTS: [EventKind; 2] = [EventKind::ApprovalRequested, EventKind::ApprovalResolved];

const WEBHOOK_URL: UrlForm = UrlForm {
    expected: "an address such as `https://example.com/hook`",
    instead_of_password: "the receiver knows the gateway by the signature that `secret` makes",
};
const OTLP_URL: UrlForm = UrlForm {
    expected: "the address of a collector, such as `http://127.0.0.1:4318`",
    instead_of_password: "put the credentials into `headers.Authorization`",
};
const OTLP_OWN_HEADERS: OwnHeaders = OwnHeaders {
    names: &["connection", "content-encoding", "content-length", "content-type", "transfer-encoding"],
    expected: "a header that OTLP itself does not use",
    vault: VaultReferences::Refused,
};

/// A receiver of events that may also send decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WebhookConfig {
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) secret: String,
    pub(crate) events: Vec<EventKind>,
    /// The groups that incoming decisions count for.
    pub(crate) groups: Vec<String>,
    /// The persons who may decide through it, each with their own vote; otherwise all incoming votes count as
    /// one.
    pub(crate) persons: Option<Vec<String>>,
    pub(crate) decisions: bool,
}

/// The targets of meter events; at least one of the two is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeteringSettings {
    pub(crate) url: Option<String>,
    /// Absolute.
    pub(crate) file: Option<PathBuf>,
    /// Present whenever there is a URL.
    pub(crate) secret: Option<String>,
}

/// The target of spans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OtlpSettings {
    pub(crate) endpoint: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) service_name: String,
}

pub(super) fn read_webhooks(
    sections: Vec<ConfigSection<'_>>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Vec<WebhookConfig> {
    let mut read: Vec<(WebhookConfig, Range<usize>)> = Vec::new();
    for section in sections {
        let Some((webhook, span)) = read_webhook(section, ctx, problems) else { continue };
        if read.iter().any(|(other, _)| other.name == webhook.name) {
            let what = format!("two webhooks are named {:?}", webhook.name);
            let hint = format!("rename one of them, for example to {:?}", format!("{}-2", webhook.name));
            problems.add(span.clone(), what, "a name that no other webhook has", hint);
        }
        read.push((webhook, span));
    }
    read.into_iter().map(|(webhook, _)| webhook).collect()
}

fn read_webhook(
    mut section: ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<(WebhookConfig, Range<usize>)> {
    match section.string("name", &mut ConfigProblems::default()) {
        Some(name) => section.rename(format!("webhook {:?}", name.value)),
        None => section.rename("a webhook".into()),
    }
    section.refuse_unknown_keys(WEBHOOKS_KEYS, &[], problems);
    for (key, example) in WEBHOOK_NEEDS {
        require(&section, key, example, problems);
    }
    let values = ctx.values(&section);
    let name = section.string("name", problems).and_then(|name| checked_name(name, problems));
    let url = values.url("url", &WEBHOOK_URL, problems);
    let secret = values.secret("secret", problems);
    let events = section.words("events", &event_names(), "`toolgate.example.toml` shows them", problems);
    let decisions = section.boolean("decisions", problems).is_some_and(|decisions| decisions.value);
    let groups = groups(&section, "groups", problems).unwrap_or_default();
    let persons = persons(&section, problems);
    let idle = [("groups", !groups.is_empty()), ("persons", persons.is_some())];
    for (key, _) in idle.into_iter().filter(|(_, is_given)| !decisions && *is_given) {
        refuse_idle(&section, key, problems);
    }
    let name = name?;
    let events = events.unwrap_or_else(|| WEBHOOK_EVENTS.to_vec());
    let name_span = name.span;
    let (name, url, secret) = (name.value, url?, secret?);
    let webhook = WebhookConfig { name, url, secret, events, groups, persons, decisions };
    Some((webhook, name_span))
}

const WEBHOOK_NEEDS: [(&str, &str); 3] =
    [("name", "\"slack\""), ("url", "\"https://example.com/hook\""), ("secret", "\"${WEBHOOK_SECRET}\"")];

fn event_names() -> Vec<(&'static str, EventKind)> {
    EventKind::ALL.iter().map(|kind| (kind.as_str(), *kind)).collect()
}

fn checked_name(name: Located<&str>, problems: &mut ConfigProblems) -> Option<Located<String>> {
    let text = name.value;
    let fits = !text.is_empty() && text.len() <= NAME_CHARS_MAX;
    if fits && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return Some(Located { value: text.to_owned(), span: name.span });
    }
    let hint = "it stands in the ledger and in the address that decisions are sent to";
    let what = format!("a webhook cannot be named {text:?}");
    problems.add(name.span, what, "1 to 64 letters, digits, `-` and `_`", hint);
    None
}

/// `None` if the key is missing.
fn persons(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<Vec<String>> {
    section.key_span("persons")?;
    let mut persons = Vec::new();
    for person in section.strings("persons", problems) {
        if person.value.trim() == person.value && !person.value.is_empty() {
            persons.push(person.value.to_owned());
            continue;
        }
        let what = format!("{:?} in `persons` in {} is not a name", person.value, section.title());
        let hint = "names as `toolgate token create --principal` gives them; `[]` is no one";
        problems.add(person.span, what, "names of persons", hint);
    }
    Some(persons)
}

fn refuse_idle(section: &ConfigSection<'_>, key: &str, problems: &mut ConfigProblems) {
    let span = section.key_span(key).expect("what was read was written");
    let what = format!("`{key}` in {}, which may not send decisions in", section.title());
    let hint = format!("add `decisions = true`, or remove `{key}`");
    problems.add(span, what, format!("`{key}` only beside `decisions = true`"), hint);
}

/// `None` if a problem was added.
pub(super) fn read_metering(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<MeteringSettings> {
    section.refuse_unknown_keys(METERING_KEYS, &[], problems);
    if section.key_span("url").is_none() && section.key_span("file").is_none() {
        let hint = "add `url = \"https://…\"` or `file = \"meter.jsonl\"`, or remove the table";
        let what = "`[metering]` has neither `url` nor `file`";
        problems.add(section.span.clone(), what, "somewhere to send meter events", hint);
        return None;
    }
    if let (Some(span), None) = (section.key_span("url"), section.key_span("secret")) {
        let hint = "add `secret = \"${METER_SECRET}\"`; the receiver verifies the events with it";
        problems.add(span, "`[metering]` has a `url` but no `secret`", "a secret to sign with", hint);
    }
    let values = ctx.values(section);
    let file = ctx.places(section).path("file", ctx.folder, problems);
    Some(MeteringSettings {
        url: values.url("url", &WEBHOOK_URL, problems),
        file: file.map(|file| file.value),
        secret: values.secret("secret", problems),
    })
}

/// `None` if a problem was added.
pub(super) fn read_otlp(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<OtlpSettings> {
    section.refuse_unknown_keys(OTLP_KEYS, &[], problems);
    require(section, "endpoint", "\"http://127.0.0.1:4318\"", problems);
    let values = ctx.values(section);
    let endpoint = values.url("endpoint", &OTLP_URL, problems);
    let headers = values.headers(&OTLP_OWN_HEADERS, problems);
    let service_name = section.string("service_name", problems).map(|name| name.value);
    let service_name = service_name.unwrap_or(SERVICE_NAME).to_owned();
    Some(OtlpSettings { endpoint: endpoint?, headers, service_name })
}
