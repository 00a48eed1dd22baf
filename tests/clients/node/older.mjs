// The journey on `@modelcontextprotocol/sdk`: sessions, over streamable HTTP, HTTP+SSE or a child process.

import { CAPABILITIES, main, sdk } from "./journey.mjs";

const { Client } = sdk("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = sdk("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { SSEClientTransport } = sdk("@modelcontextprotocol/sdk/client/sse.js");
const { StdioClientTransport } = sdk("@modelcontextprotocol/sdk/client/stdio.js");
const types = sdk("@modelcontextprotocol/sdk/types.js");

function transport({ transport, url, token, command }) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  switch (transport) {
    case "http":
      return new StreamableHTTPClientTransport(new URL(url), { requestInit });
    case "sse":
      return new SSEClientTransport(new URL(url), { requestInit });
    case "stdio":
      return new StdioClientTransport({ command: command[0], args: command.slice(1) });
  }
}

async function connect(request, notes) {
  const client = new Client({ name: "older", version: "1" }, { capabilities: CAPABILITIES });
  client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => notes.elicited(params));
  client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => notes.sampled(params));
  client.setRequestHandler(types.ListRootsRequestSchema, () => notes.roots());
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => notes.logs.push(params.data));
  client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, ({ params }) => notes.heard.push(["updated", params.uri]));
  const changed = { tools: types.ToolListChangedNotificationSchema, prompts: types.PromptListChangedNotificationSchema, resources: types.ResourceListChangedNotificationSchema };
  for (const [kind, schema] of Object.entries(changed)) {
    client.setNotificationHandler(schema, () => notes.heard.push(["changed", kind]));
  }
  const way = transport(request);
  // The SDK hands the agreed revision to the transport and to nobody else.
  let protocol;
  const remember = way.setProtocolVersion?.bind(way);
  way.setProtocolVersion = (version) => {
    protocol = version;
    remember?.(version);
  };
  await client.connect(way);
  return new Older(client, protocol);
}

class Older {
  constructor(client, protocol) {
    this.client = client;
    this.protocol = protocol;
    this.serverName = client.getServerVersion().name;
  }

  async list(kind) {
    const [ask, key] = {
      tools: ["listTools", "tools"],
      prompts: ["listPrompts", "prompts"],
      resources: ["listResources", "resources"],
      templates: ["listResourceTemplates", "resourceTemplates"],
    }[kind];
    const entries = [];
    let cursor;
    do {
      const page = await this.client[ask]({ cursor });
      entries.push(...page[key]);
      cursor = page.nextCursor;
    } while (cursor);
    return entries;
  }

  call(name, args, options) {
    return this.client.callTool({ name, arguments: args }, undefined, options);
  }

  async callLogging(name) {
    await this.client.setLoggingLevel("debug");
    return this.call(name, {});
  }

  read(uri) {
    return this.client.readResource({ uri });
  }

  prompt(name, args) {
    return this.client.getPrompt({ name, arguments: args });
  }

  complete(prompt, name, value) {
    return this.client.complete({ ref: { type: "ref/prompt", name: prompt }, argument: { name, value } });
  }

  async watch(uri) {
    await this.client.subscribeResource({ uri });
    return () => this.client.unsubscribeResource({ uri });
  }

  close() {
    return this.client.close();
  }
}

await main(connect);
