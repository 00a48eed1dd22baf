//! One event of each kind, by example: what it is about, and what its `detail` has. A kind that is new must be told here.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolgate_core::event::{About, DecisionKind, Event, EventKind, Outcome};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

/// Name, value as JSON, and meaning.
type Member = (&'static str, &'static str, &'static str);

pub(super) struct Sample {
    touches: Touches,
    by: &'static str,
    pub(super) detail: &'static [Member],
}

/// What an event is about.
#[derive(Clone, Copy)]
enum Touches {
    Call,
    Approval,
    Policy,
    Server,
    Tool,
    Session,
    Run,
    Nothing,
}

const VERSION: &str = "\"sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae\"";
const GATEWAY: &str = "gateway";
const AGENT: &str = "review-bot";
const PERSON: &str = "ann";

const GRANT: Member = ("grant", "\"grt_019a6f\"", "The id of the grant");
const EXPIRES: Member = ("expires_at_ms", "1767616200000", "When the time is over");
const STATE: Member = ("state", "\"approved\"", "What it is now");
const REASON: Member = ("reason", "\"not before the audit\"", "Why, in words");
const SOURCE: Member = ("source", "\"file\"", "Where it stands: `file`, `settings` or `registered`");
const TOKEN: Member = ("token", "\"tok_019a6f\"", "The id of the token; never the token");
const OF_TOOL: &[Member] = &[
    ("status", "\"quarantined\"", "What becomes of it: `active`, `drifted`, `quarantined` or `retired`"),
    ("reason", "\"its description changed\"", "Why, in words; null where there is no reason"),
    ("from", VERSION, "The version before"),
    ("to", VERSION, "The version that it is about"),
    ("findings", "0", "How many suspicious places its texts have"),
];
const OF_CREDENTIAL: &[Member] = &[
    ("server", "\"bank\"", "The server that it is for"),
    ("name", "\"API_KEY\"", "Its name; never its value"),
    ("principal", "null", "Whose it is; null for everybody"),
];
const OF_FILTER: &[Member] = &[
    ("on", "\"arguments\"", "Where it was found: `arguments` or `results`"),
    (
        "filters",
        "[{\"filter\":\"no cards\",\"action\":\"mask\",\"kind\":\"card\",\"count\":1,\"paths\":[\"/note\"]}]",
        "Each filter that found something: what it does, which kind, how often, and where; never the thing itself",
    ),
];
const OF_ALLOWED: &[Member] = &[
    ("server", "\"bank\"", "The server whose secret it is"),
    ("name", "\"API_KEY\"", "The name of the secret"),
    ("origins", "[\"https://bank.example\"]", "Where it may be sent from now on, beside what the file says"),
];
const OF_STEP: &[Member] =
    &[("from", "\"pending\"", "The state before"), ("to", "\"running\"", "The state from now on")];

fn sample(touches: Touches, by: &'static str, detail: &'static [Member]) -> Sample {
    Sample { touches, by, detail }
}

pub(super) fn of(kind: EventKind) -> Sample {
    use EventKind as Kind;
    match kind {
        Kind::FilterMatched => sample(Touches::Call, AGENT, OF_FILTER),
        Kind::PolicyDecided
        | Kind::CallStarted
        | Kind::CallPaused
        | Kind::CallResumed
        | Kind::CallCompleted => sample(Touches::Call, AGENT, of_call(kind)),
        Kind::ApprovalRequested
        | Kind::ApprovalJoined
        | Kind::ApprovalVoted
        | Kind::ApprovalEscalated
        | Kind::ApprovalResolved
        | Kind::ApprovalConsumed => of_approval(kind),
        Kind::GrantCreated | Kind::GrantUsed | Kind::GrantRevoked => of_grant(kind),
        Kind::PolicyLoaded => sample(Touches::Policy, GATEWAY, &[]),
        Kind::PolicyRefused => {
            let error = &[("error", "\"gates.cedar:12: unexpected token\"", "What is wrong with it")];
            sample(Touches::Policy, GATEWAY, error)
        }
        Kind::TokenCreated => sample(Touches::Nothing, PERSON, of_token()),
        Kind::TokenRevoked => sample(Touches::Nothing, PERSON, &[TOKEN]),
        Kind::SettingChanged | Kind::ConfigLoaded | Kind::ConfigRefused | Kind::AliasesChanged => {
            of_settings(kind)
        }
        Kind::ServerAdded
        | Kind::ServerChanged
        | Kind::ServerRemoved
        | Kind::ServerHealth
        | Kind::InstanceJoined
        | Kind::InstanceLeft => sample(Touches::Server, GATEWAY, of_server(kind)),
        Kind::ServerAsked => {
            let question = &[
                ("ask", "\"elicitation\"", "What it asked for: `elicitation` or `sampling`"),
                ("mode", "\"form\"", "How people were to answer: `form` or `url`"),
                ("message", "\"Which account?\"", "The beginning of its text, redacted"),
                ("fields", "[\"account\"]", "The names of the fields"),
                ("messages", "1", "How many messages the model was to read, where it is `sampling`"),
                ("max_tokens", "200", "How long the text may be, where it is `sampling`"),
                (
                    "refused",
                    "\"its text asks for a secret\"",
                    "Why the client was not asked, where it was not",
                ),
            ];
            sample(Touches::Server, AGENT, question)
        }
        Kind::ToolsPinned => {
            let many = &[
                ("count", "2", "How many tools"),
                ("tools", "[\"balance\", \"transfer\"]", "The first of them, by their own names"),
            ];
            sample(Touches::Server, GATEWAY, many)
        }
        Kind::ToolDrifted | Kind::ToolQuarantined | Kind::ToolRetired | Kind::ToolRestored => {
            sample(Touches::Tool, GATEWAY, OF_TOOL)
        }
        Kind::ToolAccepted | Kind::ToolRejected => sample(Touches::Tool, PERSON, OF_TOOL),
        Kind::ToolRenamed => {
            let names = &[
                ("from", "\"bank:transfer\"", "The name before"),
                ("to", "\"payments.transfer.create\"", "The name from now on"),
            ];
            sample(Touches::Tool, GATEWAY, names)
        }
        Kind::CredentialStored | Kind::CredentialRemoved => sample(Touches::Server, PERSON, OF_CREDENTIAL),
        Kind::CredentialAllowed => sample(Touches::Server, PERSON, OF_ALLOWED),
        Kind::AgentDefined => sample(Touches::Nothing, GATEWAY, of_agent()),
        Kind::SessionStarted | Kind::SessionChanged | Kind::SessionClosed => {
            sample(Touches::Session, AGENT, of_session(kind))
        }
        Kind::FileStored | Kind::FileDeleted | Kind::ArtifactStored => {
            sample(Touches::Session, AGENT, of_file(kind))
        }
        Kind::TaskChanged | Kind::RunCreated | Kind::InputRequested | Kind::InputResolved => {
            sample(Touches::Run, PERSON, of_work(kind))
        }
        Kind::RunStarted | Kind::RunResumed => sample(Touches::Run, AGENT, OF_STEP),
        Kind::RunPaused => {
            let step = &[
                ("from", "\"running\"", "The state before"),
                ("to", "\"paused\"", "The state from now on"),
                ("reason", "\"wait for the audit\"", "Why, where somebody said"),
            ];
            sample(Touches::Run, PERSON, step)
        }
        Kind::RunEnded => sample(Touches::Run, AGENT, of_end()),
    }
}

fn of_call(kind: EventKind) -> &'static [Member] {
    match kind {
        EventKind::PolicyDecided => &[
            (
                "requirement",
                "{\"gates\":[{\"id\":\"gates.cedar:12\",\"reason\":\"money leaves\"}],\"approvers\":[[\"finance\"]],\"quorum\":1}",
                "Who must agree and how, if a person must",
            ),
            ("denial", "null", "The policies that forbid it, if it is denied; else it is not there"),
            ("shadow", "\"deny\"", "What policies in shadow mode would have said, where it differs"),
            ("shadow_policies", "[\"strict.cedar:3\"]", "The policies that would have asked or forbidden"),
            ("agent", "\"reviewer\"", "The agent of the session, unless the answer is a plain yes"),
            ("template", "\"standard\"", "The level of care of the session"),
        ],
        EventKind::CallPaused => &[("round", "1", "How often the server has asked so far")],
        EventKind::CallCompleted => &[
            ("cached", "true", "The result is that of an earlier call"),
            ("instance", "\"files-2\"", "Which instance answered, where the server has several"),
            (
                "tokens",
                "{\"tokenizer\":\"o200k_base\",\"arguments\":18,\"result\":240,\"list\":3120}",
                "What a model reads of it: the arguments, the result (each estimated beyond 2 KiB), and the list of tools that the session \
                 shows, once that was counted",
            ),
            (
                "refs",
                "[{\"ref_id\":\"ref_019a6f\",\"digest\":\"sha256:2c26…\",\"size\":81234}]",
                "What was taken out of the result",
            ),
            (
                "code",
                "\"server_timeout\"",
                "The [code](errors/README.md) where the call failed or was refused",
            ),
            ("message", "\"server \\\"bank\\\" did not answer within 60 s\"", "The sentence beside it"),
            ("error", "{\"code\":-32603,\"message\":\"no\"}", "The server's own JSON-RPC error"),
            (
                "swept",
                "true",
                "The gateway died before the answer, and found the call open when it came back",
            ),
            ("principal", "\"review-bot\"", "Who made a call that was swept"),
        ],
        _ => &[(
            "files",
            "[{\"id\":\"file_019a6f\",\"digest\":\"sha256:2c26…\",\"size\":81234}]",
            "Files and refs that go to the server with it",
        )],
    }
}

fn of_approval(kind: EventKind) -> Sample {
    let (by, detail): (_, &[Member]) = match kind {
        EventKind::ApprovalRequested => (
            AGENT,
            &[
                ("gates", "[\"gates.cedar:12\"]", "The policies that asked"),
                ("approvers", "[[\"finance\"]]", "Somebody of each entry must agree"),
                ("quorum", "1", "How many people must agree"),
                ("on_timeout", "\"deny\"", "What happens when nobody decides in time"),
                ("editable", "true", "Whether approvers may change the arguments"),
                EXPIRES,
            ],
        ),
        EventKind::ApprovalVoted => (
            PERSON,
            &[
                ("ballot", "\"approve\"", "What was said: `approve`, `deny`, `edit` or `request_changes`"),
                ("via", "\"console\"", "Through which door it came"),
                REASON,
                ("effective", VERSION, "The digest of the arguments that it is for"),
            ],
        ),
        EventKind::ApprovalEscalated => {
            (GATEWAY, &[("to", "[\"admins\"]", "The groups that are asked as well"), EXPIRES])
        }
        EventKind::ApprovalConsumed => {
            (AGENT, &[("effective", VERSION, "The digest of the arguments that were sent")])
        }
        _ => (PERSON, &[STATE]),
    };
    sample(Touches::Approval, by, detail)
}

fn of_grant(kind: EventKind) -> Sample {
    match kind {
        EventKind::GrantCreated => sample(
            Touches::Approval,
            PERSON,
            &[
                GRANT,
                ("pins", "{\"/account\":\"DE02\"}", "Arguments that must stay the same"),
                ("uses", "10", "How often it holds; null for any number"),
                EXPIRES,
            ],
        ),
        EventKind::GrantUsed => sample(
            Touches::Call,
            AGENT,
            &[GRANT, ("uses_left", "9", "How often it still holds; null for any number")],
        ),
        _ => sample(Touches::Tool, PERSON, &[GRANT]),
    }
}

fn of_token() -> &'static [Member] {
    &[
        TOKEN,
        ("role", "\"agent\"", "What it lets its holder do"),
        ("principal", "\"review-bot\"", "Whose it is"),
        ("groups", "[]", "The groups that its holder counts for"),
        ("agent", "null", "The agent that it is bound to"),
    ]
}

fn of_settings(kind: EventKind) -> Sample {
    match kind {
        EventKind::SettingChanged => sample(
            Touches::Nothing,
            PERSON,
            &[
                ("key", "\"mcp_servers\"", "The setting"),
                ("version", "4", "Its version from now on"),
                ("added", "[\"search\"]", "Names of entries that came"),
                ("removed", "[]", "Names of entries that went"),
                ("changed", "[]", "Names of entries that are others"),
            ],
        ),
        EventKind::ConfigLoaded => sample(
            Touches::Nothing,
            GATEWAY,
            &[("changes", "[\"server bank: changed\"]", "What is different, in words")],
        ),
        EventKind::ConfigRefused => {
            let reason = &[(
                "reason",
                "\"toolgate.toml:3:1: unknown key `lisen` in the file\"",
                "What is wrong with it",
            )];
            sample(Touches::Nothing, GATEWAY, reason)
        }
        _ => sample(
            Touches::Nothing,
            GATEWAY,
            &[("added", "[\"read_file\"]", "Names that came"), ("removed", "[]", "Names that went")],
        ),
    }
}

fn of_server(kind: EventKind) -> &'static [Member] {
    match kind {
        EventKind::ServerChanged => &[SOURCE, ("changed", "[\"url\"]", "The keys that are others")],
        EventKind::ServerHealth => &[
            ("health", "\"down\"", "What it is now"),
            ("reason", "\"connection refused\"", "Why, where it is not well"),
            ("untold", "3", "How many changes before it were not told, where it changes often"),
        ],
        EventKind::InstanceJoined => &[
            ("instance", "\"a\"", "Its id"),
            ("url", "\"http://10.0.0.5:4000/mcp\"", "Its address"),
            ("version", "\"1.2.0\"", "The version that it says it is"),
            ("lease_seconds", "30.0", "How long it is known unless it renews its lease"),
            ("again", "false", "Whether it was known before, and is another one now"),
        ],
        EventKind::InstanceLeft => {
            &[("instance", "\"a\"", "Its id"), ("reason", "\"its lease ran out\"", "Why")]
        }
        _ => &[SOURCE],
    }
}

fn of_agent() -> &'static [Member] {
    &[
        ("agent", "\"reviewer\"", "The agent"),
        ("number", "3", "Which version of it this is"),
        ("version", VERSION, "The digest of the definition"),
    ]
}

fn of_session(kind: EventKind) -> &'static [Member] {
    match kind {
        EventKind::SessionStarted => &[
            ("kind", "\"explicit\"", "Whether somebody opened it, or a credential has it by itself"),
            ("principal", "\"review-bot\"", "Who works in it"),
            ("agent", "\"reviewer\"", "The agent that it begins with"),
            (
                "layers",
                "[{\"agent\":\"reviewer\",\"version\":\"sha256:2c26…\"}]",
                "The definitions that it is made of",
            ),
            ("policy_template", "\"standard\"", "Its level of care"),
            ("mounts", "{\"servers\":[\"bank\"]}", "What it may touch"),
            ("scope", VERSION, "The digest of all that"),
        ],
        EventKind::SessionChanged => &[
            ("version", "2", "Its version from now on"),
            ("from", "{}", "What it could touch"),
            ("to", "{\"servers\":[\"bank\"]}", "What it may touch"),
            ("scope", VERSION, "The digest of what it sees"),
        ],
        _ => &[
            ("agent", "\"reviewer\"", "The agent"),
            ("principal", "\"review-bot\"", "Who worked in it"),
            ("reason", "\"idle\"", "`closed`, `idle`, `lifetime` or `revoked`"),
        ],
    }
}

fn of_file(kind: EventKind) -> &'static [Member] {
    const NAME: Member = ("name", "\"report.pdf\"", "Its name");
    const DIGEST: Member = ("digest", VERSION, "The digest of its bytes");
    const OWNER: Member = ("owner", "\"review-bot\"", "Whose it is");
    const FILE: Member = ("file", "\"file_019a6f\"", "Its id");
    const MEDIA: Member = ("media_type", "\"application/pdf\"", "What its bytes are");
    const BYTES: Member = ("bytes", "81234", "How many");
    match kind {
        EventKind::FileStored => &[FILE, NAME, MEDIA, BYTES, DIGEST, OWNER, EXPIRES],
        EventKind::FileDeleted => {
            &[FILE, NAME, DIGEST, OWNER, ("reason", "\"expired\"", "`deleted` or `expired`")]
        }
        _ => &[DIGEST, NAME, MEDIA, BYTES, OWNER],
    }
}

fn of_work(kind: EventKind) -> &'static [Member] {
    const INPUT: Member = ("input", "\"inp_019a6f\"", "The id of the question");
    const SLOT: Member = ("slot_id", "\"account\"", "What the agent calls it");
    match kind {
        EventKind::TaskChanged => &[
            ("change", "\"changed\"", "`created`, `changed` or `deleted`; a deleted one has nothing else"),
            ("name", "\"Review invoices\"", "Its name"),
            ("agent", "\"reviewer\"", "Who does it"),
            ("budget", "{\"calls\":50}", "What a run of it may use"),
            ("version", "2", "Its version from now on"),
        ],
        EventKind::RunCreated => &[
            ("agent", "\"reviewer\"", "Who does it"),
            ("principal", "\"review-bot\"", "As whom"),
            ("parent", "null", "The run that it is within"),
            ("budget", "{\"calls\":50}", "What it may use"),
            ("input", "[{\"file\":\"file_019a6f\",\"digest\":\"sha256:2c26…\"}]", "Files that it is given"),
        ],
        EventKind::InputRequested => &[
            INPUT,
            SLOT,
            ("slot_type", "\"choice\"", "What kind of answer it takes"),
            ("options", "2", "How many answers there are to choose from"),
        ],
        _ => &[
            INPUT,
            SLOT,
            ("state", "\"answered\"", "`answered`, `cancelled` or `expired`"),
            ("answer", VERSION, "The digest of the answer"),
            ("via", "\"console\"", "Through which door it came"),
        ],
    }
}

fn of_end() -> &'static [Member] {
    &[
        ("from", "\"running\"", "The state before"),
        ("to", "\"completed\"", "`completed`, `partial`, `failed` or `cancelled`"),
        ("reason", "\"done\"", "Why, where somebody said"),
        ("used", "{\"calls\":12}", "What it used"),
        ("artifacts", "[{\"name\":\"report.md\",\"digest\":\"sha256:2c26…\"}]", "What it made"),
    ]
}

/// An event of this kind.
pub(super) fn event(kind: EventKind) -> Event {
    const AT_MS: i64 = 1_767_612_600_000;
    let sample = of(kind);
    let about = Arc::new(about(sample.touches));
    let mut event = Event::new(kind, AT_MS, PrincipalId::new(sample.by), about);
    let judged = matches!(sample.touches, Touches::Call | Touches::Approval | Touches::Policy);
    event.policy_version = judged.then(|| Digest::of("policies"));
    event.approval = matches!(sample.touches, Touches::Approval).then(|| ApprovalId::new("apr_019a6f"));
    event.input = matches!(kind, EventKind::CallStarted).then(|| Digest::of("arguments"));
    event.decision = matches!(kind, EventKind::PolicyDecided).then_some(DecisionKind::Approve);
    if kind == EventKind::CallCompleted {
        event.outcome = Some(Outcome::Succeeded);
        event.duration_us = Some(5_120);
        event.output = Some(Digest::of("result"));
    }
    event.detail = detail(kind, sample.detail);
    event
}

/// What stands in an example. Members that exclude one another are left out.
fn detail(kind: EventKind, members: &[Member]) -> Option<RawJson> {
    const ONLY_OF_OTHERS: [&str; 6] = ["denial", "code", "message", "error", "swept", "principal"];
    let is_call = matches!(kind, EventKind::PolicyDecided | EventKind::CallCompleted);
    let shown = members.iter().filter(|(name, ..)| !(is_call && ONLY_OF_OTHERS.contains(name)));
    let shown: Map<String, Value> =
        shown.map(|(name, value, _)| ((*name).to_owned(), json_of(value))).collect();
    (!shown.is_empty()).then(|| Value::Object(shown).into())
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn about(touches: Touches) -> About {
    let server = || ServerName::new("bank").ok();
    let tool = || About {
        tool: server().map(|server| CanonicalName::of(&server, "transfer")),
        server: server(),
        tool_version: Some(Digest::of("definition")),
        ..About::default()
    };
    let session = Some(SessionId::new("ses_019a6f"));
    match touches {
        Touches::Call => About {
            session,
            call: Some(CallId::new("tc_019a6f")),
            trace: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".into()),
            ..tool()
        },
        Touches::Approval => About { session, call: Some(CallId::new("tc_019a6f")), ..tool() },
        Touches::Server => About { server: server(), ..About::default() },
        Touches::Tool => tool(),
        Touches::Session => About { session, ..About::default() },
        Touches::Run => About {
            session,
            run: Some(RunId::new("run_019a6f")),
            task: Some("task_019a6f".into()),
            ..About::default()
        },
        Touches::Policy | Touches::Nothing => About::default(),
    }
}
