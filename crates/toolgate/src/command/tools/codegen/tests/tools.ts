// Written by `toolgate tools codegen --lang typescript`. Write it anew when the tools change.

/** Makes calls, with any client: what it returns is the structured content of the result. */
export interface Caller {
  call(name: string, args: object): Promise<unknown>;
}

export type DeskSendAllArguments = {
  /** Who */
  to: string;
  class?: "a" | "b" | null | 3;
  "odd key"?: number | null;
  when?: string | Array<number> | DeskSendAllArgumentsWhenOption3;
};

export type DeskSendAllArgumentsWhenOption3 = {
  x: number;
  [key: string]: unknown;
};

export type DeskSendAllResult = {
  id: string;
  [key: string]: unknown;
};

/**
 * Sends * / a "letter".
 * Two lines.
 */
export async function deskSendAll(gateway: Caller, args: DeskSendAllArguments): Promise<DeskSendAllResult> {
  return (await gateway.call("desk__send-all", args as object)) as DeskSendAllResult;
}

export type DeskSendAllArguments2 = {
  [key: string]: unknown;
};

export async function deskSendAll2(gateway: Caller, args: DeskSendAllArguments2 = {}): Promise<unknown> {
  return (await gateway.call("desk__sendAll", args as object)) as unknown;
}

export type TreeArguments = {
  root: TreeArgumentsNode;
  value?: TreeArgumentsJson;
  loop?: TreeArgumentsLoop;
  pair?: [string, number];
  map?: { [key: string]: number };
  never?: never;
  any?: unknown;
  mixed?: TreeArgumentsMixed;
  fl?: 1.5 | "x";
  uni?: "ü😀\n\"q\"";
  [key: string]: unknown;
};

export type TreeArgumentsNode = {
  name: string;
  children?: Array<TreeArgumentsNode>;
  parent?: TreeArguments;
  [key: string]: unknown;
};

export type TreeArgumentsJson = null | string | Array<TreeArgumentsJson> | { [key: string]: TreeArgumentsJson };

export type TreeArgumentsLoop = unknown;

export type TreeArgumentsPool = TreeArgumentsLoop | string;

export type TreeArgumentsMixed = {
  name: string;
  children?: Array<TreeArgumentsNode>;
  parent?: TreeArguments;
  more?: boolean;
  [key: string]: unknown;
};

/** Recursion */
export async function tree(gateway: Caller, args: TreeArguments): Promise<unknown> {
  return (await gateway.call("tree", args as object)) as unknown;
}

export type DeleteArguments = {
  from?: string;
  __private?: string;
  [key: string]: unknown;
};

/** Reserved */
export async function delete_(gateway: Caller, args: DeleteArguments = {}): Promise<unknown> {
  return (await gateway.call("delete", args as object)) as unknown;
}

export type T2XArguments = T2XArgumentsA;

export type T2XArgumentsA = {
  v: string;
  [key: string]: unknown;
};

export type T2XResult = Array<unknown>;

/** Digit */
export async function t2X(gateway: Caller, args: T2XArguments): Promise<T2XResult> {
  return (await gateway.call("2.x", args as object)) as T2XResult;
}

export type CallerArguments = CallerArgumentsOption1 | CallerArgumentsOption2;

export type CallerArgumentsOption1 = {
  a: string;
  [key: string]: unknown;
};

export type CallerArgumentsOption2 = {
  b: string;
  [key: string]: unknown;
};

/** Name of ours */
export async function caller(gateway: Caller, args: CallerArguments): Promise<unknown> {
  return (await gateway.call("caller", args as object)) as unknown;
}

export type AnyArguments = unknown;

/** T */
export type AnyResult = {
  int?: number;
  list?: Array<string>;
  str?: string;
  x?: string;
  [key: string]: unknown;
};

/** str */
export async function any_(gateway: Caller, args: AnyArguments): Promise<AnyResult> {
  return (await gateway.call("any", args as object)) as AnyResult;
}
