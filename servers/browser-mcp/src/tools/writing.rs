//! Filling in: one field, or many at once.

use std::sync::Arc;

use capability_browser::Tab;
use capability_kit::{Effect, ResidentAnswer, ResidentCall, Secret, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::acting;
use crate::choosing;
use crate::definition::{define, open_to_other_names};
use crate::elements::{element, takes_text};
use crate::entering::{self, FieldContent, TypingManner};
use crate::guard;
use crate::room::{BrowserRoom, FormGuard};
use crate::telling::counted;
use crate::visit::Visit;

/// Fields of one call.
const FIELDS_MAX: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = open_to_other_names)]
struct TypeArguments {
    /// Ref or CSS selector; the focused field if omitted.
    #[serde(default, alias = "selector", alias = "ref", alias = "element")]
    target: Option<String>,
    #[serde(default)]
    text: Option<String>,
    /// Instead of text: the handle of a credential, such as cred_1.password.
    #[serde(default)]
    secret: Option<Secret>,
    /// Replace what is there.
    #[serde(default = "yes")]
    clear: bool,
    /// Key by key.
    #[serde(default)]
    slowly: bool,
    /// Press Enter afterwards.
    #[serde(default)]
    submit: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FillFormArguments {
    fields: Vec<FormField>,
}

/// One of text, secret, checked.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FormField {
    #[serde(alias = "selector", alias = "ref", alias = "element")]
    target: String,
    /// Or an option's words, for a list.
    #[serde(default, alias = "value")]
    text: Option<String>,
    #[serde(default)]
    secret: Option<Secret>,
    #[serde(default)]
    checked: Option<bool>,
}

fn yes() -> bool {
    true
}

pub(super) fn type_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "type", "Type into a field", "Type text or a secret into a field.", type_text)
        .effect(Effect::External)
        .not_repeatable()
        .secret("secret")
        .aliases(&["TYPE_TEXT_BY_SELECTOR", "TYPE_TEXT", "browser_type"])
}

pub(super) fn fill_form_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "fill_form", "Fill in a form", "Fill in several fields at once. Sends nothing.", fill_form)
        .effect(Effect::External)
        .not_repeatable()
        .secret("fields/*/secret")
        .aliases(&["FILL_FORM", "browser_fill_form"])
}

async fn type_text(
    room: Arc<BrowserRoom>,
    arguments: TypeArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = match is_allowed(&room, &tab, &arguments).await {
        Ok(()) => type_in(&visit, &tab, &arguments).await,
        Err(trouble) => Err(trouble),
    };
    visit.acted(&tab, done).await
}

/// With the guard on, keys that could send a form are pressed only by a call that says `submit`.
async fn is_allowed(room: &BrowserRoom, tab: &Tab, arguments: &TypeArguments) -> Result<(), Trouble> {
    if room.form_guard == FormGuard::Off || arguments.submit || !arguments.slowly {
        return Ok(());
    }
    let field = match &arguments.target {
        Some(target) => Some(element(tab, target).await?),
        None => None,
    };
    guard::check_typing(arguments.text.as_deref().unwrap_or_default(), field.as_ref())
}

async fn type_in(visit: &Visit, tab: &Tab, arguments: &TypeArguments) -> Result<String, Trouble> {
    let content = FieldContent::of(arguments.text.as_deref(), arguments.secret.as_ref())?;
    let manner = TypingManner::of(arguments.clear, arguments.slowly);
    let mut sentence = match (&arguments.target, &content) {
        (Some(target), _) => {
            let field = element(tab, target).await?;
            let sentence = entering::enter(&visit.context, tab, &field, &content, manner).await?;
            if arguments.submit {
                entering::focus(tab, &field).await?;
            }
            sentence
        }
        (None, FieldContent::Text(text)) => type_at_focus(tab, text, arguments.slowly).await?,
        (None, FieldContent::Secret(_)) => {
            return Err(Trouble::bad_arguments("a secret was passed without a target")
                .hint("name the field that it goes into"));
        }
    };
    if arguments.submit {
        acting::press(tab, "Enter").await?;
        sentence.push_str(" Pressed Enter.");
    }
    Ok(sentence)
}

async fn type_at_focus(tab: &Tab, text: &str, slowly: bool) -> Result<String, Trouble> {
    if slowly {
        entering::type_keys(tab, text).await?
    } else {
        tab.insert_text(text).await?
    }
    Ok(format!("Typed {} into what has the focus.", counted(text.chars().count(), "character")))
}

async fn fill_form(
    room: Arc<BrowserRoom>,
    arguments: FillFormArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let count = arguments.fields.len();
    if count == 0 || count > FIELDS_MAX {
        return Err(Trouble::bad_arguments(format!("{count} fields were passed"))
            .hint(format!("pass 1 to {FIELDS_MAX}")));
    }
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = fill_all(&visit, &tab, &arguments.fields).await;
    visit.acted(&tab, done).await
}

/// Stops at the first that fails, and says how far it came.
async fn fill_all(visit: &Visit, tab: &Tab, fields: &[FormField]) -> Result<String, Trouble> {
    for (at, field) in fields.iter().enumerate() {
        if let Err(trouble) = fill(visit, tab, field).await {
            let message = format!(
                "field {} of {} ({}) was not filled in, those before it were: {}",
                at + 1,
                fields.len(),
                field.target,
                trouble.message
            );
            return Err(Trouble { message, ..trouble });
        }
    }
    Ok(format!("Filled in {}.", counted(fields.len(), "field")))
}

async fn fill(visit: &Visit, tab: &Tab, field: &FormField) -> Result<(), Trouble> {
    let found = element(tab, &field.target).await?;
    if let Some(checked) = field.checked {
        return choosing::check(tab, &found, checked).await;
    }
    let content = FieldContent::of(field.text.as_deref(), field.secret.as_ref())?;
    match content {
        FieldContent::Text(text) if !takes_text(&found) => {
            choosing::choose(tab, &found, &[text]).await.map(drop)
        }
        content => {
            entering::enter(&visit.context, tab, &found, &content, TypingManner::Replace).await.map(drop)
        }
    }
}
