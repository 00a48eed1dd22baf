//! Text and secrets into fields.

use capability_browser::page::PageElement;
use capability_browser::{BrowserContext, Tab};
use capability_kit::{Secret, Trouble};
use serde_json::json;

use crate::acting;
use crate::elements::{ask, called, check_editable, is_set_as_a_whole};
use crate::telling::counted;

/// Characters that are typed key by key in one call.
const SLOW_CHARS_MAX: usize = 2_000;

/// What goes into a field.
pub(crate) enum FieldContent<'a> {
    Text(&'a str),
    Secret(&'a Secret),
}

/// The way it goes in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TypingManner {
    /// In place of what is there.
    Replace,
    /// Behind what is there.
    Append,
    /// Key by key behind what is there.
    KeysBehind,
    /// Key by key in place of what is there.
    KeysInstead,
}

impl TypingManner {
    pub(crate) fn of(clear: bool, slowly: bool) -> Self {
        match (clear, slowly) {
            (true, false) => Self::Replace,
            (false, false) => Self::Append,
            (false, true) => Self::KeysBehind,
            (true, true) => Self::KeysInstead,
        }
    }

    fn replaces(self) -> bool {
        matches!(self, Self::Replace | Self::KeysInstead)
    }

    fn is_slow(self) -> bool {
        matches!(self, Self::KeysBehind | Self::KeysInstead)
    }
}

impl<'a> FieldContent<'a> {
    /// Exactly one of both.
    pub(crate) fn of(text: Option<&'a str>, secret: Option<&'a Secret>) -> Result<Self, Trouble> {
        match (text, secret) {
            (Some(text), None) => Ok(Self::Text(text)),
            (None, Some(secret)) => Ok(Self::Secret(secret)),
            (Some(_), Some(_)) => {
                Err(Trouble::bad_arguments("both text and secret were passed").hint("pass one of them"))
            }
            (None, None) => Err(Trouble::bad_arguments("neither text nor secret was passed")
                .hint("pass text, or secret with the handle of a credential (cred_…)")),
        }
    }
}

/// Puts the content into the field, and says so in a sentence without it.
pub(crate) async fn enter(
    context: &BrowserContext,
    tab: &Tab,
    element: &PageElement,
    content: &FieldContent<'_>,
    manner: TypingManner,
) -> Result<String, Trouble> {
    check_editable(element)?;
    match content {
        FieldContent::Text(text) => {
            write(tab, element, text, manner).await?;
            Ok(format!("Typed {} into {}.", counted(text.chars().count(), "character"), called(element)))
        }
        FieldContent::Secret(secret) => {
            // Refused before anything is known to be a secret of this page.
            let value = secret.value_for(&element.origin)?;
            context.remember_secret(secret);
            set_value(tab, element, value).await?;
            Ok(format!("Entered {} into {}.", secret.handle(), called(element)))
        }
    }
}

async fn write(tab: &Tab, element: &PageElement, text: &str, manner: TypingManner) -> Result<(), Trouble> {
    if is_set_as_a_whole(element) {
        return set_value(tab, element, text).await;
    }
    focus(tab, element).await?;
    if manner.replaces() {
        ask(tab, element, "select_text", json!({})).await?;
    }
    if text.is_empty() {
        return if manner.replaces() { acting::press(tab, "Delete").await } else { Ok(()) };
    }
    if manner.is_slow() { type_keys(tab, text).await } else { tab.insert_text(text).await }
}

pub(crate) async fn focus(tab: &Tab, element: &PageElement) -> Result<(), Trouble> {
    ask(tab, element, "focus", json!({})).await.map(drop)
}

/// In this very element, whatever has the focus: a secret must not end up in a frame that took the focus meanwhile.
async fn set_value(tab: &Tab, element: &PageElement, value: &str) -> Result<(), Trouble> {
    ask(tab, element, "set_value", json!({ "value": value })).await.map(drop)
}

/// For pages that look at each key.
pub(crate) async fn type_keys(tab: &Tab, text: &str) -> Result<(), Trouble> {
    let count = text.chars().count();
    if count > SLOW_CHARS_MAX {
        let message = format!("{count} characters are too many to type key by key");
        return Err(Trouble::bad_arguments(message)
            .hint(format!("at most {SLOW_CHARS_MAX}; type the text without slowly")));
    }
    for character in text.chars() {
        match character {
            '\n' => acting::press(tab, "Enter").await?,
            ' ' => acting::press(tab, "Space").await?,
            '\t' => acting::press(tab, "Tab").await?,
            _ => acting::press(tab, &character.to_string()).await?,
        }
    }
    Ok(())
}
