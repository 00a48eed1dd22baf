//! The fields as markup. Bounds are shown but not enforced by the browser: it would round numbers, empty
//! fields it cannot read, and block a form that uses JSON.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::FieldErrors;
use super::entry::{EntryForm, FieldEntry, FormContent, WHOLE_JSON, WHOLE_USE, json_text, name};
use super::shape::{ControlKind, FormNode, FormShape, ItemKind, NodeGroup};
use crate::parts::text;

const HELP_CHARS: usize = 600;
const PLACEHOLDER_CHARS: usize = 80;
const NAME_CHARS: usize = 120;
/// A longer text gets more than a line.
const LINE_CHARS: usize = 100;
const ROWS_MIN: usize = 3;
const ROWS_MAX: usize = 20;
/// Members that are named where a list of objects is to be written.
const SKELETON_MAX: usize = 6;
/// Things said about one field.
const WRONG_MAX: usize = 20;

pub(super) fn form(shape: &FormShape, filling: &FormContent<'_>, wrong: &FieldErrors) -> Markup {
    let drawer = FormDrawer { filling, wrong };
    let ControlKind::Group(group) = &shape.root.kind else { return drawer.only_json(&shape.root) };
    html! {
        div.schema-form {
            (drawer.wrongs(&shape.root, &id("")))
            @if group.nodes.is_empty() && !group.is_open { p.help { "This tool takes no arguments." } }
            (drawer.group("", group))
            (drawer.whole())
        }
    }
}

struct FormDrawer<'a> {
    filling: &'a FormContent<'a>,
    wrong: &'a FieldErrors,
}

impl FormDrawer<'_> {
    fn group(&self, pointer: &str, group: &NodeGroup) -> Markup {
        let more = self.filling.more(pointer, group);
        html! {
            @for node in &group.nodes { (self.node(node)) }
            @if group.is_open || !more.is_empty() { (self.more(pointer, &more)) }
        }
    }

    fn node(&self, node: &FormNode) -> Markup {
        match (&node.kind, self.filling.entry(node)) {
            (ControlKind::Group(group), FieldEntry::Within) => html! {
                fieldset {
                    legend { (label(node)) }
                    (self.help(node, &FieldEntry::Within))
                    (self.wrongs(node, &id(&node.pointer)))
                    (self.group(&node.pointer, group))
                }
            },
            (ControlKind::Choices(choices), FieldEntry::Ticked(ticked)) => html! {
                fieldset.choices {
                    legend { (label(node)) }
                    (self.help(node, &FieldEntry::Within))
                    (self.wrongs(node, &id(&node.pointer)))
                    (boxes(node, choices, &ticked))
                }
            },
            (_, entry) => html! {
                div.field {
                    label for=(id(&node.pointer)) { (label(node)) }
                    (self.control(node, &entry))
                    (self.help(node, &entry))
                    (self.wrongs(node, &id(&node.pointer)))
                }
            },
        }
    }

    fn control(&self, node: &FormNode, entry: &FieldEntry) -> Markup {
        let (id, name_plain) = (id(&node.pointer), name(EntryForm::Plainly, &node.pointer));
        let told = ControlAttributes {
            described: format!("{id}-help {id}-wrong"),
            invalid: self.owned(node).next().map(|_| "true"),
        };
        match (&node.kind, entry) {
            (_, FieldEntry::Json(text)) => {
                html! {
                    textarea.mono #(id) name=(name(EntryForm::AsJson, &node.pointer)) rows=(rows(text)) spellcheck="false"
                        aria-describedby=(told.described) aria-invalid=[told.invalid] placeholder=[placeholder(node)] { "\n" (text) }
                }
            }
            (ControlKind::Truth, FieldEntry::Plain(chosen)) => {
                let choices = [Value::Bool(true), Value::Bool(false)];
                select(node, &id, &name_plain, &told, &choices, chosen)
            }
            (ControlKind::Choice(choices), FieldEntry::Plain(chosen)) => {
                select(node, &id, &name_plain, &told, choices, chosen)
            }
            (kind, FieldEntry::Plain(text)) if is_tall(kind, text) => html! {
                textarea #(id) name=(name_plain) rows=(rows(text)) aria-required=(node.is_required)
                    aria-describedby=(told.described) aria-invalid=[told.invalid] placeholder=[placeholder(node)] { "\n" (text) }
            },
            (kind, FieldEntry::Plain(text)) => html! {
                input type="text" #(id) name=(name_plain) value=(text) inputmode=[input_mode(kind, node)] autocomplete="off"
                    aria-required=(node.is_required) aria-describedby=(told.described) aria-invalid=[told.invalid]
                    placeholder=[placeholder(node)];
            },
            (_, FieldEntry::Ticked(_) | FieldEntry::Within) => html! {},
        }
    }

    fn help(&self, node: &FormNode, entry: &FieldEntry) -> Markup {
        let mut notes = node.notes.clone();
        match (&node.kind, entry) {
            (_, FieldEntry::Json(_)) => notes.push("written as JSON".to_owned()),
            (ControlKind::Lines(_), _) => notes.push("one per line".to_owned()),
            _ => {}
        }
        html! {
            div.help id={ (id(&node.pointer)) "-help" } {
                @if let Some(description) = &node.description { p { (text::cut(description, HELP_CHARS)) } }
                @if !notes.is_empty() { p { (text::cut(&notes.join("; "), HELP_CHARS)) } }
            }
        }
    }

    fn wrongs(&self, node: &FormNode, id: &str) -> Markup {
        html! {
            div id={ (id) "-wrong" } {
                @for (place, sentence) in self.owned(node).take(WRONG_MAX) {
                    p.wrong role="alert" {
                        @if place != node.pointer.as_str() { code { (text::short(place)) } " " }
                        (text::long(sentence))
                    }
                }
            }
        }
    }

    /// The errors shown here: all those that no inner field can show.
    fn owned(&self, node: &FormNode) -> impl Iterator<Item = (&str, &str)> {
        let inner: &[FormNode] = match (&node.kind, self.entry_of(node)) {
            (ControlKind::Group(group), FieldEntry::Within) => &group.nodes,
            _ => &[],
        };
        let here = self.wrong.iter().filter(|(place, _)| is_within(place, &node.pointer));
        let here = here.filter(|(place, _)| !inner.iter().any(|one| is_within(place, &one.pointer)));
        here.map(|(place, sentence)| (place.as_str(), sentence.as_str()))
    }

    /// The top always has fields.
    fn entry_of(&self, node: &FormNode) -> FieldEntry {
        if node.pointer.is_empty() { FieldEntry::Within } else { self.filling.entry(node) }
    }

    fn more(&self, pointer: &str, written: &str) -> Markup {
        let id = format!("{}-more", id(pointer));
        html! {
            details.raw open[!written.is_empty()] id={ (id) "-fold" } {
                summary { "More members" }
                div.field {
                    label for=(id) { "Members without a field of their own, as a JSON object" }
                    textarea.mono #(id) name=(name(EntryForm::More, pointer)) rows=(rows(written)) spellcheck="false" { "\n" (written) }
                }
            }
        }
    }

    /// The choice that is always available.
    fn whole(&self) -> Markup {
        let (text, is_used) = self.filling.whole();
        html! {
            details.raw #whole-fold open[is_used] {
                summary { "Edit as JSON" }
                label.check for="whole-use" {
                    input type="checkbox" #whole-use name=(WHOLE_USE) value="1" checked[is_used];
                    span { "Use this JSON instead of the fields" }
                }
                div.field {
                    label for="whole-json" { "All arguments as JSON" }
                    textarea.mono #whole-json name=(WHOLE_JSON) rows=(rows(&text)) spellcheck="false" data-ticks="whole-use" { "\n" (text) }
                }
            }
        }
    }

    /// For a schema that has no fields.
    fn only_json(&self, root: &FormNode) -> Markup {
        let (text, _) = self.filling.whole();
        html! {
            div.schema-form {
                input type="hidden" name=(WHOLE_USE) value="1";
                div.field {
                    label for="whole-json" { "Arguments as JSON" }
                    textarea.mono #whole-json name=(WHOLE_JSON) rows=(rows(&text)) spellcheck="false" aria-describedby="whole-help" { "\n" (text) }
                    p.help #whole-help { "This tool's schema is too complex to show as fields." }
                    (self.wrongs(root, "whole"))
                }
            }
        }
    }
}

/// The attributes of a control beyond its label.
struct ControlAttributes {
    described: String,
    invalid: Option<&'static str>,
}

fn label(node: &FormNode) -> Markup {
    html! {
        span.name { (text::cut(&node.name, NAME_CHARS)) }
        @if let Some(title) = node.title.as_ref().filter(|title| !title.eq_ignore_ascii_case(&node.name)) {
            " " span.soft { (text::short(title)) }
        }
        " " span.type { (text::short(&node.word)) }
        @if node.is_required { " " span.needed { "required" } }
    }
}

fn select(
    node: &FormNode,
    id: &str,
    name: &str,
    told: &ControlAttributes,
    choices: &[Value],
    chosen: &str,
) -> Markup {
    // A value with one choice is that choice.
    let is_implied = node.is_certain && choices.len() == 1;
    let nothing = match (&node.default, node.is_required) {
        (Some(default), _) => format!("not set (default: {})", said(default)),
        (None, true) => "choose".to_owned(),
        (None, false) => "not set".to_owned(),
    };
    html! {
        select #(id) name=(name) aria-required=(node.is_required) aria-describedby=(told.described) aria-invalid=[told.invalid] {
            @if !is_implied { option value="" selected[chosen.is_empty()] { (nothing) } }
            @for choice in choices {
                @let value = choice.to_string();
                option value=(value) selected[is_implied || value == chosen] { (said(choice)) }
            }
        }
    }
}

fn boxes(node: &FormNode, choices: &[Value], ticked: &[String]) -> Markup {
    html! {
        @for choice in choices {
            @let value = choice.to_string();
            label.check {
                input type="checkbox" name=(name(EntryForm::Plainly, &node.pointer)) value=(value) checked[ticked.contains(&value)];
                span { (said(choice)) }
            }
        }
    }
}

/// A value in a few words.
fn said(value: &Value) -> String {
    let words = match value {
        Value::Bool(true) => "yes (true)".to_owned(),
        Value::Bool(false) => "no (false)".to_owned(),
        Value::String(text) => text::made_visible(text).into_owned(),
        other => json_text(other),
    };
    text::cut_at(&words, PLACEHOLDER_CHARS).0.to_owned()
}

fn placeholder(node: &FormNode) -> Option<String> {
    match (&node.default, &node.example) {
        (Some(default), _) if !default.is_null() => Some(format!("default: {}", said(default))),
        (_, Some(example)) => Some(format!("for example: {}", said(example))),
        _ if !node.held.is_empty() => Some(skeleton(&node.held)),
        _ => None,
    }
}

/// The form of a list of objects.
fn skeleton(members: &[FormNode]) -> String {
    let names: Vec<String> =
        members.iter().take(SKELETON_MAX).map(|node| format!("{}: …", said_name(node))).collect();
    format!("[{{{}}}]", names.join(", "))
}

fn said_name(node: &FormNode) -> String {
    said(&Value::String(Value::from(node.name.as_str()).to_string()))
}

fn is_tall(kind: &ControlKind, text: &str) -> bool {
    let is_long = text.contains('\n') || text.chars().nth(LINE_CHARS).is_some();
    match kind {
        ControlKind::Paragraph | ControlKind::Lines(_) => true,
        ControlKind::Line => is_long,
        _ => false,
    }
}

fn input_mode(kind: &ControlKind, node: &FormNode) -> Option<&'static str> {
    let has_format =
        |format: &str| node.notes.iter().any(|note| note.strip_prefix("format ") == Some(format));
    match kind {
        ControlKind::Number if node.word.starts_with("integer") => Some("numeric"),
        ControlKind::Number | ControlKind::Lines(ItemKind::Number) => Some("decimal"),
        ControlKind::Line if has_format("email") => Some("email"),
        ControlKind::Line if has_format("uri") || has_format("url") => Some("url"),
        _ => None,
    }
}

fn rows(text: &str) -> usize {
    (text.split('\n').count() + 1).clamp(ROWS_MIN, ROWS_MAX)
}

/// True if a JSON pointer equals another, or leads further in.
fn is_within(pointer: &str, outer: &str) -> bool {
    pointer.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// No blank can be in it, and no two pointers have the same.
fn id(pointer: &str) -> String {
    let escaped = utf8_percent_encode(pointer, NON_ALPHANUMERIC).to_string().replace('%', ".");
    format!("field{escaped}")
}
