//! One example event of each kind: its subject, and the members of its `detail`. A new kind must be added
//! here.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, Outcome};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

/// Name, value as JSON, and meaning.
type SampleMember = (&'static str, &'static str, &'static str);

pub(super) struct EventSample {
    touches: SampleSubject,
    by: &'static str,
    pub(super) detail: &'static [SampleMember],
}

/// The subject of an event.
#[derive(Clone, Copy)]
enum SampleSubject {
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

const GRANT: SampleMember = ("grant", "\"grt_019a6f\"", "The id of the grant");
const EXPIRES: SampleMember =
    ("expires_at_ms", "1767616200000", "The time at which it expires, in milliseconds since 1970");
const STATE: SampleMember = ("state", "\"approved\"", "The new state");
const WAITED: SampleMember = ("waited_ms", "41000", "The time from the request to this, in milliseconds");
const REASON: SampleMember = ("reason", "\"not before the audit\"", "The reason, in words");
const SOURCE: SampleMember = ("source", "\"file\"", "Its origin: `file`, `settings` or `registered`");
const TOKEN: SampleMember = ("token", "\"tok_019a6f\"", "The id of the token; never the token itself");
const OF_TOOL: &[SampleMember] = &[
    ("status", "\"quarantined\"", "The new status: `active`, `drifted`, `quarantined` or `retired`"),
    ("reason", "\"its description changed\"", "The reason, in words, or null"),
    ("from", VERSION, "The previous version"),
    ("to", VERSION, "The version that the event is about"),
    ("findings", "0", "The number of suspicious passages in its texts"),
];
const OF_CREDENTIAL: &[SampleMember] = &[
    ("server", "\"bank\"", "The server to which it belongs"),
    ("name", "\"API_KEY\"", "Its name; never its value"),
    ("principal", "null", "Its owner; null if it is shared by everyone"),
];
const AUTOMATION: SampleMember = ("automation", "\"aut_019a6f\"", "The id of the automation");
const AUTOMATION_NAME: SampleMember = ("name", "\"nightly\"", "Its name");
const OF_AUTOMATION: &[SampleMember] = &[
    AUTOMATION,
    AUTOMATION_NAME,
    ("change", "\"created\"", "`created`, `changed`, `paused`, `resumed` or `deleted`"),
    (
        "trigger",
        "{\"on\":\"cron\",\"pattern\":\"0 2 * * *\",\"timezone\":\"Europe/Berlin\"}",
        "The cause of its starts",
    ),
    ("overlap", "\"skip\"", "The rule while an earlier run has not ended"),
    ("principal", "\"ann\"", "The principal whose rights its runs have"),
    ("version", "1", "The number of the version"),
];
const OF_FIRE: &[SampleMember] = &[
    AUTOMATION,
    AUTOMATION_NAME,
    ("cause", "\"1767571200000\"", "The instant in milliseconds since 1970, or the name of the cause"),
    ("state", "\"started\"", "`claimed`, `started`, `buffered`, `skipped`, `missed` or `failed`"),
    ("reason", "\"an earlier run had not ended\"", "The reason of a start that did not happen"),
];
const OF_MANIFEST: &[SampleMember] = &[
    ("manifest", VERSION, "The digest of the manifest"),
    ("root", VERSION, "The digest of its tree: the same for the same entries"),
    ("parents", "[\"sha256:2c26…\"]", "The manifests that it follows"),
    ("entries", "1204", "The number of its entries"),
    ("bytes", "8123456", "The sum of their sizes"),
];
const OF_PIN: &[SampleMember] = &[("manifest", VERSION, "The digest of the manifest")];
const OF_COLLECTION: &[SampleMember] = &[
    ("kind", "\"manifests\"", "What was removed: `manifests`, `nodes` or `artifacts`"),
    ("count", "12", "The number of them"),
    ("bytes", "48123", "Their bytes"),
    ("first", "[\"sha256:2c26…\"]", "The digests of the first of them"),
];
const OF_FILTER: &[SampleMember] = &[
    ("on", "\"arguments\"", "Where the match was: `arguments` or `results`"),
    (
        "filters",
        "[{\"filter\":\"no cards\",\"action\":\"mask\",\"kind\":\"card\",\"count\":1,\"paths\":[\"/note\"]}]",
        "Each filter that matched: its action, the kind, the number of matches and their paths; never the matched text",
    ),
];
const OF_ALLOWED: &[SampleMember] = &[
    ("server", "\"bank\"", "The server to which the secret belongs"),
    ("name", "\"API_KEY\"", "The name of the secret"),
    (
        "origins",
        "[\"https://bank.example\"]",
        "The origins to which it may now be sent, besides those in the file",
    ),
];
const HANDLE: SampleMember = ("credential", "\"cred_019a6f\"", "The id of the credential");
const HANDLE_NAME: SampleMember = ("name", "\"Example Jobs\"", "Its name");
const HANDLE_ORIGIN: SampleMember =
    ("origin", "\"https://jobs.example\"", "The only origin that its values are for");
const HANDLE_FIELD: SampleMember = ("field", "\"password\"", "The name of the field; never its value");
const OF_NEW_HANDLE: &[SampleMember] = &[
    HANDLE,
    HANDLE_NAME,
    HANDLE_ORIGIN,
    ("fields", "[\"username\",\"password\"]", "The names of its fields"),
    ("users", "[\"agent:applicant\"]", "Who may use it"),
    ("servers", "[\"browser\"]", "The servers that may get its values"),
];
const OF_HANDLE_FIELD: &[SampleMember] = &[HANDLE, HANDLE_NAME, HANDLE_ORIGIN, HANDLE_FIELD];
const OF_HANDLE: &[SampleMember] = &[HANDLE, HANDLE_NAME, HANDLE_ORIGIN];
const OF_CUT: &[SampleMember] = &[
    ("before", "\"2026-08-01T00:00:00.000Z\"", "The beginning of the first day that is kept"),
    ("events", "1200", "The number of events that were removed"),
    (
        "streams",
        "[{\"stream\":\"gateway\",\"number\":1200,\"hash\":\"sha256:5b0f…\"}]",
        "The streams that begin later now: the number and the hash of the last event that was removed from each",
    ),
];
const OF_POINTER: &[SampleMember] = &[
    ("pointer", "\"ptr_019a6f\"", "The id of the pointer"),
    ("namespace", "\"project/a\"", "Its namespace"),
    ("name", "\"handbook\"", "Its name"),
    ("kind", "\"corpus\"", "bundle, corpus or snapshot"),
    ("operation", "\"promote\"", "create, advance, promote, revert or delete"),
    ("old", VERSION, "The manifest before; null if there was none"),
    ("new", VERSION, "The manifest from then on; null if there is none"),
    ("version", "4", "The number of the move, from 1"),
];
/// Every event of a run's own list has it.
const NUMBER: SampleMember = ("number", "7", "Its number among the events of the run, from 1 without a gap");
const ACTION: SampleMember = (
    "action",
    "{\"kind\":\"stuck\",\"id\":\"inp_019a6f\",\"since\":\"2026-08-01T12:00:00.000Z\",\"how\":\"…\"}",
    "The action that somebody must take: its kind, the approval or question that resolves it, since when, and how. \
     Kinds: `approval`, `question`, `credential`, `captcha`, `budget`, `unknown_outcome`, `stuck`",
);
const OF_STEP: &[SampleMember] =
    &[("from", "\"pending\"", "The previous state"), ("to", "\"running\"", "The new state"), NUMBER];
const OF_NOTE: &[SampleMember] = &[
    NUMBER,
    ("name", "\"fetch\"", "The name of the step or of the tool"),
    ("event", "\"complete\"", "`start` or `complete`"),
    ("success", "true", "`false` if it failed; only at its end"),
    ("duration_ms", "250", "Its duration, if the agent said it"),
    ("data_bytes", "512", "The size of the data that came with it; `run.events` shows them"),
];
const OF_CHECKPOINT: &[SampleMember] = &[
    NUMBER,
    ("checkpoint", "\"turn-7\"", "The id of the checkpoint"),
    ("digest", "\"sha256:2c26…\"", "The digest of the state"),
    ("bytes", "8192", "The size of the state"),
];

fn sample(touches: SampleSubject, by: &'static str, detail: &'static [SampleMember]) -> EventSample {
    EventSample { touches, by, detail }
}

pub(super) fn of(kind: EventKind) -> EventSample {
    use EventKind as Kind;
    match kind {
        Kind::FilterMatched => sample(SampleSubject::Call, AGENT, OF_FILTER),
        Kind::PolicyDecided
        | Kind::CallStarted
        | Kind::CallPaused
        | Kind::CallResumed
        | Kind::CallCompleted => sample(SampleSubject::Call, AGENT, of_call(kind)),
        Kind::ApprovalRequested
        | Kind::ApprovalJoined
        | Kind::ApprovalVoted
        | Kind::ApprovalEscalated
        | Kind::ApprovalResolved
        | Kind::ApprovalConsumed => of_approval(kind),
        Kind::GrantCreated | Kind::GrantUsed | Kind::GrantRevoked => of_grant(kind),
        Kind::PolicyLoaded => sample(SampleSubject::Policy, GATEWAY, &[]),
        Kind::PolicyRefused => {
            let error = &[("error", "\"gates.cedar:12: unexpected token\"", "The error in the policies")];
            sample(SampleSubject::Policy, GATEWAY, error)
        }
        Kind::LedgerCut => sample(SampleSubject::Nothing, GATEWAY, OF_CUT),
        Kind::TokenCreated => sample(SampleSubject::Nothing, PERSON, of_token()),
        Kind::TokenRevoked => sample(SampleSubject::Nothing, PERSON, &[TOKEN]),
        Kind::LedgerErased => sample(SampleSubject::Nothing, PERSON, OF_ERASURE),
        Kind::SettingChanged | Kind::ConfigLoaded | Kind::ConfigRefused | Kind::AliasesChanged => {
            of_settings(kind)
        }
        Kind::ServerAdded
        | Kind::ServerChanged
        | Kind::ServerRemoved
        | Kind::ServerHealth
        | Kind::ServerOutdated
        | Kind::ServerRestarted
        | Kind::InstanceJoined
        | Kind::InstanceLeft => sample(SampleSubject::Server, GATEWAY, of_server(kind)),
        Kind::ServerAsked => {
            let question = &[
                ("ask", "\"elicitation\"", "The kind of request: `elicitation` or `sampling`"),
                ("mode", "\"form\"", "The mode of the elicitation: `form` or `url`"),
                ("message", "\"Which account?\"", "The beginning of the text, redacted"),
                ("fields", "[\"account\"]", "The names of the requested fields"),
                ("messages", "1", "The number of messages for the model, for `sampling`"),
                ("max_tokens", "200", "The requested maximum of tokens, for `sampling`"),
                ("refused", "\"its text asks for a secret\"", "The reason, if the client was not asked"),
            ];
            sample(SampleSubject::Server, AGENT, question)
        }
        Kind::ToolsPinned => {
            let many = &[
                ("count", "2", "The number of tools"),
                ("tools", "[\"balance\", \"transfer\"]", "The first of them, by the server's own names"),
            ];
            sample(SampleSubject::Server, GATEWAY, many)
        }
        Kind::ToolDrifted | Kind::ToolQuarantined | Kind::ToolRetired | Kind::ToolRestored => {
            sample(SampleSubject::Tool, GATEWAY, OF_TOOL)
        }
        Kind::ToolAccepted | Kind::ToolRejected => sample(SampleSubject::Tool, PERSON, OF_TOOL),
        Kind::ToolRenamed => {
            let names = &[
                ("from", "\"bank:transfer\"", "The previous name"),
                ("to", "\"payments.transfer.create\"", "The new name"),
            ];
            sample(SampleSubject::Tool, GATEWAY, names)
        }
        Kind::CredentialStored | Kind::CredentialRemoved => {
            sample(SampleSubject::Server, PERSON, OF_CREDENTIAL)
        }
        Kind::CredentialAllowed => sample(SampleSubject::Server, PERSON, OF_ALLOWED),
        Kind::CredentialCreated => sample(SampleSubject::Nothing, PERSON, OF_NEW_HANDLE),
        Kind::CredentialRotated => sample(SampleSubject::Nothing, PERSON, OF_HANDLE_FIELD),
        Kind::CredentialUsed => sample(SampleSubject::Call, AGENT, OF_HANDLE_FIELD),
        Kind::CredentialErased => sample(SampleSubject::Nothing, PERSON, OF_HANDLE),
        Kind::AgentDefined => sample(SampleSubject::Nothing, GATEWAY, of_agent()),
        Kind::SessionStarted | Kind::SessionChanged | Kind::SessionClosed => {
            sample(SampleSubject::Session, AGENT, of_session(kind))
        }
        Kind::FileStored | Kind::FileDeleted | Kind::ArtifactStored => {
            sample(SampleSubject::Session, AGENT, of_file(kind))
        }
        Kind::ManifestCreated => sample(SampleSubject::Session, AGENT, OF_MANIFEST),
        Kind::PointerCreated | Kind::PointerMoved | Kind::PointerDeleted => {
            sample(SampleSubject::Session, AGENT, OF_POINTER)
        }
        Kind::ManifestPinned | Kind::ManifestUnpinned => sample(SampleSubject::Session, PERSON, OF_PIN),
        Kind::SubstrateCollected => sample(SampleSubject::Nothing, GATEWAY, OF_COLLECTION),
        Kind::TaskChanged | Kind::RunCreated | Kind::InputRequested | Kind::InputResolved => {
            sample(SampleSubject::Run, PERSON, of_work(kind))
        }
        Kind::SchemaRegistered | Kind::SchemaPromoted | Kind::SchemaDeprecated => {
            sample(SampleSubject::Session, AGENT, of_schema(kind))
        }
        Kind::KnowledgeBaseChanged => sample(SampleSubject::Session, AGENT, OF_KNOWLEDGE_BASE),
        Kind::ClaimTypeChanged => sample(SampleSubject::Session, PERSON, OF_CLAIM_TYPE),
        Kind::ClaimCreated
        | Kind::ClaimChanged
        | Kind::ClaimEvidenceLinked
        | Kind::ClaimDecided
        | Kind::ClaimSuperseded => sample(SampleSubject::Session, AGENT, of_claim(kind)),
        Kind::IndexProfilePromoted => sample(SampleSubject::Session, AGENT, OF_PROFILE),
        Kind::IndexPublished => sample(SampleSubject::Run, AGENT, OF_INDEX),
        Kind::RunStarted | Kind::RunResumed => sample(SampleSubject::Run, AGENT, OF_STEP),
        Kind::RunPaused => {
            let step = &[
                ("from", "\"running\"", "The previous state"),
                ("to", "\"paused\"", "The new state"),
                (
                    "reason",
                    "\"wait for the audit\"",
                    "The reason, if one was given; `input` if it asked a person",
                ),
                ACTION,
                NUMBER,
            ];
            sample(SampleSubject::Run, PERSON, step)
        }
        Kind::RunStep | Kind::RunToolCall => sample(SampleSubject::Run, AGENT, OF_NOTE),
        Kind::RunCheckpoint => sample(SampleSubject::Run, AGENT, OF_CHECKPOINT),
        Kind::RunEnded => sample(SampleSubject::Run, AGENT, of_end()),
        Kind::ModelCalled => sample(SampleSubject::Run, GATEWAY, OF_ANSWER),
        Kind::RunMessages => sample(SampleSubject::Run, GATEWAY, OF_MESSAGES),
        Kind::AutomationChanged => sample(SampleSubject::Nothing, PERSON, OF_AUTOMATION),
        Kind::AutomationFired => sample(SampleSubject::Run, GATEWAY, OF_FIRE),
    }
}

fn of_call(kind: EventKind) -> &'static [SampleMember] {
    match kind {
        EventKind::PolicyDecided => &[
            (
                "requirement",
                "{\"gates\":[{\"id\":\"gates.cedar:12\",\"reason\":\"money leaves\"}],\"approvers\":[[\"finance\"]],\"quorum\":1}",
                "Who must agree and how, if approval is needed",
            ),
            ("denial", "null", "The policies that forbid the call; absent unless it is denied"),
            ("shadow", "\"deny\"", "The decision of the policies in shadow mode, where it differs"),
            (
                "shadow_policies",
                "[\"strict.cedar:3\"]",
                "The shadow policies that would have asked or forbidden",
            ),
            ("agent", "\"reviewer\"", "The agent of the session; absent from a plain permit"),
            ("template", "\"standard\"", "The policy template of the session"),
        ],
        EventKind::CallPaused => &[("round", "1", "The number of times that the server has asked so far")],
        EventKind::CallCompleted => &[
            ("cached", "true", "`true` if the result came from the cache"),
            ("instance", "\"files-2\"", "The instance that answered, if the server has several"),
            (
                "tokens",
                "{\"tokenizer\":\"o200k_base\",\"arguments\":18,\"result\":240,\"list\":3120,\"saved\":9400}",
                "The tokens that a model reads: for the arguments, for the result (each estimated beyond 2 KiB), and \
                     for the session's list of tools, once that was counted; and `saved`, those that the list does not \
                     cost because tools are searched",
            ),
            ("server_us", "4100", "The time from sending the call to the server's answer, in microseconds"),
            (
                "refs",
                "[{\"ref_id\":\"ref_019a6f\",\"digest\":\"sha256:2c26…\",\"size\":81234,\"media_type\":\"image/jpeg\"}]",
                "The parts that were taken out of the result, and the objects of the platform that it is about: `{\"type\":\"run\",\"id\":…}`",
            ),
            (
                "code",
                "\"server_timeout\"",
                "The [error code](errors/README.md), if the call failed or was refused",
            ),
            ("message", "\"server \\\"bank\\\" did not answer within 60 s\"", "The error message"),
            ("error", "{\"code\":-32603,\"message\":\"no\"}", "The server's own JSON-RPC error"),
            ("asked", "\"bank__transfr\"", "The name that was called, if it led to no tool that is served"),
            (
                "omitted",
                "40",
                "The number of such calls of the same principal before this one that were not recorded",
            ),
            (
                "swept",
                "true",
                "`true` if the gateway died before the answer, and found the call open after its restart or another \
                     gateway found it",
            ),
            ("principal", "\"review-bot\"", "The caller, if the call was swept"),
        ],
        _ => &[
            (
                "files",
                "[{\"id\":\"file_019a6f\",\"digest\":\"sha256:2c26…\",\"size\":81234}]",
                "The files and refs that are sent with the call",
            ),
            (
                "credentials",
                "[{\"handle\":\"cred_019a6f.password\",\"name\":\"Example Jobs\",\"origin\":\"https://jobs.example\"}]",
                "The credentials whose values are sent with the call, never the values",
            ),
        ],
    }
}

fn of_approval(kind: EventKind) -> EventSample {
    let (by, detail): (_, &[SampleMember]) = match kind {
        EventKind::ApprovalRequested => (
            AGENT,
            &[
                ("gates", "[\"gates.cedar:12\"]", "The policies that asked"),
                ("approvers", "[[\"finance\"]]", "The groups that must agree: one person from each entry"),
                ("quorum", "1", "The number of people who must agree"),
                ("on_timeout", "\"deny\"", "The consequence if the time to decide runs out"),
                ("editable", "true", "`true` if approvers may change the arguments"),
                EXPIRES,
            ],
        ),
        EventKind::ApprovalVoted => (
            PERSON,
            &[
                ("ballot", "\"approve\"", "The vote: `approve`, `deny`, `edit` or `request_changes`"),
                ("via", "\"console\"", "The channel through which it came"),
                REASON,
                ("edited", "false", "`true` if an approver changed the arguments to which the vote applies"),
            ],
        ),
        EventKind::ApprovalEscalated => {
            (GATEWAY, &[("to", "[\"admins\"]", "The groups that are now asked as well"), EXPIRES])
        }
        EventKind::ApprovalConsumed => {
            (AGENT, &[("edited", "false", "`true` if an approver changed the arguments that were sent")])
        }
        EventKind::ApprovalResolved => (PERSON, &[STATE, WAITED]),
        _ => (PERSON, &[STATE]),
    };
    sample(SampleSubject::Approval, by, detail)
}

fn of_grant(kind: EventKind) -> EventSample {
    match kind {
        EventKind::GrantCreated => sample(
            SampleSubject::Approval,
            PERSON,
            &[
                GRANT,
                ("pins", "[\"/account\"]", "JSON pointers to the arguments that must stay the same"),
                ("uses", "10", "The number of calls that it covers; null for any number"),
                EXPIRES,
            ],
        ),
        EventKind::GrantUsed => sample(
            SampleSubject::Call,
            AGENT,
            &[GRANT, ("uses_left", "9", "The number of calls that it still covers; null for any number")],
        ),
        _ => sample(SampleSubject::Tool, PERSON, &[GRANT]),
    }
}

const DIGESTS: SampleMember = (
    "messages",
    "[{\"number\":4,\"digest\":\"sha256:2c26…\"}]",
    "The messages that were added, by their numbers in the run, and the digests of their content",
);

const OF_ANSWER: &[SampleMember] = &[
    ("model", "\"writer\"", "The model"),
    ("principal", "\"review-bot\"", "The principal that works in the run"),
    ("turn", "2", "The number of the turn in the run"),
    (
        "for",
        "\"summary\"",
        "`summary` if the model was asked, after this turn, to sum up older messages; else absent",
    ),
    ("input", "5120", "The tokens that it read"),
    ("cached", "4096", "Those of them that its provider had in a cache"),
    ("written", "512", "Those of them that its provider wrote into a cache"),
    ("output", "310", "The tokens that it wrote"),
    ("cost_micros", "8930", "Their price, in millionths of a currency unit"),
    ("duration_ms", "2140", "The time until the answer was complete, in milliseconds"),
    ("stop", "\"calls\"", "The end of the answer: `finished`, `calls`, `length`, `refused` or `other`"),
    DIGESTS,
    NUMBER,
];

const OF_MESSAGES: &[SampleMember] = &[
    ("turn", "2", "The number of the turn in the run; 0 before the first"),
    ("model", "\"writer\"", "The model, where the messages are the goal of a new run"),
    ("tools", "24", "The number of tools that were frozen for the run, if these were"),
    ("from", "\"run_019a6e\"", "The run that the messages were copied from, if they were"),
    ("folded", "{\"from\":2,\"to\":9}", "The messages that the added one stands for, if it does"),
    (
        "folded_into",
        "[[2,10],[3,10]]",
        "Of copied messages: the numbers of those that are no longer sent, each with that of the message that stands for it",
    ),
    DIGESTS,
    NUMBER,
];

const OF_ERASURE: &[SampleMember] = &[
    ("principal", "\"ann\"", "The principal whose calls they were"),
    ("session", "\"ses_019a6f\"", "The session, if only its calls were concerned"),
    ("call", "\"tc_019a6f\"", "The call, if only one was concerned"),
    ("bodies", "24", "The number of arguments and results that were deleted"),
    ("refs", "3", "The number of refs that were deleted"),
    ("results", "0", "The number of results under ids of clients that were deleted"),
    ("approvals", "1", "The number of ended approvals that were deleted"),
    ("grants", "1", "The number of ended grants that were deleted, and of others whose pins were blanked"),
    ("messages", "12", "The number of messages of ended runs that were emptied; absent if there were none"),
    REASON,
    ("ends", "{\"gateway\":317}", "The number of events that each stream had: later ones are not concerned"),
];

fn of_token() -> &'static [SampleMember] {
    &[
        TOKEN,
        ("role", "\"agent\"", "Its role"),
        ("principal", "\"review-bot\"", "Its principal"),
        ("groups", "[]", "The groups that it carries"),
        ("agent", "null", "The agent to which it is bound, or null"),
    ]
}

fn of_settings(kind: EventKind) -> EventSample {
    match kind {
        EventKind::SettingChanged => sample(
            SampleSubject::Nothing,
            PERSON,
            &[
                ("key", "\"mcp_servers\"", "The key of the setting"),
                ("version", "4", "The new version"),
                ("reason", "\"the audit of spring\"", "Why it changed, if that was said; of `policy` always"),
                ("added", "[\"search\"]", "The names of the entries that were added"),
                ("removed", "[]", "The names of the entries that were removed"),
                ("changed", "[]", "The names of the entries that changed"),
            ],
        ),
        EventKind::ConfigLoaded => sample(
            SampleSubject::Nothing,
            GATEWAY,
            &[("changes", "[\"server bank: changed\"]", "The changes, in words")],
        ),
        EventKind::ConfigRefused => {
            let reason = &[(
                "reason",
                "\"toolgate.toml:3:1: unknown key `lisen` in the file\"",
                "The error in the file",
            )];
            sample(SampleSubject::Nothing, GATEWAY, reason)
        }
        _ => sample(
            SampleSubject::Nothing,
            GATEWAY,
            &[
                ("added", "[\"read_file\"]", "The aliases that were added"),
                ("removed", "[]", "The aliases that were removed"),
            ],
        ),
    }
}

fn of_server(kind: EventKind) -> &'static [SampleMember] {
    match kind {
        EventKind::ServerChanged => &[SOURCE, ("changed", "[\"url\"]", "The keys that changed")],
        EventKind::ServerHealth => &[
            ("health", "\"down\"", "The new health"),
            ("reason", "\"connection refused\"", "The reason, if the server is not healthy"),
            (
                "untold",
                "3",
                "The number of earlier changes that were not recorded because the health changed too often",
            ),
        ],
        EventKind::ServerOutdated => &[
            (
                "state",
                "\"outdated\"",
                "`outdated`, or what became of the entry: `changed`, `deprecated`, `deleted` or `gone`",
            ),
            ("version", "\"1.2.0\"", "The version that the server was added from"),
            ("latest", "\"2.0.0\"", "The latest version in the registry, or null"),
        ],
        EventKind::ServerRestarted => &[
            ("reason", "\"exited with code 1\"", "Why the process before it ended, if that is known"),
            (
                "count",
                "1",
                "The number of starts since the last such event: those that failed count, and those that came too often to be recorded",
            ),
        ],
        EventKind::InstanceJoined => &[
            ("instance", "\"a\"", "Its id"),
            ("url", "\"http://10.0.0.5:4000/mcp\"", "Its address"),
            ("version", "\"1.2.0\"", "The version that it reports"),
            ("lease_seconds", "30.0", "The length of its lease"),
            ("again", "false", "`true` if the instance was registered before and has changed"),
        ],
        EventKind::InstanceLeft => {
            &[("instance", "\"a\"", "Its id"), ("reason", "\"its lease ran out\"", "The reason, in words")]
        }
        _ => &[SOURCE],
    }
}

fn of_agent() -> &'static [SampleMember] {
    &[
        ("agent", "\"reviewer\"", "The agent"),
        ("number", "3", "The number of this version"),
        ("version", VERSION, "The digest of the definition"),
    ]
}

fn of_session(kind: EventKind) -> &'static [SampleMember] {
    match kind {
        EventKind::SessionStarted => &[
            (
                "kind",
                "\"explicit\"",
                "`explicit` if it was opened; `default` if a credential has it by itself",
            ),
            ("principal", "\"review-bot\"", "The principal that works in it"),
            ("agent", "\"reviewer\"", "The agent with which it starts"),
            (
                "layers",
                "[{\"agent\":\"reviewer\",\"version\":\"sha256:2c26…\"}]",
                "The definitions from which it is made",
            ),
            ("policy_template", "\"standard\"", "Its policy template"),
            ("mounts", "{\"servers\":[\"bank\"]}", "Its mounts: what it may touch"),
            ("scope", VERSION, "The digest of its scope"),
        ],
        EventKind::SessionChanged => &[
            ("version", "2", "The new version"),
            ("from", "{}", "The mounts before"),
            ("to", "{\"servers\":[\"bank\"]}", "The mounts now"),
            ("scope", VERSION, "The digest of its new scope"),
        ],
        _ => &[
            ("agent", "\"reviewer\"", "The agent"),
            ("principal", "\"review-bot\"", "The principal that worked in it"),
            ("reason", "\"idle\"", "The reason: `closed`, `idle`, `lifetime` or `revoked`"),
        ],
    }
}

fn of_file(kind: EventKind) -> &'static [SampleMember] {
    const NAME: SampleMember = ("name", "\"report.pdf\"", "Its name");
    const DIGEST: SampleMember = ("digest", VERSION, "The digest of its bytes");
    const OWNER: SampleMember = ("owner", "\"review-bot\"", "Its owner");
    const FILE: SampleMember = ("file", "\"file_019a6f\"", "Its id");
    const MEDIA: SampleMember = ("media_type", "\"application/pdf\"", "Its media type");
    const BYTES: SampleMember = ("bytes", "81234", "Its size in bytes");
    match kind {
        EventKind::FileStored => &[FILE, NAME, MEDIA, BYTES, DIGEST, OWNER, EXPIRES],
        EventKind::FileDeleted => {
            &[FILE, NAME, DIGEST, OWNER, ("reason", "\"expired\"", "The reason: `deleted` or `expired`")]
        }
        _ => &[DIGEST, NAME, MEDIA, BYTES, OWNER],
    }
}

const OF_KNOWLEDGE_BASE: &[SampleMember] = &[
    ("knowledge_base", "\"kb_019a6f\"", "Its id"),
    ("name", "\"contracts\"", "Its name"),
    ("change", "\"created\"", "`created`, `changed` or `deleted`"),
    ("pointers", "[\"legal:contracts\"]", "The pointers that it answers from"),
    ("profile", "\"docs.default\"", "The profile of their indexes"),
    ("manner", "\"strict-evidence\"", "The manner in which it answers"),
    ("version", "1", "The new version"),
];
const OF_CLAIM_TYPE: &[SampleMember] = &[
    ("name", "\"covenant\"", "Its name"),
    ("version", "2", "The new version"),
    ("options", "[\"breach\",\"no_breach\"]", "The ways to resolve a claim of this type"),
];

fn of_claim(kind: EventKind) -> &'static [SampleMember] {
    const ID: SampleMember = ("claim", "\"clm_019a6f\"", "Its id");
    const STATE: SampleMember = ("state", "\"submitted\"", "Its state after the event");
    const REVISION: SampleMember = ("revision", "2", "The number of its current revision");
    const DIGEST: SampleMember =
        ("digest", VERSION, "The digest of the revision and all evidence, which decisions are bound to");
    const STALE: SampleMember =
        ("made_stale", "true", "`true` if a decision held until then; it is stale from then on");
    match kind {
        EventKind::ClaimCreated => &[
            ID,
            STATE,
            REVISION,
            DIGEST,
            ("type", "\"covenant\"", "The name of its type"),
            ("severity", "\"high\"", "`low`, `medium`, `high` or `critical`"),
        ],
        EventKind::ClaimEvidenceLinked => &[
            ID,
            STATE,
            REVISION,
            DIGEST,
            ("evidence", "\"evd_019a6f\"", "The id of the evidence"),
            ("type", "\"document\"", "The type of the evidence"),
            ("relationship", "\"refutes\"", "`supports`, `refutes` or `context`"),
            ("strength", "\"strong\"", "`weak`, `moderate` or `strong`"),
            ("standing", "\"verified\"", "The result of the check: `verified`, `moved` or `stated`"),
            ("evidence_digest", VERSION, "The digest of the evidence"),
            ("artifact", "\"sha256:9f86…\"", "The document that it cites; absent for others"),
            ("run", "\"run_019a6f\"", "The run of a calculation; absent for others"),
            STALE,
        ],
        EventKind::ClaimDecided => &[
            ID,
            STATE,
            REVISION,
            DIGEST,
            ("decision", "1", "The number of the decision"),
            ("option", "\"breach\"", "The option that was chosen"),
            ("type_version", "2", "The version of the claim's type"),
            ("approvers", "[\"ann\"]", "Those who agreed"),
        ],
        EventKind::ClaimSuperseded => &[
            ID,
            STATE,
            REVISION,
            DIGEST,
            ("superseded_by", "\"clm_019a70\"", "The claim that took its place"),
            ("reason", "\"said better\"", "The reason, if one was given"),
        ],
        _ => &[
            ID,
            STATE,
            REVISION,
            DIGEST,
            ("change", "\"revised\"", "`revised`, `submitted` or `review_begun`"),
            STALE,
        ],
    }
}

const OF_PROFILE: &[SampleMember] = &[
    ("profile", "\"docs.default\"", "The name of the profile"),
    ("version", "2", "The version that counts now"),
    ("digest", VERSION, "The digest of that version"),
    ("superseded", "1", "The version that was promoted before, or null"),
];
const OF_INDEX: &[SampleMember] = &[
    ("namespace", "\"legal\"", "The namespace of the pointer"),
    ("name", "\"contracts\"", "Its name"),
    ("profile", "\"docs.default\"", "The profile of the index"),
    ("profile_version", "1", "The version of the profile"),
    ("engine", "\"inside\"", "The engine that built it"),
    ("source_manifest", "\"sha256:9f86…\"", "The state of the pointer that it was built of"),
    ("index_manifest", "\"sha256:2c26…\"", "The manifest of the index"),
    ("documents", "1200", "The documents in it"),
    ("chunks", "31877", "The passages in it"),
    ("problems", "3", "The number of documents that are not in it"),
];

fn of_schema(kind: EventKind) -> &'static [SampleMember] {
    const ID: SampleMember = ("schema", "\"sch_019a6f\"", "The id of the version");
    const NAMESPACE: SampleMember = ("namespace", "\"billing\"", "Its namespace");
    const NAME: SampleMember = ("name", "\"invoice\"", "Its name");
    const NUMBER: SampleMember = ("version", "3", "Its number");
    const DIGEST: SampleMember = ("digest", VERSION, "The digest of the definition");
    match kind {
        EventKind::SchemaRegistered => &[
            ID,
            NAMESPACE,
            NAME,
            NUMBER,
            DIGEST,
            ("kind", "\"structured_type\"", "Its use"),
            ("mode", "\"backward\"", "The compatibility that promotions of this name keep"),
        ],
        EventKind::SchemaPromoted => &[
            ID,
            NAMESPACE,
            NAME,
            NUMBER,
            DIGEST,
            ("mode", "\"backward\"", "The compatibility that was proved"),
            ("superseded", "2", "The version that was active before, or null"),
            ("superseded_digest", VERSION, "The digest of its definition, or null"),
        ],
        _ => &[ID, NAMESPACE, NAME, NUMBER, DIGEST, REASON],
    }
}

fn of_work(kind: EventKind) -> &'static [SampleMember] {
    const INPUT: SampleMember = ("input", "\"inp_019a6f\"", "The id of the question");
    const SLOT: SampleMember = ("slot_id", "\"account\"", "The agent's own name for the question");
    match kind {
        EventKind::TaskChanged => &[
            (
                "change",
                "\"changed\"",
                "`created`, `changed` or `deleted`; the event of a deletion has no other member",
            ),
            ("name", "\"Review invoices\"", "Its name"),
            ("agent", "\"reviewer\"", "The agent that does the work"),
            ("budget", "{\"calls\":50}", "The budget of each run"),
            ("version", "2", "The new version"),
        ],
        EventKind::RunCreated => &[
            ("agent", "\"reviewer\"", "The agent that does the work"),
            ("principal", "\"review-bot\"", "The principal in whose name it works"),
            ("parent", "null", "The parent run, or null"),
            ("budget", "{\"calls\":50}", "The budget of the run"),
            ("input", "[{\"file\":\"file_019a6f\",\"digest\":\"sha256:2c26…\"}]", "The input files"),
            ("manifest", "\"sha256:9f86…\"", "The manifest of its input, or null"),
            NUMBER,
        ],
        EventKind::InputRequested => &[
            INPUT,
            SLOT,
            ("slot_type", "\"choice\"", "The type of the answer"),
            ("options", "2", "The number of options to choose from"),
            ACTION,
        ],
        _ => &[
            INPUT,
            SLOT,
            ("state", "\"answered\"", "The new state: `answered`, `cancelled` or `expired`"),
            ("via", "\"console\"", "The channel through which it came"),
        ],
    }
}

fn of_end() -> &'static [SampleMember] {
    &[
        ("from", "\"running\"", "The previous state"),
        ("to", "\"completed\"", "The new state: `completed`, `partial`, `failed` or `cancelled`"),
        ("reason", "\"done\"", "The reason, if one was given"),
        ("used", "{\"calls\":12}", "The part of the budget that was used"),
        (
            "artifacts",
            "[{\"name\":\"report.md\",\"digest\":\"sha256:2c26…\"}]",
            "The artifacts that it stored",
        ),
        ("manifest", "\"sha256:9f86…\"", "The manifest of its output, if it has one"),
        NUMBER,
    ]
}

/// An event of this kind.
pub(super) fn event(kind: EventKind) -> Event {
    const AT_MS: i64 = 1_767_612_600_000;
    let sample = of(kind);
    let about = Arc::new(about(sample.touches));
    let mut event = Event::new(kind, AT_MS, PrincipalId::new(sample.by), about);
    let judged =
        matches!(sample.touches, SampleSubject::Call | SampleSubject::Approval | SampleSubject::Policy);
    event.policy_version = judged.then(|| Digest::of("policies"));
    event.approval = matches!(sample.touches, SampleSubject::Approval).then(|| ApprovalId::new("apr_019a6f"));
    event.input = matches!(kind, EventKind::CallStarted).then(|| Digest::of("arguments"));
    event.meta = event.input.map(|_| Digest::of("meta"));
    event.decision = match kind {
        EventKind::PolicyDecided => Some(DecisionKind::Approve),
        EventKind::CallStarted => Some(DecisionKind::Permit),
        _ => None,
    };
    if kind == EventKind::CallCompleted {
        event.outcome = Some(Outcome::Succeeded);
        event.duration_us = Some(5_120);
        event.output = Some(Digest::of("result"));
    }
    event.detail = detail(kind, sample.detail);
    event
}

/// The detail of an example. Members that exclude one another are left out.
fn detail(kind: EventKind, members: &[SampleMember]) -> Option<RawJson> {
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

fn about(touches: SampleSubject) -> EventSubject {
    let server = || ServerName::new("bank").ok();
    let tool = || EventSubject {
        tool: server().map(|server| CanonicalName::of(&server, "transfer")),
        server: server(),
        tool_version: Some(Digest::of("definition")),
        ..EventSubject::default()
    };
    let session = Some(SessionId::new("ses_019a6f"));
    match touches {
        SampleSubject::Call => EventSubject {
            session,
            call: Some(CallId::new("tc_019a6f")),
            trace: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".into()),
            ..tool()
        },
        SampleSubject::Approval => EventSubject { session, call: Some(CallId::new("tc_019a6f")), ..tool() },
        SampleSubject::Server => EventSubject { server: server(), ..EventSubject::default() },
        SampleSubject::Tool => tool(),
        SampleSubject::Session => EventSubject { session, ..EventSubject::default() },
        SampleSubject::Run => EventSubject {
            session,
            run: Some(RunId::new("run_019a6f")),
            task: Some("task_019a6f".into()),
            ..EventSubject::default()
        },
        SampleSubject::Policy | SampleSubject::Nothing => EventSubject::default(),
    }
}
