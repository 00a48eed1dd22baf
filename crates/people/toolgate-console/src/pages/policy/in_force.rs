//! The rules in force, as written.

use std::collections::BTreeMap;

use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::advice;
use super::care::care;
use super::tabs::{Side, head};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Deserialize)]
struct PoliciesData {
    version: String,
    template: String,
    shadow: bool,
    #[serde(default)]
    loaded_at: Option<String>,
    #[serde(default)]
    refused: Option<String>,
    #[serde(default)]
    broken: Option<String>,
    files: Vec<PolicyFileData>,
}

#[derive(Deserialize)]
struct PolicyFileData {
    name: String,
    set: String,
    built_in: bool,
    rules: Vec<PolicyRuleData>,
}

#[derive(Deserialize)]
struct PolicyRuleData {
    id: String,
    line: usize,
    effect: String,
    level: String,
    #[serde(default)]
    reason: Option<String>,
    annotations: BTreeMap<String, String>,
    text: String,
}

pub(super) async fn show(visit: PageVisit) -> PageResult<Response> {
    let in_force: PoliciesData = visit.get(PageAddress::of(["policy"])).await?;
    let advice = advice::read(&visit).await?;
    let own = in_force.files.iter().filter(|file| !file.built_in).count();
    let body = html! {
        (head(Side::InForce))
        div #policy data-live="policy.loaded policy.refused" {
            @if let Some(refused) = &in_force.refused { (not_loaded(refused)) }
            @if let Some(broken) = &in_force.broken { (failing(broken)) }
            section.card aria-labelledby="force-title" {
                h2 #force-title { "Policies in force" }
                (facts(&visit, &in_force))
            }
            (advice::shown(&visit, &advice))
            @if own == 0 { (nothing_written()) }
            @for file in in_force.files.iter().filter(|file| !file.built_in) { (card(file)) }
            h2 { "Built in" }
            p.help { "These come with the gateway. The level of care decides which of them apply." }
            @for file in in_force.files.iter().filter(|file| file.built_in) { (card(file)) }
        }
    };
    Ok(visit.page("Policy", ConsolePage::Policy, body).await)
}

fn facts(visit: &PageVisit, in_force: &PoliciesData) -> Markup {
    let loaded = match &in_force.loaded_at {
        Some(at) => ago(visit, at),
        None => html! { span.soft { "not in the ledger" } },
    };
    let shadow = match in_force.shadow {
        true => html! { a href="/console/policy/shadow" { "some policies are in shadow mode" } },
        false => html! { "none" },
    };
    parts::facts([
        (
            "Level of care",
            html! { (parts::badge(&in_force.template, BadgeTone::Plain)) " " (care(&in_force.template)) },
        ),
        ("Version", parts::copyable(&in_force.version)),
        ("Loaded", loaded),
        ("Shadow mode", shadow),
    ])
}

fn not_loaded(refused: &str) -> Markup {
    html! {
        section.card.error role="alert" {
            h2 { "The new policies do not load" }
            p { "The policies below stay in force until this is fixed:" }
            (text::block(refused))
            p.help { code { "toolgate policy check" } " shows the same on the gateway's machine." }
        }
    }
}

fn failing(broken: &str) -> Markup {
    html! {
        section.card.error role="alert" {
            h2 { "Some policies in force fail for existing tools" }
            p { "Affected calls are denied until this is fixed:" }
            (text::block(broken))
        }
    }
}

fn nothing_written() -> Markup {
    parts::empty(
        "There are no custom policies yet.",
        html! {
            p { "Only the level of care decides. " a href="/console/policy/write" { "Write policies here" } ", or put Cedar files into a folder and name it in the configuration:" }
            pre tabindex="0" { code { "[policy]\nfolder = \"policy\"\ntemplate = \"standard\"" } }
            p { a href="/docs/how-to/write-a-policy" { "How to write a policy" } }
        },
    )
}

fn card(file: &PolicyFileData) -> Markup {
    html! {
        section.card {
            h3 { (text::short(&file.name)) " " (parts::badge(set_word(&file.set), tone(&file.set))) }
            p.help { (set_told(&file.set)) }
            @for rule in &file.rules { (shown(file, rule)) }
        }
    }
}

fn set_word(set: &str) -> &str {
    match set {
        "guard_shadow" => "guard, shadow mode",
        "gates_shadow" => "gates, shadow mode",
        other => other,
    }
}

fn tone(set: &str) -> BadgeTone {
    if set.ends_with("_shadow") { BadgeTone::Waiting } else { BadgeTone::Plain }
}

fn set_told(set: &str) -> &'static str {
    match set {
        "guard" => "Permits and forbids. A denial is final.",
        "gates" => "If one of these matches, a person must approve.",
        _ => "Has no effect. “Shadow mode” shows what it would have changed.",
    }
}

fn shown(file: &PolicyFileData, rule: &PolicyRuleData) -> Markup {
    let asks = file.set.starts_with("gates");
    let others = rule.annotations.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "reason"));
    html! {
        details.rule id={ "rule-" (rule.line) "-" (rule.id) } open[!file.built_in] {
            summary {
                @match (asks, rule.effect.as_str()) {
                    (true, _) => (parts::badge("asks a person", BadgeTone::Waiting)),
                    (false, "permit") => (parts::badge("permits", BadgeTone::Good)),
                    (false, _) => (parts::badge("forbids", BadgeTone::Bad)),
                }
                " " strong { (text::short(&rule.id)) }
                @if let Some(reason) = &rule.reason { ": " (text::short(reason)) }
            }
            p.help {
                (text::short(&file.name)) ", line " (rule.line)
                @if file.built_in { "; applies from level " (text::short(&rule.level.replace('_', " "))) " on" }
            }
            ul.chips { @for (name, value) in others { li { code { "@" (text::short(name)) } " " (text::long(value)) } } }
            (text::block(&rule.text))
        }
    }
}
