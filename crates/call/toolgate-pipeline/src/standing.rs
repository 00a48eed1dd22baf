//! The validity of open questions. Policies may change while people think.

use serde_json::Value;
use toolgate_core::Tool;
use toolgate_core::approval::Approval;
use toolgate_core::decision::{Policy, PolicyRequest, Verdict};

/// The policy's verdict on arguments for the requester, in the requester's session.
pub(crate) fn judge(policy: &dyn Policy, approval: &Approval, tool: &Tool, arguments: &Value) -> Verdict {
    let decision = policy.decide(&PolicyRequest {
        principal: &approval.requester,
        tool,
        arguments,
        session: approval.session.as_ref(),
        agent: approval.agent.as_ref(),
        template: approval.template,
        run: approval.run.as_ref(),
        task: approval.task.as_deref(),
        credentials: &approval.credentials,
    });
    decision.verdict
}

/// True if the same gates require the same people. Filters are not considered here; they look again before
/// the call runs. Redacted values are judged as people see them.
pub(crate) fn stands(policy: &dyn Policy, approval: &Approval, tool: &Tool) -> bool {
    let proposed = approval.proposed_arguments.as_ref().unwrap_or(&approval.arguments);
    let proposed: Value = proposed.decode().unwrap_or_default();
    judge(policy, approval, tool, &proposed).basis(approval.template) == Some(approval.binding.policies)
}
