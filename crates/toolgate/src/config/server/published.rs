//! `published` of a server: the entry of a registry that it was made from. `toolgate servers outdated` compares it with what the
//! registry has now.

use toolgate_core::Digest;
use toolgate_registry::{PublishedName, PublishedOrigin};

use super::super::problem::ConfigProblems;
use super::super::section::{ConfigSection, require};
use super::ServerReader;

pub(crate) const KEYS: &[&str] = &["registry", "name", "version", "digest"];

const EXAMPLES: [(&str, &str); 4] = [
    ("registry", "\"https://registry.example.com\""),
    ("name", "\"io.github.owner/server\""),
    ("version", "\"1.2.0\""),
    ("digest", "\"sha256:…\""),
];

impl ServerReader<'_> {
    pub(super) fn published(&self, problems: &mut ConfigProblems) -> Option<PublishedOrigin> {
        let title = format!("`published` of {}", self.section.title());
        let section = self.section.section("published", &title, problems)?;
        section.refuse_unknown_keys(KEYS, &[], problems);
        for (key, example) in EXAMPLES {
            require(&section, key, example, problems);
        }
        let text = |key: &str, problems: &mut ConfigProblems| {
            section.string(key, problems).map(|text| text.value.to_owned())
        };
        let (registry, version) = (text("registry", problems), text("version", problems));
        let name = checked(&section, "name", problems, |text| {
            PublishedName::new(text).map_err(|bad| bad.to_string())
        });
        let digest = checked(&section, "digest", problems, |text| {
            text.parse::<Digest>().map_err(|bad| bad.to_string())
        });
        Some(PublishedOrigin { registry: registry?, name: name?, version: version?, digest: digest? })
    }
}

fn checked<T>(
    section: &ConfigSection<'_>,
    key: &str,
    problems: &mut ConfigProblems,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Option<T> {
    let text = section.string(key, problems)?;
    match read(text.value) {
        Ok(read) => Some(read),
        Err(expected) => {
            let what = format!("`{key}` in {} cannot be {:?}", section.title(), text.value);
            problems.add(text.span, what, expected, "`toolgate servers add` writes this table");
            None
        }
    }
}
