//! The mouse: click, hover, scroll.

use std::sync::Arc;

use capability_browser::{HeldKeys, MouseButton, Tab, page};
use capability_kit::{Effect, ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::acting::{self, MousePress};
use crate::definition::{define, open_to_other_names};
use crate::elements::{called, check_clickable, check_expected, check_reachable, element};
use crate::guard;
use crate::room::{BrowserRoom, FormGuard};

/// Pages that one call scrolls at most.
const PAGES_MAX: f64 = 50.0;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = open_to_other_names)]
struct ClickArguments {
    /// Ref (e12) or CSS selector.
    #[serde(alias = "selector", alias = "ref", alias = "element")]
    target: String,
    /// The element's name as you see it; another one is not clicked.
    #[serde(default)]
    expect: Option<String>,
    #[serde(default)]
    button: ClickButton,
    #[serde(default)]
    double: bool,
    /// Marks the text of a paragraph.
    #[serde(default)]
    triple: bool,
    /// Held meanwhile.
    #[serde(default)]
    modifiers: Vec<HeldKey>,
    /// Drag it to this element.
    #[serde(default)]
    drag_to: Option<String>,
    /// True if it sends a form.
    #[serde(default)]
    submit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ClickButton {
    #[default]
    Left,
    Right,
    Middle,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
enum HeldKey {
    Alt,
    Control,
    Meta,
    Shift,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = open_to_other_names)]
struct HoverArguments {
    /// Ref or CSS selector.
    #[serde(alias = "selector", alias = "ref", alias = "element")]
    target: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScrollArguments {
    #[serde(default)]
    direction: ScrollDirection,
    /// How far, in heights of the view; 1 if omitted.
    #[serde(default)]
    pages: Option<f64>,
    /// Scroll this element instead of the page.
    #[serde(default, alias = "selector", alias = "ref")]
    target: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ScrollDirection {
    #[default]
    Down,
    Up,
    Left,
    Right,
    Top,
    Bottom,
}

pub(super) fn click_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "click", "Click an element", "Click an element, or drag it.", click)
        .effect(Effect::External)
        .not_repeatable()
        .aliases(&["CLICK_ELEMENT_BY_SELECTOR", "CLICK_ELEMENT", "browser_click"])
}

pub(super) fn hover_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "hover", "Point at an element", "Move the mouse over an element, for menus and tips.", hover)
        .aliases(&["HOVER_ELEMENT_BY_SELECTOR", "browser_hover"])
}

pub(super) fn scroll_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(
        room,
        "scroll",
        "Scroll",
        "Scroll the page or an element. Elements that you act on are scrolled to anyway.",
        scroll,
    )
    .aliases(&["SCROLL_PAGE"])
}

async fn click(
    room: Arc<BrowserRoom>,
    arguments: ClickArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = click_in(&tab, &arguments, room.form_guard).await;
    visit.acted(&tab, done).await
}

async fn click_in(tab: &Tab, arguments: &ClickArguments, form_guard: FormGuard) -> Result<String, Trouble> {
    let clicked = element(tab, &arguments.target).await?;
    check_expected(&clicked, arguments.expect.as_deref())?;
    check_clickable(&clicked)?;
    check_reachable(&clicked)?;
    if form_guard == FormGuard::On && !arguments.submit {
        guard::check_click(tab, &clicked).await?;
    }
    let at = acting::middle(tab, &clicked).await?;
    if let Some(goal) = &arguments.drag_to {
        let goal = element(tab, goal).await?;
        // Scrolling to the goal may have moved it.
        let clicked = element(tab, &arguments.target).await?;
        let from = acting::middle(tab, &clicked).await?;
        let to = acting::past_middle(tab, &goal, from).await?;
        acting::drag(tab, from, to).await?;
        return Ok(format!("Dragged {} to {}.", called(&clicked), called(&goal)));
    }
    acting::click(tab, at, arguments.press()).await?;
    Ok(format!("{} {}.", arguments.verb(), called(&clicked)))
}

impl ClickArguments {
    fn press(&self) -> MousePress {
        let button = match self.button {
            ClickButton::Left => MouseButton::Left,
            ClickButton::Right => MouseButton::Right,
            ClickButton::Middle => MouseButton::Middle,
        };
        let holds = |key: HeldKey| self.modifiers.contains(&key);
        let held = HeldKeys {
            alt: holds(HeldKey::Alt),
            control: holds(HeldKey::Control),
            meta: holds(HeldKey::Meta),
            shift: holds(HeldKey::Shift),
        };
        MousePress { button, times: self.times(), held }
    }

    /// Three clicks are two as well: whoever asks for both gets both.
    fn times(&self) -> u32 {
        match (self.triple, self.double) {
            (true, _) => 3,
            (false, true) => 2,
            (false, false) => 1,
        }
    }

    fn verb(&self) -> &'static str {
        match (self.button, self.times()) {
            (ClickButton::Right, _) => "Clicked with the right button on",
            (ClickButton::Middle, _) => "Clicked with the middle button on",
            (ClickButton::Left, 3) => "Triple-clicked",
            (ClickButton::Left, 2) => "Double-clicked",
            (ClickButton::Left, _) => "Clicked",
        }
    }
}

async fn hover(
    room: Arc<BrowserRoom>,
    arguments: HoverArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = hover_in(&tab, &arguments.target).await;
    visit.acted(&tab, done).await
}

async fn hover_in(tab: &Tab, target: &str) -> Result<String, Trouble> {
    let hovered = element(tab, target).await?;
    acting::hover(tab, acting::middle(tab, &hovered).await?).await?;
    Ok(format!("Pointed at {}.", called(&hovered)))
}

async fn scroll(
    room: Arc<BrowserRoom>,
    arguments: ScrollArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = scroll_in(&tab, &arguments).await;
    visit.acted(&tab, done).await
}

async fn scroll_in(tab: &Tab, arguments: &ScrollArguments) -> Result<String, Trouble> {
    let pages = arguments.pages.unwrap_or(1.0);
    if !(pages > 0.0 && pages <= PAGES_MAX) {
        return Err(Trouble::bad_arguments(format!("pages is {pages}"))
            .hint(format!("give a number above 0 and up to {PAGES_MAX}")));
    }
    let scrolled = match &arguments.target {
        Some(target) => Some(element(tab, target).await?),
        None => None,
    };
    let frames = tab.frames().await;
    let Some(frame) = scrolled.as_ref().map(|one| &one.frame).or(frames.first().map(|main| &main.id)) else {
        return Err(Trouble::internal("the page has no frame"));
    };
    let target = scrolled.as_ref().map(|one| &one.reference);
    let argument = match arguments.direction {
        ScrollDirection::Top => json!({ "target": target, "to": "top" }),
        ScrollDirection::Bottom => json!({ "target": target, "to": "bottom" }),
        ScrollDirection::Down => json!({ "target": target, "dy": pages }),
        ScrollDirection::Up => json!({ "target": target, "dy": -pages }),
        ScrollDirection::Right => json!({ "target": target, "dx": pages }),
        ScrollDirection::Left => json!({ "target": target, "dx": -pages }),
    };
    page::ask(tab, frame, "scroll", &argument).await?;
    let what = scrolled.as_ref().map_or_else(|| "the page".to_owned(), called);
    Ok(format!("Scrolled {what} {}.", arguments.direction.word()))
}

impl ScrollDirection {
    fn word(self) -> &'static str {
        match self {
            ScrollDirection::Down => "down",
            ScrollDirection::Up => "up",
            ScrollDirection::Left => "left",
            ScrollDirection::Right => "right",
            ScrollDirection::Top => "top",
            ScrollDirection::Bottom => "bottom",
        }
    }
}
