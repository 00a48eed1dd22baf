// Uses of generated functions that are right, and some that the compiler must refuse.
import { lettersSend } from "./tools";
import { deskSendAll, tree } from "./hard";
import type { Caller } from "./hard";

export async function uses(gateway: Caller): Promise<string> {
  await lettersSend(gateway, { to: "ann@example.com", text: "typed" });
  // @ts-expect-error a letter needs a text
  await lettersSend(gateway, { to: "ann@example.com" });
  // @ts-expect-error there is no such class
  await deskSendAll(gateway, { to: "ann", class: "z" });
  await tree(gateway, { root: { name: "a", children: [{ name: "b" }] }, value: [null, { x: ["y"] }], pair: ["a", 1] });
  return (await deskSendAll(gateway, { to: "ann", "odd key": null, when: { x: 1 } })).id;
}
