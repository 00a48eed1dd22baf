//! Every key of the file, for the reference: its type, its default and its meaning. The lists of keys are the
//! parser's own, so a key without a line here fails a test.

mod agents;
mod bytes;
mod engine;
mod filters;
mod governance;
mod mail;
mod models;
mod registry;
mod servers;
mod top;

mod tests;

/// One table of the file.
pub(crate) struct ConfigTable {
    /// As in the file: `[limits]`, `[[servers]]`; the top of the file has none.
    pub(crate) header: &'static str,
    pub(crate) about: &'static str,
    /// The keys that the parser accepts.
    pub(crate) accepted: &'static [&'static str],
    pub(crate) keys: &'static [ConfigKey],
    pub(crate) changes: EffectTime,
    /// The least that makes a table of this kind.
    pub(crate) least: &'static str,
    /// A whole table that differs from the defaults.
    pub(crate) example: &'static str,
}

/// The time when a change to a table takes effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EffectTime {
    WhileRunning,
    AfterRestart,
}

pub(crate) struct ConfigKey {
    pub(crate) name: &'static str,
    pub(crate) kind: KeyKind,
    pub(crate) fallback: KeyDefault,
    pub(crate) meaning: &'static str,
}

pub(crate) enum KeyKind {
    Text,
    Texts,
    Flag,
    Count,
    Seconds,
    Days,
    Bytes,
    Path,
    Url,
    Rate,
    Moment,
    /// A table of texts.
    Map,
    /// A table with its own keys, or several.
    Table(&'static str),
    Word(&'static [&'static str]),
    /// One of these words, each with its meaning.
    Meant(&'static [(&'static str, &'static str)]),
    Words(&'static [&'static str]),
    /// Something else, in words.
    Other(&'static str),
}

/// The default if the key is missing.
pub(crate) enum KeyDefault {
    /// This very value, as it would be written.
    Is(&'static str),
    /// In words.
    Means(&'static str),
    Needed,
}

pub(crate) const TABLES: &[&ConfigTable] = &[
    &top::TOP,
    &governance::STORE,
    &governance::POLICY,
    &governance::APPROVALS,
    &governance::VALIDATION,
    &governance::LEDGER,
    &governance::ARCHIVE,
    &governance::CHECKPOINTS,
    &governance::REDACT,
    &governance::QUOTAS,
    &filters::FILTERS,
    &governance::TOOLS,
    &governance::TOOL_FILES,
    &governance::WEBHOOKS,
    &governance::METERING,
    &governance::OTLP,
    &mail::MAIL,
    &registry::OAUTH,
    &registry::VAULT,
    &registry::SECRETS,
    &registry::OPENBAO,
    &registry::NETWORK,
    &registry::REGISTRY,
    &registry::ALIASES,
    &agents::CAPABILITIES,
    &agents::AGENTS,
    &agents::MOUNTS,
    &agents::LIMITS,
    &models::MODELS,
    &models::PRICES,
    &models::LIMITS,
    &bytes::SEARCH,
    &engine::ENGINE,
    &bytes::FILES,
    &bytes::RESULTS,
    &bytes::RUNS,
    &bytes::AGENT_LOOP,
    &bytes::SUBSTRATE,
    &bytes::INDEX,
    &bytes::KNOWLEDGE,
    &bytes::CONSOLE,
    &bytes::OIDC,
    &top::LIMITS,
    &servers::SANDBOX,
    &servers::SHIPPED,
    &servers::SHIPPED_ONE,
    &servers::SERVERS,
    &servers::FILTER,
    &servers::OAUTH,
    &servers::PUBLISHED,
    &servers::NETWORK,
    &servers::OPENINGS,
];

const fn is(name: &'static str, kind: KeyKind, value: &'static str, meaning: &'static str) -> ConfigKey {
    ConfigKey { name, kind, fallback: KeyDefault::Is(value), meaning }
}

const fn without(name: &'static str, kind: KeyKind, means: &'static str, meaning: &'static str) -> ConfigKey {
    ConfigKey { name, kind, fallback: KeyDefault::Means(means), meaning }
}

const fn needed(name: &'static str, kind: KeyKind, meaning: &'static str) -> ConfigKey {
    ConfigKey { name, kind, fallback: KeyDefault::Needed, meaning }
}
