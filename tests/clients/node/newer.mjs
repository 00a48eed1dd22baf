// The journey on `@modelcontextprotocol/client`: both eras, over streamable HTTP, HTTP+SSE or a child process.

import { CAPABILITIES, main, sdk } from "./journey.mjs";

const { Client, LOG_LEVEL_META_KEY, SSEClientTransport, StreamableHTTPClientTransport } = sdk("@modelcontextprotocol/client");
const { StdioClientTransport } = sdk("@modelcontextprotocol/client/stdio");

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
  const versionNegotiation = { mode: request.era === "modern" ? "auto" : "legacy" };
  const client = new Client({ name: "newer", version: "1" }, { capabilities: CAPABILITIES, versionNegotiation });
  client.setRequestHandler("elicitation/create", ({ params }) => notes.elicited(params));
  client.setRequestHandler("sampling/createMessage", ({ params }) => notes.sampled(params));
  client.setRequestHandler("roots/list", () => notes.roots());
  client.setNotificationHandler("notifications/message", ({ params }) => notes.logs.push(params.data));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => notes.heard.push(["updated", params.uri]));
  for (const kind of ["tools", "prompts", "resources"]) {
    client.setNotificationHandler(`notifications/${kind}/list_changed`, () => notes.heard.push(["changed", kind]));
  }
  await client.connect(transport(request));
  return new Newer(client);
}

class Newer {
  constructor(client) {
    this.client = client;
    this.protocol = client.getNegotiatedProtocolVersion();
    this.serverName = client.getServerVersion().name;
    this.modern = client.getProtocolEra() === "modern";
  }

  /** This SDK reads all pages of a list by itself. */
  async list(kind) {
    const [ask, key] = {
      tools: ["listTools", "tools"],
      prompts: ["listPrompts", "prompts"],
      resources: ["listResources", "resources"],
      templates: ["listResourceTemplates", "resourceTemplates"],
    }[kind];
    return (await this.client[ask]())[key];
  }

  call(name, args, options) {
    return this.client.callTool({ name, arguments: args }, options);
  }

  async callLogging(name) {
    if (this.modern) {
      return this.client.callTool({ name, arguments: {}, _meta: { [LOG_LEVEL_META_KEY]: "debug" } });
    }
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
    if (!this.modern) {
      await this.client.subscribeResource({ uri });
      return () => this.client.unsubscribeResource({ uri });
    }
    const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const subscription = await this.client.listen({ ...all, resourceSubscriptions: [uri] });
    return () => subscription.close();
  }

  close() {
    return this.client.close();
  }
}

await main(connect);
