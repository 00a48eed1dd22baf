/** A thin client of a Toolgate gateway. */

import { Operations, VERSIONS } from "./generated.js";
import type { GatewayEvent, Words } from "./generated.js";

export * from "./generated.js";

/** A refusal, as the gateway says it. */
export class GatewayError extends Error {
  readonly status: number;
  readonly code: string;
  readonly retry: boolean;
  readonly problem: { [key: string]: unknown };

  constructor(status: number, problem: { [key: string]: unknown }) {
    const said = String(problem["detail"] ?? problem["title"] ?? `the gateway answered ${status}`);
    super(problem["hint"] ? `${said}\nhint: ${String(problem["hint"])}` : said);
    this.name = "GatewayError";
    this.status = status;
    this.code = String(problem["code"] ?? "");
    this.retry = problem["retry"] === true;
    this.problem = problem;
  }
}

/** The gateway's version is before those that this client was made for. */
export class GatewayTooOld extends GatewayError {}

/** The gateway's version is after those that this client was made for. */
export class GatewayTooNew extends GatewayError {}

/** The gateway at an address. */
export class Toolgate extends Operations {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    super();
    this.#url = url.replace(/\/+$/, "").replace(/\/mcp$/, "");
    this.#token = token;
  }

  protected override async send(method: string, path: string, query: Words, headers: Words, body: unknown): Promise<Response> {
    const sent: { [key: string]: string } = { Authorization: `Bearer ${this.#token}` };
    for (const [key, value] of Object.entries(headers)) {
      if (value !== undefined) sent[key] = String(value);
    }
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    if (body !== undefined) sent["Content-Type"] = isRaw ? "application/octet-stream" : "application/json";
    const content = body === undefined ? undefined : isRaw ? (body as BodyInit) : JSON.stringify(body);
    const response = await fetch(this.#address(path, query), { method, headers: sent, body: content ?? null });
    checkVersion(response);
    if (!response.ok) throw await refused(response);
    return response;
  }

  protected override async *follow(path: string, query: Words): AsyncIterable<GatewayEvent> {
    const response = await this.send("GET", path, query, { Accept: "text/event-stream" }, undefined);
    if (response.body === null) return;
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    let rest = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        rest += decoder.decode(value, { stream: true });
        const blocks = rest.split(/\r?\n\r?\n/);
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const event = read(block);
          if (event !== undefined) yield event;
        }
      }
    } finally {
      await reader.cancel();
    }
  }

  #address(path: string, query: Words): string {
    const said = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) said.set(key, String(value));
    }
    const text = said.toString();
    return `${this.#url}${path}${text ? `?${text}` : ""}`;
  }
}

/** Refuses a gateway of another version. An answer that names none is not refused. */
function checkVersion(response: Response): void {
  const said = response.headers.get("toolgate-version") ?? "";
  const found = /^(\d+)\.(\d+)/.exec(said);
  if (found === null) return;
  const [major, minor] = VERSIONS.split(".").map(Number) as [number, number];
  const difference = Number(found[1]) - major || Number(found[2]) - minor;
  if (difference === 0) return;
  const detail = `the gateway has version ${said}, and this @toolgate/client was made for version ${VERSIONS}`;
  const older = `update the gateway to version ${VERSIONS}, or install the @toolgate/client of its version`;
  const newer = "install the @toolgate/client of the gateway's version: it lies in `clients/typescript` there";
  if (difference < 0) throw new GatewayTooOld(response.status, { detail, hint: older });
  throw new GatewayTooNew(response.status, { detail, hint: newer });
}

async function refused(response: Response): Promise<GatewayError> {
  const problem: unknown = await response.json().catch(() => ({}));
  const isObject = typeof problem === "object" && problem !== null;
  return new GatewayError(response.status, isObject ? (problem as { [key: string]: unknown }) : {});
}

/** One event of a stream; undefined for a comment. */
function read(block: string): GatewayEvent | undefined {
  const data: string[] = [];
  let event = "message";
  let id: string | undefined;
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    if (name === "event") event = value;
    if (name === "id") id = value;
  }
  if (data.length === 0) return undefined;
  const text = data.join("\n");
  let decoded: unknown = text;
  try {
    decoded = JSON.parse(text);
  } catch {
    // It is text.
  }
  return id === undefined ? { event, data: decoded } : { event, id, data: decoded };
}
