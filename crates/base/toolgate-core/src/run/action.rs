//! The thing that a paused run waits for, so that a person knows how to let it continue.

/// The kind of action that a run waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// People decide on a call.
    Approval,
    /// The agent asked a person.
    Question,
    /// A server wants a sign-in.
    Credential,
    /// A page wants to know that a person is there.
    Captcha,
    /// A limit of spending is reached.
    Budget,
    /// A call may have had its effect, and nobody knows.
    UnknownOutcome,
    /// The agent repeats itself, or its model keeps failing.
    Stuck,
}

impl ActionKind {
    pub const ALL: [ActionKind; 7] = [
        ActionKind::Approval,
        ActionKind::Question,
        ActionKind::Credential,
        ActionKind::Captcha,
        ActionKind::Budget,
        ActionKind::UnknownOutcome,
        ActionKind::Stuck,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ActionKind::Approval => "approval",
            ActionKind::Question => "question",
            ActionKind::Credential => "credential",
            ActionKind::Captcha => "captcha",
            ActionKind::Budget => "budget",
            ActionKind::UnknownOutcome => "unknown_outcome",
            ActionKind::Stuck => "stuck",
        }
    }

    pub fn parse(text: &str) -> Option<ActionKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// An action that somebody must take before a run continues.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct RequiredAction {
    pub kind: ActionKind,
    /// The approval or the question that resolves it: `apr_…` or `inp_…`.
    pub id: String,
    pub since_ms: i64,
    /// How to resolve it, in words.
    pub how: String,
}
