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
    /// By a code that a person agrees to.
    OAuth2 {
        authorization_url: String,
        token_url: String,
        scopes: Vec<String>,
    },
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
            | Self::OAuth2 { .. }
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
            Self::Open | Self::OAuth2 { .. } => Vec::new(),
        }
    }
}

fn reference(secret: &str) -> String {
    format!("${{vault:{secret}}}")
}
