"""Written by `clients/generate.py` from the OpenAPI document of the gateway."""

# ruff: noqa
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal, NotRequired, Protocol, Required, TypeAlias, TypedDict, cast
from urllib.parse import quote

#: Versions of the gateway that this was made for.
VERSIONS = "0.1"

Words = dict[str, str | int | None]


class Event(TypedDict):
    """One event of a stream: its name, its id, and its data as JSON."""

    event: str
    id: str | None
    data: Any


class Answer(Protocol):
    @property
    def content(self) -> bytes: ...

    @property
    def text(self) -> str: ...

    def json(self) -> Any: ...


def quoted(text: str) -> str:
    return quote(text, safe="")


class AnswerBody(TypedDict, total=False):
    """An answer to a question"""

    answer: Required[Any]


class ApprovalDetail(TypedDict, total=False):
    """An approval, with the information needed to decide"""

    agent: NotRequired[str | None]
    agreed: Required[int]
    arguments: Required[Any]
    arguments_bytes: NotRequired[int | None]
    attachments: NotRequired[list[AttachmentView]]
    call: Required[str]
    created_at: Required[str]
    credentials: NotRequired[list[CredentialUseView]]
    effective: Required[str]
    effects: NotRequired[list[str] | None]
    escalated_to: NotRequired[list[str] | None]
    expires_at: Required[str]
    id: Required[str]
    opened_by: NotRequired[str | None]
    policy_version: NotRequired[str | None]
    principal: Required[str]
    proposed_arguments: NotRequired[Any]
    requirement: Required[Any]
    resolved_at: NotRequired[str | None]
    run: NotRequired[str | None]
    session: NotRequired[str | None]
    state: Required[str]
    task: NotRequired[str | None]
    told_at: NotRequired[str | None]
    tool: Required[str]
    tool_version: Required[str]
    used_by: NotRequired[str | None]
    votes: Required[list[VoteView]]
    withdrawn: NotRequired[str | None]
    before: NotRequired[list[CallView] | None]
    definition: NotRequired[Any]


class ApprovalView(TypedDict, total=False):
    """An approval of one exact call"""

    agent: NotRequired[str | None]
    agreed: Required[int]
    arguments: Required[Any]
    arguments_bytes: NotRequired[int | None]
    attachments: NotRequired[list[AttachmentView]]
    call: Required[str]
    created_at: Required[str]
    credentials: NotRequired[list[CredentialUseView]]
    effective: Required[str]
    effects: NotRequired[list[str] | None]
    escalated_to: NotRequired[list[str] | None]
    expires_at: Required[str]
    id: Required[str]
    opened_by: NotRequired[str | None]
    policy_version: NotRequired[str | None]
    principal: Required[str]
    proposed_arguments: NotRequired[Any]
    requirement: Required[Any]
    resolved_at: NotRequired[str | None]
    run: NotRequired[str | None]
    session: NotRequired[str | None]
    state: Required[str]
    task: NotRequired[str | None]
    told_at: NotRequired[str | None]
    tool: Required[str]
    tool_version: Required[str]
    used_by: NotRequired[str | None]
    votes: Required[list[VoteView]]
    withdrawn: NotRequired[str | None]


class ApprovalsPage(TypedDict, total=False):
    approvals: Required[list[ApprovalView]]
    next_cursor: NotRequired[str | None]


class ArchiveFaultView(TypedDict, total=False):
    hint: Required[str]
    message: Required[str]
    name: Required[str]
    what: Required[str]


class ArchiveVerifiedView(TypedDict, total=False):
    events: Required[int]
    faults: Required[list[ArchiveFaultView]]
    segments: Required[int]


class AttachmentView(TypedDict, total=False):
    digest: Required[str]
    id: Required[str]
    media_type: Required[str]
    name: NotRequired[str | None]
    place: Required[str]
    size: Required[int]


class BatchBody(TypedDict, total=False):
    """The calls of one turn of a model"""

    calls: Required[list[BatchCallBody]]
    parallel_max: NotRequired[int | None]


class BatchCallBody(TypedDict, total=False):
    """A call as a model makes it"""

    arguments: NotRequired[Any]
    id: Required[str]
    name: Required[str]


class BatchResult(TypedDict, total=False):
    """The result of one call: the envelope that `/tools/call` returns"""

    approval_id: NotRequired[str | None]
    data: NotRequired[Any]
    error: NotRequired[Any]
    refs: Required[list[Any]]
    status: Required[str]
    tool_call_id: Required[str]
    warnings: Required[list[Any]]
    id: Required[str]
    replayed: NotRequired[bool | None]


class BatchView(TypedDict, total=False):
    """The results of the calls"""

    results: Required[list[BatchResult]]
    run: Required[str]
    state: Required[str]


class BudgetUsage(TypedDict, total=False):
    """The part of its budget that a run has used"""

    bytes: Required[int]
    calls: Required[int]
    cost_micros: NotRequired[int | None]
    seconds: Required[int]
    tokens: NotRequired[int | None]
    turns: NotRequired[int | None]


class CallCounts(TypedDict, total=False):
    """The number of calls in a run, up to the latest thousand"""

    completed: Required[int]
    failed: Required[int]
    open: Required[int]
    unknown: Required[int]


class CallView(TypedDict, total=False):
    """The summary of a call"""

    approval: NotRequired[str | None]
    approval_state: NotRequired[str | None]
    decision: NotRequired[str | None]
    duration_ms: NotRequired[float | None]
    ended_at: NotRequired[str | None]
    error: NotRequired[str | None]
    id: Required[str]
    message: NotRequired[str | None]
    principal: Required[str]
    run: NotRequired[str | None]
    server: NotRequired[str | None]
    session: NotRequired[str | None]
    started_at: Required[str]
    state: Required[str]
    tool: NotRequired[str | None]
    used_by: NotRequired[str | None]


class CancelBody(TypedDict, total=False):
    """The reason for cancelling a run"""

    reason: NotRequired[str | None]


class CheckpointFault(TypedDict, total=False):
    """A file that the ledger cannot be held against, or a folder that has none"""

    hint: Required[str]
    message: Required[str]


class CredentialUseView(TypedDict, total=False):
    handle: Required[str]
    name: Required[str]
    new: Required[bool]
    origin: Required[str]
    place: Required[str]


class DecideBody(TypedDict, total=False):
    """A decision on an approval"""

    arguments: NotRequired[Any]
    decision: Required[DecisionWord]
    effective: NotRequired[str | None]
    grant: NotRequired[GrantBody | None]
    reason: NotRequired[str | None]


class DecidedView(TypedDict, total=False):
    approval: Required[ApprovalView]
    grant: NotRequired[GrantView | None]


DecisionWord: TypeAlias = "Literal[\"approve\", \"deny\", \"edit\", \"request_changes\"]"


class DrivenRun(TypedDict, total=False):
    """The part of a run that the gateway drives itself"""

    action: NotRequired[RequiredAction | None]
    cost_micros: Required[int]
    messages: Required[int]
    model: Required[str]
    tokens: Required[ModelTokens]
    turn: Required[int]


class EnvelopeView(TypedDict, total=False):
    """The result of a call"""

    approval_id: NotRequired[str | None]
    data: NotRequired[Any]
    error: NotRequired[Any]
    refs: Required[list[Any]]
    status: Required[str]
    tool_call_id: Required[str]
    warnings: Required[list[Any]]


class File(TypedDict, total=False):
    """An uploaded file; its content never changes"""

    created_at: Required[str]
    digest: Required[str]
    expires_at: NotRequired[str | None]
    id: Required[str]
    media_type: Required[str]
    name: Required[str]
    owner: Required[str]
    size: Required[int]


class FileSlotView(TypedDict, total=False):
    """An argument that takes a file"""

    argument: Required[str]
    content: Required[str]
    many: NotRequired[bool]
    media_type: NotRequired[str | None]
    strategy: Required[str]


class FilesPage(TypedDict, total=False):
    files: Required[list[File]]
    next_cursor: NotRequired[str | None]


class GrantBody(TypedDict, total=False):
    """'Don't ask again for this'"""

    expires_in_seconds: NotRequired[int | None]
    pins: NotRequired[list[str] | None]
    uses: NotRequired[int | None]


class GrantView(TypedDict, total=False):
    """A grant: calls that run without asking again"""

    approval: Required[str]
    created_at: Required[str]
    created_by: Required[str]
    expires_at: Required[str]
    id: Required[str]
    pins: Required[list[PinView]]
    principal: Required[str]
    revoked_at: NotRequired[str | None]
    tool: Required[str]
    tool_version: Required[str]
    uses_left: NotRequired[int | None]


class HandlingView(TypedDict, total=False):
    """The handling of calls. Absent values are those of the server."""

    cache_scope: NotRequired[str | None]
    cache_seconds: NotRequired[float | None]
    capabilities: NotRequired[list[str]]
    concurrency_max: NotRequired[int | None]
    examples: NotRequired[list[str]]
    file_strategy: NotRequired[str | None]
    files: NotRequired[list[FileSlotView]]
    formats: NotRequired[bool | None]
    mounts: NotRequired[list[str]]
    rate: NotRequired[str | None]
    secrets: NotRequired[list[str]]
    timeout_seconds: NotRequired[float | None]


class Input(TypedDict, total=False):
    """A question that a run asks a person"""

    answer: NotRequired[Any]
    answered_by: NotRequired[str | None]
    call: NotRequired[str | None]
    created_at: Required[str]
    id: Required[str]
    options: Required[list[Any]]
    picture: NotRequired[InputPicture | None]
    principal: Required[str]
    prompt_key: Required[str]
    purpose: Required[str]
    resolved_at: NotRequired[str | None]
    run: Required[str]
    session: NotRequired[str | None]
    slot_id: Required[str]
    slot_type: Required[str]
    state: Required[str]
    via: NotRequired[str | None]


class InputDetail(TypedDict, total=False):
    """A question, with the calls of its run before it"""

    answer: NotRequired[Any]
    answered_by: NotRequired[str | None]
    call: NotRequired[str | None]
    created_at: Required[str]
    id: Required[str]
    options: Required[list[Any]]
    picture: NotRequired[InputPicture | None]
    principal: Required[str]
    prompt_key: Required[str]
    purpose: Required[str]
    resolved_at: NotRequired[str | None]
    run: Required[str]
    session: NotRequired[str | None]
    slot_id: Required[str]
    slot_type: Required[str]
    state: Required[str]
    via: NotRequired[str | None]
    before: NotRequired[list[CallView] | None]


class InputFile(TypedDict, total=False):
    """An input file of a run, and its name in the run"""

    digest: Required[str]
    file_id: Required[str]
    path: Required[str]


class InputFileBody(TypedDict, total=False):
    """A file of the caller, and its name in the run"""

    file_id: Required[str]
    path: Required[str]


class InputPicture(TypedDict, total=False):
    """A picture that belongs to a question; `GET /inputs/{id}/picture` has its bytes"""

    id: Required[str]
    media_type: Required[str]
    size: Required[int]


class InputsPage(TypedDict, total=False):
    inputs: Required[list[Input]]
    next_cursor: NotRequired[str | None]


class LedgerCall(TypedDict, total=False):
    """A call with all its events"""

    archived: NotRequired[bool]
    bodies: Required[Any]
    call: Required[str]
    changed: NotRequired[list[str]]
    events: Required[list[Any]]


class LedgerPage(TypedDict, total=False):
    events: Required[list[Any]]
    next_cursor: NotRequired[str | None]


class ModelTokens(TypedDict, total=False):
    """Tokens that a model read and wrote"""

    cached: Required[int]
    cached_percent: NotRequired[int | None]
    input: Required[int]
    output: Required[int]
    written: Required[int]


class NewRunBody(TypedDict, total=False):
    """A new run; everything may be left out"""

    agent: NotRequired[str | None]
    budget: NotRequired[RunBudget | None]
    goal: NotRequired[str | None]
    input: NotRequired[list[InputFileBody]]
    instructions: NotRequired[str | None]
    key: NotRequired[str | None]
    model: NotRequired[str | None]
    mounts: NotRequired[Any]
    outcome_schema: NotRequired[Any]
    parent: NotRequired[str | None]
    policy_template: NotRequired[PolicyTemplate | None]
    principal: NotRequired[str | None]
    task: NotRequired[str | None]


class OriginView(TypedDict, total=False):
    """Content that a server keeps under an id of its own"""

    id: Required[str]
    server: Required[str]
    uri: NotRequired[str | None]


class OutputFile(TypedDict, total=False):
    """An artifact of a run, and its name"""

    artifact: Required[str]
    media_type: Required[str]
    name: Required[str]
    size: Required[int]


class PinView(TypedDict, total=False):
    path: Required[str]


PolicyTemplate: TypeAlias = "Literal[\"exploratory\", \"standard\", \"regulated\", \"audit_critical\"]"


class Ref(TypedDict, total=False):
    """A ref: part of a result that was too large or not text, and was taken out"""

    call: NotRequired[str | None]
    created_at: Required[str]
    digest: NotRequired[str | None]
    expires_at: Required[str]
    id: Required[str]
    media_type: Required[str]
    origin: NotRequired[OriginView | None]
    preview: NotRequired[str]
    principal: Required[str]
    run: NotRequired[str | None]
    session: Required[str]
    size: Required[int]
    tool: NotRequired[str | None]


class RequiredAction(TypedDict, total=False):
    """An action that somebody must take before a run continues"""

    how: Required[str]
    id: Required[str]
    kind: Required[str]
    since: Required[str]


class Run(TypedDict, total=False):
    """A run, one execution of a task"""

    agent: Required[str]
    budget: Required[RunBudget]
    created_at: Required[str]
    created_by: Required[str]
    ended_at: NotRequired[str | None]
    id: Required[str]
    input: Required[list[InputFile]]
    input_manifest: NotRequired[str | None]
    name: NotRequired[str | None]
    output: Required[list[OutputFile]]
    output_manifest: NotRequired[str | None]
    parent: NotRequired[str | None]
    principal: Required[str]
    reason: NotRequired[str | None]
    run_type: NotRequired[str | None]
    session: NotRequired[str | None]
    started_at: NotRequired[str | None]
    state: Required[str]
    state_since: Required[str]
    summary: NotRequired[str | None]
    task: NotRequired[str | None]
    used: Required[BudgetUsage]
    version: Required[int]


class RunBudget(TypedDict, total=False):
    """The budget of a run; what is left out is unlimited"""

    bytes: NotRequired[int | None]
    calls: NotRequired[int | None]
    cost_micros: NotRequired[int | None]
    seconds: NotRequired[int | None]
    tokens: NotRequired[int | None]
    turns: NotRequired[int | None]


class RunCall(TypedDict, total=False):
    """A call in a run"""

    call: Required[str]
    ended_at: NotRequired[str | None]
    kind: Required[str]
    started_at: Required[str]
    state: Required[str]
    tool: Required[str]


class RunCallsPage(TypedDict, total=False):
    calls: Required[list[RunCall]]


class RunDetail(TypedDict, total=False):
    """A run, with what it waits for and its calls"""

    agent: Required[str]
    budget: Required[RunBudget]
    created_at: Required[str]
    created_by: Required[str]
    ended_at: NotRequired[str | None]
    id: Required[str]
    input: Required[list[InputFile]]
    input_manifest: NotRequired[str | None]
    name: NotRequired[str | None]
    output: Required[list[OutputFile]]
    output_manifest: NotRequired[str | None]
    parent: NotRequired[str | None]
    principal: Required[str]
    reason: NotRequired[str | None]
    run_type: NotRequired[str | None]
    session: NotRequired[str | None]
    started_at: NotRequired[str | None]
    state: Required[str]
    state_since: Required[str]
    summary: NotRequired[str | None]
    task: NotRequired[str | None]
    used: Required[BudgetUsage]
    version: Required[int]
    calls: Required[CallCounts]
    children: Required[int]
    driven: NotRequired[DrivenRun | None]
    waiting: Required[WaitingView]


class RunsPage(TypedDict, total=False):
    next_cursor: NotRequired[str | None]
    runs: Required[list[Run]]


class Session(TypedDict, total=False):
    agent: Required[str]
    agent_version: Required[str]
    closed_at: NotRequired[str | None]
    closed_because: NotRequired[str | None]
    created_at: Required[str]
    id: Required[str]
    idle_seconds: Required[int]
    kind: Required[str]
    last_used_at: Required[str]
    lifetime_seconds: NotRequired[int | None]
    mounts: Required[Any]
    opened_by: Required[str]
    policy_template: NotRequired[PolicyTemplate | None]
    principal: Required[str]
    run: NotRequired[str | None]
    scope_id: Required[str]
    state: Required[str]
    task: NotRequired[str | None]
    token_budget: Required[Any]
    version: Required[int]


class SessionDetail(TypedDict, total=False):
    """A session, with the rules that decide what it sees"""

    agent: Required[str]
    agent_version: Required[str]
    closed_at: NotRequired[str | None]
    closed_because: NotRequired[str | None]
    created_at: Required[str]
    id: Required[str]
    idle_seconds: Required[int]
    kind: Required[str]
    last_used_at: Required[str]
    lifetime_seconds: NotRequired[int | None]
    mounts: Required[Any]
    opened_by: Required[str]
    policy_template: NotRequired[PolicyTemplate | None]
    principal: Required[str]
    run: NotRequired[str | None]
    scope_id: Required[str]
    state: Required[str]
    task: NotRequired[str | None]
    token_budget: Required[Any]
    version: Required[int]
    scope: NotRequired[Any]


class StartedRun(TypedDict, total=False):
    """A run, its session, and the session's token, which is shown only here"""

    mcp_path: NotRequired[str | None]
    run: Required[Run]
    session: Required[SessionDetail]
    token: NotRequired[str | None]
    warnings: Required[list[Warning]]


class ToolCallBody(TypedDict, total=False):
    """A call"""

    arguments: NotRequired[Any]
    name: Required[str]
    run_id: NotRequired[str | None]
    task_id: NotRequired[str | None]


class ToolView(TypedDict, total=False):
    cache_scope: NotRequired[str | None]
    cache_seconds: NotRequired[float | None]
    capabilities: NotRequired[list[str]]
    concurrency_max: NotRequired[int | None]
    examples: NotRequired[list[str]]
    file_strategy: NotRequired[str | None]
    files: NotRequired[list[FileSlotView]]
    formats: NotRequired[bool | None]
    mounts: NotRequired[list[str]]
    rate: NotRequired[str | None]
    secrets: NotRequired[list[str]]
    timeout_seconds: NotRequired[float | None]
    aliases: NotRequired[list[str]]
    approval: Required[str]
    audit: NotRequired[str | None]
    definition: Required[Any]
    effects: NotRequired[list[str] | None]
    idempotent: NotRequired[bool | None]
    name: Required[str]
    server: Required[str]
    version: NotRequired[str | None]
    wire_name: Required[str]


class ToolsPage(TypedDict, total=False):
    next_cursor: NotRequired[str | None]
    tools: Required[list[ToolView]]


class VerifiedView(TypedDict, total=False):
    archive: NotRequired[ArchiveVerifiedView | None]
    bodies: NotRequired[int | None]
    checkpoint_faults: NotRequired[list[CheckpointFault]]
    checkpoints: Required[int]
    cuts: NotRequired[list[Any]]
    erased: Required[int]
    events: Required[int]
    fault: NotRequired[Any]
    intact: Required[bool]
    streams: Required[int]


class VoteView(TypedDict, total=False):
    at: Required[str]
    decision: Required[str]
    effective: Required[str]
    person: Required[str]
    reason: NotRequired[str | None]


class WaitingView(TypedDict, total=False):
    """The number of things that wait for people"""

    approvals: Required[int]
    inputs: Required[int]
    reviews: Required[int]


class Warning(TypedDict, total=False):
    """A rule that matches no tool: a mistake, or its server is not available"""

    code: Required[str]
    message: Required[str]
    pattern: Required[str]
    place: Required[str]


class Operations:
    """The routes of the gateway."""

    def _send(self, method: str, path: str, query: Words, headers: Words, body: Any) -> Answer:
        raise NotImplementedError

    def _follow(self, path: str, query: Words) -> Iterator[Event]:
        raise NotImplementedError

    def upload_file(self, content: bytes, *, name: str | int | None = None, expires_in_seconds: str | int | None = None, owner: str | int | None = None) -> File:
        """Store a file."""
        return cast("File", self._send("POST", "/files", {"name": name, "expires_in_seconds": expires_in_seconds, "owner": owner}, {}, content).json())

    def list_files(self, *, owner: str | int | None = None, name: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None) -> FilesPage:
        """List files, newest first."""
        return cast("FilesPage", self._send("GET", "/files", {"owner": owner, "name": name, "cursor": cursor, "limit": limit}, {}, None).json())

    def get_file(self, id: str) -> File:
        """Show a file."""
        return cast("File", self._send("GET", f"/files/{quoted(id)}", {}, {}, None).json())

    def read_file(self, id: str, *, range: str | int | None = None) -> bytes:
        """Fetch the content of a file."""
        return self._send("GET", f"/files/{quoted(id)}/content", {}, {"range": range}, None).content

    def delete_file(self, id: str) -> None:
        """Delete a file."""
        self._send("DELETE", f"/files/{quoted(id)}", {}, {}, None)

    def get_ref(self, id: str) -> Ref:
        """Show a ref."""
        return cast("Ref", self._send("GET", f"/refs/{quoted(id)}", {}, {}, None).json())

    def read_ref(self, id: str, *, range: str | int | None = None) -> bytes:
        """Fetch the content of a ref."""
        return self._send("GET", f"/refs/{quoted(id)}/content", {}, {"range": range}, None).content

    def create_run(self, body: NewRunBody) -> StartedRun:
        """Create a run."""
        return cast("StartedRun", self._send("POST", "/runs", {}, {}, body).json())

    def list_runs(self, *, state: str | int | None = None, task: str | int | None = None, principal: str | int | None = None, parent: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None) -> RunsPage:
        """List runs, newest first."""
        return cast("RunsPage", self._send("GET", "/runs", {"state": state, "task": task, "principal": principal, "parent": parent, "cursor": cursor, "limit": limit}, {}, None).json())

    def get_run(self, id: str) -> RunDetail:
        """Show a run."""
        return cast("RunDetail", self._send("GET", f"/runs/{quoted(id)}", {}, {}, None).json())

    def list_run_calls(self, id: str) -> RunCallsPage:
        """List the calls in a run."""
        return cast("RunCallsPage", self._send("GET", f"/runs/{quoted(id)}/calls", {}, {}, None).json())

    def call_tools(self, id: str, body: BatchBody, *, prefer: str | int | None = None) -> BatchView:
        """Make the calls of one turn."""
        return cast("BatchView", self._send("POST", f"/runs/{quoted(id)}/tool-calls", {}, {"prefer": prefer}, body).json())

    def pause_run(self, id: str) -> Run:
        """Pause a run."""
        return cast("Run", self._send("POST", f"/runs/{quoted(id)}/pause", {}, {}, None).json())

    def resume_run(self, id: str) -> Run:
        """Resume a run."""
        return cast("Run", self._send("POST", f"/runs/{quoted(id)}/resume", {}, {}, None).json())

    def cancel_run(self, id: str, body: CancelBody) -> Run:
        """Cancel a run."""
        return cast("Run", self._send("POST", f"/runs/{quoted(id)}/cancel", {}, {}, body).json())

    def follow_run(self, id: str, *, after: str | int | None = None) -> Iterator[Event]:
        """Follow the events of a run."""
        return self._follow(f"/runs/{quoted(id)}/events", {"after": after})

    def list_tools(self, *, server: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None, agent: str | int | None = None, session: str | int | None = None) -> ToolsPage:
        """List tools, by name."""
        return cast("ToolsPage", self._send("GET", "/tools", {"server": server, "cursor": cursor, "limit": limit, "agent": agent, "session": session}, {}, None).json())

    def call_tool(self, body: ToolCallBody, *, agent: str | int | None = None, session: str | int | None = None, prefer: str | int | None = None) -> EnvelopeView:
        """Call a tool."""
        return cast("EnvelopeView", self._send("POST", "/tools/call", {"agent": agent, "session": session}, {"prefer": prefer}, body).json())

    def list_approvals(self, *, state: str | int | None = None, principal: str | int | None = None, tool: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None, arguments_bytes_max: str | int | None = None) -> ApprovalsPage:
        """List approvals, newest first."""
        return cast("ApprovalsPage", self._send("GET", "/approvals", {"state": state, "principal": principal, "tool": tool, "cursor": cursor, "limit": limit, "arguments_bytes_max": arguments_bytes_max}, {}, None).json())

    def get_approval(self, id: str) -> ApprovalDetail:
        """Show an approval."""
        return cast("ApprovalDetail", self._send("GET", f"/approvals/{quoted(id)}", {}, {}, None).json())

    def decide(self, id: str, body: DecideBody) -> DecidedView:
        """Decide on an approval."""
        return cast("DecidedView", self._send("POST", f"/approvals/{quoted(id)}/decide", {}, {}, body).json())

    def list_inputs(self, *, state: str | int | None = None, run: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None) -> InputsPage:
        """List questions, newest first."""
        return cast("InputsPage", self._send("GET", "/inputs", {"state": state, "run": run, "cursor": cursor, "limit": limit}, {}, None).json())

    def get_input(self, id: str) -> InputDetail:
        """Show a question."""
        return cast("InputDetail", self._send("GET", f"/inputs/{quoted(id)}", {}, {}, None).json())

    def answer_input(self, id: str, body: AnswerBody) -> Input:
        """Answer a question."""
        return cast("Input", self._send("POST", f"/inputs/{quoted(id)}/answer", {}, {}, body).json())

    def list_ledger(self, *, from_: str | int | None = None, until: str | int | None = None, principal: str | int | None = None, session: str | int | None = None, run: str | int | None = None, tool: str | int | None = None, server: str | int | None = None, outcome: str | int | None = None, error: str | int | None = None, decision: str | int | None = None, call: str | int | None = None, kind: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None, order: str | int | None = None, source: str | int | None = None) -> LedgerPage:
        """List events."""
        return cast("LedgerPage", self._send("GET", "/ledger", {"from": from_, "until": until, "principal": principal, "session": session, "run": run, "tool": tool, "server": server, "outcome": outcome, "error": error, "decision": decision, "call": call, "kind": kind, "cursor": cursor, "limit": limit, "order": order, "source": source}, {}, None).json())

    def get_call(self, call_id: str) -> LedgerCall:
        """Show a call."""
        return cast("LedgerCall", self._send("GET", f"/ledger/{quoted(call_id)}", {}, {}, None).json())

    def verify_ledger(self) -> VerifiedView:
        """Verify the ledger."""
        return cast("VerifiedView", self._send("GET", "/ledger/verify", {}, {}, None).json())

    def export_ledger(self, *, from_: str | int | None = None, until: str | int | None = None, principal: str | int | None = None, session: str | int | None = None, run: str | int | None = None, tool: str | int | None = None, server: str | int | None = None, outcome: str | int | None = None, error: str | int | None = None, decision: str | int | None = None, format: str | int | None = None, call: str | int | None = None, kind: str | int | None = None, source: str | int | None = None) -> str:
        """Export events."""
        return self._send("GET", "/ledger/export", {"from": from_, "until": until, "principal": principal, "session": session, "run": run, "tool": tool, "server": server, "outcome": outcome, "error": error, "decision": decision, "format": format, "call": call, "kind": kind, "source": source}, {}, None).text

    def follow_events(self, *, kinds: str | int | None = None, after: str | int | None = None) -> Iterator[Event]:
        """Follow events."""
        return self._follow("/events", {"kinds": kinds, "after": after})


class AsyncOperations:
    """The routes of the gateway."""

    async def _send(self, method: str, path: str, query: Words, headers: Words, body: Any) -> Answer:
        raise NotImplementedError

    def _follow(self, path: str, query: Words) -> AsyncIterator[Event]:
        raise NotImplementedError

    async def upload_file(self, content: bytes, *, name: str | int | None = None, expires_in_seconds: str | int | None = None, owner: str | int | None = None) -> File:
        """Store a file."""
        return cast("File", (await self._send("POST", "/files", {"name": name, "expires_in_seconds": expires_in_seconds, "owner": owner}, {}, content)).json())

    async def list_files(self, *, owner: str | int | None = None, name: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None) -> FilesPage:
        """List files, newest first."""
        return cast("FilesPage", (await self._send("GET", "/files", {"owner": owner, "name": name, "cursor": cursor, "limit": limit}, {}, None)).json())

    async def get_file(self, id: str) -> File:
        """Show a file."""
        return cast("File", (await self._send("GET", f"/files/{quoted(id)}", {}, {}, None)).json())

    async def read_file(self, id: str, *, range: str | int | None = None) -> bytes:
        """Fetch the content of a file."""
        return (await self._send("GET", f"/files/{quoted(id)}/content", {}, {"range": range}, None)).content

    async def delete_file(self, id: str) -> None:
        """Delete a file."""
        await self._send("DELETE", f"/files/{quoted(id)}", {}, {}, None)

    async def get_ref(self, id: str) -> Ref:
        """Show a ref."""
        return cast("Ref", (await self._send("GET", f"/refs/{quoted(id)}", {}, {}, None)).json())

    async def read_ref(self, id: str, *, range: str | int | None = None) -> bytes:
        """Fetch the content of a ref."""
        return (await self._send("GET", f"/refs/{quoted(id)}/content", {}, {"range": range}, None)).content

    async def create_run(self, body: NewRunBody) -> StartedRun:
        """Create a run."""
        return cast("StartedRun", (await self._send("POST", "/runs", {}, {}, body)).json())

    async def list_runs(self, *, state: str | int | None = None, task: str | int | None = None, principal: str | int | None = None, parent: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None) -> RunsPage:
        """List runs, newest first."""
        return cast("RunsPage", (await self._send("GET", "/runs", {"state": state, "task": task, "principal": principal, "parent": parent, "cursor": cursor, "limit": limit}, {}, None)).json())

    async def get_run(self, id: str) -> RunDetail:
        """Show a run."""
        return cast("RunDetail", (await self._send("GET", f"/runs/{quoted(id)}", {}, {}, None)).json())

    async def list_run_calls(self, id: str) -> RunCallsPage:
        """List the calls in a run."""
        return cast("RunCallsPage", (await self._send("GET", f"/runs/{quoted(id)}/calls", {}, {}, None)).json())

    async def call_tools(self, id: str, body: BatchBody, *, prefer: str | int | None = None) -> BatchView:
        """Make the calls of one turn."""
        return cast("BatchView", (await self._send("POST", f"/runs/{quoted(id)}/tool-calls", {}, {"prefer": prefer}, body)).json())

    async def pause_run(self, id: str) -> Run:
        """Pause a run."""
        return cast("Run", (await self._send("POST", f"/runs/{quoted(id)}/pause", {}, {}, None)).json())

    async def resume_run(self, id: str) -> Run:
        """Resume a run."""
        return cast("Run", (await self._send("POST", f"/runs/{quoted(id)}/resume", {}, {}, None)).json())

    async def cancel_run(self, id: str, body: CancelBody) -> Run:
        """Cancel a run."""
        return cast("Run", (await self._send("POST", f"/runs/{quoted(id)}/cancel", {}, {}, body)).json())

    def follow_run(self, id: str, *, after: str | int | None = None) -> AsyncIterator[Event]:
        """Follow the events of a run."""
        return self._follow(f"/runs/{quoted(id)}/events", {"after": after})

    async def list_tools(self, *, server: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None, agent: str | int | None = None, session: str | int | None = None) -> ToolsPage:
        """List tools, by name."""
        return cast("ToolsPage", (await self._send("GET", "/tools", {"server": server, "cursor": cursor, "limit": limit, "agent": agent, "session": session}, {}, None)).json())

    async def call_tool(self, body: ToolCallBody, *, agent: str | int | None = None, session: str | int | None = None, prefer: str | int | None = None) -> EnvelopeView:
        """Call a tool."""
        return cast("EnvelopeView", (await self._send("POST", "/tools/call", {"agent": agent, "session": session}, {"prefer": prefer}, body)).json())

    async def list_approvals(self, *, state: str | int | None = None, principal: str | int | None = None, tool: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None, arguments_bytes_max: str | int | None = None) -> ApprovalsPage:
        """List approvals, newest first."""
        return cast("ApprovalsPage", (await self._send("GET", "/approvals", {"state": state, "principal": principal, "tool": tool, "cursor": cursor, "limit": limit, "arguments_bytes_max": arguments_bytes_max}, {}, None)).json())

    async def get_approval(self, id: str) -> ApprovalDetail:
        """Show an approval."""
        return cast("ApprovalDetail", (await self._send("GET", f"/approvals/{quoted(id)}", {}, {}, None)).json())

    async def decide(self, id: str, body: DecideBody) -> DecidedView:
        """Decide on an approval."""
        return cast("DecidedView", (await self._send("POST", f"/approvals/{quoted(id)}/decide", {}, {}, body)).json())

    async def list_inputs(self, *, state: str | int | None = None, run: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None) -> InputsPage:
        """List questions, newest first."""
        return cast("InputsPage", (await self._send("GET", "/inputs", {"state": state, "run": run, "cursor": cursor, "limit": limit}, {}, None)).json())

    async def get_input(self, id: str) -> InputDetail:
        """Show a question."""
        return cast("InputDetail", (await self._send("GET", f"/inputs/{quoted(id)}", {}, {}, None)).json())

    async def answer_input(self, id: str, body: AnswerBody) -> Input:
        """Answer a question."""
        return cast("Input", (await self._send("POST", f"/inputs/{quoted(id)}/answer", {}, {}, body)).json())

    async def list_ledger(self, *, from_: str | int | None = None, until: str | int | None = None, principal: str | int | None = None, session: str | int | None = None, run: str | int | None = None, tool: str | int | None = None, server: str | int | None = None, outcome: str | int | None = None, error: str | int | None = None, decision: str | int | None = None, call: str | int | None = None, kind: str | int | None = None, cursor: str | int | None = None, limit: str | int | None = None, order: str | int | None = None, source: str | int | None = None) -> LedgerPage:
        """List events."""
        return cast("LedgerPage", (await self._send("GET", "/ledger", {"from": from_, "until": until, "principal": principal, "session": session, "run": run, "tool": tool, "server": server, "outcome": outcome, "error": error, "decision": decision, "call": call, "kind": kind, "cursor": cursor, "limit": limit, "order": order, "source": source}, {}, None)).json())

    async def get_call(self, call_id: str) -> LedgerCall:
        """Show a call."""
        return cast("LedgerCall", (await self._send("GET", f"/ledger/{quoted(call_id)}", {}, {}, None)).json())

    async def verify_ledger(self) -> VerifiedView:
        """Verify the ledger."""
        return cast("VerifiedView", (await self._send("GET", "/ledger/verify", {}, {}, None)).json())

    async def export_ledger(self, *, from_: str | int | None = None, until: str | int | None = None, principal: str | int | None = None, session: str | int | None = None, run: str | int | None = None, tool: str | int | None = None, server: str | int | None = None, outcome: str | int | None = None, error: str | int | None = None, decision: str | int | None = None, format: str | int | None = None, call: str | int | None = None, kind: str | int | None = None, source: str | int | None = None) -> str:
        """Export events."""
        return (await self._send("GET", "/ledger/export", {"from": from_, "until": until, "principal": principal, "session": session, "run": run, "tool": tool, "server": server, "outcome": outcome, "error": error, "decision": decision, "format": format, "call": call, "kind": kind, "source": source}, {}, None)).text

    def follow_events(self, *, kinds: str | int | None = None, after: str | int | None = None) -> AsyncIterator[Event]:
        """Follow events."""
        return self._follow("/events", {"kinds": kinds, "after": after})
