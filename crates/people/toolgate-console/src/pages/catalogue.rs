//! The common parts of the catalogue pages: tools of the registry, and the outcomes of their calls.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::address::PageAddress;
use crate::parts::{self, BadgeTone, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The number of calls behind a rate.
const CALLS_MAX: usize = 200;
const DIGEST_CHARS: usize = 19;
const DIGEST_CHARS_MAX: usize = 100;

#[derive(Deserialize)]
pub(super) struct RegistryData {
    pub(super) tools: Vec<RegistryTool>,
    pub(super) next_cursor: Option<String>,
}

/// A tool as the registry keeps it.
#[derive(Deserialize)]
pub(super) struct RegistryTool {
    pub(super) name: String,
    pub(super) server: String,
    pub(super) status: String,
    pub(super) reason: Option<String>,
    pub(super) version: String,
    pub(super) candidate_version: Option<String>,
    pub(super) rejected_version: Option<String>,
    pub(super) summary: Option<String>,
    #[serde(default)]
    pub(super) capabilities: Vec<String>,
    pub(super) effects: Option<Vec<String>>,
    pub(super) file_strategy: Option<String>,
    #[serde(default)]
    pub(super) files: Vec<FileSlot>,
    pub(super) timeout_seconds: Option<f64>,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    pub(super) annotations: Option<Value>,
    pub(super) in_force: Option<ToolInForceData>,
    #[serde(default)]
    pub(super) findings: Vec<FindingData>,
    pub(super) first_seen: String,
    pub(super) last_seen: String,
    pub(super) reviewed_by: Option<String>,
    pub(super) reviewed_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ToolInForceData {
    pub(super) wire_name: String,
    pub(super) effects: Option<Vec<String>>,
    pub(super) idempotent: Option<bool>,
    pub(super) tokens: u64,
}

/// An argument that takes a file.
#[derive(Clone, Deserialize)]
pub(super) struct FileSlot {
    pub(super) argument: String,
    pub(super) strategy: String,
    pub(super) content: String,
    #[serde(default)]
    pub(super) many: bool,
}

/// A passage in a definition that seems to address the model.
#[derive(Deserialize)]
pub(super) struct FindingData {
    pub(super) kind: String,
    pub(super) place: String,
    pub(super) excerpt: String,
}

impl RegistryTool {
    /// The effects in force, or those of its definition.
    pub(super) fn effects(&self) -> Option<&[String]> {
        let in_force = self.in_force.as_ref().and_then(|known| known.effects.as_deref());
        in_force.or(self.effects.as_deref())
    }

    /// True if it waits for a review.
    pub(super) fn waits(&self) -> bool {
        matches!(self.status.as_str(), "quarantined" | "drifted")
    }
}

/// The reason why a tool is not simply active, in a sentence.
pub(super) fn reason(reason: &str) -> Markup {
    html! {
        @match reason {
            "new" => "It is new, and new tools need a review.",
            "flagged" => "It is new, and its definition seems to address the model.",
            other => (text::long(other)),
        }
    }
}

/// The beginning of a text that is shown completely elsewhere.
pub(super) fn brief(whole: &str, chars_max: usize) -> Markup {
    let (beginning, left_out) = text::cut_at(whole, chars_max);
    html! { bdi { (text::made_visible(beginning)) @if left_out > 0 { "…" } } }
}

/// Enough of a digest to tell it from others.
pub(super) fn digest(digest: &str) -> Markup {
    html! { code.id title=(text::made_visible(text::cut_at(digest, DIGEST_CHARS_MAX).0)) { (brief(digest, DIGEST_CHARS)) } }
}

/// A server, as a link for those who may look at servers.
pub(super) fn server(visit: &PageVisit, name: &str) -> Markup {
    if visit.operates() { links::server(name) } else { text::short(name) }
}

/// The possible effects of a call. Without a declaration it may do anything.
pub(super) fn effects(effects: Option<&[String]>) -> Markup {
    html! {
        ul.chips {
            @match effects {
                None => li { (parts::badge("unknown, treated as all", BadgeTone::Waiting)) },
                Some([]) => li { span.soft { "none" } },
                Some(effects) => @for effect in effects {
                    @let tone = match effect.as_str() { "destructive" => BadgeTone::Bad, "write" | "external" => BadgeTone::Waiting, _ => BadgeTone::Plain };
                    li { (parts::badge(effect, tone)) }
                },
            }
        }
    }
}

/// The number of tokens that a list may cost before it is replaced by search.
pub(super) fn budget(budget: &Value) -> Markup {
    html! {
        @match budget.as_u64() {
            Some(tokens) => { (parts::number(tokens)) " tokens" },
            None => "anything",
        }
    }
}

/// The findings in a definition.
pub(super) fn findings(findings: &[FindingData]) -> Markup {
    html! {
        @if !findings.is_empty() {
            section.card.problem aria-labelledby="findings" {
                h2 #findings { "This definition addresses the model" }
                p { "The definition that agents would read contains the findings below. A description says what a tool does; it has no reason to give a model other instructions, to hide characters, or to mention other servers' tools." }
                ul {
                    @for finding in findings {
                        li {
                            strong { (kind(&finding.kind)) } " in " code { (text::short(&finding.place)) } ": "
                            q { (text::cut(&finding.excerpt, 600)) }
                        }
                    }
                }
            }
        }
    }
}

fn kind(word: &str) -> &str {
    match word {
        "invisible_characters" => "Invisible characters",
        "instruction" => "An instruction to the model",
        "foreign_tool" => "A tool of another server",
        "look_alike_letters" => "Look-alike letters",
        other => other,
    }
}

/// The outcomes of the latest calls of a tool or server. `None` for users who may not see calls.
pub(super) struct CallsOf(Option<Vec<RecentCallData>>);

#[derive(Deserialize)]
struct RecentCallsData {
    calls: Vec<RecentCallData>,
}

#[derive(Deserialize)]
pub(super) struct RecentCallData {
    pub(super) id: String,
    pub(super) state: String,
    pub(super) tool: Option<String>,
    pub(super) principal: String,
    pub(super) started_at: String,
    pub(super) duration_ms: Option<f64>,
    decision: Option<String>,
}

/// Calls, counted.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct CallTally {
    pub(super) calls: usize,
    /// About which people were asked.
    pub(super) asked: usize,
    pub(super) failed: usize,
}

impl CallsOf {
    pub(super) async fn server(visit: &PageVisit, name: &str) -> PageResult<Self> {
        Self::ask(visit, PageAddress::of(["calls"]).with("server", name)).await
    }

    pub(super) async fn tool(visit: &PageVisit, name: &str) -> PageResult<Self> {
        Self::ask(visit, PageAddress::of(["calls"]).with("tool", name)).await
    }

    pub(super) async fn anything(visit: &PageVisit) -> PageResult<Self> {
        Self::ask(visit, PageAddress::of(["calls"])).await
    }

    async fn ask(visit: &PageVisit, address: PageAddress) -> PageResult<Self> {
        let found: Option<RecentCallsData> = visit.find(address.with("limit", CALLS_MAX)).await?;
        Ok(Self(found.map(|found| found.calls)))
    }

    /// True if this role may see calls at all.
    pub(super) fn is_known(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn latest(&self) -> &[RecentCallData] {
        self.0.as_deref().unwrap_or_default()
    }

    pub(super) fn tally(&self) -> CallTally {
        tally(self.latest().iter())
    }

    pub(super) fn tally_of(&self, tool: &str) -> CallTally {
        tally(self.latest().iter().filter(|call| call.tool.as_deref() == Some(tool)))
    }

    /// Rates in a few words, with a link to the calls themselves.
    pub(super) fn told(&self, all: &PageAddress) -> Markup {
        let CallTally { calls, asked, failed } = self.tally();
        let of = if calls == CALLS_MAX {
            format!("In the last {CALLS_MAX} calls")
        } else {
            format!("In {calls} calls")
        };
        html! {
            @if self.is_known() {
                @if calls == 0 {
                    p.soft { "It has not been called yet." }
                } @else {
                    p { (of) ", people were asked to approve " strong { (share(asked, calls)) } ", and " strong { (share(failed, calls)) } " failed. " a href=(all) { "See them" } }
                }
            }
        }
    }
}

fn tally<'a>(calls: impl Iterator<Item = &'a RecentCallData>) -> CallTally {
    calls.fold(CallTally::default(), |mut tally, call| {
        tally.calls += 1;
        tally.asked += usize::from(call.decision.as_deref() == Some("approve"));
        tally.failed += usize::from(matches!(call.state.as_str(), "failed" | "tool_error" | "unknown"));
        tally
    })
}

/// 12 %; a small share is not shown as zero.
pub(super) fn share(part: usize, whole: usize) -> String {
    match (part * 100).checked_div(whole) {
        None => "–".to_owned(),
        Some(0) if part > 0 => "under 1 %".to_owned(),
        Some(percent) => format!("{percent} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, state: &str, decision: Option<&str>) -> RecentCallData {
        let decision = decision.map(str::to_owned);
        let (tool, state) = (Some(tool.to_owned()), state.to_owned());
        RecentCallData {
            id: "tc_1".into(),
            state,
            tool,
            principal: "a".into(),
            started_at: String::new(),
            duration_ms: None,
            decision,
        }
    }

    #[test]
    fn calls_are_counted_by_tool() {
        let calls = CallsOf(Some(vec![
            call("a:x", "succeeded", Some("approve")),
            call("a:x", "failed", Some("permit")),
            call("a:y", "succeeded", None),
        ]));
        assert_eq!(calls.tally_of("a:x"), CallTally { calls: 2, asked: 1, failed: 1 });
        assert_eq!(calls.tally().calls, 3);
    }

    #[test]
    fn shares_are_told_in_percent() {
        assert_eq!([share(1, 3), share(1, 200), share(0, 5), share(0, 0)], ["33 %", "under 1 %", "0 %", "–"]);
    }
}
