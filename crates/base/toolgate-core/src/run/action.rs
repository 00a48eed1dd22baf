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

    /// The way to resolve such an action, in words that tell nothing of its content.
    pub fn how(self, id: &str) -> String {
        match self {
            ActionKind::Approval => {
                format!("decide on it: `toolgate approvals approve {id}` or `toolgate approvals deny {id}`")
            }
            ActionKind::Question | ActionKind::Captcha => {
                format!("answer it in the inbox, or with `toolgate inputs answer {id} ANSWER`")
            }
            ActionKind::Credential => format!("sign in, then `toolgate inputs answer {id} done`"),
            ActionKind::Budget => {
                format!(
                    "raise the limit or wait for the next day, then `toolgate inputs answer {id} \"go on\"`"
                )
            }
            ActionKind::UnknownOutcome => format!(
                "look whether the call took effect, then `toolgate inputs answer {id} ANSWER`: happened, again or stop"
            ),
            ActionKind::Stuck => {
                format!("`toolgate inputs answer {id} ANSWER`: \"go on\", \"stop\" or advice for the agent")
            }
        }
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
