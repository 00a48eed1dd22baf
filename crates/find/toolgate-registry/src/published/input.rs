//! Inputs of an entry: arguments, variables and headers, with values of the publisher, of the operator, or of the vault.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::entry::{LeftOutInput, PublishedSecret, WayRefusal};

const VALUE_CHARS_MAX: usize = 4_096;
const SECRET_NAME_CHARS_MAX: usize = 64;
const OPENING: &str = "${";

#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PublishedInput {
    pub(super) name: String,
    pub(super) value_hint: Option<String>,
    pub(super) description: String,
    pub(super) is_required: bool,
    pub(super) is_secret: bool,
    pub(super) value: Option<String>,
    pub(super) default: Option<String>,
    pub(super) choices: Vec<String>,
    pub(super) variables: BTreeMap<String, PublishedInput>,
}

/// The treatment of a secret at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretPlace {
    /// It is looked up in the vault when it is sent.
    Vault,
    /// The place is no place for one, for this reason.
    Refused(&'static str),
}

/// Fills the inputs of one package or remote, and remembers what they want.
pub(super) struct InputFilling<'a> {
    values: &'a BTreeMap<String, String>,
    used: BTreeSet<String>,
    /// Name and description of each input that needs a value of the operator.
    missing: Vec<(String, String)>,
    pub(super) secrets: Vec<PublishedSecret>,
    pub(super) left_out: Vec<LeftOutInput>,
}

impl<'a> InputFilling<'a> {
    pub(super) fn with(values: &'a BTreeMap<String, String>) -> Self {
        Self { values, used: BTreeSet::new(), missing: Vec::new(), secrets: Vec::new(), left_out: Vec::new() }
    }

    /// The text of an input; `None` if it is left out.
    pub(super) fn fill(
        &mut self,
        input: &PublishedInput,
        label: &str,
        place: SecretPlace,
    ) -> Result<Option<String>, WayRefusal> {
        if let Some(value) = &input.value {
            return self.template(value, input, label, place).map(Some);
        }
        if input.is_secret {
            return self.secret(input, label, place);
        }
        if let Some(value) = self.values.get(label) {
            self.used.insert(label.to_owned());
            return chosen(input, label, value).map(Some);
        }
        match &input.default {
            Some(default) => literal(default, label).map(Some),
            None if input.is_required => {
                self.missing.push((label.to_owned(), input.description.clone()));
                Ok(None)
            }
            None => {
                self.leave_out(input, label);
                Ok(None)
            }
        }
    }

    /// Fails if a value is missing, or one was given for an input that does not exist.
    pub(super) fn finish(&self) -> Result<(), WayRefusal> {
        if let Some((first, _)) = self.missing.first() {
            let named: Vec<String> =
                self.missing.iter().map(|(name, about)| described(name, about)).collect();
            let hint = format!("give each one a value: `--set {first}=VALUE`");
            return Err(WayRefusal::new(format!("it needs {}", named.join(", ")), hint));
        }
        match self.values.keys().find(|name| !self.used.contains(*name)) {
            None => Ok(()),
            Some(name) => {
                let says = format!("it has no input {name:?} that takes a value");
                Err(WayRefusal::new(says, "leave out `--set` for it"))
            }
        }
    }

    /// A value with variables in braces. Braces around other names stay, unless the whole is a secret.
    fn template(
        &mut self,
        value: &str,
        input: &PublishedInput,
        label: &str,
        place: SecretPlace,
    ) -> Result<String, WayRefusal> {
        literal(value, label)?;
        let mut out = String::with_capacity(value.len());
        let (mut rest, mut secrets) = (value, 0);
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, behind)) = after.split_once('}') else {
                out.push('{');
                rest = after;
                continue;
            };
            match self.variable(name, input, place)? {
                TemplatePart::Text(text) => out.push_str(&text),
                TemplatePart::Secret(text) => {
                    secrets += 1;
                    out.push_str(&text);
                }
                TemplatePart::Plain => out.push_str(&format!("{{{name}}}")),
            }
            rest = behind;
        }
        out.push_str(rest);
        // Two harmless pieces could make a reference where they meet.
        if out.matches(OPENING).count() != secrets {
            return Err(reference(label));
        }
        Ok(out)
    }

    fn variable(
        &mut self,
        name: &str,
        input: &PublishedInput,
        place: SecretPlace,
    ) -> Result<TemplatePart, WayRefusal> {
        let Some(variable) = input.variables.get(name) else {
            if !input.is_secret || !is_identifier(name) {
                return Ok(TemplatePart::Plain);
            }
            return self.needed_secret(name, &input.description, place).map(TemplatePart::Secret);
        };
        if variable.is_secret && variable.value.is_none() {
            return self.needed_secret(name, &variable.description, place).map(TemplatePart::Secret);
        }
        let filled = self.fill(variable, name, SecretPlace::Refused("a value within another"))?;
        Ok(TemplatePart::Text(filled.unwrap_or_default()))
    }

    /// A secret that the server can do without is left out: it would not start before it is stored.
    fn secret(
        &mut self,
        input: &PublishedInput,
        label: &str,
        place: SecretPlace,
    ) -> Result<Option<String>, WayRefusal> {
        if !input.is_required {
            self.leave_out(input, label);
            return Ok(None);
        }
        self.needed_secret(label, &input.description, place).map(Some)
    }

    fn needed_secret(
        &mut self,
        label: &str,
        description: &str,
        place: SecretPlace,
    ) -> Result<String, WayRefusal> {
        if let SecretPlace::Refused(place) = place {
            let says = format!("it wants the secret {label} as {place}, where others could read it");
            return Err(WayRefusal::new(says, "choose another way to run it, or ask its publisher for one"));
        }
        let name = secret_name(label);
        if self.secrets.iter().all(|known| known.name != name) {
            self.secrets.push(PublishedSecret { name: name.clone(), description: description.to_owned() });
        }
        Ok(format!("${{vault:{name}}}"))
    }

    fn leave_out(&mut self, input: &PublishedInput, label: &str) {
        let (name, description) = (label.to_owned(), input.description.clone());
        self.left_out.push(LeftOutInput { name, description, secret: input.is_secret });
    }
}

enum TemplatePart {
    Text(String),
    Secret(String),
    /// No variable has this name.
    Plain,
}

fn chosen(input: &PublishedInput, label: &str, value: &str) -> Result<String, WayRefusal> {
    if !input.choices.is_empty() && !input.choices.iter().any(|choice| choice == value) {
        let says = format!("{value:?} is not a value of {label}");
        return Err(WayRefusal::new(says, format!("it takes {}", input.choices.join(", "))));
    }
    literal(value, label)
}

/// Text that means nothing but itself, wherever it is written.
pub(super) fn literal(text: &str, label: &str) -> Result<String, WayRefusal> {
    if text.len() > VALUE_CHARS_MAX {
        let says = format!("the value of {label} has more than {VALUE_CHARS_MAX} characters");
        return Err(WayRefusal::new(says, "add the server to toolgate.toml by hand"));
    }
    if text.chars().any(char::is_control) {
        let says = format!("the value of {label} has control characters in it");
        return Err(WayRefusal::new(says, "nothing good writes such an entry: do not add it"));
    }
    if text.contains(OPENING) {
        return Err(reference(label));
    }
    Ok(text.to_owned())
}

fn reference(label: &str) -> WayRefusal {
    let says = format!(
        "the value of {label} has `{OPENING}` in it, which would name a variable or a secret of yours"
    );
    WayRefusal::new(says, "add the server to toolgate.toml by hand, with a value of your own")
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// A name that the vault can keep.
fn secret_name(label: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' };
    let name: String = label.chars().map(fits).take(SECRET_NAME_CHARS_MAX).collect();
    if name.is_empty() { "SECRET".to_owned() } else { name }
}

fn described(name: &str, about: &str) -> String {
    if about.is_empty() { name.to_owned() } else { format!("{name} ({about})") }
}
