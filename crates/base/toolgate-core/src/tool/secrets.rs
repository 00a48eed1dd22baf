//! Arguments that take the handle of a credential: agents write the handle, and the gateway puts the value in its
//! place once the call may be sent.

use serde_json::Value;

use super::FileSlot;

/// The step of a path that stands for each element of a list.
const EVERY: &str = "*";

/// One argument that takes a secret.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretSlot {
    /// A name, or a path such as `fields/*/secret`, where `*` is each element of a list.
    pub argument: String,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadSecretSlot {
    #[error(
        "{0:?} is not an argument for a secret: a name, or up to {max} of them with `/` between, `*` for each element of a list",
        max = SecretSlot::STEPS_MAX
    )]
    Path(String),
    #[error("the argument {0:?} takes a secret twice")]
    Twice(String),
    #[error("the argument {0:?} takes a file, and so no secret")]
    File(String),
    #[error("more than {max} secrets", max = SecretSlot::SLOTS_MAX)]
    TooMany,
}

impl SecretSlot {
    pub const SLOTS_MAX: usize = 16;
    pub const STEPS_MAX: usize = 8;
    const NAME_CHARS_MAX: usize = 128;

    /// Checks that slots are paths, and that none of them is in another's way.
    pub fn check(slots: &[SecretSlot], files: &[FileSlot]) -> Result<(), BadSecretSlot> {
        if slots.len() > Self::SLOTS_MAX {
            return Err(BadSecretSlot::TooMany);
        }
        for (at, slot) in slots.iter().enumerate() {
            if !slot.is_path() {
                return Err(BadSecretSlot::Path(slot.argument.clone()));
            }
            if slots[..at].contains(slot) {
                return Err(BadSecretSlot::Twice(slot.argument.clone()));
            }
            let first = slot.argument.split('/').next().unwrap_or_default();
            if files.iter().any(|file| file.fills(first)) {
                return Err(BadSecretSlot::File(first.to_owned()));
            }
        }
        Ok(())
    }

    fn is_path(&self) -> bool {
        let is_name = |step: &str| {
            !step.is_empty()
                && step.chars().count() <= Self::NAME_CHARS_MAX
                && !step.contains(|c: char| c.is_control() || c.is_whitespace())
        };
        !self.argument.starts_with(EVERY)
            && self.argument.split('/').count() <= Self::STEPS_MAX
            && self.argument.split('/').all(is_name)
    }

    /// The values in this slot, each with its place as a JSON pointer.
    pub fn values<'v>(&self, arguments: &'v Value) -> Vec<(String, &'v Value)> {
        let start = vec![(String::new(), arguments)];
        self.argument.split('/').fold(start, |reached, step| {
            reached.into_iter().flat_map(|(place, value)| below(&place, value, step)).collect()
        })
    }
}

/// One step deeper.
fn below<'v>(place: &str, value: &'v Value, step: &str) -> Vec<(String, &'v Value)> {
    match value {
        Value::Array(elements) if step == EVERY => {
            elements.iter().enumerate().map(|(at, one)| (format!("{place}/{at}"), one)).collect()
        }
        Value::Object(members) if step != EVERY => {
            let name = step.replace('~', "~0");
            members.get(step).map(|one| (format!("{place}/{name}"), one)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool::FileStrategy;

    fn slot(argument: &str) -> SecretSlot {
        SecretSlot { argument: argument.to_owned() }
    }

    fn places(argument: &str, arguments: &Value) -> Vec<String> {
        slot(argument).values(arguments).into_iter().map(|(place, _)| place).collect()
    }

    #[test]
    fn a_slot_leads_to_a_name_or_to_each_element_of_a_list() {
        let arguments = json!({ "secret": "a", "x~y": "b", "fields": [{ "secret": "c" }, { "text": "d" }, { "secret": "e" }],
            "deep": { "secret": "f" }, "*": ["g"] });
        assert_eq!(places("secret", &arguments), ["/secret"]);
        assert_eq!(places("x~y", &arguments), ["/x~0y"]);
        assert_eq!(places("fields/*/secret", &arguments), ["/fields/0/secret", "/fields/2/secret"]);
        assert_eq!(places("deep/secret", &arguments), ["/deep/secret"]);
        for nowhere in ["password", "secret/more", "fields/secret", "deep/*/secret"] {
            assert_eq!(places(nowhere, &arguments), Vec::<String>::new(), "{nowhere}");
        }
        for (place, value) in slot("fields/*/secret").values(&arguments) {
            assert_eq!(arguments.pointer(&place), Some(value));
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        let none: [FileSlot; 0] = [];
        for bad in ["", "a//b", "/a", "a/", "*", "*/a", "a b", "a\n", "a/b/c/d/e/f/g/h/i", &"x".repeat(129)] {
            assert_eq!(SecretSlot::check(&[slot(bad)], &none), Err(BadSecretSlot::Path(bad.to_owned())));
        }
        assert_eq!(SecretSlot::check(&[slot("a"), slot("b/*/a")], &none), Ok(()));
        assert_eq!(
            SecretSlot::check(&[slot("a"), slot("a")], &none),
            Err(BadSecretSlot::Twice("a".to_owned()))
        );
        let many: Vec<SecretSlot> = (0..=SecretSlot::SLOTS_MAX).map(|at| slot(&format!("a{at}"))).collect();
        assert_eq!(SecretSlot::check(&many, &none), Err(BadSecretSlot::TooMany));
    }

    #[test]
    fn an_argument_does_not_take_a_file_and_a_secret() {
        let file = [FileSlot::of(FileStrategy::BinaryBase64)];
        for name in ["file_id", "file_data", "file_type", "file_data/x"] {
            assert!(matches!(SecretSlot::check(&[slot(name)], &file), Err(BadSecretSlot::File(_))), "{name}");
        }
        assert_eq!(SecretSlot::check(&[slot("secret")], &file), Ok(()));
    }
}
