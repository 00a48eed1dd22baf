//! The reason why each tool is in or out, naming the rule.

use std::collections::BTreeMap;

use toolgate_catalog::{Hidden, Snapshot, Why};
use toolgate_core::decision::{Asking, Denial, Visibility};
use toolgate_core::scope::{Admission, Pattern, Reason, Rule, Scope};
use toolgate_core::{CanonicalName, Tool};

use crate::eyes::{Eyes, glimpse};

/// A scope's verdict on one tool.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Explained {
    pub tool: CanonicalName,
    #[serde(rename = "in")]
    pub is_in: bool,
    /// The deciding part: `capability`, `blocked`, `mounts`, `session`, `policy`, `registry`; `everything` if
    /// nothing restricts it.
    pub by: &'static str,
    /// The rule, in words.
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Asking>,
    /// True if it is listed with its schema regardless of the budget.
    pub pinned: bool,
}

/// A rule that matches no tool: a mistake, or a server that is down.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
pub struct Unmatched {
    /// `capability "x": tools`, `agent "y": pinned`, …
    pub place: String,
    pub pattern: String,
}

pub(crate) fn explain(eyes: Eyes<'_>, snapshot: &Snapshot) -> Vec<Explained> {
    let tools = snapshot.tools.entries().iter().filter_map(|entry| entry.tool.as_deref());
    let mut all: BTreeMap<CanonicalName, Explained> =
        tools.map(|tool| (tool.name.clone(), explain_tool(eyes, tool))).collect();
    for hidden in snapshot.hidden() {
        all.entry(hidden.name.clone()).or_insert_with(|| withheld(hidden));
    }
    all.into_values().collect()
}

fn explain_tool(eyes: Eyes<'_>, tool: &Tool) -> Explained {
    let (by, reason) = match eyes.scope.judge(tool) {
        Reason::In(admissions) => return admitted(eyes, tool, &admissions),
        Reason::NoCapability { agent } => {
            ("capability", format!("no capability of agent \"{agent}\" has it"))
        }
        Reason::Blocked { agent, pattern } => ("blocked", format!("agent \"{agent}\" blocks `{pattern}`")),
        Reason::NotMounted => ("mounts", format!("server \"{}\" is not mounted", tool.server)),
        Reason::Needs(need) => ("mounts", format!("it needs `{need}`, which is not mounted")),
        Reason::LaterServer => {
            ("session", format!("server \"{}\" came after the session had begun", tool.server))
        }
    };
    Explained { tool: tool.name.clone(), is_in: false, by, reason, approval: None, pinned: false }
}

fn admitted(eyes: Eyes<'_>, tool: &Tool, admissions: &[Admission<'_>]) -> Explained {
    let blank = Explained {
        tool: tool.name.clone(),
        is_in: true,
        by: "everything",
        reason: "the agent has no list of capabilities, so it has every tool".to_owned(),
        approval: None,
        pinned: eyes.scope.pinned.iter().any(|one| one.matches(tool.name.as_str())),
    };
    let blank = match admissions {
        [] => blank,
        _ => Explained { by: "capability", reason: admission_words(admissions), ..blank },
    };
    match eyes.policy.visibility(&glimpse(eyes, tool)) {
        Visibility::Visible(asking) => Explained { approval: Some(asking), ..blank },
        Visibility::Hidden(denial) => {
            Explained { is_in: false, by: "policy", reason: denial_words(&denial), pinned: false, ..blank }
        }
    }
}

fn admission_words(admissions: &[Admission<'_>]) -> String {
    let words = |one: &Admission<'_>| {
        let rule = match one.rule {
            Rule::Tool(pattern) => format!("tools `{pattern}`"),
            Rule::Tag(tag) => format!("tag `{tag}`"),
            Rule::Server(pattern) => format!("servers `{pattern}`"),
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

fn withheld(hidden: &Hidden) -> Explained {
    let word = match hidden.why {
        Why::Quarantined => "quarantined",
        Why::Retired => "retired",
        Why::Unreadable => "unreadable",
    };
    let reason = format!("{word}: {}", hidden.reason);
    Explained {
        tool: hidden.name.clone(),
        is_in: false,
        by: "registry",
        reason,
        approval: None,
        pinned: false,
    }
}

/// Rules of a scope that match nothing in the catalogue.
pub(crate) fn unmatched(scope: &Scope, snapshot: &Snapshot) -> Vec<Unmatched> {
    let mut found = Vec::new();
    let tools: Vec<&Tool> =
        snapshot.tools.entries().iter().filter_map(|entry| entry.tool.as_deref()).collect();
    let mut look = |place: String, patterns: &[Pattern], fits: &dyn Fn(&Pattern, &Tool) -> bool| {
        for pattern in patterns.iter().filter(|pattern| !tools.iter().any(|tool| fits(pattern, tool))) {
            found.push(Unmatched { place: place.clone(), pattern: pattern.to_string() });
        }
    };
    let by_name = |pattern: &Pattern, tool: &Tool| pattern.matches(tool.name.as_str());
    let by_server = |pattern: &Pattern, tool: &Tool| pattern.matches(tool.server.as_str());
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
                found.push(Unmatched { place, pattern: tag.to_owned() });
            }
        }
    }
    found.sort();
    found.dedup();
    found
}
