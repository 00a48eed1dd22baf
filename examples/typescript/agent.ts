// An agent on the official MCP client: reads the inbox, answers the first letter, waits where a person must agree.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

type Result = { content: { type: string; text?: string }[]; _meta?: Record<string, unknown> };
type Envelope = { status: string; approval_id?: string };

const pauseMs = 1000 * Number(process.env.PAUSE_SECONDS ?? "2");
const headers = { Authorization: `Bearer ${process.env.AGENT_TOKEN}` };
const url = new URL(process.env.TOOLGATE_URL ?? "http://127.0.0.1:8700/mcp");

const client = new Client({ name: "example", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

/** Waits until people have decided, or their time is up; how they did. */
async function decided(approval: string): Promise<string> {
  for (;;) {
    const answer = await fetch(new URL(`/approvals/${approval}`, url), { headers });
    const { state } = (await answer.json()) as { state: string };
    if (state !== "pending") return state;
    await new Promise((done) => setTimeout(done, pauseMs));
  }
}

/** Once people have agreed, the same call again attaches to their yes and runs, once. */
async function call(name: string, args: Record<string, unknown>): Promise<string> {
  for (;;) {
    const result = (await client.callTool({ name, arguments: args })) as Result;
    const envelope = result._meta?.["dev.toolgate/envelope"] as Envelope | undefined;
    if (envelope?.status !== "pending_approval" || !envelope.approval_id) {
      return result.content.map((part) => part.text ?? "").join("\n");
    }
    console.log(`${name} waits for a person: ${envelope.approval_id}`);
    const state = await decided(envelope.approval_id);
    if (state !== "approved") return `${name} may not run: ${state}`;
  }
}

const [letter] = JSON.parse(await call("letters__read_inbox", {})) as { from: string }[];
console.log(await call("letters__send", { to: letter.from, text: "Friday is fine." }));
await client.close();
