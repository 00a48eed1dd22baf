//! Refused decisions: what happened, and the advice at the command line.

use toolgate_core::approval::{ApprovalRefusal, WithdrawalReason};
use toolgate_core::governance::DecideError;
use toolgate_pipeline::desk::ApprovalDeskError;

pub(super) fn told(error: &ApprovalDeskError) -> anyhow::Error {
    let text = error.to_string();
    match hint(error) {
        Some(hint) if !text.contains("hint: ") => anyhow::anyhow!("{text}\nhint: {hint}"),
        _ => anyhow::anyhow!(text),
    }
}

fn hint(error: &ApprovalDeskError) -> Option<&'static str> {
    match error {
        ApprovalDeskError::Decide(DecideError::Refused(refusal)) => Some(hint_to(*refusal)),
        ApprovalDeskError::Decide(DecideError::Unknown(_)) => {
            Some("`toolgate approvals list --state all` shows them")
        }
        ApprovalDeskError::ToolChanged(_) => {
            Some("deny it; the caller may propose it for the tool as it is now")
        }
        ApprovalDeskError::Denied(_) => Some("`toolgate policy explain` says why"),
        ApprovalDeskError::NotAnObject => Some("give a JSON object: '{\"amount\": 50}'"),
        _ => None,
    }
}

fn hint_to(refusal: ApprovalRefusal) -> &'static str {
    match refusal {
        ApprovalRefusal::Settled(_) => {
            "`toolgate approvals show` says who decided what; it cannot be decided again"
        }
        ApprovalRefusal::Expired => "the caller may propose the call again",
        ApprovalRefusal::Requester => "another person must decide; --token decides as its holder",
        ApprovalRefusal::Excluded => {
            "a person who did not write it must decide; --token decides as its holder"
        }
        ApprovalRefusal::NotAPerson => "decide with a token made with `--kind human`",
        ApprovalRefusal::NotInGroup => {
            "`toolgate approvals show` says whose word it needs; a token has the groups it was made with (`--group`)"
        }
        ApprovalRefusal::NotEditable => "approve or deny it as it is, or use `request-changes`",
        ApprovalRefusal::Edited => {
            "`toolgate approvals show` shows them as they are now; decide with the `--digest` that it names"
        }
        ApprovalRefusal::Withdrawn(WithdrawalReason::ToolChanged) => {
            "`toolgate tools diff` shows how the tool has changed; a new call of it asks again"
        }
        ApprovalRefusal::Withdrawn(_) => {
            "a call that still waits is asked about again by itself; `toolgate approvals list` has it"
        }
        ApprovalRefusal::Changed => "look at it again with `toolgate approvals show`",
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::approval::ApprovalState;
    use toolgate_core::{Principal, PrincipalId, Role};

    use super::*;

    #[test]
    fn every_refusal_has_one_hint() {
        let settled = DecideError::Refused(ApprovalRefusal::Settled(ApprovalState::Denied));
        let stranger = Principal::new(PrincipalId::new("bot"), Role::Agent);
        for error in [
            ApprovalDeskError::Decide(settled),
            ApprovalDeskError::Role(stranger),
            ApprovalDeskError::NotAnObject,
        ] {
            let text = told(&error).to_string();
            assert_eq!(text.matches("\nhint: ").count(), 1, "{text}");
        }
    }
}
