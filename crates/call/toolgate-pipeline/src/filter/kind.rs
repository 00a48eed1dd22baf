//! The kinds of data that filters know by name. Credentials are those that redaction knows by their look.

use super::personal::{EMAIL, IBAN, PHONE, PatternFinder, SSN};
use super::search::{FilterSearch, FilterSet};
use crate::redact;

/// A kind of personal data or of secrets, or a group of them.
#[derive(Clone, Copy, Debug)]
pub struct DataKind(&'static DataKindEntry);

#[derive(Debug)]
struct DataKindEntry {
    name: &'static str,
    means: &'static str,
    finds: KindPatterns,
}

#[derive(Debug)]
enum KindPatterns {
    /// Credentials, as redaction calls them.
    Looks(&'static [&'static str]),
    Texts(&'static [PatternFinder]),
    /// All kinds that are like this one.
    All(fn(&KindPatterns) -> bool),
}

const CARD: &[&str] = &[redact::CARD];

static KINDS: [DataKindEntry; 33] = [
    kind("card", "Numbers of payment cards: first digits, length and check digit", KindPatterns::Looks(CARD)),
    kind(
        "iban",
        "International bank account numbers: length by country, and check digits",
        KindPatterns::Texts(&[IBAN]),
    ),
    kind("email", "Addresses of e-mail", KindPatterns::Texts(&[EMAIL])),
    kind(
        "phone",
        "Telephone numbers: `+` and a country's code, or as North America writes them",
        KindPatterns::Texts(&PHONE),
    ),
    kind("ssn", "Social security numbers of the United States, with dashes", KindPatterns::Texts(&[SSN])),
    kind("aws_key", "Access keys of AWS", KindPatterns::Looks(&["AWS access key"])),
    kind("private_key", "Private keys in PEM", KindPatterns::Looks(&["private key"])),
    kind("jwt", "JSON Web Tokens", KindPatterns::Looks(&["JSON Web Token"])),
    kind("bearer_token", "What stands after `Bearer`", KindPatterns::Looks(&["bearer token"])),
    kind("basic_auth", "Name and password after `Basic`", KindPatterns::Looks(&["name and password"])),
    kind("url_password", "The password in `scheme://name:password@host`", KindPatterns::Looks(&["password"])),
    kind("github_token", "Tokens of GitHub", KindPatterns::Looks(&["GitHub token"])),
    kind("gitlab_token", "Tokens of GitLab", KindPatterns::Looks(&["GitLab token"])),
    kind(
        "slack_token",
        "Tokens and webhooks of Slack",
        KindPatterns::Looks(&["Slack token", "Slack webhook"]),
    ),
    kind(
        "google_key",
        "Keys, tokens and secrets of Google",
        KindPatterns::Looks(&["Google key", "Google token", "Google secret"]),
    ),
    kind("azure_key", "Account keys of Azure", KindPatterns::Looks(&["Azure key"])),
    kind("stripe_key", "Keys of Stripe", KindPatterns::Looks(&["Stripe key"])),
    kind("webhook_secret", "Secrets of webhooks (`whsec_`)", KindPatterns::Looks(&["webhook secret"])),
    kind("model_key", "Keys of makers of models (`sk-`)", KindPatterns::Looks(&["key of a model's maker"])),
    kind("huggingface_token", "Tokens of Hugging Face", KindPatterns::Looks(&["Hugging Face token"])),
    kind("npm_token", "Tokens of npm", KindPatterns::Looks(&["npm token"])),
    kind("pypi_token", "Tokens of PyPI", KindPatterns::Looks(&["PyPI token"])),
    kind("sendgrid_key", "Keys of SendGrid", KindPatterns::Looks(&["SendGrid key"])),
    kind("digitalocean_token", "Tokens of DigitalOcean", KindPatterns::Looks(&["DigitalOcean token"])),
    kind("vault_token", "Tokens of Vault", KindPatterns::Looks(&["Vault token"])),
    kind("shopify_token", "Tokens of Shopify", KindPatterns::Looks(&["Shopify token"])),
    kind("databricks_token", "Tokens of Databricks", KindPatterns::Looks(&["Databricks token"])),
    kind("linear_key", "Keys of Linear", KindPatterns::Looks(&["Linear key"])),
    kind("atlassian_token", "Tokens of Atlassian", KindPatterns::Looks(&["Atlassian token"])),
    kind("age_key", "Secret keys of age", KindPatterns::Looks(&["age key"])),
    kind("toolgate_token", "Tokens of Toolgate", KindPatterns::Looks(&["Toolgate token"])),
    kind("personal", "Everything from `card` to `ssn`", KindPatterns::All(is_personal)),
    kind("secrets", "Everything from `aws_key` to `toolgate_token`", KindPatterns::All(is_secret)),
];

const fn kind(name: &'static str, means: &'static str, finds: KindPatterns) -> DataKindEntry {
    DataKindEntry { name, means, finds }
}

fn is_personal(finds: &KindPatterns) -> bool {
    match finds {
        KindPatterns::Texts(_) => true,
        KindPatterns::Looks(looks) => *looks == CARD,
        KindPatterns::All(_) => false,
    }
}

fn is_secret(finds: &KindPatterns) -> bool {
    matches!(finds, KindPatterns::Looks(looks) if *looks != CARD)
}

impl PartialEq for DataKind {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for DataKind {}

impl DataKind {
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
        place: FilterSet,
        searches: &mut Vec<FilterSearch>,
        looks: &mut Vec<(&'static str, &'static str, FilterSet)>,
    ) {
        match self.0.finds {
            KindPatterns::Looks(all) => {
                for look in all {
                    match looks.iter_mut().find(|(known, ..)| known == look) {
                        Some((.., wanted_by)) => *wanted_by |= place,
                        None => looks.push((look, self.0.name, place)),
                    }
                }
            }
            KindPatterns::Texts(finders) => {
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
            KindPatterns::All(_) => {}
        }
    }
}

/// All kinds, with their names.
pub fn known_kinds() -> Vec<(&'static str, DataKind)> {
    KINDS.iter().map(|entry| (entry.name, DataKind(entry))).collect()
}

/// The kinds with groups taken apart, each once.
pub(super) fn flattened(kinds: &[DataKind]) -> Vec<DataKind> {
    let mut flat: Vec<DataKind> = Vec::new();
    for kind in kinds {
        let members: Vec<DataKind> = match kind.0.finds {
            KindPatterns::All(belongs) => {
                KINDS.iter().filter(|entry| belongs(&entry.finds)).map(DataKind).collect()
            }
            KindPatterns::Looks(_) | KindPatterns::Texts(_) => vec![*kind],
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
                KindPatterns::Looks(looks) => Some(looks),
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
