//! Options of lists, native or made by the page, and boxes to tick.

use std::time::Duration;

use capability_browser::page::PageElement;
use capability_browser::{MouseButton, Tab};
use capability_kit::Trouble;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::acting::{self, MousePress};
use crate::elements::{called, check_reachable, element};
use crate::telling::quoted;

/// Options that a refusal lists.
const LISTED_MAX: usize = 30;
/// The time in which a list of the page's own making opens.
const OPENING_MAX: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(80);

/// An option of a list, as the page script tells it.
#[derive(Clone, Debug, Deserialize)]
struct ListOption {
    label: String,
    #[serde(default)]
    value: String,
    /// Where it can be clicked.
    #[serde(default, rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    disabled: bool,
}

/// Chooses by words or values, and says so.
pub(crate) async fn choose(tab: &Tab, list: &PageElement, wanted: &[&str]) -> Result<String, Trouble> {
    if wanted.is_empty() {
        return Err(Trouble::bad_arguments("no option was named").hint("pass options, such as [\"Norway\"]"));
    }
    check_reachable(list)?;
    if list.tag == "select" {
        choose_native(tab, list, wanted).await?;
    } else {
        choose_by_clicks(tab, list, wanted).await?;
    }
    let words: Vec<String> = wanted.iter().map(|one| quoted(one)).collect();
    Ok(format!("Chose {} in {}.", words.join(", "), called(list)))
}

async fn choose_native(tab: &Tab, list: &PageElement, wanted: &[&str]) -> Result<(), Trouble> {
    let options = options_of(tab, list).await?;
    for one in wanted {
        option(list, &options, one)?;
    }
    let argument = json!({ "ref": list.reference, "options": wanted });
    tab.ask(&list.frame, "select", &argument).await.map(drop)
}

/// Opens the list, waits for its options and clicks on them.
async fn choose_by_clicks(tab: &Tab, list: &PageElement, wanted: &[&str]) -> Result<(), Trouble> {
    if options_of(tab, list).await?.is_empty() {
        press(tab, list).await?;
    }
    for one in wanted {
        let options = opened(tab, list).await?;
        let found = option(list, &options, one)?;
        let Some(reference) = &found.reference else {
            return Err(Trouble::internal(format!("the option {} cannot be clicked", quoted(one))));
        };
        press(tab, &element(tab, reference).await?).await?;
    }
    Ok(())
}

async fn opened(tab: &Tab, list: &PageElement) -> Result<Vec<ListOption>, Trouble> {
    let began = Instant::now();
    loop {
        let options = options_of(tab, list).await?;
        if !options.is_empty() {
            return Ok(options);
        }
        if began.elapsed() > OPENING_MAX {
            return Err(Trouble::bad_arguments(format!("{} showed no options", called(list)))
                .hint("click it, take a snapshot and click the option itself"));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn options_of(tab: &Tab, list: &PageElement) -> Result<Vec<ListOption>, Trouble> {
    let options = tab.ask(&list.frame, "options", &json!({ "ref": list.reference })).await?;
    serde_json::from_value(options)
        .map_err(|error| Trouble::internal(format!("the page script's options could not be read: {error}")))
}

/// By its words, by its value, or by words that only one option has.
fn option<'a>(
    list: &PageElement,
    options: &'a [ListOption],
    wanted: &str,
) -> Result<&'a ListOption, Trouble> {
    let folded = wanted.trim().to_lowercase();
    let exact = options.iter().find(|one| one.label.trim() == wanted.trim() || one.value == wanted);
    let same = || options.iter().find(|one| one.label.trim().to_lowercase() == folded);
    let Some(found) = exact.or_else(same) else {
        let labels: Vec<String> = options.iter().take(LISTED_MAX).map(|one| quoted(&one.label)).collect();
        let more = options.len().saturating_sub(LISTED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        return Err(Trouble::bad_arguments(format!("{} has no option {}", called(list), quoted(wanted)))
            .hint(format!("its options are {}{more}", labels.join(", "))));
    };
    match found.disabled {
        true => Err(Trouble::bad_arguments(format!("the option {} is disabled", quoted(wanted)))
            .hint("choose another one, or do first what enables it")),
        false => Ok(found),
    }
}

/// Ticks a box, or takes the tick away.
pub(crate) async fn check(tab: &Tab, found: &PageElement, checked: bool) -> Result<(), Trouble> {
    if is_checked(tab, found).await? == checked {
        return Ok(());
    }
    press(tab, found).await?;
    match is_checked(tab, found).await? == checked {
        true => Ok(()),
        false => Err(Trouble::bad_arguments(format!("{} did not change when it was clicked", called(found)))
            .hint("take a snapshot: the page may want something else first")),
    }
}

async fn is_checked(tab: &Tab, found: &PageElement) -> Result<bool, Trouble> {
    let state = tab.ask(&found.frame, "check_state", &json!({ "ref": found.reference })).await?;
    match state.get("checked") {
        Some(Value::Bool(checked)) => Ok(*checked),
        Some(Value::String(_)) => Ok(false),
        _ => Err(Trouble::bad_arguments(format!("{} cannot be ticked", called(found)))
            .hint("pass text for a field, checked for a box or a radio button")),
    }
}

async fn press(tab: &Tab, found: &PageElement) -> Result<(), Trouble> {
    check_reachable(found)?;
    let at = acting::middle(tab, found).await?;
    acting::click(
        tab,
        at,
        MousePress { button: MouseButton::Left, times: 1, modifiers: Modifiers::default() },
    )
    .await
}
