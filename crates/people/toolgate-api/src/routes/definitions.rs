//! The common parts of agent definitions and capabilities: their source, and their problems.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolgate_core::codes::{self, Code};
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::scope::Scope;
use toolgate_discovery::UnmatchedRule;
use toolgate_registry::{CurrentSetting, DefinitionKind, DefinitionSource, DefinitionsInForce};
use utoipa::ToSchema;

use crate::ApiContext;
use crate::blocking::run_blocking;
use crate::problem::{ApiResult, Problem};
use crate::similar::{hint_of, nearest};

/// The definitions in effect, and the setting behind a change of one.
pub(super) struct KnownDefinitions {
    pub(super) setting: CurrentSetting,
    pub(super) defined: Arc<DefinitionsInForce>,
}

impl KnownDefinitions {
    pub(super) async fn read(context: &ApiContext, setting: &str) -> ApiResult<Self> {
        let setting = context.registry.records().setting(setting).await?;
        Ok(Self { setting, defined: context.registry.defined() })
    }

    /// A definition as the settings have it, if it comes from there.
    pub(super) fn written<T: DeserializeOwned>(
        &self,
        source: Option<DefinitionSource>,
        name: &str,
    ) -> Option<T> {
        (source == Some(DefinitionSource::Settings)).then(|| written(&self.setting, name)).flatten()
    }
}

/// A rule that matches no tool: a mistake, or its server is not available
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Warning {
    #[schema(value_type = String, example = "pattern_unmatched")]
    code: &'static Code,
    message: String,
    /// The place of the rule.
    #[schema(example = "capability \"git\": tools")]
    place: String,
    #[schema(example = "githup:*")]
    pattern: String,
}

impl From<UnmatchedRule> for Warning {
    fn from(unmatched: UnmatchedRule) -> Self {
        let UnmatchedRule { place, pattern } = unmatched;
        let message = format!("{place}: no tool fits `{pattern}`");
        Self { code: &codes::PATTERN_UNMATCHED, message, place, pattern }
    }
}

/// Rules of a scope that match nothing.
pub(super) async fn warnings(context: &ApiContext, scope: Scope) -> Vec<Warning> {
    let context = context.clone();
    let unmatched = run_blocking(move || context.discovery.unmatched(&scope)).await;
    unmatched.into_iter().map(Warning::from).collect()
}

/// The source of a definition.
pub(super) fn source_word(source: Option<DefinitionSource>) -> &'static str {
    match source {
        Some(DefinitionSource::File) => "file",
        Some(DefinitionSource::Settings) => "settings",
        None => "built_in",
    }
}

/// The parts of a definition without effect.
pub(super) fn problems(defined: &DefinitionsInForce, kind: DefinitionKind, name: &str) -> Vec<String> {
    let own = defined.problems.iter().filter(|one| one.kind == kind && one.name == name);
    own.map(ToString::to_string).collect()
}

/// A definition as written in its setting, for an editor to read before a change. `None` if it cannot be
/// read.
fn written<T: DeserializeOwned>(setting: &CurrentSetting, name: &str) -> Option<T> {
    let entries = setting.value.as_array()?.iter();
    let mut own = entries.filter(|entry| entry.get("name").and_then(Value::as_str) == Some(name));
    T::deserialize(own.next()?).ok()
}

/// The address names the definition. The body may repeat the name.
pub(super) fn same_name(address: &str, body: Option<&str>) -> ApiResult<()> {
    match body {
        Some(name) if name != address => {
            let detail = format!("field `name`: {name:?} is not {address:?}, which the address names");
            Err(Problem::bad_field(&codes::NAME_DIFFERS, "name", detail))
        }
        _ => Ok(()),
    }
}

/// A level of care that a body names.
pub(super) fn template(name: Option<&str>) -> ApiResult<Option<PolicyTemplate>> {
    let Some(name) = name else { return Ok(None) };
    let detail = format!("there is no policy template {name:?}");
    let unknown = || {
        Problem::bad_field(&codes::UNKNOWN_TEMPLATE, "policy_template", detail)
            .hint(hint_of(name, &PolicyTemplate::NAMES))
    };
    PolicyTemplate::parse(name).map(Some).ok_or_else(unknown)
}

/// A hint for an unknown name.
pub(super) fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    match nearest(name, known) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => otherwise.to_owned(),
    }
}
