//! Reading requests: bodies up to a limit, known fields and parameters, and errors that name the wrong one.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request};
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http_body_util::{BodyExt, Limited};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use toolgate_core::{RawJson, ServerName, codes};

use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::similar::hint_of;

/// The JSON body of a request.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<ApiContext> for Json<T> {
    type Rejection = Box<Problem>;

    async fn from_request(request: Request, context: &ApiContext) -> ApiResult<Self> {
        expect_json(request.headers())?;
        let body = read_body(request.into_body(), context.limits.request_bytes_max).await?;
        read_json(&body).map(Json)
    }
}

/// A body that is an object of any members, byte for byte; nothing counts as an empty one.
pub(crate) struct JsonObject(pub(crate) RawJson);

impl FromRequest<ApiContext> for JsonObject {
    type Rejection = Box<Problem>;

    async fn from_request(request: Request, context: &ApiContext) -> ApiResult<Self> {
        let headers = request.headers().clone();
        let body = read_body(request.into_body(), context.limits.request_bytes_max).await?;
        if body.is_empty() {
            return Ok(Self(RawJson::EMPTY));
        }
        expect_json(&headers)?;
        read_json::<HashMap<String, IgnoredAny>>(&body)?;
        RawJson::parse(body).map(Self).map_err(|error| bad_json("", &error))
    }
}

pub(crate) async fn read_body(body: Body, bytes_max: usize) -> ApiResult<Bytes> {
    let read = Limited::new(body, bytes_max).collect().await;
    let read = read.map_err(|error| match error.is::<http_body_util::LengthLimitError>() {
        true => {
            let detail = format!("the body is larger than the limit of {bytes_max} bytes");
            Problem::new(&codes::BODY_TOO_LARGE, detail)
        }
        false => Problem::new(&codes::BODY_BROKEN, "the body ended before it was complete"),
    })?;
    Ok(read.to_bytes())
}

pub(crate) fn read_json<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let StrictObject(read) = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let field = error.path().to_string();
        bad_json(&field, error.inner())
    })?;
    deserializer.end().map_err(|error| bad_json("", &error))?;
    Ok(read)
}

/// A value that must be an object. Serde would also accept a list of its members.
struct StrictObject<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for StrictObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(StrictObject)
    }
}

/// The same for one field: `#[serde(deserialize_with = "object")]`.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct MembersVisitor<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for MembersVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(members))
        }
    }

    deserializer.deserialize_map(MembersVisitor(PhantomData))
}

pub(crate) fn expect_json(headers: &HeaderMap) -> ApiResult<()> {
    let media = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let essence = media.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let detail = format!("the body is declared as {essence:?}, not JSON");
    Err(Problem::new(&codes::NOT_JSON, detail))
}

fn bad_json(field: &str, error: &serde_json::Error) -> Box<Problem> {
    if error.is_data() {
        return bad_field(Part::Body, field, &error.to_string(), &[]);
    }
    Problem::new(&codes::JSON_BROKEN, format!("the body is not one JSON value: {error}"))
}

/// The part of a request that holds values by name.
enum Part {
    Body,
    Query,
}

/// serde's error about a field, with the likely correction: one of the type's fields, or of `others`.
fn bad_field(part: Part, field: &str, said: &str, others: &[&str]) -> Box<Problem> {
    let (what, whole, unknown_code, invalid_code) = match part {
        Part::Body => ("field", "the body", &codes::FIELD_UNKNOWN, &codes::FIELD_INVALID),
        Part::Query => ("parameter", "the parameters", &codes::PARAMETER_UNKNOWN, &codes::PARAMETER_INVALID),
    };
    let (said, _) = said.split_once(" at line ").unwrap_or((said, ""));
    if let Some(rest) = said.strip_prefix("unknown field ") {
        // serde writes: unknown field `a`, expected one of `b`, `c`
        let mut words = rest.split('`').skip(1).step_by(2);
        let unknown = words.next().unwrap_or_default().to_owned();
        let known: Vec<&str> = words.chain(others.iter().copied()).collect();
        return Problem::new(unknown_code, format!("there is no {what} `{unknown}` here"))
            .hint(hint_of(&unknown, &known))
            .with("field", unknown);
    }
    if field == "." {
        return Problem::new(invalid_code, format!("{whole}: {said}"));
    }
    Problem::new(invalid_code, format!("{what} `{field}`: {said}")).with("field", field)
}

/// The parameters of a request, after the question mark.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<ApiContext> for Query<T> {
    type Rejection = Box<Problem>;

    async fn from_request_parts(parts: &mut Parts, _: &ApiContext) -> ApiResult<Self> {
        read_query(parts.uri.query().unwrap_or_default()).map(Query)
    }
}

fn read_query<T: DeserializeOwned>(query: &str) -> ApiResult<T> {
    from_parameters(parameters(query)?, &[])
}

/// Every parameter is read as text; its user parses it.
pub(crate) fn parameters(query: &str) -> ApiResult<Map<String, Value>> {
    let mut given = Map::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if given.insert(name.to_string(), Value::from(&*value)).is_some() {
            return Err(bad_field(Part::Query, &name, "it stands twice", &[]));
        }
    }
    Ok(given)
}

/// One type's share of the parameters. The route also has `others`, which an unknown one may be meant for.
pub(crate) fn from_parameters<T: DeserializeOwned>(
    given: Map<String, Value>,
    others: &[&str],
) -> ApiResult<T> {
    serde_path_to_error::deserialize(Value::Object(given)).map_err(|error| {
        let field = error.path().to_string();
        bad_field(Part::Query, &field, &error.inner().to_string(), others)
    })
}

/// An invalid parameter.
pub(crate) fn bad_parameter(name: &str, value: &str, expected: &str) -> Box<Problem> {
    Problem::new(&codes::PARAMETER_INVALID, format!("parameter `{name}`: {value:?} is not {expected}"))
        .with("field", name)
}

/// A parameter that is one of a few words.
pub(crate) fn word<T>(
    name: &str,
    value: Option<&str>,
    known: &[&str],
    parse: impl Fn(&str) -> Option<T>,
) -> ApiResult<Option<T>> {
    let Some(value) = value else { return Ok(None) };
    let unknown = || bad_parameter(name, value, "one of the known words").hint(hint_of(value, known));
    parse(value).map(Some).ok_or_else(unknown)
}

/// A parameter with some of a few words, which commas separate.
pub(crate) fn words<T>(
    name: &str,
    value: Option<&str>,
    known: &[&str],
    parse: impl Fn(&str) -> Option<T>,
) -> ApiResult<Vec<T>> {
    let given = value.into_iter().flat_map(|value| value.split(','));
    given.filter_map(|one| word(name, Some(one), known, &parse).transpose()).collect()
}

/// The number of entries on a page: the requested or the default number, never more than `max`.
pub(crate) fn limit(value: Option<&str>, usual: usize, max: usize) -> ApiResult<usize> {
    let Some(value) = value else { return Ok(usual) };
    let number = value.parse().ok().filter(|number| (1..=max).contains(number));
    number.ok_or_else(|| bad_parameter("limit", value, &format!("a number from 1 to {max}")))
}

/// A server's name in a path.
pub(crate) fn server_name(name: &str) -> ApiResult<ServerName> {
    ServerName::new(name)
        .map_err(|bad| bad_parameter("server", name, "the name of a server").hint(bad.to_string()))
}

#[cfg(test)]
mod tests;
