//! Ids and names of calls that every provider takes.

/// The longest name of a tool that all providers take.
const NAME_CHARS_MAX: usize = 64;
/// The name that stands for none.
const NO_NAME: &str = "unnamed";

/// An id of letters, digits, `_` and `-`: `3.1` becomes `3_1`.
pub(super) fn plain_id(id: &str) -> String {
    id.chars().map(|one| if is_plain(one) { one } else { '_' }).collect()
}

/// An id of nine digits for our `{turn}.{place}`: `3.1` becomes `000003001`. Some servers of chat completions take only ids of nine
/// letters and digits. An id of another form becomes a plain one.
pub(super) fn digits_id(id: &str) -> String {
    let parts = id.split_once('.').and_then(|(turn, place)| {
        let turn: u32 = turn.parse().ok().filter(|turn| *turn < 1_000_000)?;
        let place: u32 = place.parse().ok().filter(|place| *place < 1_000)?;
        Some((turn, place))
    });
    parts.map_or_else(|| plain_id(id), |(turn, place)| format!("{turn:06}{place:03}"))
}

/// The name of a call in a history. Models make names up, and providers refuse a history with a name that no tool could have.
pub(super) fn legal_name(name: &str) -> String {
    let legal: String = plain_id(name).chars().take(NAME_CHARS_MAX).collect();
    if legal.is_empty() { NO_NAME.to_owned() } else { legal }
}

fn is_plain(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_' || one == '-'
}
