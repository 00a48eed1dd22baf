//! The reason why each tool is in or out, naming the rule.

use std::collections::BTreeMap;

use toolgate_catalog::{HiddenTool, Snapshot, WithheldReason};
use toolgate_core::decision::{ApprovalLikelihood, Denial, Visibility};
use toolgate_core::scope::{CapabilityMatch, CapabilityRule, MountNeed, NamePattern, Scope, ScopeReason};
use toolgate_core::{CanonicalName, Tool};

use crate::view::is_listed;
use crate::viewer::{ToolViewer, glimpse};

/// A scope's verdict on one tool.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct ScopeExplanation {
    pub tool: CanonicalName,
    #[serde(rename = "in")]
    pub is_in: bool,
    /// The deciding part: `capability`, `blocked`, `mounts`, `session`, `policy`, `registry`; `everything` if
    /// nothing restricts it.
    pub by: &'static str,
    /// The rule, in words.
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalLikelihood>,
    /// True if it is listed with its schema regardless of the budget.
    pub pinned: bool,
}

/// A rule that matches no tool: a mistake, or a server that is down.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
pub struct UnmatchedRule {
    /// `capability "x": tools`, `agent "y": pinned`, …
    pub place: String,
    pub pattern: String,
}

pub(crate) fn explain(viewer: ToolViewer<'_>, snapshot: &Snapshot) -> Vec<ScopeExplanation> {
    let entries = snapshot.tools.entries().iter().filter(|entry| is_listed(viewer.scope, entry));
    let tools = entries.filter_map(|entry| entry.tool.as_deref());
    let mut all: BTreeMap<CanonicalName, ScopeExplanation> =
        tools.map(|tool| (tool.name.clone(), explain_tool(viewer, tool))).collect();
    for hidden in snapshot.hidden() {
        all.entry(hidden.name.clone()).or_insert_with(|| withheld(hidden));
    }
    all.into_values().collect()
}

fn explain_tool(viewer: ToolViewer<'_>, tool: &Tool) -> ScopeExplanation {
    let (by, reason) = match viewer.scope.judge(tool, viewer.principal.role) {
        ScopeReason::In(admissions) => return admitted(viewer, tool, &admissions),
        ScopeReason::NoCapability { agent } => {
            ("capability", format!("no capability of agent \"{agent}\" has it"))
        }
        ScopeReason::Blocked { agent, pattern } => {
            ("blocked", format!("agent \"{agent}\" blocks `{pattern}`"))
        }
        ScopeReason::NotMounted => ("mounts", format!("server \"{}\" is not mounted", tool.server)),
        ScopeReason::Needs(MountNeed::Operator) => ("role", "it is for admins and operators".to_owned()),
        ScopeReason::Needs(need) => ("mounts", format!("it needs `{need}`, which is not mounted")),
        ScopeReason::LaterServer => {
            ("session", format!("server \"{}\" came after the session had begun", tool.server))
        }
    };
    ScopeExplanation { tool: tool.name.clone(), is_in: false, by, reason, approval: None, pinned: false }
}

fn admitted(viewer: ToolViewer<'_>, tool: &Tool, admissions: &[CapabilityMatch<'_>]) -> ScopeExplanation {
    let blank = ScopeExplanation {
        tool: tool.name.clone(),
        is_in: true,
        by: "everything",
        reason: "the agent has no list of capabilities, so it has every tool".to_owned(),
        approval: None,
        pinned: viewer.scope.pinned.iter().any(|one| one.matches(tool.name.as_str())),
    };
    let blank = match admissions {
        [] => blank,
        _ => ScopeExplanation { by: "capability", reason: admission_words(admissions), ..blank },
    };
    match viewer.policy.visibility(&glimpse(viewer, tool)) {
        Visibility::Visible(asking) => ScopeExplanation { approval: Some(asking), ..blank },
        Visibility::Hidden(denial) => ScopeExplanation {
            is_in: false,
            by: "policy",
            reason: denial_words(&denial),
            pinned: false,
            ..blank
        },
    }
}

fn admission_words(admissions: &[CapabilityMatch<'_>]) -> String {
    let words = |one: &CapabilityMatch<'_>| {
        let rule = match one.rule {
            CapabilityRule::Tool(pattern) => format!("tools `{pattern}`"),
            CapabilityRule::Tag(tag) => format!("tag `{tag}`"),
            CapabilityRule::Server(pattern) => format!("servers `{pattern}`"),
        };
        format!("capability \"{}\" of agent \"{}\": {rule}", one.capability, one.agent)
    };
    admissions.iter().map(words).collect::<Vec<_>>().join("; ")
}

fn denial_words(denial: &Denial) -> String {
    match (&denial.error, denial.policies.first()) {
        (Some(error), _) => format!("a policy could not be evaluated, which denies: {error}"),
        (None, Some(policy)) => match &policy.reason {
            Some(reason) => format!("policy {} forbids it: {reason}", policy.id),
            None => format!("policy {} forbids it", policy.id),
        },
        (None, None) => "no policy permits it".to_owned(),
    }
}

fn withheld(hidden: &HiddenTool) -> ScopeExplanation {
    let word = match hidden.why {
        WithheldReason::Quarantined => "quarantined",
        WithheldReason::Retired => "retired",
        WithheldReason::Unreadable => "unreadable",
        WithheldReason::Disabled => "disabled",
    };
    let reason = format!("{word}: {}", hidden.reason);
    ScopeExplanation {
        tool: hidden.name.clone(),
        is_in: false,
        by: "registry",
        reason,
        approval: None,
        pinned: false,
    }
}

/// Rules of a scope that match nothing in the catalogue.
pub(crate) fn unmatched(scope: &Scope, snapshot: &Snapshot) -> Vec<UnmatchedRule> {
    let mut found = Vec::new();
    let tools: Vec<&Tool> =
        snapshot.tools.entries().iter().filter_map(|entry| entry.tool.as_deref()).collect();
    let mut look = |place: String, patterns: &[NamePattern], fits: &dyn Fn(&NamePattern, &Tool) -> bool| {
        for pattern in patterns.iter().filter(|pattern| !tools.iter().any(|tool| fits(pattern, tool))) {
            found.push(UnmatchedRule { place: place.clone(), pattern: pattern.to_string() });
        }
    };
    let by_name = |pattern: &NamePattern, tool: &Tool| pattern.matches(tool.name.as_str());
    let by_server = |pattern: &NamePattern, tool: &Tool| pattern.matches(tool.server.as_str());
    for layer in &scope.layers {
        look(format!("agent \"{}\": blocked", layer.agent), &layer.blocked, &by_name);
        for one in layer.capabilities.iter().flatten() {
            look(format!("capability \"{}\": tools", one.name), &one.tools, &by_name);
            look(format!("capability \"{}\": servers", one.name), &one.servers, &by_server);
        }
    }
    if let Some(layer) = scope.layers.last() {
        look(format!("agent \"{}\": pinned", layer.agent), &scope.pinned, &by_name);
    }
    for one in scope.layers.iter().flat_map(|layer| layer.capabilities.iter().flatten()) {
        for tag in one.wanted_tags() {
            if !tools.iter().any(|tool| tool.handling.capabilities.iter().any(|own| own == tag)) {
                let place = format!("capability \"{}\": tags", one.name);
                found.push(UnmatchedRule { place, pattern: tag.to_owned() });
            }
        }
    }
    found.sort();
    found.dedup();
    found
}
