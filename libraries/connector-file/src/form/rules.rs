//! What holds for the whole provider.

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use crate::words::{Marked, RequestPlace};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuthForm {
    pub(crate) kind: Spanned<AuthWord>,
    pub(crate) secret: Option<String>,
    pub(crate) place: Option<RequestPlace>,
    pub(crate) name: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) authorization_url: Option<String>,
    pub(crate) token_url: Option<String>,
    #[serde(default)]
    pub(crate) scopes: Vec<String>,
    pub(crate) flow: Option<FlowWord>,
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<String>,
    pub(crate) client_auth: Option<ClientAuthWord>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FlowWord {
    Code,
    ClientCredentials,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClientAuthWord {
    Header,
    Body,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AuthWord {
    Key,
    Basic,
    Bearer,
    Oauth2,
    Signature,
    None,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetryForm {
    pub(crate) statuses: Option<Vec<u16>>,
    #[serde(default)]
    pub(crate) statuses_if_limited: Vec<u16>,
    pub(crate) after: Option<String>,
    pub(crate) reset: Option<String>,
    pub(crate) tries: Option<Spanned<u32>>,
    pub(crate) wait_s_max: Option<Spanned<u64>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateForm {
    pub(crate) remaining: Option<String>,
    pub(crate) reset: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OkForm {
    pub(crate) pointer: Marked,
    pub(crate) equals: Value,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorForm {
    pub(crate) says: Option<Marked>,
    pub(crate) code: Option<Marked>,
    #[serde(default)]
    pub(crate) sign_in: Vec<String>,
    #[serde(default)]
    pub(crate) again: Vec<String>,
    #[serde(default)]
    pub(crate) unsure: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaginationForm {
    pub(crate) kind: Spanned<PageWord>,
    pub(crate) next: Option<Marked>,
    pub(crate) more: Option<Marked>,
    pub(crate) parameter: Option<String>,
    #[serde(default)]
    pub(crate) parameters: Vec<String>,
    pub(crate) place: Option<Spanned<RequestPlace>>,
    pub(crate) first: Option<u64>,
    pub(crate) size: Option<u64>,
    pub(crate) size_parameter: Option<String>,
    pub(crate) pages_max: Option<Spanned<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PageWord {
    Cursor,
    Link,
    Offset,
    Page,
}
