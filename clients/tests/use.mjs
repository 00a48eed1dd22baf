// A day with the TypeScript client: files, a run, an approval, the ledger, events.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { GatewayError, GatewayTooNew, GatewayTooOld, Toolgate } from "@toolgate/client";

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

// A gateway of another version.
let version = "0.0.9";
const other = createServer((_, answer) => answer.writeHead(200, { "Toolgate-Version": version, "Content-Type": "application/json" }).end("{}"));
await new Promise((listening) => other.listen(0, "127.0.0.1", listening));
const stranger = new Toolgate(`http://127.0.0.1:${other.address().port}`, "token");
await assert.rejects(stranger.listRuns(), (error) => error instanceof GatewayTooOld && /version 0\.0\.9.*version 0\.1\nhint: update the gateway/.test(error.message));
version = "0.2.0-rc.1";
await assert.rejects(stranger.listRuns(), (error) => error instanceof GatewayTooNew && /version 0\.2\.0-rc\.1.*version 0\.1\nhint: install the/.test(error.message));
version = "0.1.99";
assert.deepEqual(await stranger.listRuns(), {});
other.close();
console.log("typescript client: used");
