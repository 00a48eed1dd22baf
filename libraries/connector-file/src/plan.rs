//! A request with the address that it goes to.

use openapi_tools::ApiRequest;
use serde_json::{Map, Value};
use url::Url;

use crate::build;
use crate::error::BadActionArguments;
use crate::rules::ProviderRules;
use crate::step::{PlacedValue, RequestStep, StepTarget};

/// A request that is ready but for its secrets.
#[derive(Clone, Debug)]
pub struct PlannedRequest {
    /// Method, headers and body.
    pub request: ApiRequest,
    /// The whole address.
    pub address: String,
    /// Secrets go along. They do not where an answer named the address.
    pub with_secrets: bool,
}

pub(crate) struct StepInput<'a> {
    pub(crate) arguments: &'a Map<String, Value>,
    pub(crate) taken: &'a Map<String, Value>,
    /// Parameters of a page, or of a cursor.
    pub(crate) more: Vec<PlacedValue>,
    pub(crate) header: Option<(String, String)>,
}

pub(crate) fn plan(
    rules: &ProviderRules,
    step: &RequestStep,
    input: StepInput<'_>,
    base_url: &str,
) -> Result<PlannedRequest, BadActionArguments> {
    let base = base(base_url)?;
    let mut values = step.placed(input.arguments, input.taken)?;
    values.extend(input.more);
    let headers = || rules.headers.iter().cloned().chain(input.header.clone()).collect::<Vec<_>>();
    match &step.target {
        StepTarget::Path(path) => {
            let request = build::request(step.method, path, &headers(), &values)?;
            let address = format!("{}{}", base_url.trim_end_matches('/'), request.path_and_query);
            Ok(PlannedRequest { request, address, with_secrets: true })
        }
        StepTarget::Operation(plan) => {
            let mut arguments = input.arguments.clone();
            arguments.extend(values.into_iter().map(|one| (one.argument, one.value)));
            let made = plan.request(&arguments);
            let mut request = made.map_err(|error| BadActionArguments::Operation(error.to_string()))?;
            request.headers.extend(headers());
            let address = format!("{}{}", base_url.trim_end_matches('/'), request.path_and_query);
            Ok(PlannedRequest { request, address, with_secrets: true })
        }
        StepTarget::Taken(name) => {
            let address = input.taken.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            if !is_allowed(&address, &base, &rules.hosts) {
                return Err(BadActionArguments::ForeignAddress(address));
            }
            let request = build::request(step.method, "", &[], &values)?;
            Ok(PlannedRequest { request, address, with_secrets: false })
        }
    }
}

fn base(text: &str) -> Result<Url, BadActionArguments> {
    let bad = || BadActionArguments::BadBase(text.to_owned());
    let base = Url::parse(text).map_err(|_| bad())?;
    let is_plain = base.query().is_none() && base.fragment().is_none() && base.username().is_empty();
    (is_plain && matches!(base.scheme(), "http" | "https") && base.has_host()).then_some(base).ok_or_else(bad)
}

fn is_allowed(address: &str, base: &Url, hosts: &[String]) -> bool {
    let Ok(address) = Url::parse(address) else { return false };
    if address.origin() == base.origin() {
        return true;
    }
    let is_named = address.host_str().is_some_and(|host| hosts.iter().any(|one| one == host));
    is_named && address.scheme() == "https" && address.port().is_none()
}
