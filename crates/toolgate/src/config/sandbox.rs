//! `[sandbox]`: the treatment of servers that this machine cannot confine.

use toolgate_sandbox::Demand;

use super::problem::Problems;
use super::section::Section;

pub(super) const KEYS: [&str; 1] = ["required"];

pub(super) fn read(section: &Section<'_>, problems: &mut Problems) -> Demand {
    section.refuse_unknown_keys(&KEYS, &[], problems);
    match section.boolean("required", problems).is_some_and(|required| required.value) {
        true => Demand::Required,
        false => Demand::Wanted,
    }
}
