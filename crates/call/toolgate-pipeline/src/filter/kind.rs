//! The kinds of data that filters know by name. Credentials are those that redaction knows by their look.

use super::personal::{EMAIL, Finder, IBAN, PHONE, SSN};
use super::search::{Places, Search};
use crate::redact;

/// A kind of personal data or of secrets, or a group of them.
#[derive(Clone, Copy, Debug)]
pub struct Kind(&'static Entry);

#[derive(Debug)]
struct Entry {
    name: &'static str,
    means: &'static str,
    finds: Finds,
}

#[derive(Debug)]
enum Finds {
    /// Credentials, as redaction calls them.
    Looks(&'static [&'static str]),
    Texts(&'static [Finder]),
    /// All kinds that are like this one.
    All(fn(&Finds) -> bool),
}

const CARD: &[&str] = &[redact::CARD];

static KINDS: [Entry; 33] = [
    kind("card", "Numbers of payment cards: first digits, length and check digit", Finds::Looks(CARD)),
    kind(
        "iban",
        "International bank account numbers: length by country, and check digits",
        Finds::Texts(&[IBAN]),
    ),
    kind("email", "Addresses of e-mail", Finds::Texts(&[EMAIL])),
    kind(
        "phone",
        "Telephone numbers: `+` and a country's code, or as North America writes them",
        Finds::Texts(&PHONE),
    ),
    kind("ssn", "Social security numbers of the United States, with dashes", Finds::Texts(&[SSN])),
    kind("aws_key", "Access keys of AWS", Finds::Looks(&["AWS access key"])),
    kind("private_key", "Private keys in PEM", Finds::Looks(&["private key"])),
    kind("jwt", "JSON Web Tokens", Finds::Looks(&["JSON Web Token"])),
    kind("bearer_token", "What stands after `Bearer`", Finds::Looks(&["bearer token"])),
    kind("basic_auth", "Name and password after `Basic`", Finds::Looks(&["name and password"])),
    kind("url_password", "The password in `scheme://name:password@host`", Finds::Looks(&["password"])),
    kind("github_token", "Tokens of GitHub", Finds::Looks(&["GitHub token"])),
    kind("gitlab_token", "Tokens of GitLab", Finds::Looks(&["GitLab token"])),
    kind("slack_token", "Tokens and webhooks of Slack", Finds::Looks(&["Slack token", "Slack webhook"])),
    kind(
        "google_key",
        "Keys, tokens and secrets of Google",
        Finds::Looks(&["Google key", "Google token", "Google secret"]),
    ),
    kind("azure_key", "Account keys of Azure", Finds::Looks(&["Azure key"])),
    kind("stripe_key", "Keys of Stripe", Finds::Looks(&["Stripe key"])),
    kind("webhook_secret", "Secrets of webhooks (`whsec_`)", Finds::Looks(&["webhook secret"])),
    kind("model_key", "Keys of makers of models (`sk-`)", Finds::Looks(&["key of a model's maker"])),
    kind("huggingface_token", "Tokens of Hugging Face", Finds::Looks(&["Hugging Face token"])),
    kind("npm_token", "Tokens of npm", Finds::Looks(&["npm token"])),
    kind("pypi_token", "Tokens of PyPI", Finds::Looks(&["PyPI token"])),
    kind("sendgrid_key", "Keys of SendGrid", Finds::Looks(&["SendGrid key"])),
    kind("digitalocean_token", "Tokens of DigitalOcean", Finds::Looks(&["DigitalOcean token"])),
    kind("vault_token", "Tokens of Vault", Finds::Looks(&["Vault token"])),
    kind("shopify_token", "Tokens of Shopify", Finds::Looks(&["Shopify token"])),
    kind("databricks_token", "Tokens of Databricks", Finds::Looks(&["Databricks token"])),
    kind("linear_key", "Keys of Linear", Finds::Looks(&["Linear key"])),
    kind("atlassian_token", "Tokens of Atlassian", Finds::Looks(&["Atlassian token"])),
    kind("age_key", "Secret keys of age", Finds::Looks(&["age key"])),
    kind("toolgate_token", "Tokens of Toolgate", Finds::Looks(&["Toolgate token"])),
    kind("personal", "Everything from `card` to `ssn`", Finds::All(is_personal)),
    kind("secrets", "Everything from `aws_key` to `toolgate_token`", Finds::All(is_secret)),
];

const fn kind(name: &'static str, means: &'static str, finds: Finds) -> Entry {
    Entry { name, means, finds }
}

fn is_personal(finds: &Finds) -> bool {
    match finds {
        Finds::Texts(_) => true,
        Finds::Looks(looks) => *looks == CARD,
        Finds::All(_) => false,
    }
}

fn is_secret(finds: &Finds) -> bool {
    matches!(finds, Finds::Looks(looks) if *looks != CARD)
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Kind {}

impl Kind {
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// A description of the data that it finds.
    pub fn means(self) -> &'static str {
        self.0.means
    }

    /// Has it looked for, for the filter at this place.
    pub(super) fn want(
        self,
        place: Places,
        searches: &mut Vec<Search>,
        looks: &mut Vec<(&'static str, &'static str, Places)>,
    ) {
        match self.0.finds {
            Finds::Looks(all) => {
                for look in all {
                    match looks.iter_mut().find(|(known, ..)| known == look) {
                        Some((.., wanted_by)) => *wanted_by |= place,
                        None => looks.push((look, self.0.name, place)),
                    }
                }
            }
            Finds::Texts(finders) => {
                for finder in finders {
                    let known = searches
                        .iter_mut()
                        .find(|search| search.kind == self.0.name && search.regex.as_str() == finder.pattern);
                    match known {
                        Some(search) => search.wanted_by |= place,
                        None => searches.push(finder.search(self.0.name, place)),
                    }
                }
            }
            Finds::All(_) => {}
        }
    }
}

/// All kinds, with their names.
pub fn known_kinds() -> Vec<(&'static str, Kind)> {
    KINDS.iter().map(|entry| (entry.name, Kind(entry))).collect()
}

/// The kinds with groups taken apart, each once.
pub(super) fn flattened(kinds: &[Kind]) -> Vec<Kind> {
    let mut flat: Vec<Kind> = Vec::new();
    for kind in kinds {
        let members: Vec<Kind> = match kind.0.finds {
            Finds::All(belongs) => KINDS.iter().filter(|entry| belongs(&entry.finds)).map(Kind).collect(),
            Finds::Looks(_) | Finds::Texts(_) => vec![*kind],
        };
        for member in members {
            if !flat.contains(&member) {
                flat.push(member);
            }
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_credential_that_redaction_knows_belongs_to_exactly_one_kind() {
        let named: Vec<&str> = KINDS
            .iter()
            .filter_map(|entry| match entry.finds {
                Finds::Looks(looks) => Some(looks),
                _ => None,
            })
            .flatten()
            .copied()
            .collect();
        for look in redact::look_kinds() {
            assert_eq!(named.iter().filter(|one| **one == look).count(), 1, "{look}");
        }
        for look in named {
            assert!(redact::look_kinds().any(|known| known == look), "{look} is no credential");
        }
    }

    #[test]
    fn groups_hold_the_kinds_that_their_words_say() {
        let group = |name: &str| {
            let kind = known_kinds().into_iter().find(|(known, _)| *known == name).expect("a kind").1;
            flattened(&[kind]).iter().map(|kind| kind.name()).collect::<Vec<_>>()
        };
        assert_eq!(group("personal"), ["card", "iban", "email", "phone", "ssn"]);
        let secrets = group("secrets");
        assert_eq!((secrets.first(), secrets.last()), (Some(&"aws_key"), Some(&"toolgate_token")));
        assert_eq!(secrets.len() + 5 + 2, KINDS.len());
    }
}
