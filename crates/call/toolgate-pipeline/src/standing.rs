//! Whether a question to people still is what policy asks. Policies may change while people think.

use serde_json::Value;
use toolgate_core::Tool;
use toolgate_core::approval::Approval;
use toolgate_core::decision::{Policy, Question, Verdict};

/// What policy says of arguments for whoever asked, in the session they asked in.
pub(crate) fn judge(policy: &dyn Policy, approval: &Approval, tool: &Tool, arguments: &Value) -> Verdict {
    let decision = policy.decide(&Question {
        principal: &approval.requester,
        tool,
        arguments,
        session: approval.session.as_ref(),
        agent: approval.agent.as_ref(),
        template: approval.template,
        run: approval.run.as_ref(),
        task: approval.task.as_deref(),
    });
    decision.verdict
}

/// Whether the same gates ask for the same people; filters ask beside them, and are looked at again before the call runs. What
/// was redacted is judged as people see it.
pub(crate) fn stands(policy: &dyn Policy, approval: &Approval, tool: &Tool) -> bool {
    let proposed = approval.proposed_arguments.as_ref().unwrap_or(&approval.arguments);
    let proposed: Value = proposed.decode().unwrap_or_default();
    judge(policy, approval, tool, &proposed).basis(approval.template) == Some(approval.binding.policies)
}
