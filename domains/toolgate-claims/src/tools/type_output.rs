//! Types of claims as tools show them, and as operators give them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::claim::{ClaimEscalation, ClaimSeverity, ClaimType, ResolutionOption};
use toolgate_core::decision::OnTimeout;
use toolgate_core::moment::rfc3339;

use crate::checks;
use crate::refusal::invalid;

const QUORUM_MAX: u32 = 20;
const GROUPS_MAX: usize = 20;
const TIMEOUT_SECONDS_MAX: u64 = 31 * 24 * 60 * 60;

/// A way to resolve a claim.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
pub(super) struct ResolutionOptionArgument {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// People must agree at every level of care
    #[serde(default)]
    requires_approval: bool,
    /// Groups, one of which must agree; usually anyone with the right to approve
    #[serde(default)]
    approval_roles: Vec<String>,
    #[serde(default = "quorum_usual")]
    #[schemars(range(min = 1, max = QUORUM_MAX))]
    quorum: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = TIMEOUT_SECONDS_MAX))]
    timeout_seconds: Option<u64>,
    /// When no decision comes in time: deny, or escalate to those whom the operator named
    #[serde(default = "on_timeout_usual")]
    #[schemars(extend("enum" = ["deny", "escalate"]))]
    on_timeout: String,
}

/// More people for claims of this severity or a higher one.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
pub(super) struct ClaimEscalationArgument {
    #[schemars(extend("enum" = ["low", "medium", "high", "critical"]))]
    severity: String,
    #[serde(default)]
    approval_roles: Vec<String>,
    #[serde(default = "quorum_usual")]
    #[schemars(range(min = 1, max = QUORUM_MAX))]
    quorum: u32,
}

fn quorum_usual() -> u32 {
    1
}

fn on_timeout_usual() -> String {
    "deny".to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ClaimTypeOutput {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    options: Vec<ResolutionOptionArgument>,
    escalation: Vec<ClaimEscalationArgument>,
    /// 0 for one that comes with the gateway
    version: u64,
    changed_by: String,
    changed_at: String,
}

impl ResolutionOptionArgument {
    pub(super) fn read(self) -> Result<ResolutionOption, Refusal> {
        checks::name(&self.name, "options")?;
        self.title.as_deref().map_or(Ok(()), |title| checks::line(title, "options"))?;
        check_people(&self.approval_roles, self.quorum, "options")?;
        let on_timeout = match self.on_timeout.as_str() {
            "deny" => OnTimeout::Deny,
            "escalate" => OnTimeout::Escalate,
            other => {
                return Err(
                    invalid(format!("{other:?} is nothing to do"), "options").hint("deny or escalate")
                );
            }
        };
        if self.timeout_seconds.is_some_and(|seconds| !(1..=TIMEOUT_SECONDS_MAX).contains(&seconds)) {
            let message = format!("`timeout_seconds` is not between 1 and {TIMEOUT_SECONDS_MAX}");
            return Err(invalid(message, "options").hint("leave it out, which means the usual time"));
        }
        Ok(ResolutionOption {
            name: self.name,
            title: self.title,
            requires_approval: self.requires_approval,
            approval_roles: self.approval_roles,
            quorum: self.quorum,
            timeout_seconds: self.timeout_seconds,
            on_timeout,
        })
    }

    fn of(option: &ResolutionOption) -> Self {
        Self {
            name: option.name.clone(),
            title: option.title.clone(),
            requires_approval: option.requires_approval,
            approval_roles: option.approval_roles.clone(),
            quorum: option.quorum,
            timeout_seconds: option.timeout_seconds,
            on_timeout: match option.on_timeout {
                OnTimeout::Deny => "deny".to_owned(),
                OnTimeout::Escalate => "escalate".to_owned(),
            },
        }
    }
}

impl ClaimEscalationArgument {
    pub(super) fn read(self) -> Result<ClaimEscalation, Refusal> {
        check_people(&self.approval_roles, self.quorum, "escalation")?;
        let severity = checks::word(&self.severity, "escalation", ClaimSeverity::parse)?;
        Ok(ClaimEscalation { severity, approval_roles: self.approval_roles, quorum: self.quorum })
    }

    fn of(escalation: &ClaimEscalation) -> Self {
        Self {
            severity: escalation.severity.as_str().to_owned(),
            approval_roles: escalation.approval_roles.clone(),
            quorum: escalation.quorum,
        }
    }
}

impl ClaimTypeOutput {
    pub(super) fn of(kind: &ClaimType) -> Self {
        Self {
            name: kind.name.clone(),
            title: kind.title.clone(),
            description: kind.description.clone(),
            options: kind.options.iter().map(ResolutionOptionArgument::of).collect(),
            escalation: kind.escalation.iter().map(ClaimEscalationArgument::of).collect(),
            version: kind.version,
            changed_by: kind.changed_by.to_string(),
            changed_at: rfc3339(kind.changed_at_ms),
        }
    }
}

fn check_people(groups: &[String], quorum: u32, field: &'static str) -> Result<(), Refusal> {
    groups.iter().try_for_each(|group| checks::name(group, field))?;
    match groups.len() <= GROUPS_MAX && (1..=QUORUM_MAX).contains(&quorum) {
        true => Ok(()),
        false => Err(invalid("too many people must agree, or none", field)
            .hint(format!("name at most {GROUPS_MAX} groups, and a quorum from 1 to {QUORUM_MAX}"))),
    }
}
