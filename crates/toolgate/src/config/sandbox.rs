//! `[sandbox]`: the treatment of servers that this machine cannot confine.

use toolgate_sandbox::ConfinementDemand;

use super::problem::ConfigProblems;
use super::section::ConfigSection;

pub(super) const KEYS: &[&str] = &["required"];

pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> ConfinementDemand {
    section.refuse_unknown_keys(KEYS, &[], problems);
    match section.boolean("required", problems).is_some_and(|required| required.value) {
        true => ConfinementDemand::Required,
        false => ConfinementDemand::Wanted,
    }
}
