//! Parameters of an operation, with those of its path.

use serde_json::Value;

use crate::plan::{ParameterPlace, ParameterStyle, PathTemplate, ValueForm};
use crate::reference::{DocumentSet, Spot, reference_of};
use crate::security::{SecretParameter, SecretPlace, SecurityScheme, is_secret};

/// A parameter as the document declares it.
pub(super) struct DeclaredParameter<'d> {
    pub(super) name: String,
    pub(super) place: ParameterPlace,
    pub(super) required: bool,
    pub(super) form: ValueForm,
    /// Nothing for a parameter that is only named, as in a path.
    pub(super) schema: Option<Spot<'d>>,
    pub(super) description: &'d str,
    pub(super) deprecated: bool,
}

/// Parameters that become arguments, those that every request has, and those that are secrets.
#[derive(Default)]
pub(super) struct DeclaredParameters<'d> {
    pub(super) arguments: Vec<DeclaredParameter<'d>>,
    pub(super) fixed: Vec<(String, String)>,
    pub(super) secrets: Vec<SecretParameter>,
}

/// Headers that are not parameters, whatever a document says.
const OWN_HEADERS: [&str; 5] = ["accept", "content-type", "content-length", "host", "cookie"];

/// The parameters in the order of their places. An operation's own replace those of its path.
pub(super) fn declared<'d>(
    set: &'d DocumentSet,
    schemes: &[SecurityScheme],
    path: &PathTemplate,
    owners: [Spot<'d>; 2],
) -> Result<DeclaredParameters<'d>, String> {
    let mut all: Vec<DeclaredParameter<'d>> = Vec::new();
    for owner in owners {
        let listed = owner.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
        for value in listed {
            let Some(parameter) = parameter(set, Spot { part: owner.part, value })? else { continue };
            all.retain(|known| known.place != parameter.place || known.name != parameter.name);
            all.push(parameter);
        }
    }
    let names = path.names();
    all.retain(|known| known.place != ParameterPlace::Path || names.contains(&known.name.as_str()));
    for name in names {
        if !all.iter().any(|known| known.place == ParameterPlace::Path && known.name == name) {
            all.push(unsaid(name));
        }
    }
    all.sort_by_key(|parameter| parameter.place);
    Ok(apart(all, schemes))
}

fn apart<'d>(all: Vec<DeclaredParameter<'d>>, schemes: &[SecurityScheme]) -> DeclaredParameters<'d> {
    let mut parameters = DeclaredParameters::default();
    for parameter in all {
        let place = match parameter.place {
            ParameterPlace::Path => None,
            ParameterPlace::Query => Some(SecretPlace::Query),
            ParameterPlace::Header => Some(SecretPlace::Header),
            ParameterPlace::Cookie => Some(SecretPlace::Cookie),
        };
        let secret = place.filter(|place| is_secret(schemes, *place, &parameter.name, parameter.description));
        match secret {
            Some(place) => {
                let (name, required) = (parameter.name, parameter.required);
                parameters.secrets.push(SecretParameter { place, name, required });
            }
            None if parameter.place == ParameterPlace::Header && is_own_header(&parameter.name) => {
                parameters.fixed.extend(fixed(&parameter));
            }
            None => parameters.arguments.push(parameter),
        }
    }
    parameters
}

fn is_own_header(name: &str) -> bool {
    OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Some servers answer only if they are told the media type that they say themselves.
fn fixed(parameter: &DeclaredParameter<'_>) -> Option<(String, String)> {
    let is_type = ["accept", "content-type"].iter().any(|name| name.eq_ignore_ascii_case(&parameter.name));
    let schema = parameter.schema.map(|spot| spot.value);
    let said = |key: &str| schema.and_then(|schema| schema.get(key));
    let value = said("default").or_else(|| said("enum")?.get(0)).or_else(|| said("example"));
    let value = value.and_then(Value::as_str).unwrap_or("application/json");
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    (is_type && parameter.required && is_plain).then(|| (parameter.name.clone(), value.to_owned()))
}

/// A template that no parameter describes.
fn unsaid<'d>(name: &str) -> DeclaredParameter<'d> {
    DeclaredParameter {
        name: name.to_owned(),
        place: ParameterPlace::Path,
        required: true,
        form: styled(ParameterPlace::Path, &Value::Null),
        schema: None,
        description: "",
        deprecated: false,
    }
}

fn parameter<'d>(set: &'d DocumentSet, spot: Spot<'d>) -> Result<Option<DeclaredParameter<'d>>, String> {
    let Some(found) = set.follow(spot) else {
        let reference = reference_of(spot.value).unwrap_or_default();
        return Err(format!("the reference {reference:?} to a parameter leads nowhere"));
    };
    let text = |key: &str| found.value.get(key).and_then(Value::as_str);
    let (Some(name), Some(place)) = (text("name"), text("in")) else { return Ok(None) };
    let place = match place {
        "path" => ParameterPlace::Path,
        "query" => ParameterPlace::Query,
        "header" => ParameterPlace::Header,
        "cookie" => ParameterPlace::Cookie,
        _ => return Ok(None),
    };
    let flag = |key: &str| found.value.get(key).and_then(Value::as_bool).unwrap_or(false);
    let (form, schema) = form(found, place);
    Ok(Some(DeclaredParameter {
        name: name.to_owned(),
        place,
        required: place == ParameterPlace::Path || flag("required"),
        form,
        schema,
        description: text("description").unwrap_or_default(),
        deprecated: flag("deprecated"),
    }))
}

fn form(parameter: Spot<'_>, place: ParameterPlace) -> (ValueForm, Option<Spot<'_>>) {
    let part = parameter.part;
    let content = parameter.value.get("content").and_then(Value::as_object);
    if let Some((_, media)) = content.and_then(|content| content.iter().next()) {
        let schema = media.get("schema").map(|value| Spot { part, value });
        return (ValueForm::Json, schema);
    }
    let schema = parameter.value.get("schema").map(|value| Spot { part, value });
    (styled(place, parameter.value), schema)
}

/// The style that a parameter names, or the one of its place.
fn styled(place: ParameterPlace, parameter: &Value) -> ValueForm {
    let usual = match place {
        ParameterPlace::Path | ParameterPlace::Header => ParameterStyle::Simple,
        ParameterPlace::Query | ParameterPlace::Cookie => ParameterStyle::Form,
    };
    let style = parameter.get("style").and_then(Value::as_str).and_then(ParameterStyle::parse);
    let style = style.unwrap_or(usual);
    let explode = parameter.get("explode").and_then(Value::as_bool);
    let explode = explode.unwrap_or(style == ParameterStyle::Form);
    let allow_reserved = parameter.get("allowReserved").and_then(Value::as_bool).unwrap_or(false);
    ValueForm::Styled { style, explode, allow_reserved }
}
