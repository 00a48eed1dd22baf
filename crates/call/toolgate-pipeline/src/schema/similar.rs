//! The likely correction of a name: the known name nearest to the given one.

/// Names longer than this are not compared; the work grows with the product of both lengths.
const NAME_CHARS_MAX: usize = 64;
/// Names that are compared with one another at most.
const NAMES_MAX: usize = 200;
/// One slip per this many characters still counts as the same name.
const CHARS_PER_SLIP: usize = 3;

/// The nearest of the `known` names, if any is near enough.
pub(super) fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if given.len() > NAME_CHARS_MAX {
        return None;
    }
    let plain = plain(given);
    known
        .filter(|name| name.len() <= NAME_CHARS_MAX)
        .take(NAMES_MAX)
        .filter_map(|name| Some((slips(&plain, name)?, name)))
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, name)| name)
}

/// The number of slips between two names, or `None` if there are too many.
fn slips(plain_given: &str, name: &str) -> Option<usize> {
    let plain_name = plain(name);
    let slips = strsim::damerau_levenshtein(plain_given, &plain_name);
    let chars = plain_given.chars().count().max(plain_name.chars().count());
    (slips <= chars / CHARS_PER_SLIP).then_some(slips)
}

/// `accountId`, `account-id` and `account_id` are the same name in three fashions.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' ' | '.'))
        .flat_map(char::to_lowercase)
        .collect()
}
