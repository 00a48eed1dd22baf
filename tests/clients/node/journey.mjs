// What every client does with the conforming server behind the gateway, and what it saw, as one JSON object.
//
// The same journey as `../python/journey.py`; the end-to-end tests of the gateway hold both to the same expectations.
// A client is an adapter (`older.mjs`, `newer.mjs`) over one version of the SDK.

import { createRequire } from "node:module";
import path from "node:path";

const WATCHED = "test://watched-resource";
const MODEL_ANSWER = "The model says hello";
const FORM = { username: "ada", email: "ada@example.org" };
const ROOT = "file:///test/root";
const WAIT_MS = 15_000;

/** What this client can do for a server. */
export const CAPABILITIES = { elicitation: {}, sampling: {}, roots: { listChanged: true } };

/** The SDK is fetched by `../install` and lies wherever it was told to put it. */
export const sdk = createRequire(path.join(process.env.TOOLGATE_NPM_CLIENTS, "package.json"));

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What came in without being asked for. */
export class Notes {
  asked = [];
  logs = [];
  heard = [];

  elicited(params) {
    this.asked.push(["elicitation", params.message]);
    return { action: "accept", content: FORM };
  }

  sampled(params) {
    this.asked.push(["sampling", [params.messages[0].content].flat()[0].text]);
    const content = { type: "text", text: MODEL_ANSWER };
    return { role: "assistant", content, model: "test-model", stopReason: "endTurn" };
  }

  roots() {
    this.asked.push(["roots", null]);
    return { roots: [{ uri: ROOT, name: "Test Root" }] };
  }
}

/** Asks until the answer is yes; a wait that is too long ends the journey. */
async function until(question, what) {
  for (const start = Date.now(); Date.now() - start < WAIT_MS; await sleep(20)) {
    if (question()) return;
  }
  throw new Error(`waited in vain for ${what}`);
}

async function refusal(answer) {
  try {
    await answer;
    return null;
  } catch (error) {
    return error;
  }
}

const text = (result) => result.content[0].text;

async function travel(client, notes, prefix) {
  const name = (own) => prefix + own;
  const saw = { protocol: client.protocol, server: client.serverName };

  for (const [kind, key] of [["tools", "name"], ["prompts", "name"], ["resources", "uri"], ["templates", "uriTemplate"]]) {
    saw[kind] = (await client.list(kind)).map((entry) => entry[key]);
  }
  saw.echo = text(await client.call(name("echo"), { text: "grüße" }));
  saw.structured = (await client.call(name("test_structured_content"), { number: 21 })).structuredContent;
  saw.mixed = (await client.call(name("test_multiple_content_types"), {})).content.map((block) => block.type);

  saw.progress = [];
  const onprogress = ({ progress, total }) => saw.progress.push([progress, total]);
  await client.call(name("test_tool_with_progress"), {}, { onprogress });

  const failed = await client.call(name("test_error_handling"), {});
  saw.failed = { isError: failed.isError, text: text(failed) };
  const unknown = await refusal(client.call(name("no_such_tool"), {}));
  saw.unknown_tool = unknown && { code: unknown.code, message: unknown.message };

  saw.elicitation = text(await client.call(name("test_elicitation"), { message: "Who are you?" }));
  saw.sampling = text(await client.call(name("test_sampling"), { prompt: "Say hello" }));
  saw.roots = text(await client.call(name("test_roots"), {}));
  saw.asked = notes.asked;

  await client.callLogging(name("test_tool_with_logging"));
  await until(() => notes.logs.length >= 3, "three lines of log");
  saw.logs = notes.logs;

  saw.read = (await client.read("test://static-text")).contents[0].text;
  saw.read_template = JSON.parse((await client.read("test://template/123/data")).contents[0].text).id;
  saw.unknown_resource = (await refusal(client.read("test://no-such-resource")))?.code;
  const prompt = await client.prompt(name("test_prompt_with_arguments"), { arg1: "one", arg2: "two" });
  saw.prompt = prompt.messages[0].content.text;
  saw.completion = (await client.complete(name("test_prompt_with_arguments"), "arg1", "par")).completion.values;

  // A list that was still filling up when the client came has changed as well; that is not what is waited for.
  notes.heard.length = 0;
  const stop = await client.watch(WATCHED);
  await client.call(name("test_trigger_resource_update"), {});
  const heard = (what, which) => notes.heard.some(([a, b]) => a === what && b === which);
  await until(() => heard("updated", WATCHED), "the update of a resource");
  saw.read_updated = (await client.read(WATCHED)).contents[0].text;
  for (const kind of ["tools", "prompts", "resources"]) {
    await client.call(name(`test_trigger_${kind.slice(0, -1)}_change`), {});
    await until(() => heard("changed", kind), `the change of ${kind}`);
  }
  await stop();
  saw.heard = [...new Set(notes.heard.map((one) => JSON.stringify(one)))].sort().map((one) => JSON.parse(one));
  saw.changed_tools = (await client.list("tools")).map((tool) => tool.name);

  saw.cancelled = await cancel(client, name);
  return saw;
}

/** Gives up on a call until the server says that it noticed. */
async function cancel(client, name) {
  for (let attempt = 0; attempt < 15; attempt++) {
    const controller = new AbortController();
    const call = refusal(client.call(name("test_cancellation"), {}, { signal: controller.signal }));
    await sleep(300);
    controller.abort("no longer needed");
    await call;
    for (let look = 0; look < 20; look++) {
      const seen = Number(text(await client.call(name("test_cancellations_seen"), {})));
      if (seen) return seen;
      await sleep(50);
    }
  }
  return 0;
}

/** Finds a tool that is not listed, reads what it takes, and calls it. */
async function search(client, notes, prefix) {
  const saw = { tools: (await client.list("tools")).map((tool) => tool.name) };
  const found = await client.call("search_tools", { query: "echo text back" });
  saw.found = found.structuredContent.data.tools;
  const described = await client.call("describe_tools", { names: saw.found.slice(0, 1) });
  saw.described = JSON.parse(text(described));
  const wish = { name: saw.described.name, arguments: { text: "grüße" } };
  saw.called = text(await client.call("call_tool", wish));
  const unknown = await client.call("call_tool", { name: `${prefix}ecko`, arguments: {} });
  saw.unknown = { isError: unknown.isError, text: text(unknown) };
  return saw;
}

const journeys = { all: travel, search };

/** `connect` makes a client for the request given as the only argument. */
export async function main(connect) {
  const request = JSON.parse(process.argv[2]);
  const notes = new Notes();
  const client = await connect(request, notes);
  const saw = await journeys[request.journey ?? "all"](client, notes, request.prefix);
  await client.close();
  process.stdout.write(`${JSON.stringify(saw)}\n`);
}
