//! Elements that actions work on, and reasons not to.

use capability_browser::Tab;
use capability_browser::page::{self, PageElement, Target};
use capability_kit::Trouble;
use serde_json::Value;

use crate::telling::quoted;

/// The one element of a target, scrolled into view.
pub(crate) async fn element(tab: &Tab, target: &str) -> Result<PageElement, Trouble> {
    page::resolve(tab, &Target::parse(target)?).await
}

/// Another element of the same frame, by the number of its ref.
pub(crate) async fn beside(tab: &Tab, known: &PageElement, number: u64) -> Result<PageElement, Trouble> {
    let frames = tab.frames().await;
    let label = frames.iter().find(|frame| frame.id == known.frame).map_or("", |frame| frame.label.as_str());
    element(tab, &format!("{label}e{number}")).await
}

/// Asks the page script something about an element.
pub(crate) async fn ask(
    tab: &Tab,
    element: &PageElement,
    function: &str,
    mut argument: Value,
) -> Result<Value, Trouble> {
    argument["target"] = element.reference.clone().into();
    page::ask(tab, &element.frame, function, &argument).await
}

/// Its role and name, such as `button "Send"`.
pub(crate) fn called(element: &PageElement) -> String {
    match element.name.is_empty() {
        true => format!("{} {}", element.role, element.reference),
        false => format!("{} {}", element.role, quoted(&element.name)),
    }
}

/// Refuses what a person could not press: disabled, not drawn, or with something else in front.
pub(crate) fn check_reachable(element: &PageElement) -> Result<(), Trouble> {
    if element.disabled {
        let message = format!("{} is disabled", called(element));
        return Err(Trouble::bad_arguments(message)
            .hint("fill in what the page wants first, or wait_for the change that enables it"));
    }
    if !(element.rect.width > 0.0 && element.rect.height > 0.0) {
        return Err(Trouble::bad_arguments(format!("{} is not drawn on the page", called(element)))
            .hint("do first what shows it, such as opening a menu, or use an element that is visible"));
    }
    if let Some(other) = &element.covered_by {
        let message = format!("{} is covered by {other}", called(element));
        return Err(Trouble::bad_arguments(message)
            .hint("close or scroll away what covers it, for instance a dialog or a banner, then try again"));
    }
    Ok(())
}

/// Refuses another element than the caller means: a page may have changed since the snapshot.
pub(crate) fn check_expected(element: &PageElement, expected: Option<&str>) -> Result<(), Trouble> {
    let Some(expected) = expected else { return Ok(()) };
    let (name, wanted) = (folded(&element.name), folded(expected));
    if name == wanted {
        return Ok(());
    }
    let message = format!("the element is {}, not {}", called(element), quoted(expected));
    Err(Trouble::bad_arguments(message).hint("take a snapshot, and use the ref of the element that you mean"))
}

/// Without differences that nobody sees.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Elements that other tools are for.
pub(crate) fn check_clickable(element: &PageElement) -> Result<(), Trouble> {
    let (what, hint) = match (element.tag.as_str(), element.kind.as_str()) {
        ("input", "file") => ("takes a file", "use upload with a file_id"),
        ("select" | "option", _) => ("is a list of options", "use select with the option's words"),
        _ => return Ok(()),
    };
    Err(Trouble::bad_arguments(format!("{} {what}", called(element))).hint(hint))
}

/// Kinds of inputs that show a widget of their own: their value is set as a whole.
const SET_AS_A_WHOLE: [&str; 7] = ["date", "time", "datetime-local", "month", "week", "range", "color"];

pub(crate) fn is_set_as_a_whole(element: &PageElement) -> bool {
    element.tag == "input" && SET_AS_A_WHOLE.contains(&element.kind.as_str())
}

pub(crate) fn takes_text(element: &PageElement) -> bool {
    element.editable || is_set_as_a_whole(element)
}

/// Elements that text can be typed into.
pub(crate) fn check_editable(element: &PageElement) -> Result<(), Trouble> {
    check_clickable(element)?;
    let hint = match element.role.as_str() {
        "checkbox" | "radio" | "switch" => "use click, or fill_form with checked",
        "combobox" | "listbox" => "use select with the option's words",
        _ => "give the text box itself; find lists what the page has",
    };
    if element.readonly {
        return Err(Trouble::bad_arguments(format!("{} is read-only", called(element)))
            .hint("look for the button or calendar that sets it"));
    }
    match takes_text(element) {
        true => Ok(()),
        false => Err(Trouble::bad_arguments(format!("{} takes no text", called(element))).hint(hint)),
    }
}
