//! `${NAME}` and `${NAME:-default}`: the way a configuration names a secret without containing it. `$$` is a
//! plain `$`. `${vault:NAME}` names a secret of the vault, which is looked up when it is sent: it stays as
//! written.

use toolgate_credentials::SIGN_IN;

/// Reads one variable of the environment. A parameter, so that a test has a defined environment.
pub(crate) type VariableLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The treatment of `${NAME}`.
#[derive(Clone, Copy)]
pub(crate) enum ReferenceMode<'a> {
    /// Replaced; a variable that is not set is a problem. For everything that starts servers.
    Resolve(VariableLookup<'a>),
    /// Left as written. For commands that only need to know places.
    Keep,
}

/// The reason why a text could not be expanded. Never contains the value of a variable.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadReference {
    Missing {
        name: String,
    },
    Unclosed,
    Name {
        name: String,
    },
    Nested,
    /// A name that no secret of the vault can have.
    VaultName {
        name: String,
    },
    /// A secret of the vault in a place without a lookup.
    VaultElsewhere {
        name: String,
    },
}

/// The permission to name secrets of the vault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VaultReferences {
    Kept,
    Refused,
}

const VAULT: &str = "vault:";
pub(crate) const SECRET_NAME_CHARS_MAX: usize = 64;

/// The rule for names of secrets.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=SECRET_NAME_CHARS_MAX).contains(&name.len()) && name.bytes().all(fits)
}

/// Replaces every reference. As in a shell, a default also replaces a variable that is set and empty.
pub(crate) fn expand(text: &str, env: VariableLookup<'_>) -> Result<String, BadReference> {
    expand_beside(text, env, VaultReferences::Refused)
}

/// The same for a text that may name secrets of the vault beside variables.
pub(crate) fn expand_beside(
    text: &str,
    env: VariableLookup<'_>,
    vault: VaultReferences,
) -> Result<String, BadReference> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
        } else if let Some(after) = after.strip_prefix('{') {
            let end = after.find('}').ok_or(BadReference::Unclosed)?;
            out.push_str(&match after[..end].strip_prefix(VAULT) {
                Some(name) => secret(name, vault)?,
                None => resolve(&after[..end], env)?,
            });
            rest = &after[end + 1..];
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
    Ok(out)
}

fn secret(name: &str, vault: VaultReferences) -> Result<String, BadReference> {
    match vault {
        VaultReferences::Refused => Err(BadReference::VaultElsewhere { name: name.into() }),
        // The result of a sign-in is not for headers.
        VaultReferences::Kept if !is_secret_name(name) || name == SIGN_IN => {
            Err(BadReference::VaultName { name: name.into() })
        }
        VaultReferences::Kept => Ok(format!("${{{VAULT}{name}}}")),
    }
}

fn resolve(inside: &str, env: VariableLookup<'_>) -> Result<String, BadReference> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    if !is_variable_name(name) {
        return Err(BadReference::Name { name: name.into() });
    }
    if default.is_some_and(|default| default.contains("${")) {
        return Err(BadReference::Nested);
    }
    match (env(name), default) {
        (Some(value), None) => Ok(value),
        (Some(value), Some(_)) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default.into()),
        (None, None) => Err(BadReference::Missing { name: name.into() }),
    }
}

pub(crate) fn is_variable_name(name: &str) -> bool {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Text that expands to `literal`.
pub(crate) fn escape(literal: &str) -> String {
    literal.replace('$', "$$")
}
