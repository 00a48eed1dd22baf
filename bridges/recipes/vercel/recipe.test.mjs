// The recipe with the AI SDK, a made-up model and a real gateway that is killed.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createMCPClient } from "@ai-sdk/mcp";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { GatewayFault, StillWaiting, governed, hint } from "./recipe.mjs";

const program = process.env.TOOLGATE_PROGRAM;
const CONFIG = `
[policy]
folder = "policy"
[approvals]
hold_seconds = 0
[[servers]]
name = "desk"
command = "python3"
args = ["desk.py", "outbox.jsonl"]
cwd = "."
sandbox = { write = ["."], network = false }
`;
const GATES = `@reason("a letter cannot be taken back")
forbid(principal is Agent, action == Action::"desk:send", resource);
`;
const WAIT_MILLISECONDS = 120_000;

const folder = mkdtempSync(join(tmpdir(), "gateway-"));
const where = { cwd: folder, encoding: "utf8" };
const common = ["--config", "toolgate.toml", "--data", "data"];
let gateway, listen, url, agent, approver;

before(async () => {
  mkdirSync(join(folder, "policy"));
  writeFileSync(join(folder, "policy/gates.cedar"), GATES);
  writeFileSync(join(folder, "toolgate.toml"), CONFIG);
  copyFileSync(process.env.DESK, join(folder, "desk.py"));
  listen = `127.0.0.1:${await freePort()}`;
  url = `http://${listen}`;
  await boot();
  agent = token("agent", "writer");
  approver = token("approver", "ann");
  await until(async () => JSON.stringify(await ask("GET", "/tools", agent)).includes("desk__send"));
});
after(() => {
  gateway?.kill("SIGTERM");
  gateway?.once("exit", () => rmSync(folder, { recursive: true }));
});

function freePort() {
  return new Promise((resolve) => {
    const held = createServer().listen(0, "127.0.0.1", () => {
      const { port } = held.address();
      held.close(() => resolve(port));
    });
  });
}

async function until(check) {
  const limit = Date.now() + WAIT_MILLISECONDS;
  while (!(await check())) {
    assert.ok(Date.now() < limit, readFileSync(join(folder, "log"), "utf8").slice(-2000));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function boot() {
  const log = openSync(join(folder, "log"), "a");
  gateway = spawn(program, ["serve", "--listen", listen, ...common], { cwd: folder, stdio: ["ignore", log, log] });
  await until(() => fetch(`${url}/readyz`).then((answer) => answer.ok, () => false));
}

async function kill() {
  const ended = new Promise((resolve) => gateway.once("exit", resolve));
  gateway.kill("SIGKILL");
  await ended;
}

function token(role, principal) {
  return execFileSync(program, ["token", "create", "--role", role, "--principal", principal, ...common], where).trim();
}

async function ask(method, path, bearer, body) {
  const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" };
  const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.json();
}

async function decide(text, decision) {
  const { approvals } = await ask("GET", "/approvals?state=pending", approver);
  const { id } = approvals.find((one) => one.arguments.text === text);
  await ask("POST", `/approvals/${id}/decide`, approver, { decision, reason: "a test" });
}

/** Which tools have worked on this text, in order. */
function done(text) {
  const outbox = join(folder, "outbox.jsonl");
  if (!existsSync(outbox)) return [];
  const lines = readFileSync(outbox, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line)).filter(([, said]) => said === text).map(([name]) => name);
}

/** Calls these tools, all in one answer, then says what it heard. */
function model(text, names, first = async () => {}) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const heard = prompt.filter((one) => one.role === "tool").flatMap((one) => one.content.filter((part) => part.type === "tool-result"));
      if (heard.length > 0) {
        return { content: [{ type: "text", text: JSON.stringify(heard) }], finishReason: { unified: "stop" }, usage, warnings: [] };
      }
      await first();
      const content = names.map((name) => ({ type: "tool-call", toolCallId: `${name}-1`, toolName: `desk__${name}`, input: JSON.stringify({ text }) }));
      return { content, finishReason: { unified: "tool-calls" }, usage, warnings: [] };
    },
  });
}

async function listed() {
  const mcp = await createMCPClient({ transport: { type: "http", url: `${url}/mcp`, headers: { Authorization: `Bearer ${agent}` } } });
  try {
    return await mcp.tools();
  } finally {
    await mcp.close();
  }
}

function go(tools, text, messages, { patience, names = ["note", "send"], first } = {}) {
  const rules = governed(tools, { url, token: agent, key: text, patience });
  return generateText({ model: model(text, names, first), ...rules, messages, stopWhen: stepCountIs(3) });
}

for (const decision of ["approve", "deny"]) {
  test(`${decision}: a marked tool pauses the agent, and nothing runs twice`, { timeout: 600_000 }, async () => {
    const tools = await listed();
    assert.deepEqual([hint(tools.desk__send), hint(tools.desk__note)], ["always", undefined]);
    const asked = [{ role: "user", content: "go" }];
    const first = await go(tools, decision, asked);
    const [request] = first.content.filter((part) => part.type === "tool-approval-request");
    assert.equal(request.toolCall.toolName, "desk__send");
    assert.match(request.reason, /a letter cannot be taken back/);
    const yes = { type: "tool-approval-response", approvalId: request.approvalId, approved: true };
    const messages = [...asked, ...first.responseMessages, { role: "tool", content: [yes] }];
    await assert.rejects(go(tools, decision, messages), StillWaiting, "the gateway's state counts");
    await kill();
    await assert.rejects(go(tools, decision, messages, { patience: 0 }), GatewayFault);
    await boot();
    await decide(decision, decision);
    const heard = [await go(tools, decision, messages), await go(tools, decision, messages)].map((one) => one.text);
    assert.equal(heard[0], heard[1], "recorded results");
    assert.match(heard[0], decision === "approve" ? /send: approve/ : /ann said no/);
    assert.deepEqual(done(decision), decision === "approve" ? ["note", "send"] : ["note"]);
  });
}

test("a call waits for a gateway that comes back", { timeout: 600_000 }, async () => {
  const tools = await listed();
  let back;
  const first = async () => {
    await kill();
    back = boot();
  };
  const said = await go(tools, "storm", [{ role: "user", content: "go" }], { names: ["note"], first });
  await back;
  assert.match(said.text, /note: storm/);
  assert.deepEqual(done("storm"), ["note"]);
});

test("ids may repeat in each answer, and a fault ends the agent instead of being told to the model", { timeout: 600_000 }, async () => {
  const tools = await listed();
  const again = model("first", ["note"]);
  const { doGenerate } = again;
  again.doGenerate = async (options) => {
    const answers = options.prompt.filter((one) => one.role === "assistant").length;
    if (answers === 1) return model("second", ["note"]).doGenerate({ prompt: [] });
    if (answers === 2) await kill();
    return answers === 2 ? model("third", ["note"]).doGenerate({ prompt: [] }) : doGenerate(options);
  };
  const rules = governed(tools, { url, token: agent, key: "repeated", patience: 0 });
  const asked = [{ role: "user", content: "go" }];
  await assert.rejects(generateText({ model: again, ...rules, messages: asked, stopWhen: stepCountIs(9) }), GatewayFault);
  await boot();
  assert.deepEqual([done("first"), done("second"), done("third")], [["note"], ["note"], []]);
});
