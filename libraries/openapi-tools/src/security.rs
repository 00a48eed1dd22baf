//! Schemes of security, and the parameters that carry secrets.

/// A scheme that the document declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecurityScheme {
    pub name: String,
    pub kind: SecurityKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecurityKind {
    ApiKey {
        place: SecretPlace,
        parameter: String,
    },
    Basic,
    Bearer,
    /// Of several flows the one with the most addresses.
    OAuth2 {
        authorization_url: Option<String>,
        token_url: Option<String>,
        scopes: Vec<String>,
    },
    OpenIdConnect {
        url: String,
    },
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SecretPlace {
    Header,
    Query,
    Cookie,
}

/// A parameter that holds a secret and is therefore no argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecretParameter {
    pub place: SecretPlace,
    pub name: String,
    pub required: bool,
}
