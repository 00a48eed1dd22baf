#!/usr/bin/env node
// Starts the program of this platform, which an optional dependency has brought.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");
const path = require("node:path");

const MACHINES = ["linux-x64", "linux-arm64"];
const FORWARDED = ["SIGTERM", "SIGHUP"];

function find(name) {
  try {
    return path.dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

function fail(message, hint) {
  process.stderr.write(`error: ${message}\nhint: ${hint}\n`);
  process.exit(1);
}

const machine = `${process.platform}-${process.arch}`;
// Beside this package in a global prefix, else below it.
const folder = find(`@toolgate/${machine}`) ?? find(path.join(__dirname, "..", "@toolgate", machine));
if (folder === undefined) {
  fail(
    `toolgate has no program for ${machine}`,
    MACHINES.includes(machine)
      ? `install it: npm install @toolgate/${machine}; npm leaves it out with --omit=optional`
      : `there are packages for ${MACHINES.join(" and ")}; elsewhere build it from source with script/up`,
  );
}

const environment = { ...process.env };
const servers = find(`@toolgate/servers-${machine}`) ?? find(path.join(__dirname, "..", "@toolgate", `servers-${machine}`));
if (servers !== undefined && environment.TOOLGATE_SERVERS === undefined) {
  environment.TOOLGATE_SERVERS = path.join(servers, "bin");
}

const child = spawn(path.join(folder, "bin", "toolgate"), process.argv.slice(2), { stdio: "inherit", env: environment });
// Ctrl-C reaches the program by itself; once more, and it would end at once.
process.on("SIGINT", () => {});
for (const name of FORWARDED) process.on(name, () => child.kill(name));
child.on("error", (error) => fail(`the program does not start: ${error.message}`, "install toolgate again"));
child.on("exit", (code, name) => process.exit(name ? 128 + os.constants.signals[name] : code));
