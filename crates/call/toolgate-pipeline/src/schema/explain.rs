//! From the validator's errors to problems that a caller can act on.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::{Map, Value};

use super::compile::UsableSchema;
use super::cost::SchemaDocument;
use super::formats;
use super::similar::nearest;
use super::words::{alternatives, choices, counted, described, found, shortened, type_name, type_names};
use super::{PROBLEMS_MAX, SchemaProblem};
use crate::canonical::escape_step;
use crate::redact::{holds_credential, is_secret_key};

/// The number of forms of a `oneOf` or `anyOf` that are explained separately.
const FORMS_MAX: usize = 4;
/// The number of characters of a pattern or a schema that are quoted.
const QUOTE_CHARS_MAX: usize = 120;
/// Known names that are listed for an unknown one.
const NAMES_MAX: usize = 12;
/// The maximum depth of branches within branches that are explained.
const BRANCHES_DEEP_MAX: usize = 8;

/// Every problem of a value that is known not to fit.
pub(super) fn problems(usable: &UsableSchema, value: &Value) -> Vec<SchemaProblem> {
    if !usable.document.can_explain(value) {
        return vec![at(
            "",
            "got a value that is too intricate to say where it differs",
            "a value that fits the schema",
        )];
    }
    let explainer = Explainer { document: &usable.document, branches_left: BRANCHES_DEEP_MAX };
    let mut problems: Vec<SchemaProblem> = Vec::new();
    let mut more = 0;
    for error in usable.errors(value) {
        let room = PROBLEMS_MAX - problems.len();
        // Explaining compares names with names, which adds up; problems beyond the limit are only counted.
        let mut next = if room > 0 { explainer.explain(&error) } else { Vec::new() };
        let count = next.len().max(count(&error));
        next.truncate(room);
        more += count - next.len();
        problems.append(&mut next);
    }
    if more > 0 {
        problems.push(at("", &format!("and {}", counted(more, "more problem", "more problems")), ""));
    }
    problems
}

/// The minimum number of problems behind an error.
fn count(error: &ValidationError<'_>) -> usize {
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.len()
        }
        _ => 1,
    }
}

fn at(path: &str, problem: &str, expected: &str) -> SchemaProblem {
    SchemaProblem {
        path: path.to_owned(),
        problem: problem.to_owned(),
        expected: expected.to_owned(),
        hint: None,
    }
}

#[derive(Clone, Copy)]
struct Explainer<'a> {
    document: &'a SchemaDocument,
    branches_left: usize,
}

impl<'a> Explainer<'a> {
    fn explain(self, error: &ValidationError<'_>) -> Vec<SchemaProblem> {
        match error.kind() {
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                unexpected.iter().take(PROBLEMS_MAX).map(|name| self.unknown(error, name)).collect()
            }
            Kind::Required { property } => vec![self.missing(error, property.as_str().unwrap_or_default())],
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => self.no_form(error, context),
            Kind::Enum { options } => {
                vec![choice(error, options.as_array().map_or(&[], Vec::as_slice))]
            }
            Kind::Constant { expected_value } => vec![choice(error, std::slice::from_ref(expected_value))],
            Kind::Type { kind } => vec![wrong_type(error, kind)],
            kind => vec![other(error, kind)],
        }
    }

    fn missing(self, error: &ValidationError<'_>, name: &str) -> SchemaProblem {
        let node = parent(error.schema_path().as_str());
        let property = self.document.resolved(&format!("{node}/properties/{}", escape_step(name)));
        let path = format!("{}/{}", error.instance_path().as_str(), escape_step(name));
        let mut problem = at(&path, "got nothing; it is required", &described(property));
        let known = self.properties(error);
        let given = error.instance().as_object().into_iter().flat_map(Map::keys);
        let unknown = given.filter(|key| known.is_none_or(|known| !known.contains_key(*key)));
        let similar = nearest(name, unknown.map(String::as_str));
        problem.hint = similar.map(|given| format!("`{given}` was given; did you mean `{name}`?"));
        problem
    }

    fn unknown(self, error: &ValidationError<'_>, name: &str) -> SchemaProblem {
        let path = format!("{}/{}", error.instance_path().as_str(), escape_step(name));
        let known = || self.properties(error).into_iter().flat_map(Map::keys).map(String::as_str);
        let value = error.instance().get(name).map_or_else(|| "it".to_owned(), |value| shown(&path, value));
        let mut problem = at(&path, &format!("got {value}"), &no_such_name(known()));
        let free = known().filter(|known| error.instance().get(known).is_none());
        problem.hint = nearest(name, free).map(|known| format!("did you mean `{known}`?"));
        problem
    }

    /// The properties of the schema behind an error.
    fn properties(self, error: &ValidationError<'_>) -> Option<&'a Map<String, Value>> {
        let node = self.document.schema.pointer(parent(error.schema_path().as_str()))?;
        node.get("properties")?.as_object()
    }

    /// None of the forms fits. If only one can have been meant, only its problems matter.
    fn no_form(
        self,
        error: &ValidationError<'_>,
        forms: &[Vec<ValidationError<'static>>],
    ) -> Vec<SchemaProblem> {
        let Some(branches_left) = self.branches_left.checked_sub(1) else {
            return vec![got(error, "a value that fits one of its forms")];
        };
        let inner = Explainer { branches_left, ..self };
        let path = error.instance_path().as_str();
        let meant = meant(path, forms);
        match meant.as_slice() {
            [] => vec![got(error, &own_types(path, forms))],
            [only] => only.iter().take(PROBLEMS_MAX).flat_map(|error| inner.explain(error)).collect(),
            several => vec![got(error, &Explainer { branches_left: 0, ..self }.forms(path, several))],
        }
    }

    /// The problem of each form, in one line: the value that distinguishes it from the others, or else its
    /// first problem.
    fn forms(self, path: &str, forms: &[&[ValidationError<'static>]]) -> String {
        let first = |form: &[ValidationError<'static>]| {
            let told = form.iter().find(|error| is_wrong_tag(error)).or(form.first())?;
            self.explain(told).into_iter().next()
        };
        let lacking =
            forms.iter().take(FORMS_MAX).filter_map(|form| first(form)).enumerate().map(|(place, lack)| {
                let below = lack.path.strip_prefix(path).filter(|below| !below.is_empty());
                let below = below.map_or_else(String::new, |below| format!("{below}: "));
                format!("({}) {below}{}", place + 1, lack.expected)
            });
        let mut listed: Vec<String> = lacking.collect();
        if forms.len() > FORMS_MAX {
            listed.push(format!("and {} more", forms.len() - FORMS_MAX));
        }
        format!("one of {} forms, which ask for {}", forms.len(), listed.join("; "))
    }
}

fn no_such_name<'a>(known: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = known.take(NAMES_MAX + 1).collect();
    if names.len() > NAMES_MAX {
        names[NAMES_MAX] = "…";
    }
    match names.as_slice() {
        [] => "no property of this name".to_owned(),
        names => format!("no property of this name (known are {})", names.join(", ")),
    }
}

/// The forms that can have been meant: those of the right type, and of these the ones with matching fixed
/// values.
fn meant<'a>(path: &str, forms: &'a [Vec<ValidationError<'static>>]) -> Vec<&'a [ValidationError<'static>]> {
    let of_type = || forms.iter().map(Vec::as_slice).filter(|form| own_type(path, form).is_none());
    let tagged: Vec<_> = of_type().filter(|form| !form.iter().any(is_wrong_tag)).collect();
    if tagged.is_empty() { of_type().collect() } else { tagged }
}

fn own_types(path: &str, forms: &[Vec<ValidationError<'static>>]) -> String {
    let mut types: Vec<String> = Vec::new();
    for name in forms.iter().filter_map(|form| own_type(path, form)) {
        if !types.contains(&name) {
            types.push(name);
        }
    }
    alternatives(types.into_iter())
}

/// The type a form asks for, if the value as a whole has another.
fn own_type(path: &str, form: &[ValidationError<'static>]) -> Option<String> {
    form.iter().filter(|error| error.instance_path().as_str() == path).find_map(|error| match error.kind() {
        Kind::Type { kind } => Some(type_words(kind)),
        _ => None,
    })
}

fn is_wrong_tag(error: &ValidationError<'static>) -> bool {
    match error.kind() {
        Kind::Constant { .. } => true,
        Kind::Enum { options } => options.as_array().is_some_and(|options| options.len() == 1),
        _ => false,
    }
}

fn type_words(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => type_name(*one).to_owned(),
        TypeKind::Multiple(several) => type_names(*several),
    }
}

fn wrong_type(error: &ValidationError<'_>, kind: &TypeKind) -> SchemaProblem {
    let mut problem = got(error, &type_words(kind));
    problem.hint = unquoted(error.instance(), kind)
        .map(|what| format!("send {what} itself, not a string that holds it"));
    problem
}

/// The type of a string's content, if it is the expected one: models like to put quotes around numbers and
/// whole objects.
fn unquoted(value: &Value, kind: &TypeKind) -> Option<&'static str> {
    let inner: Value = serde_json::from_str(value.as_str()?).ok()?;
    let (name, word) = match inner {
        Value::Number(number) if number.is_f64() => ("number", "the number"),
        Value::Number(_) => ("integer", "the number"),
        Value::Bool(_) => ("boolean", "true or false"),
        Value::Array(_) => ("array", "the array"),
        Value::Object(_) => ("object", "the object"),
        Value::Null | Value::String(_) => return None,
    };
    let fits = |asked: &str| asked == name || (asked == "number" && name == "integer");
    let is_asked = match kind {
        TypeKind::Single(one) => fits(one.as_str()),
        TypeKind::Multiple(several) => several.into_iter().any(|one| fits(one.as_str())),
    };
    is_asked.then_some(word)
}

fn choice(error: &ValidationError<'_>, options: &[Value]) -> SchemaProblem {
    let mut problem = got(error, &choices(options));
    let names = options.iter().filter_map(Value::as_str);
    let similar = error.instance().as_str().and_then(|given| nearest(given, names));
    problem.hint = similar.map(|name| format!("did you mean {}?", Value::from(name)));
    problem
}

fn other(error: &ValidationError<'_>, kind: &Kind) -> SchemaProblem {
    let expected = match kind {
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::AdditionalItems { limit } => format!("at most {limit} items"),
        Kind::UnevaluatedItems { .. } => "no further items".to_owned(),
        Kind::MaxProperties { limit } => format!("at most {limit} properties"),
        Kind::MinProperties { limit } => format!("at least {limit} properties"),
        Kind::UniqueItems => "items that all differ".to_owned(),
        Kind::Contains => "at least one item of the kind that must be there".to_owned(),
        Kind::Pattern { pattern } => format!("text that matches `{}`", shortened(pattern, QUOTE_CHARS_MAX)),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "text that can be matched against its pattern in bounded time".to_owned()
        }
        Kind::Format { format } => formats::described(&shortened(format, QUOTE_CHARS_MAX)),
        Kind::FalseSchema => "nothing here".to_owned(),
        Kind::Not { schema } => {
            format!("a value that does not fit {}", shortened(&schema.to_string(), QUOTE_CHARS_MAX))
        }
        Kind::OneOfMultipleValid { .. } => {
            "a value that fits exactly one of its forms, not several".to_owned()
        }
        Kind::PropertyNames { error: inner } => {
            let expected = other(inner, inner.kind()).expected;
            return got(inner, &format!("property names of another kind: {expected}"));
        }
        _ => format!("what `{}` in the schema asks for ({})", kind.keyword(), error.masked()),
    };
    got(error, &expected)
}

fn got(error: &ValidationError<'_>, expected: &str) -> SchemaProblem {
    let path = error.instance_path().as_str();
    at(path, &format!("got {}", shown(path, error.instance())), expected)
}

/// The value, unless it is a secret by its place or its look: problems are logged and kept.
fn shown(path: &str, value: &Value) -> String {
    if path.split('/').any(is_secret_key) || value.as_str().is_some_and(holds_credential) {
        return "a value that is not shown".to_owned();
    }
    found(value)
}

/// A JSON pointer without its last step.
fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}
