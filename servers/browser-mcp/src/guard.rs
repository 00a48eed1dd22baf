//! Forms are sent only by a call that says so, where the operator wants that: a policy sees the word `submit`, not the page.

use capability_browser::Tab;
use capability_browser::page::PageElement;
use capability_kit::Trouble;
use serde_json::json;

use crate::elements::{ask, called};

/// Keys that press the focused button or send the form of the focused field.
const SENDING_KEYS: [&str; 5] = ["enter", "return", "numpadenter", "space", " "];

pub(crate) async fn check_click(tab: &Tab, element: &PageElement) -> Result<(), Trouble> {
    match sends(tab, element).await? {
        true => Err(must_say(&format!("{} sends a form", called(element)))),
        false => Ok(()),
    }
}

/// True if a click in the middle of the element presses a button that sends a form.
pub(crate) async fn sends(tab: &Tab, element: &PageElement) -> Result<bool, Trouble> {
    let rect = &element.rect;
    let middle = json!({ "x": rect.x + rect.width / 2.0, "y": rect.y + rect.height / 2.0 });
    let found = ask(tab, element, "form_of", json!({ "at": middle })).await?;
    Ok(found["form"]["submits"] == true)
}

/// Keys that are typed one by one press what has the focus, and a line break is the key Enter.
pub(crate) fn check_typing(text: &str, into: Option<&PageElement>) -> Result<(), Trouble> {
    let takes_lines =
        into.is_some_and(|field| ["textarea", "contenteditable"].contains(&field.kind.as_str()));
    let is_sending = match into {
        Some(_) => text.contains('\n') && !takes_lines,
        None => text.contains(['\n', ' ']),
    };
    match is_sending {
        true => Err(must_say("typing this key by key can send a form")),
        false => Ok(()),
    }
}

pub(crate) fn check_key(chord: &str) -> Result<(), Trouble> {
    let last = chord.rsplit('+').next().unwrap_or(chord).to_lowercase();
    match SENDING_KEYS.contains(&last.as_str()) {
        true => Err(must_say(&format!("the key {chord} can send a form"))),
        false => Ok(()),
    }
}

fn must_say(what: &str) -> Trouble {
    Trouble::bad_arguments(what)
        .hint("call again with submit: true if that is what you mean; it may need an approval")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_that_can_send_a_form_need_the_word() {
        for key in ["Enter", "Return", "Control+Enter", "Space", "NumpadEnter", " "] {
            assert!(check_key(key).unwrap_err().to_string().contains("submit: true"), "{key}");
        }
        for key in ["a", "Tab", "Control+A", "ArrowDown", "+"] {
            assert_eq!(check_key(key), Ok(()), "{key}");
        }
    }
}
