//! Finding an entry by part of an id.

use anyhow::bail;

/// Ids share their beginnings, which encode the time; so endings count too.
const CHARS_MIN: usize = 3;
/// The number of listed candidates.
const TOLD_MAX: usize = 5;

/// The one id that is, begins or ends like this. `noun` and `list` are for the message where it is not one.
pub(super) fn pick<'i>(
    given: &str,
    ids: impl IntoIterator<Item = &'i str>,
    noun: &str,
    list: &str,
) -> anyhow::Result<&'i str> {
    let fits = |id: &str| {
        let bare = id.split_once('_').map_or(id, |(_, bare)| bare);
        id.starts_with(given) || bare.starts_with(given) || bare.ends_with(given)
    };
    let mut found = Vec::new();
    for id in ids {
        if id == given {
            return Ok(id);
        }
        if given.chars().count() >= CHARS_MIN && fits(id) {
            found.push(id);
        }
    }
    match found[..] {
        [id] => Ok(id),
        [] => bail!(
            "there is no {noun} {given:?}\nhint: `{list}` shows them; an ending of three characters is enough"
        ),
        _ => {
            let told: Vec<&str> = found.iter().copied().take(TOLD_MAX).collect();
            let more = if found.len() > TOLD_MAX { ", …" } else { "" };
            bail!(
                "{given:?} fits {} {noun}s: {}{more}\nhint: give more of the id",
                found.len(),
                told.join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 3] = ["apr_0198aaaa01", "apr_0198aaaa02", "apr_0198aaab01"];

    fn picked(given: &str) -> Result<&'static str, String> {
        pick(given, IDS, "approval", "toolgate approvals list").map_err(|error| error.to_string())
    }

    #[test]
    fn a_beginning_or_an_ending_is_enough_where_it_is_one() {
        assert_eq!(picked("apr_0198aaaa02"), Ok(IDS[1]));
        assert_eq!(picked("a02"), Ok(IDS[1]));
        assert_eq!(picked("apr_0198aaab"), Ok(IDS[2]));
        assert_eq!(picked("0198aaab"), Ok(IDS[2]));
    }

    #[test]
    fn what_fits_none_or_several_is_refused_with_a_hint() {
        assert!(picked("zzz").is_err_and(|told| told.contains("no approval \"zzz\"\nhint: ")));
        let several = picked("apr_").expect_err("all fit");
        assert!(several.contains("fits 3 approvals") && several.contains("give more"), "{several}");
        assert!(picked("02").is_err(), "two characters are a typo away from another");
    }
}
