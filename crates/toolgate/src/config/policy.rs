//! `[policy]` and `[approvals]`: the policies, and the approval process.

use std::path::PathBuf;
use std::time::Duration;

use toolgate_core::decision::{CALLER_GROUP, PolicyTemplate};
use url::Url;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located, SecondsRange};
use super::value::ReadContext;

pub(super) const POLICY_KEYS: &[&str] = &["folder", "template", "guard", "gates"];
pub(super) const APPROVALS_KEYS: &[&str] =
    &["hold_seconds", "timeout_seconds", "approved_valid_seconds", "escalate_to", "link"];

/// The sources of policies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PolicySettings {
    /// Absolute; it existed when the file was read.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) template: PolicyTemplate,
    /// Cedar text in the file itself.
    pub(crate) guard: Option<String>,
    pub(crate) gates: Option<String>,
}

/// The approval process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApprovalSettings {
    /// The time that a call waits before it answers `pending_approval`.
    pub(crate) hold: Duration,
    /// The time that people have, unless the gate sets it.
    pub(crate) timeout: Duration,
    /// The time for which a call may use an approval.
    pub(crate) approved_valid: Duration,
    /// The additional groups that are asked if a gate escalates.
    pub(crate) escalate_to: Vec<String>,
    /// The address of an approval for people; `{id}` is replaced by its id.
    pub(crate) link: Option<String>,
}

impl Default for ApprovalSettings {
    fn default() -> Self {
        Self {
            hold: Duration::from_secs(20),
            timeout: Duration::from_secs(3600),
            approved_valid: Duration::from_secs(3600),
            escalate_to: vec!["admins".into()],
            link: None,
        }
    }
}

pub(super) fn read_policy(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> PolicySettings {
    section.refuse_unknown_keys(POLICY_KEYS, &[], problems);
    let folder = ctx.places(section).path("folder", ctx.folder, problems);
    let hint = "each template is stricter than the one before it";
    let template =
        section.word("template", &PolicyTemplate::ALL.map(|one| (one.as_str(), one)), hint, problems);
    PolicySettings {
        folder: folder.and_then(|folder| existing_folder(folder, problems)),
        template: template.unwrap_or_default(),
        guard: section.string("guard", problems).map(|text| text.value.to_owned()),
        gates: section.string("gates", problems).map(|text| text.value.to_owned()),
    }
}

fn existing_folder(folder: Located<PathBuf>, problems: &mut ConfigProblems) -> Option<PathBuf> {
    if folder.value.is_dir() {
        return Some(folder.value);
    }
    let (what, hint) = match folder.value.exists() {
        true => ("is not a folder", "name the folder that holds `guard.cedar` and `gates.cedar`"),
        false => ("does not exist", "make it, or leave the key out to have the template only"),
    };
    let what = format!("the policy folder {} {what}", folder.value.display());
    problems.add(folder.span, what, "a folder with `.cedar` files, from the folder of this file", hint);
    None
}

pub(super) fn read_approvals(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> ApprovalSettings {
    section.refuse_unknown_keys(APPROVALS_KEYS, &[], problems);
    let fallback = ApprovalSettings::default();
    let mut seconds = |key, may_be, default| section.seconds(key, may_be, problems).unwrap_or(default);
    ApprovalSettings {
        hold: seconds("hold_seconds", SecondsRange::ZeroOrMore, fallback.hold),
        timeout: seconds("timeout_seconds", SecondsRange::Positive, fallback.timeout),
        approved_valid: seconds("approved_valid_seconds", SecondsRange::Positive, fallback.approved_valid),
        escalate_to: groups(section, "escalate_to", problems).unwrap_or(fallback.escalate_to),
        link: section.string("link", problems).and_then(|link| checked_link(&link, problems)),
    }
}

/// Names of groups, as in tokens. `None` if the key is missing.
pub(super) fn groups(
    section: &ConfigSection<'_>,
    key: &str,
    problems: &mut ConfigProblems,
) -> Option<Vec<String>> {
    section.key_span(key)?;
    let mut groups = Vec::new();
    for group in section.strings(key, problems) {
        let hint = match group.value {
            "" => "`[]` is no one",
            CALLER_GROUP => "`caller` is the person at the calling client, whom only a gate may ask",
            name => {
                groups.push(name.to_owned());
                continue;
            }
        };
        let what = format!("{:?} in `{key}` in {} is not a group", group.value, section.title());
        problems.add(group.span, what, "groups as `toolgate token create --group` names them", hint);
    }
    Some(groups)
}

fn checked_link(link: &Located<&str>, problems: &mut ConfigProblems) -> Option<String> {
    let is_address = |text: &str| {
        Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
    };
    let (what, hint) = if !link.value.contains("{id}") {
        (
            "`link` in `[approvals]` does not contain `{id}`",
            "write `{id}` where the id of the approval belongs",
        )
    } else if !is_address(&link.value.replace("{id}", "apr_1")) {
        ("`link` in `[approvals]` is not an address", "start with `http://` or `https://` and a host")
    } else {
        return Some(link.value.to_owned());
    };
    problems.add(
        link.span.clone(),
        what,
        "an address such as `https://gate.example.com/approvals/{id}`",
        hint,
    );
    None
}
