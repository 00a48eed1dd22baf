//! How a provider knows who asks. The file has names of secrets, never secrets.

/// The sign-in of a provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AuthRule {
    /// Nobody has to sign in.
    Open,
    /// A key in a header or a parameter of the query.
    Key {
        place: KeyPlace,
        name: String,
        secret: String,
    },
    /// User and password, each the name of a secret.
    Basic {
        user: String,
        password: String,
    },
    Bearer {
        secret: String,
    },
    OAuth2(OAuthRule),
    /// Every request is signed with this secret: [`crate::sign`].
    Signature {
        secret: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyPlace {
    Header,
    Query,
}

/// A sign-in by OAuth: where it happens, and the client that signs in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OAuthRule {
    pub flow: OAuthFlowRule,
    pub token_url: String,
    pub scopes: Vec<String>,
    /// The name of the secret that is the client's id. The operator may name another client.
    pub client_id: Option<String>,
    /// The name of the client's secret. Not every client has one.
    pub client_secret: Option<String>,
    /// The client's id and secret are part of the form, and not a header.
    pub client_in_body: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OAuthFlowRule {
    /// By a code that a person agrees to.
    Code { authorization_url: String },
    /// The client gets tokens on its own account.
    ClientCredentials,
}

impl AuthRule {
    /// Headers with `${vault:NAME}` where a secret stands. `Basic`, `OAuth2` and `Signature` have none: their headers are
    /// made of what the vault gives.
    pub fn headers(&self) -> Vec<(String, String)> {
        match self {
            Self::Key { place: KeyPlace::Header, name, secret } => vec![(name.clone(), reference(secret))],
            Self::Bearer { secret } => {
                vec![("authorization".to_owned(), format!("Bearer {}", reference(secret)))]
            }
            Self::Key { place: KeyPlace::Query, .. }
            | Self::Open
            | Self::Basic { .. }
            | Self::OAuth2(_)
            | Self::Signature { .. } => Vec::new(),
        }
    }

    /// Parameters of the query with `${vault:NAME}` where a secret stands.
    pub fn query(&self) -> Vec<(String, String)> {
        match self {
            Self::Key { place: KeyPlace::Query, name, secret } => vec![(name.clone(), reference(secret))],
            _ => Vec::new(),
        }
    }

    /// The names of all secrets that it needs.
    pub fn secrets(&self) -> Vec<&str> {
        match self {
            Self::Key { secret, .. } | Self::Bearer { secret } | Self::Signature { secret } => vec![secret],
            Self::Basic { user, password } => vec![user, password],
            Self::OAuth2(rule) => {
                [&rule.client_id, &rule.client_secret].into_iter().flatten().map(String::as_str).collect()
            }
            Self::Open => Vec::new(),
        }
    }
}

fn reference(secret: &str) -> String {
    format!("${{vault:{secret}}}")
}
