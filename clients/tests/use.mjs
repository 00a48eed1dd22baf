// A day with the TypeScript client: files, a run, an approval, the ledger, events.
import assert from "node:assert/strict";
import { GatewayError, Toolgate } from "@toolgate/client";

const agent = new Toolgate(process.env.TOOLGATE_URL, process.env.AGENT_TOKEN);
const admin = new Toolgate(`${process.env.TOOLGATE_URL}/mcp`, process.env.ADMIN_TOKEN);

const file = await agent.uploadFile("hello", { name: "hello.txt" });
assert.equal(new TextDecoder().decode(await agent.readFile(file.id)), "hello");
const run = (await agent.createRun({ key: "typescript" })).run.id;
assert.equal((await agent.createRun({ key: "typescript" })).run.id, run);
const call = (id) => ({ id, name: "letters__send", arguments: { to: "ann@example.com", text: id } });
let heard;
const listening = (async () => {
  for await (const event of admin.followEvents({ kinds: "approval.requested" })) {
    heard = event;
    return;
  }
})();
let said;
for (let number = 0; heard === undefined; number += 1) {
  [said] = (await agent.callTools(run, { calls: [call(`ts-${number}`)] }, { prefer: "respond-async" })).results;
  assert.equal(said.status, "pending_approval");
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.ok(number < 100, "no event was heard");
}
await listening;
assert.equal(heard.event, "approval.requested");
await admin.decide(said.approval_id, { decision: "deny", reason: "a test" });
assert.equal((await agent.getApproval(said.approval_id)).state, "denied");
assert.ok((await admin.exportLedger({ kind: "approval.voted" })).includes("a test"));
await assert.rejects(agent.getRun("run_nothing"), (error) => error instanceof GatewayError && error.code === "unknown_run" && /hint:/.test(error.message));
await agent.deleteFile(file.id);
console.log("typescript client: used");
