//! One server: its state, its instances, its tools, its output.

use axum::extract::Path;
use axum::response::Response;
use http::Method;
use maud::{Markup, html};
use serde_json::{Value, json};
use toolgate_core::platform::OWN_SERVER;

use super::advice;
use super::data::{
    self, InstanceData, LatencyData, LeftOut, PartVitalsData, ServerData, ServerDetailData, VitalsData,
};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{self, ConsolePage};
use crate::notice::DoneNotice;
use crate::pages::catalogue::{CallsOf, RegistryData, RegistryTool, brief};
use crate::parts::{self, links, moment, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The maximum number of tools on this page; the list of tools has them all.
const TOOLS_MAX: usize = 50;
const SUMMARY_CHARS: usize = 160;
const STDERR_LINES_MAX: usize = 100;

pub(super) async fn show(visit: PageVisit, Path(name): Path<String>) -> PageResult<Response> {
    if name == OWN_SERVER {
        return own(&visit).await;
    }
    let detail: ServerDetailData = visit.get(PageAddress::of(["servers", &name])).await?;
    let asked = PageAddress::of(["registry", "tools"]).with("server", &name).with("limit", TOOLS_MAX);
    let offered: RegistryData = visit.get(asked).await?;
    let calls = CallsOf::server(&visit, &name).await?;
    let ServerDetailData { server, vitals, left_out, misfits, stderr } = &detail;
    let title = html! { (text::short(&server.name)) " " (parts::state(&server.health)) };
    let body = html! {
        (parts::heading(title, actions(&visit, server)))
        section #server data-live="server registry setting" {
            (trouble(server, stderr))
            (outdated(server))
            (switching(&visit, server))
            div.grid {
                div.card { h2 { "State" } (facts(&visit, server)) }
                div.card { h2 { "Traffic" } (traffic(vitals.as_ref(), &calls, &server.name)) }
            }
            @if !server.instances.is_empty() { (instances(server, vitals.as_ref())) }
            (tools(server, &offered, vitals.as_ref()))
            (oddities("Left out", "Agents do not see these tools, because their definitions are invalid.", left_out))
            (oddities("File settings without effect", "The configuration gives these tools files, but they have no argument for one. Agents see them as the server offers them.", misfits))
            (last_lines(stderr, server))
        }
    };
    Ok(visit.page(&server.name, ConsolePage::Servers, body).await)
}

/// The gateway's own tools have a server by name only.
async fn own(visit: &PageVisit) -> PageResult<Response> {
    let calls = CallsOf::server(visit, OWN_SERVER).await?;
    let all = PageAddress::of(["console", "calls"]).with("server", OWN_SERVER);
    let body = html! {
        (parts::heading(html! { (OWN_SERVER) }, html! { a.button href="/console/servers" { "Servers" } }))
        section.card {
            h2 { "The gateway itself" }
            p { "Its own tools ask people, store artifacts, end runs and find other tools. Policy and the ledger use this name for them; there is no separate server." }
            (calls.told(&all))
        }
    };
    Ok(visit.page(OWN_SERVER, ConsolePage::Servers, body).await)
}

/// Only a registered server can be forgotten here; the others are in the file or the settings.
pub(super) async fn forget(
    visit: PageVisit,
    Path(name): Path<String>,
    _: FormFields,
) -> PageResult<Response> {
    let _: Value = visit.send(Method::DELETE, PageAddress::of(["servers", &name]), &Value::Null).await?;
    Ok(visit.go(PageAddress::of(["console", "servers"]), DoneNotice::Removed))
}

pub(super) async fn restart(
    visit: PageVisit,
    Path(name): Path<String>,
    _: FormFields,
) -> PageResult<Response> {
    let _: Value = visit.post(PageAddress::of(["servers", &name, "restart"]), &Value::Null).await?;
    Ok(visit.go(PageAddress::of(["console", "servers", &name]), DoneNotice::Restarted))
}

pub(super) async fn disable(
    visit: PageVisit,
    Path(name): Path<String>,
    fields: FormFields,
) -> PageResult<Response> {
    switch(&visit, &name, "disable", &fields, DoneNotice::ServerDisabled).await
}

pub(super) async fn enable(
    visit: PageVisit,
    Path(name): Path<String>,
    fields: FormFields,
) -> PageResult<Response> {
    switch(&visit, &name, "enable", &fields, DoneNotice::ServerEnabled).await
}

async fn switch(
    visit: &PageVisit,
    name: &str,
    verb: &str,
    fields: &FormFields,
    done: DoneNotice,
) -> PageResult<Response> {
    let body = json!({ "reason": fields.text("reason") });
    let _: Value = visit.post(PageAddress::of(["servers", name, verb]), &body).await?;
    Ok(visit.go(PageAddress::of(["console", "servers", name]), done))
}

/// The form that disables the server, or enables it again.
fn switching(visit: &PageVisit, server: &ServerData) -> Markup {
    let (verb, label) = if server.is_disabled() { ("enable", "Enable") } else { ("disable", "Disable") };
    html! {
        @if visit.operates() {
            details #switching open[server.is_disabled()] {
                summary { (label) " this server" }
                form method="post" action=(PageAddress::of(["console", "servers", &server.name, verb])) {
                    (layout::csrf(visit))
                    div.field {
                        label for="reason" { "Reason (optional)" }
                        input #reason type="text" name="reason" maxlength="500" autocomplete="off" aria-describedby="reason-help";
                        p.help #reason-help { "The ledger keeps the reason. " @if !server.is_disabled() { "Callers of the server's tools see it." } }
                    }
                    @if server.is_disabled() {
                        button.button.primary type="submit" { "Enable server" }
                    } @else {
                        button.button.danger type="submit" data-confirm="Disable this server? Agents lose its tools until you enable it again." { "Disable server" }
                    }
                }
            }
        }
    }
}

fn actions(visit: &PageVisit, server: &ServerData) -> Markup {
    html! {
        @if visit.operates() && server.source != "expected" && !server.is_disabled() {
            form method="post" action=(PageAddress::of(["console", "servers", &server.name, "restart"])) {
                (layout::csrf(visit)) button.button type="submit" { "Restart" }
            }
        }
        a.button href=(PageAddress::of(["console", "tools"]).with("server", &server.name)) { "Its tools" }
        a.button href=(PageAddress::of(["console", "calls"]).with("server", &server.name)) { "Its calls" }
        @match server.source.as_str() {
            "settings" if visit.operates() => { a.button href="/console/settings" { "Change" } }
            "registered" if visit.operates() => {
                form method="post" action=(PageAddress::of(["console", "servers", &server.name])) data-confirm="Forget this server and its tools?" {
                    (layout::csrf(visit)) button.button.danger type="submit" { "Forget" }
                }
            }
            _ => {}
        }
    }
}

fn trouble(server: &ServerData, stderr: &[String]) -> Markup {
    let advice = advice::of(server);
    let error = advice::first_error(stderr);
    html! {
        @if server.is_disabled() {
            section.card aria-labelledby="disabled" {
                h2 #disabled { "It is disabled" }
                @if let Some(reason) = &server.reason { p.strong { (text::long(reason)) } }
                p { "The gateway does not run or contact it, and agents cannot see or call its tools." }
            }
        }
        @if !advice.is_empty() {
            section.card.problem aria-labelledby="trouble" {
                h2 #trouble { @if server.health == "starting" { "It is starting" } @else { "It is not healthy" } }
                @if let Some(reason) = &server.reason { p.strong { (text::long(reason)) } }
                @if let Some(error) = error { p { "The first error that it wrote: " code { (text::cut(error, 400)) } } }
                p { "Hint:" }
                ul { @for one in advice { li { (one) } } }
            }
        }
    }
}

fn outdated(server: &ServerData) -> Markup {
    html! {
        @if let Some(outdated) = &server.outdated {
            section.card aria-labelledby="outdated" {
                h2 #outdated { "In the registry" }
                p.strong { (text::long(&outdated.says)) }
                p {
                    "Nothing was changed. " code { "toolgate servers outdated " (text::short(&server.name)) }
                    " shows the difference. To take another version, remove the server and add it again."
                }
            }
        }
    }
}

fn facts(visit: &PageVisit, server: &ServerData) -> Markup {
    let words =
        |word: &Option<String>| html! { @if let Some(word) = word { (text::short(word)) } @else { "–" } };
    let at = |at: &Option<String>| html! { @if let Some(at) = at { (moment::ago(visit, at)) } @else { "–" } };
    let protocol = html! {
        (words(&server.protocol_version)) @if let Some(era) = &server.era { " (" (text::short(era)) ")" }
    };
    parts::facts([
        ("State", parts::state(&server.health)),
        ("Reason", words(&server.reason)),
        ("Since", at(&server.since)),
        ("Configured in", html! { (data::source(&server.source)) }),
        ("Reached by", words(&server.transport)),
        ("Protocol", protocol),
        ("Restarts", html! { (server.restarts) }),
        (
            "Offers",
            html! { (server.tools) " tools, " (server.prompts) " prompts, " (server.resources) " resources" },
        ),
        ("Last checked", at(&server.updated_at)),
    ])
}

fn traffic(vitals: Option<&VitalsData>, calls: &CallsOf, server: &str) -> Markup {
    html! {
        @if let Some(vitals) = vitals {
            (parts::facts([
                ("In progress", html! { (vitals.under_way) }),
                ("Queued", html! { (vitals.waiting) }),
                ("Answers since start", html! { (parts::number(vitals.latency.count)) }),
                ("Median latency", html! { (ms(vitals.latency.p50_ms)) }),
                ("95th percentile", html! { (ms(vitals.latency.p95_ms)) }),
                ("99th percentile", html! { (ms(vitals.latency.p99_ms)) }),
                ("Longest", html! { (ms(vitals.latency.max_ms)) }),
            ]))
        } @else {
            p.soft { "There are no measurements yet." }
        }
        (calls.told(&PageAddress::of(["console", "calls"]).with("server", server)))
    }
}

fn instances(server: &ServerData, vitals: Option<&VitalsData>) -> Markup {
    let measured = |instance: &InstanceData| vitals?.instances.iter().find(|one| one.name == instance.id);
    html! {
        h2 { "Instances" }
        table.list {
            thead {
                tr {
                    th scope="col" { "Instance" } th scope="col" { "State" } th scope="col" { "Address" } th scope="col" { "Version" }
                    th scope="col" { "Lease" } th.number scope="col" { "Answers" } th.number scope="col" { "95th percentile" } th.number scope="col" { "In progress" }
                }
            }
            tbody {
                @for instance in &server.instances {
                    @let part = measured(instance);
                    tr data-entry=(instance.id) {
                        td data-name="Instance" { code { (text::short(&instance.id)) } }
                        td data-name="State" {
                            @if let Some(health) = &instance.health { (parts::state(health)) } @else { span.soft { "not checked yet" } }
                            @if let Some(reason) = &instance.reason { div.help { (text::cut(reason, 300)) } }
                            (resting(part))
                        }
                        td data-name="Address" { @if let Some(url) = &instance.url { code { (text::short(url)) } } }
                        td data-name="Version" { @if let Some(version) = &instance.version { (text::short(version)) } }
                        td data-name="Lease" { @if let Some(left) = instance.lease_left { (seconds(left)) " left" } @else { span.soft { "needs none" } } }
                        (measures(part))
                    }
                }
            }
        }
    }
}

fn tools(server: &ServerData, offered: &RegistryData, vitals: Option<&VitalsData>) -> Markup {
    let all = PageAddress::of(["console", "tools"]).with("server", &server.name);
    html! {
        h2 { "Tools" }
        @if offered.tools.is_empty() {
            (parts::empty("It offers no tools.", html! { p { "They appear here once the server has listed them." } }))
        } @else {
            table.list {
                thead {
                    tr {
                        th scope="col" { "Tool" } th scope="col" { "State" } th scope="col" { "Description" }
                        th.number scope="col" { "Answers" } th.number scope="col" { "95th percentile" } th.number scope="col" { "In progress" }
                    }
                }
                tbody { @for tool in &offered.tools { (tool_row(server, tool, vitals)) } }
            }
            @if offered.next_cursor.is_some() { p.pages { a.button href=(all) { "All its tools" } } }
        }
    }
}

fn tool_row(server: &ServerData, tool: &RegistryTool, vitals: Option<&VitalsData>) -> Markup {
    let own = tool.name.strip_prefix(server.name.as_str()).and_then(|rest| rest.strip_prefix(':'));
    let part = vitals.and_then(|vitals| vitals.tools.iter().find(|part| Some(part.name.as_str()) == own));
    html! {
        tr data-entry=(tool.name) {
            td data-name="Tool" { (links::tool(&tool.name)) }
            td data-name="State" { (parts::state(&tool.status)) (resting(part)) }
            td data-name="Description" { @if let Some(summary) = &tool.summary { (brief(summary, SUMMARY_CHARS)) } }
            (measures(part))
        }
    }
}

fn measures(part: Option<&PartVitalsData>) -> Markup {
    let latency = |pick: fn(&LatencyData) -> f64| part.map(|part| ms(pick(&part.latency)));
    html! {
        td.number data-name="Answers" { @if let Some(part) = part { (parts::number(part.latency.count)) } @else { "–" } }
        td.number data-name="95th percentile" { (latency(|latency| latency.p95_ms).unwrap_or_else(|| "–".to_owned())) }
        td.number data-name="In progress" { @if let Some(part) = part { (part.under_way) } @else { "–" } }
    }
}

fn resting(part: Option<&PartVitalsData>) -> Markup {
    html! {
        @if let Some(rest) = part.and_then(|part| part.resting_seconds) {
            div.help { "Paused for " (seconds(rest)) ", because it failed repeatedly." }
        }
    }
}

fn oddities(title: &str, why: &str, odd: &[LeftOut]) -> Markup {
    html! {
        @if !odd.is_empty() {
            h2 { (title) }
            p.soft { (why) }
            ul { @for one in odd { li { code { (text::short(&one.name)) } ": " (text::long(&one.reason)) } } }
        }
    }
}

fn last_lines(stderr: &[String], server: &ServerData) -> Markup {
    let from = stderr.len().saturating_sub(STDERR_LINES_MAX);
    html! {
        @if !stderr.is_empty() {
            h2 { "Last lines of its standard error" }
            details #stderr open[server.health != "healthy"] {
                summary { "Up to " (STDERR_LINES_MAX) " lines, the latest at the end" }
                (text::block(&stderr[from..].join("\n")))
            }
        }
    }
}

/// An unmeasured value is zero, and is not shown.
fn ms(value: f64) -> String {
    if value <= 0.0 {
        return "–".to_owned();
    }
    if value < 10.0 { format!("{value:.1} ms") } else { moment::span(value.round() as i64) }
}

fn seconds(value: f64) -> String {
    moment::span((value * 1_000.0).round() as i64)
}
