// Written by `clients/generate.py` from the OpenAPI document of the gateway.

/** Versions of the gateway that this was made for. */
export const VERSIONS = "0.1";

export type Words = { [key: string]: string | number | undefined };

/** One event of a stream: its name, its id, and its data as JSON. */
export interface GatewayEvent {
  event: string;
  id?: string;
  data: unknown;
}

/** An answer to a question */
export interface AnswerBody {
  answer: unknown;
}

/** An approval, with the information needed to decide */
export interface ApprovalDetail {
  agent?: string | null;
  agreed: number;
  arguments: unknown;
  arguments_bytes?: number | null;
  attachments?: Array<AttachmentView>;
  call: string;
  created_at: string;
  credentials?: Array<CredentialUseView>;
  effective: string;
  effects?: Array<string> | null;
  escalated_to?: Array<string> | null;
  expires_at: string;
  id: string;
  opened_by?: string | null;
  policy_version?: string | null;
  principal: string;
  proposed_arguments?: unknown;
  requirement: unknown;
  resolved_at?: string | null;
  run?: string | null;
  session?: string | null;
  state: string;
  task?: string | null;
  told_at?: string | null;
  tool: string;
  tool_version: string;
  used_by?: string | null;
  votes: Array<VoteView>;
  withdrawn?: string | null;
  before?: Array<CallView> | null;
  definition?: unknown;
}

/** An approval of one exact call */
export interface ApprovalView {
  agent?: string | null;
  agreed: number;
  arguments: unknown;
  arguments_bytes?: number | null;
  attachments?: Array<AttachmentView>;
  call: string;
  created_at: string;
  credentials?: Array<CredentialUseView>;
  effective: string;
  effects?: Array<string> | null;
  escalated_to?: Array<string> | null;
  expires_at: string;
  id: string;
  opened_by?: string | null;
  policy_version?: string | null;
  principal: string;
  proposed_arguments?: unknown;
  requirement: unknown;
  resolved_at?: string | null;
  run?: string | null;
  session?: string | null;
  state: string;
  task?: string | null;
  told_at?: string | null;
  tool: string;
  tool_version: string;
  used_by?: string | null;
  votes: Array<VoteView>;
  withdrawn?: string | null;
}

export interface ApprovalsPage {
  approvals: Array<ApprovalView>;
  next_cursor?: string | null;
}

export interface ArchiveFaultView {
  hint: string;
  message: string;
  name: string;
  what: string;
}

export interface ArchiveVerifiedView {
  events: number;
  faults: Array<ArchiveFaultView>;
  segments: number;
}

export interface AttachmentView {
  digest: string;
  id: string;
  media_type: string;
  name?: string | null;
  place: string;
  size: number;
}

/** The calls of one turn of a model */
export interface BatchBody {
  calls: Array<BatchCallBody>;
  parallel_max?: number | null;
}

/** A call as a model makes it */
export interface BatchCallBody {
  arguments?: unknown;
  id: string;
  name: string;
}

/** The result of one call: the envelope that `/tools/call` returns */
export interface BatchResult {
  approval_id?: string | null;
  data?: unknown;
  error?: unknown;
  refs: Array<unknown>;
  status: string;
  tool_call_id: string;
  warnings: Array<unknown>;
  id: string;
  replayed?: boolean | null;
}

/** The results of the calls */
export interface BatchView {
  results: Array<BatchResult>;
  run: string;
  state: string;
}

/** The part of its budget that a run has used */
export interface BudgetUsage {
  bytes: number;
  calls: number;
  cost_micros?: number | null;
  seconds: number;
  tokens?: number | null;
  turns?: number | null;
}

/** The number of calls in a run, up to the latest thousand */
export interface CallCounts {
  completed: number;
  failed: number;
  open: number;
  unknown: number;
}

/** The summary of a call */
export interface CallView {
  approval?: string | null;
  approval_state?: string | null;
  decision?: string | null;
  duration_ms?: number | null;
  ended_at?: string | null;
  error?: string | null;
  id: string;
  message?: string | null;
  principal: string;
  run?: string | null;
  server?: string | null;
  session?: string | null;
  started_at: string;
  state: string;
  tool?: string | null;
  used_by?: string | null;
}

/** The reason for cancelling a run */
export interface CancelBody {
  reason?: string | null;
}

/** A file that the ledger cannot be held against, or a folder that has none */
export interface CheckpointFault {
  hint: string;
  message: string;
}

export interface CredentialUseView {
  handle: string;
  name: string;
  new: boolean;
  origin: string;
  place: string;
}

/** A decision on an approval */
export interface DecideBody {
  arguments?: unknown;
  decision: DecisionWord;
  effective?: string | null;
  grant?: GrantBody | null;
  reason?: string | null;
}

export interface DecidedView {
  approval: ApprovalView;
  grant?: GrantView | null;
}

export type DecisionWord = "approve" | "deny" | "edit" | "request_changes";

/** The part of a run that the gateway drives itself */
export interface DrivenRun {
  action?: RequiredAction | null;
  cost_micros: number;
  messages: number;
  model: string;
  tokens: ModelTokens;
  turn: number;
}

/** The result of a call */
export interface EnvelopeView {
  approval_id?: string | null;
  data?: unknown;
  error?: unknown;
  refs: Array<unknown>;
  status: string;
  tool_call_id: string;
  warnings: Array<unknown>;
}

/** An uploaded file; its content never changes */
export interface File {
  created_at: string;
  digest: string;
  expires_at?: string | null;
  id: string;
  media_type: string;
  name: string;
  owner: string;
  size: number;
}

/** An argument that takes a file */
export interface FileSlotView {
  argument: string;
  content: string;
  many?: boolean;
  media_type?: string | null;
  strategy: string;
}

export interface FilesPage {
  files: Array<File>;
  next_cursor?: string | null;
}

/** 'Don't ask again for this' */
export interface GrantBody {
  expires_in_seconds?: number | null;
  pins?: Array<string> | null;
  uses?: number | null;
}

/** A grant: calls that run without asking again */
export interface GrantView {
  approval: string;
  created_at: string;
  created_by: string;
  expires_at: string;
  id: string;
  pins: Array<PinView>;
  principal: string;
  revoked_at?: string | null;
  tool: string;
  tool_version: string;
  uses_left?: number | null;
}

/** The handling of calls. Absent values are those of the server. */
export interface HandlingView {
  cache_scope?: string | null;
  cache_seconds?: number | null;
  capabilities?: Array<string>;
  concurrency_max?: number | null;
  examples?: Array<string>;
  file_strategy?: string | null;
  files?: Array<FileSlotView>;
  formats?: boolean | null;
  mounts?: Array<string>;
  rate?: string | null;
  secrets?: Array<string>;
  timeout_seconds?: number | null;
}

/** A question that a run asks a person */
export interface Input {
  answer?: unknown;
  answered_by?: string | null;
  call?: string | null;
  created_at: string;
  id: string;
  options: Array<unknown>;
  picture?: InputPicture | null;
  principal: string;
  prompt_key: string;
  purpose: string;
  resolved_at?: string | null;
  run: string;
  session?: string | null;
  slot_id: string;
  slot_type: string;
  state: string;
  via?: string | null;
}

/** A question, with the calls of its run before it */
export interface InputDetail {
  answer?: unknown;
  answered_by?: string | null;
  call?: string | null;
  created_at: string;
  id: string;
  options: Array<unknown>;
  picture?: InputPicture | null;
  principal: string;
  prompt_key: string;
  purpose: string;
  resolved_at?: string | null;
  run: string;
  session?: string | null;
  slot_id: string;
  slot_type: string;
  state: string;
  via?: string | null;
  before?: Array<CallView> | null;
}

/** An input file of a run, and its name in the run */
export interface InputFile {
  digest: string;
  file_id: string;
  path: string;
}

/** A file of the caller, and its name in the run */
export interface InputFileBody {
  file_id: string;
  path: string;
}

/** A picture that belongs to a question; `GET /inputs/{id}/picture` has its bytes */
export interface InputPicture {
  id: string;
  media_type: string;
  size: number;
}

export interface InputsPage {
  inputs: Array<Input>;
  next_cursor?: string | null;
}

/** A call with all its events */
export interface LedgerCall {
  archived?: boolean;
  bodies: unknown;
  call: string;
  changed?: Array<string>;
  events: Array<unknown>;
}

export interface LedgerPage {
  events: Array<unknown>;
  next_cursor?: string | null;
}

/** Tokens that a model read and wrote */
export interface ModelTokens {
  cached: number;
  cached_percent?: number | null;
  input: number;
  output: number;
  written: number;
}

/** A new run; everything may be left out */
export interface NewRunBody {
  agent?: string | null;
  budget?: RunBudget | null;
  goal?: string | null;
  input?: Array<InputFileBody>;
  instructions?: string | null;
  key?: string | null;
  model?: string | null;
  mounts?: unknown;
  outcome_schema?: unknown;
  parent?: string | null;
  policy_template?: PolicyTemplate | null;
  principal?: string | null;
  task?: string | null;
}

/** Content that a server keeps under an id of its own */
export interface OriginView {
  id: string;
  server: string;
  uri?: string | null;
}

/** An artifact of a run, and its name */
export interface OutputFile {
  artifact: string;
  media_type: string;
  name: string;
  size: number;
}

export interface PinView {
  path: string;
}

/** A level of care, from the least strict. `exploratory`: no gates of its own; `standard`: asks about promotions and external writes; `regulated`: also asks about schema changes and decisions on claims; `audit_critical`: asks about every write and every external action */
export type PolicyTemplate = "exploratory" | "standard" | "regulated" | "audit_critical";

/** A ref: part of a result that was too large or not text, and was taken out */
export interface Ref {
  call?: string | null;
  created_at: string;
  digest?: string | null;
  expires_at: string;
  id: string;
  media_type: string;
  origin?: OriginView | null;
  preview?: string;
  principal: string;
  run?: string | null;
  session: string;
  size: number;
  tool?: string | null;
}

/** An action that somebody must take before a run continues */
export interface RequiredAction {
  how: string;
  id: string;
  kind: string;
  since: string;
}

/** A run, one execution of a task */
export interface Run {
  agent: string;
  budget: RunBudget;
  created_at: string;
  created_by: string;
  ended_at?: string | null;
  id: string;
  input: Array<InputFile>;
  input_manifest?: string | null;
  name?: string | null;
  output: Array<OutputFile>;
  output_manifest?: string | null;
  parent?: string | null;
  principal: string;
  reason?: string | null;
  run_type?: string | null;
  session?: string | null;
  started_at?: string | null;
  state: string;
  state_since: string;
  summary?: string | null;
  task?: string | null;
  used: BudgetUsage;
  version: number;
}

/** The budget of a run; what is left out is unlimited */
export interface RunBudget {
  bytes?: number | null;
  calls?: number | null;
  cost_micros?: number | null;
  seconds?: number | null;
  tokens?: number | null;
  turns?: number | null;
}

/** A call in a run */
export interface RunCall {
  call: string;
  ended_at?: string | null;
  kind: string;
  started_at: string;
  state: string;
  tool: string;
}

export interface RunCallsPage {
  calls: Array<RunCall>;
}

/** A run, with what it waits for and its calls */
export interface RunDetail {
  agent: string;
  budget: RunBudget;
  created_at: string;
  created_by: string;
  ended_at?: string | null;
  id: string;
  input: Array<InputFile>;
  input_manifest?: string | null;
  name?: string | null;
  output: Array<OutputFile>;
  output_manifest?: string | null;
  parent?: string | null;
  principal: string;
  reason?: string | null;
  run_type?: string | null;
  session?: string | null;
  started_at?: string | null;
  state: string;
  state_since: string;
  summary?: string | null;
  task?: string | null;
  used: BudgetUsage;
  version: number;
  calls: CallCounts;
  children: number;
  driven?: DrivenRun | null;
  waiting: WaitingView;
}

export interface RunsPage {
  next_cursor?: string | null;
  runs: Array<Run>;
}

export interface Session {
  agent: string;
  agent_version: string;
  closed_at?: string | null;
  closed_because?: string | null;
  created_at: string;
  id: string;
  idle_seconds: number;
  kind: string;
  last_used_at: string;
  lifetime_seconds?: number | null;
  mounts: unknown;
  opened_by: string;
  policy_template?: PolicyTemplate | null;
  principal: string;
  run?: string | null;
  scope_id: string;
  state: string;
  task?: string | null;
  token_budget: unknown;
  version: number;
}

/** A session, with the rules that decide what it sees */
export interface SessionDetail {
  agent: string;
  agent_version: string;
  closed_at?: string | null;
  closed_because?: string | null;
  created_at: string;
  id: string;
  idle_seconds: number;
  kind: string;
  last_used_at: string;
  lifetime_seconds?: number | null;
  mounts: unknown;
  opened_by: string;
  policy_template?: PolicyTemplate | null;
  principal: string;
  run?: string | null;
  scope_id: string;
  state: string;
  task?: string | null;
  token_budget: unknown;
  version: number;
  scope?: unknown;
}

/** A run, its session, and the session's token, which is shown only here */
export interface StartedRun {
  mcp_path?: string | null;
  run: Run;
  session: SessionDetail;
  token?: string | null;
  warnings: Array<Warning>;
}

/** A call */
export interface ToolCallBody {
  arguments?: unknown;
  name: string;
  run_id?: string | null;
  task_id?: string | null;
}

export interface ToolView {
  cache_scope?: string | null;
  cache_seconds?: number | null;
  capabilities?: Array<string>;
  concurrency_max?: number | null;
  examples?: Array<string>;
  file_strategy?: string | null;
  files?: Array<FileSlotView>;
  formats?: boolean | null;
  mounts?: Array<string>;
  rate?: string | null;
  secrets?: Array<string>;
  timeout_seconds?: number | null;
  aliases?: Array<string>;
  approval: string;
  audit?: string | null;
  definition: unknown;
  effects?: Array<string> | null;
  idempotent?: boolean | null;
  name: string;
  server: string;
  version?: string | null;
  wire_name: string;
}

export interface ToolsPage {
  next_cursor?: string | null;
  tools: Array<ToolView>;
}

export interface VerifiedView {
  archive?: ArchiveVerifiedView | null;
  bodies?: number | null;
  checkpoint_faults?: Array<CheckpointFault>;
  checkpoints: number;
  cuts?: Array<unknown>;
  erased: number;
  events: number;
  fault?: unknown;
  intact: boolean;
  streams: number;
}

export interface VoteView {
  at: string;
  decision: string;
  effective: string;
  person: string;
  reason?: string | null;
}

/** The number of things that wait for people */
export interface WaitingView {
  approvals: number;
  inputs: number;
  reviews: number;
}

/** A rule that matches no tool: a mistake, or its server is not available */
export interface Warning {
  code: string;
  message: string;
  pattern: string;
  place: string;
}

/** The routes of the gateway. */
export abstract class Operations {
  protected abstract send(method: string, path: string, query: Words, headers: Words, body: unknown): Promise<Response>;

  protected abstract follow(path: string, query: Words): AsyncIterable<GatewayEvent>;

  /** Store a file. */
  async uploadFile(content: Uint8Array | string, options: { "name"?: string | number; "expires_in_seconds"?: string | number; "owner"?: string | number } = {}): Promise<File> {
    return (await (await this.send("POST", "/files", { "name": options["name"], "expires_in_seconds": options["expires_in_seconds"], "owner": options["owner"] }, {}, content)).json()) as File;
  }

  /** List files, newest first. */
  async listFiles(options: { "owner"?: string | number; "name"?: string | number; "cursor"?: string | number; "limit"?: string | number } = {}): Promise<FilesPage> {
    return (await (await this.send("GET", "/files", { "owner": options["owner"], "name": options["name"], "cursor": options["cursor"], "limit": options["limit"] }, {}, undefined)).json()) as FilesPage;
  }

  /** Show a file. */
  async getFile(id: string): Promise<File> {
    return (await (await this.send("GET", `/files/${encodeURIComponent(id)}`, {}, {}, undefined)).json()) as File;
  }

  /** Fetch the content of a file. */
  async readFile(id: string, options: { "range"?: string | number } = {}): Promise<Uint8Array> {
    return new Uint8Array(await (await this.send("GET", `/files/${encodeURIComponent(id)}/content`, {}, { "range": options["range"] }, undefined)).arrayBuffer());
  }

  /** Delete a file. */
  async deleteFile(id: string): Promise<void> {
    await this.send("DELETE", `/files/${encodeURIComponent(id)}`, {}, {}, undefined);
  }

  /** Show a ref. */
  async getRef(id: string): Promise<Ref> {
    return (await (await this.send("GET", `/refs/${encodeURIComponent(id)}`, {}, {}, undefined)).json()) as Ref;
  }

  /** Fetch the content of a ref. */
  async readRef(id: string, options: { "range"?: string | number } = {}): Promise<Uint8Array> {
    return new Uint8Array(await (await this.send("GET", `/refs/${encodeURIComponent(id)}/content`, {}, { "range": options["range"] }, undefined)).arrayBuffer());
  }

  /** Create a run. */
  async createRun(body: NewRunBody): Promise<StartedRun> {
    return (await (await this.send("POST", "/runs", {}, {}, body)).json()) as StartedRun;
  }

  /** List runs, newest first. */
  async listRuns(options: { "state"?: string | number; "task"?: string | number; "principal"?: string | number; "parent"?: string | number; "cursor"?: string | number; "limit"?: string | number } = {}): Promise<RunsPage> {
    return (await (await this.send("GET", "/runs", { "state": options["state"], "task": options["task"], "principal": options["principal"], "parent": options["parent"], "cursor": options["cursor"], "limit": options["limit"] }, {}, undefined)).json()) as RunsPage;
  }

  /** Show a run. */
  async getRun(id: string): Promise<RunDetail> {
    return (await (await this.send("GET", `/runs/${encodeURIComponent(id)}`, {}, {}, undefined)).json()) as RunDetail;
  }

  /** List the calls in a run. */
  async listRunCalls(id: string): Promise<RunCallsPage> {
    return (await (await this.send("GET", `/runs/${encodeURIComponent(id)}/calls`, {}, {}, undefined)).json()) as RunCallsPage;
  }

  /** Make the calls of one turn. */
  async callTools(id: string, body: BatchBody, options: { "prefer"?: string | number } = {}): Promise<BatchView> {
    return (await (await this.send("POST", `/runs/${encodeURIComponent(id)}/tool-calls`, {}, { "prefer": options["prefer"] }, body)).json()) as BatchView;
  }

  /** Pause a run. */
  async pauseRun(id: string): Promise<Run> {
    return (await (await this.send("POST", `/runs/${encodeURIComponent(id)}/pause`, {}, {}, undefined)).json()) as Run;
  }

  /** Resume a run. */
  async resumeRun(id: string): Promise<Run> {
    return (await (await this.send("POST", `/runs/${encodeURIComponent(id)}/resume`, {}, {}, undefined)).json()) as Run;
  }

  /** Cancel a run. */
  async cancelRun(id: string, body: CancelBody): Promise<Run> {
    return (await (await this.send("POST", `/runs/${encodeURIComponent(id)}/cancel`, {}, {}, body)).json()) as Run;
  }

  /** Follow the events of a run. */
  followRun(id: string, options: { "after"?: string | number } = {}): AsyncIterable<GatewayEvent> {
    return this.follow(`/runs/${encodeURIComponent(id)}/events`, { "after": options["after"] });
  }

  /** List tools, by name. */
  async listTools(options: { "server"?: string | number; "cursor"?: string | number; "limit"?: string | number; "agent"?: string | number; "session"?: string | number } = {}): Promise<ToolsPage> {
    return (await (await this.send("GET", "/tools", { "server": options["server"], "cursor": options["cursor"], "limit": options["limit"], "agent": options["agent"], "session": options["session"] }, {}, undefined)).json()) as ToolsPage;
  }

  /** Call a tool. */
  async callTool(body: ToolCallBody, options: { "agent"?: string | number; "session"?: string | number; "prefer"?: string | number } = {}): Promise<EnvelopeView> {
    return (await (await this.send("POST", "/tools/call", { "agent": options["agent"], "session": options["session"] }, { "prefer": options["prefer"] }, body)).json()) as EnvelopeView;
  }

  /** List approvals, newest first. */
  async listApprovals(options: { "state"?: string | number; "principal"?: string | number; "tool"?: string | number; "cursor"?: string | number; "limit"?: string | number; "arguments_bytes_max"?: string | number } = {}): Promise<ApprovalsPage> {
    return (await (await this.send("GET", "/approvals", { "state": options["state"], "principal": options["principal"], "tool": options["tool"], "cursor": options["cursor"], "limit": options["limit"], "arguments_bytes_max": options["arguments_bytes_max"] }, {}, undefined)).json()) as ApprovalsPage;
  }

  /** Show an approval. */
  async getApproval(id: string): Promise<ApprovalDetail> {
    return (await (await this.send("GET", `/approvals/${encodeURIComponent(id)}`, {}, {}, undefined)).json()) as ApprovalDetail;
  }

  /** Decide on an approval. */
  async decide(id: string, body: DecideBody): Promise<DecidedView> {
    return (await (await this.send("POST", `/approvals/${encodeURIComponent(id)}/decide`, {}, {}, body)).json()) as DecidedView;
  }

  /** List questions, newest first. */
  async listInputs(options: { "state"?: string | number; "run"?: string | number; "cursor"?: string | number; "limit"?: string | number } = {}): Promise<InputsPage> {
    return (await (await this.send("GET", "/inputs", { "state": options["state"], "run": options["run"], "cursor": options["cursor"], "limit": options["limit"] }, {}, undefined)).json()) as InputsPage;
  }

  /** Show a question. */
  async getInput(id: string): Promise<InputDetail> {
    return (await (await this.send("GET", `/inputs/${encodeURIComponent(id)}`, {}, {}, undefined)).json()) as InputDetail;
  }

  /** Answer a question. */
  async answerInput(id: string, body: AnswerBody): Promise<Input> {
    return (await (await this.send("POST", `/inputs/${encodeURIComponent(id)}/answer`, {}, {}, body)).json()) as Input;
  }

  /** List events. */
  async listLedger(options: { "from"?: string | number; "until"?: string | number; "principal"?: string | number; "session"?: string | number; "run"?: string | number; "tool"?: string | number; "server"?: string | number; "outcome"?: string | number; "error"?: string | number; "decision"?: string | number; "call"?: string | number; "kind"?: string | number; "cursor"?: string | number; "limit"?: string | number; "order"?: string | number; "source"?: string | number } = {}): Promise<LedgerPage> {
    return (await (await this.send("GET", "/ledger", { "from": options["from"], "until": options["until"], "principal": options["principal"], "session": options["session"], "run": options["run"], "tool": options["tool"], "server": options["server"], "outcome": options["outcome"], "error": options["error"], "decision": options["decision"], "call": options["call"], "kind": options["kind"], "cursor": options["cursor"], "limit": options["limit"], "order": options["order"], "source": options["source"] }, {}, undefined)).json()) as LedgerPage;
  }

  /** Show a call. */
  async getCall(callId: string): Promise<LedgerCall> {
    return (await (await this.send("GET", `/ledger/${encodeURIComponent(callId)}`, {}, {}, undefined)).json()) as LedgerCall;
  }

  /** Verify the ledger. */
  async verifyLedger(): Promise<VerifiedView> {
    return (await (await this.send("GET", "/ledger/verify", {}, {}, undefined)).json()) as VerifiedView;
  }

  /** Export events. */
  async exportLedger(options: { "from"?: string | number; "until"?: string | number; "principal"?: string | number; "session"?: string | number; "run"?: string | number; "tool"?: string | number; "server"?: string | number; "outcome"?: string | number; "error"?: string | number; "decision"?: string | number; "format"?: string | number; "call"?: string | number; "kind"?: string | number; "source"?: string | number } = {}): Promise<string> {
    return await (await this.send("GET", "/ledger/export", { "from": options["from"], "until": options["until"], "principal": options["principal"], "session": options["session"], "run": options["run"], "tool": options["tool"], "server": options["server"], "outcome": options["outcome"], "error": options["error"], "decision": options["decision"], "format": options["format"], "call": options["call"], "kind": options["kind"], "source": options["source"] }, {}, undefined)).text();
  }

  /** Follow events. */
  followEvents(options: { "kinds"?: string | number; "after"?: string | number } = {}): AsyncIterable<GatewayEvent> {
    return this.follow("/events", { "kinds": options["kinds"], "after": options["after"] });
  }
}
