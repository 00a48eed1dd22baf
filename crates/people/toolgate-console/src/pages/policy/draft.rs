//! The form with a change of policies, as it was sent or as the setting has it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::fields::FormFields;
use crate::problem::{ApiProblem, PageResult};

/// A text of the setting.
pub(super) struct TextField {
    pub(super) key: &'static str,
    pub(super) label: &'static str,
    pub(super) help: &'static str,
    pub(super) example: &'static str,
    pub(super) is_shadow: bool,
}

const GATE: &str = "@id(\"transfers\") @reason(\"money that left does not come back\") @approvers(\"finance\")\n\
    forbid (principal, action == Action::\"bank:transfer\", resource);";
const GUARD: &str = "permit (principal, action, resource);\n\n@id(\"closed\") @reason(\"closed for the audit\")\n\
    forbid (principal, action == Action::\"bank:transfer\", resource);";

pub(super) const TEXTS: [TextField; 4] = [
    TextField {
        key: "gates",
        label: "Gates",
        help: "If one of these matches a call, a person must approve it.",
        example: GATE,
        is_shadow: false,
    },
    TextField {
        key: "guard",
        label: "Guard",
        help: "Permits and forbids. The first guard replaces the built-in one, which permits everything: begin with a permit.",
        example: GUARD,
        is_shadow: false,
    },
    TextField {
        key: "gates_shadow",
        label: "Gates in shadow mode",
        help: "Only compared.",
        example: "",
        is_shadow: true,
    },
    TextField {
        key: "guard_shadow",
        label: "Guard in shadow mode",
        help: "Only compared.",
        example: "",
        is_shadow: true,
    },
];

/// The texts in force.
#[derive(Deserialize)]
pub(super) struct PolicyTextsData {
    pub(super) files: Vec<PolicySourceData>,
}

#[derive(Deserialize)]
pub(super) struct PolicySourceData {
    pub(super) name: String,
    pub(super) home: String,
    #[serde(default)]
    text: Option<String>,
}

/// The filled-in form.
#[derive(Default)]
pub(super) struct DraftForm {
    texts: BTreeMap<&'static str, String>,
    /// By the names of the files.
    files: BTreeMap<String, String>,
    pub(super) reason: String,
    /// The version of the setting that the user saw.
    pub(super) version: u64,
}

impl DraftForm {
    pub(super) fn of_setting(value: &Value, version: u64) -> Self {
        let text = |field: &TextField| Some((field.key, value[field.key].as_str()?.to_owned()));
        Self { texts: TEXTS.iter().filter_map(text).collect(), version, ..Self::default() }
    }

    pub(super) fn of(fields: &FormFields) -> PageResult<Self> {
        let text = |name: &str| fields.get(name).map(ends_of_lines).unwrap_or_default();
        let file = |(name, text): (&str, &str)| {
            Some((name.strip_prefix(FILE_PREFIX)?.to_owned(), ends_of_lines(text)))
        };
        let version = fields.needed("version")?.parse();
        Ok(Self {
            texts: TEXTS.iter().map(|field| (field.key, text(field.key))).collect(),
            files: fields.pairs().filter_map(file).collect(),
            reason: fields.text("reason").unwrap_or_default().to_owned(),
            version: version.map_err(|_| ApiProblem::bad_form("the version is not a number"))?,
        })
    }

    pub(super) fn file_field(name: &str) -> String {
        format!("{FILE_PREFIX}{name}")
    }

    pub(super) fn text(&self, key: &str) -> &str {
        self.texts.get(key).map_or("", String::as_str)
    }

    pub(super) fn has_shadow(&self) -> bool {
        TEXTS.iter().any(|field| field.is_shadow && !self.text(field.key).trim().is_empty())
    }

    /// The text of a file: as it was changed here, or as it stands.
    pub(super) fn file<'a>(&'a self, file: &'a PolicySourceData) -> &'a str {
        let stands = file.text.as_deref().unwrap_or_default();
        self.files.get(&file.name).map_or(stands, String::as_str)
    }

    /// The first file with another text than in force.
    pub(super) fn changed_file<'a>(&'a self, texts: &'a PolicyTextsData) -> Option<&'a str> {
        self.changed_files(texts).next().map(|(name, _)| name)
    }

    fn changed_files<'a>(
        &'a self,
        texts: &'a PolicyTextsData,
    ) -> impl Iterator<Item = (&'a str, &'a str)> + 'a {
        let is_changed = move |(name, text): &(&str, &str)| {
            let stands = texts.files.iter().find(|file| file.name == *name);
            let stands = stands.and_then(|file| file.text.as_deref()).unwrap_or_default();
            // Browsers leave out the first end of a line.
            ends_of_lines(stands).trim() != text.trim()
        };
        self.files.iter().map(|(name, text)| (name.as_str(), text.as_str())).filter(is_changed)
    }

    /// The request to check or try it.
    pub(super) fn body(&self, texts: &PolicyTextsData) -> Value {
        let mut body = self.value();
        body.insert(
            "files".to_owned(),
            self.changed_files(texts)
                .map(|(name, text)| (name.to_owned(), json!(text)))
                .collect::<Map<_, _>>()
                .into(),
        );
        Value::Object(body)
    }

    /// The request to put it in force.
    pub(super) fn change(&self) -> Value {
        json!({ "value": self.value(), "reason": self.reason })
    }

    /// Blank texts are left out.
    fn value(&self) -> Map<String, Value> {
        let filled = self.texts.iter().filter(|(_, text)| !text.trim().is_empty());
        filled.map(|(key, text)| ((*key).to_owned(), json!(text))).collect()
    }
}

/// Before the name of a file in the name of its field.
const FILE_PREFIX: &str = "file:";

/// Forms have other ends of lines than files.
fn ends_of_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> PolicyTextsData {
        let files = json!([{ "name": "money.gates.cedar", "home": "file", "text": "a;\nb;\n" },
            { "name": "built-in/guard.cedar", "home": "built_in" }]);
        serde_json::from_value(json!({ "files": files })).expect("texts")
    }

    fn form(file: &str) -> DraftForm {
        let pairs = [
            ("gates", "forbid\r\n;"),
            ("guard", "  "),
            ("file:money.gates.cedar", file),
            ("reason", " why "),
            ("version", "3"),
        ];
        DraftForm::of(&FormFields::of(&pairs)).expect("a form")
    }

    #[test]
    fn only_what_was_written_or_changed_is_sent() {
        let same = form("a;\r\nb;");
        assert_eq!(same.body(&texts()), json!({ "gates": "forbid\n;", "files": {} }));
        assert_eq!(same.changed_file(&texts()), None);
        assert_eq!(same.change(), json!({ "value": { "gates": "forbid\n;" }, "reason": "why" }));
        let other = form("c;");
        assert_eq!(other.body(&texts())["files"], json!({ "money.gates.cedar": "c;" }));
        assert_eq!(other.changed_file(&texts()), Some("money.gates.cedar"));
    }

    #[test]
    fn a_form_starts_from_the_setting_and_needs_its_version() {
        let form = DraftForm::of_setting(&json!({ "gates_shadow": "forbid;" }), 7);
        assert_eq!((form.text("gates_shadow"), form.text("gates"), form.version), ("forbid;", "", 7));
        assert!(form.has_shadow());
        assert!(DraftForm::of(&FormFields::of(&[("gates", "x")])).is_err());
    }
}
