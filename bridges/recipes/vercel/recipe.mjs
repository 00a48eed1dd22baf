// Tools behind a Toolgate gateway for the AI SDK: what needs a person pauses as `toolApproval`, and no call runs twice.
//
//   const mcp = await createMCPClient({ transport: { type: "http", url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } } });
//   const rules = governed(await mcp.tools(), { url, token, key: "ticket-7" });     // tools, toolApproval, prepareStep
//   const said = await generateText({ model, ...rules, messages, stopWhen });
//
// The list comes over MCP. Calls go over REST under the ids that the model gave them, in a run that is made once for each key: sent
// again they are answered with their recorded results. Keep the messages; go on from them when people have decided.

const RETRY_MILLISECONDS = 500;
const PATIENCE_MILLISECONDS = 60_000;
const WAITING = new Set(["pending_approval", "pending_input"]);

/** The gateway was not reached in time, or refused the request as a whole. The same messages may be sent again: calls keep their ids. */
export class GatewayFault extends Error {
  name = "GatewayFault";
}

/** People have not decided yet, whatever the answer in the messages says. Send the same messages again later. */
export class StillWaiting extends Error {
  name = "StillWaiting";
}

/** Whether people may be asked about calls of a tool: "sometimes", "always", or undefined. */
export const hint = (tool) => tool._meta?.["dev.toolgate/approval"];

/** @param mcpTools what `mcp.tools()` returned; @param key names the run, such as the id of a conversation. */
export function governed(mcpTools, { url, token, key, patience = PATIENCE_MILLISECONDS }) {
  const address = url.replace(/\/+$/, "").replace(/\/mcp$/, "");
  let run;

  const ask = async (path, body) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Prefer: "respond-async" };
    const until = Date.now() + patience;
    for (;;) {
      const response = await fetch(address + path, { method: "POST", headers, body: JSON.stringify(body) }).catch((error) => error);
      const said = response instanceof Error ? response : await response.json().catch((error) => error);
      if (!(said instanceof Error) && response.ok) return said;
      const text = said instanceof Error ? `the gateway was not reached: ${said.message}` : `${said.detail}\nhint: ${said.hint}`;
      const mayPass = said instanceof Error || said.retry === true;
      if (!mayPass || Date.now() >= until) throw new GatewayFault(text);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
    }
  };

  const send = async (id, name, args) => {
    run ??= (await ask("/runs", { key })).run.id;
    return (await ask(`/runs/${run}/tool-calls`, { calls: [{ id, name, arguments: args ?? {} }] })).results[0];
  };

  // A marked tool is called here already: the gateway asks its people, and the agent pauses until they have decided.
  const toolApproval = async ({ toolCall, tools, messages }) => {
    const tool = tools?.[toolCall.toolName];
    if (tool === undefined || hint(tool) === undefined) return undefined;
    const { status, error } = await send(idOf(toolCall.toolCallId, messages), toolCall.toolName, toolCall.input);
    if (WAITING.has(status)) {
      if (isAnswered(messages)) throw new StillWaiting(error.message);
      return { type: "user-approval", reason: error.tell_user ?? error.message };
    }
    return status === "denied" ? { type: "denied", reason: why(error) } : undefined;
  };

  // The model is not told of a fault: it would make the call again under a new id, and nobody knows whether this one has run.
  let fault;
  const prepareStep = () => {
    if (fault !== undefined) throw fault;
  };

  const tools = {};
  for (const [name, tool] of Object.entries(mcpTools)) {
    const execute = async (args, { toolCallId, messages }) => {
      try {
        return told(await send(idOf(toolCallId, messages), name, args));
      } catch (error) {
        fault = error;
        throw error;
      }
    };
    tools[name] = { ...tool, execute };
  }
  return { tools, toolApproval, prepareStep };
}

/** Begins with the number of the model's answer: some providers give the same ids in each. */
function idOf(toolCallId, messages) {
  const answers = messages.filter((one) => one.role === "assistant");
  const holds = (answer) => Array.isArray(answer.content) && answer.content.some((part) => part.toolCallId === toolCallId);
  return `${isAnswered(messages) ? answers.findLastIndex(holds) : answers.length}.${toolCallId}`;
}

/** Whether the agent goes on from somebody's answer. */
function isAnswered(messages) {
  const last = messages.at(-1);
  return last?.role === "tool" && last.content.some((part) => part.type === "tool-approval-response");
}

const why = (error) => [error?.message, error?.why, error?.hint].filter(Boolean).join("\n");

/** A result as MCP has it. */
function told({ data, error }) {
  if (!error) return data;
  return { content: [...(data?.content ?? []), { type: "text", text: why(error) }], isError: true };
}
