//! A configured value with places for secrets in it: `Bearer ${vault:TOKEN}`.

use toolgate_core::port::{Keyring, NoKey, SecretViewer};
use toolgate_core::{PrincipalId, ServerName};

/// The principal, or the gateway itself.
pub(crate) type SecretUser<'a> = Option<&'a PrincipalId>;

const OPENING: &str = "${vault:";
const CLOSING: char = '}';

/// Its parts in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SecretTemplate(Vec<SecretTemplatePart>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum SecretTemplatePart {
    Text(String),
    Secret(String),
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum BadTemplate {
    #[error("`${{vault:` is not closed by `}}`")]
    Open,
    #[error("`${{vault:}}` names no secret")]
    Nameless,
}

/// True if a value has a place for a secret.
pub(crate) fn has_secret(value: &str) -> bool {
    value.contains(OPENING)
}

/// The names of the secrets in a configured value.
pub fn secret_names(value: &str) -> Vec<String> {
    let template = SecretTemplate::parse(value);
    let parts = template.map(|template| template.0).unwrap_or_default();
    let name = |part| match part {
        SecretTemplatePart::Secret(name) => Some(name),
        SecretTemplatePart::Text(_) => None,
    };
    parts.into_iter().filter_map(name).collect()
}

/// A configured value with its secrets, as the viewer may see them.
pub async fn with_secrets(
    value: &str,
    keyring: &dyn Keyring,
    server: &ServerName,
    who: SecretUser<'_>,
    viewer: SecretViewer<'_>,
) -> Result<String, NoKey> {
    let template = SecretTemplate::parse(value).map_err(|bad| NoKey(bad.to_string()))?;
    template.filled(keyring, server, who, viewer).await
}

impl SecretTemplate {
    pub(crate) fn parse(value: &str) -> Result<Self, BadTemplate> {
        let mut parts = Vec::new();
        let mut rest = value;
        while let Some((before, after)) = rest.split_once(OPENING) {
            let (name, following) = after.split_once(CLOSING).ok_or(BadTemplate::Open)?;
            if name.trim().is_empty() {
                return Err(BadTemplate::Nameless);
            }
            parts.extend((!before.is_empty()).then(|| SecretTemplatePart::Text(before.to_owned())));
            parts.push(SecretTemplatePart::Secret(name.trim().to_owned()));
            rest = following;
        }
        parts.extend((!rest.is_empty()).then(|| SecretTemplatePart::Text(rest.to_owned())));
        Ok(Self(parts))
    }

    /// A secret as a bearer token.
    pub(crate) fn bearer(name: String) -> Self {
        Self(vec![SecretTemplatePart::Text("Bearer ".to_owned()), SecretTemplatePart::Secret(name)])
    }

    pub(crate) fn has_secrets(&self) -> bool {
        self.0.iter().any(|part| matches!(part, SecretTemplatePart::Secret(_)))
    }

    /// The values of its secrets.
    pub(crate) async fn secrets(
        &self,
        keyring: &dyn Keyring,
        server: &ServerName,
        who: SecretUser<'_>,
        viewer: SecretViewer<'_>,
    ) -> Result<Vec<String>, NoKey> {
        let mut secrets = Vec::new();
        for part in &self.0 {
            if let SecretTemplatePart::Secret(name) = part {
                secrets.push(keyring.secret(server, who, name, viewer).await?);
            }
        }
        Ok(secrets)
    }

    pub(crate) async fn filled(
        &self,
        keyring: &dyn Keyring,
        server: &ServerName,
        who: SecretUser<'_>,
        viewer: SecretViewer<'_>,
    ) -> Result<String, NoKey> {
        let mut filled = String::new();
        for part in &self.0 {
            match part {
                SecretTemplatePart::Text(text) => filled.push_str(text),
                SecretTemplatePart::Secret(name) => {
                    filled.push_str(&keyring.secret(server, who, name, viewer).await?)
                }
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_taken_apart_at_its_secrets() {
        let text = |text: &str| SecretTemplatePart::Text(text.into());
        let secret = |name: &str| SecretTemplatePart::Secret(name.into());
        let check = |value: &str, parts: &[SecretTemplatePart]| {
            assert_eq!(SecretTemplate::parse(value), Ok(SecretTemplate(parts.to_vec())))
        };
        check("", &[]);
        check("plain ${HOME} $vault", &[text("plain ${HOME} $vault")]);
        check("Bearer ${vault:TOKEN}", &[text("Bearer "), secret("TOKEN")]);
        check("${vault:A}:${vault: B }!", &[secret("A"), text(":"), secret("B"), text("!")]);
        assert_eq!(SecretTemplate::parse("${vault:A"), Err(BadTemplate::Open));
        assert_eq!(SecretTemplate::parse("x ${vault:}"), Err(BadTemplate::Nameless));
    }
}
