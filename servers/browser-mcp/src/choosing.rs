//! Options of lists, native or made by the page, and boxes to tick.

use std::time::Duration;

use capability_browser::page::PageElement;
use capability_browser::{HeldKeys, MouseButton, Tab};
use capability_kit::Trouble;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::acting::{self, MousePress};
use crate::elements::{ask, beside, called, check_reachable};
use crate::guard;
use crate::telling::quoted;

/// The time in which a list of the page's own making opens.
const OPENING_MAX: Duration = Duration::from_millis(1_500);
const LOOK_EVERY: Duration = Duration::from_millis(80);

/// The page script's answer about a list of the page's own making.
#[derive(Debug, Deserialize)]
struct CustomChoice {
    /// The ref of the wanted option, if it is drawn.
    click: [Option<u64>; 1],
    /// The drawn options.
    #[serde(default)]
    labels: Vec<String>,
}

/// Chooses by words or values, and says so.
pub(crate) async fn choose(tab: &Tab, list: &PageElement, wanted: &[&str]) -> Result<String, Trouble> {
    if wanted.is_empty() {
        return Err(Trouble::bad_arguments("no option was named").hint("pass options, such as [\"Norway\"]"));
    }
    if list.tag == "select" {
        ask(tab, list, "select", json!({ "labels": wanted })).await?;
    } else {
        check_reachable(list)?;
        for one in wanted {
            choose_by_clicks(tab, list, one).await?;
        }
    }
    let words: Vec<String> = wanted.iter().map(|one| quoted(one)).collect();
    Ok(format!("Chose {} in {}.", words.join(", "), called(list)))
}

/// Clicks on the option; opens the list first if the option is not there.
async fn choose_by_clicks(tab: &Tab, list: &PageElement, wanted: &str) -> Result<(), Trouble> {
    let began = Instant::now();
    let mut is_opened = false;
    loop {
        let told = ask(tab, list, "select", json!({ "labels": [wanted] })).await?;
        let told: CustomChoice = serde_json::from_value(told).map_err(|error| {
            Trouble::internal(format!("the page script's options could not be read: {error}"))
        })?;
        if let [Some(number)] = told.click {
            return press(tab, &beside(tab, list, number).await?).await;
        }
        if !is_opened {
            press(tab, list).await?;
            is_opened = true;
        } else if began.elapsed() > OPENING_MAX {
            return Err(no_option(list, wanted, &told.labels));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn no_option(list: &PageElement, wanted: &str, labels: &[String]) -> Trouble {
    let labels: Vec<String> = labels.iter().map(|one| quoted(one)).collect();
    let hint = match labels.is_empty() {
        true => "it showed no options; take a snapshot and click the option itself".to_owned(),
        false => format!("the options are {}", labels.join(", ")),
    };
    Trouble::bad_arguments(format!("{} has no option {}", called(list), quoted(wanted))).hint(hint)
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
    let state = ask(tab, found, "check_state", json!({})).await?;
    match state.get("checked") {
        Some(Value::Bool(checked)) => Ok(*checked),
        Some(Value::String(_)) => Ok(false),
        _ => Err(Trouble::bad_arguments(format!("{} cannot be ticked", called(found)))
            .hint("pass text for a field, checked for a box or a radio button")),
    }
}

/// Never a button that sends a form: whoever allows a choice has not allowed that.
async fn press(tab: &Tab, found: &PageElement) -> Result<(), Trouble> {
    check_reachable(found)?;
    if guard::sends(tab, found).await? {
        return Err(Trouble::bad_arguments(format!("{} sends a form, and has no options", called(found)))
            .hint("use click if that is what you mean"));
    }
    let at = acting::middle(tab, found).await?;
    acting::click(tab, at, MousePress { button: MouseButton::Left, times: 1, held: HeldKeys::default() })
        .await
}
