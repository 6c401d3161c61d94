// The native server with the page, on a free port and with a temporary folder; or the edge with the page, if WORKERD names the
// runtime. Bots move without a pause. The native server deals the same hands in every run, and its time limits end when a test
// calls `pass`; the deals of the edge are random, and its time limits end by themselves. The server can be killed and restarted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DIST, EDGE, PROGRAM } from "./paths.js";

const pipes = { stdio: ["pipe", "pipe", "pipe"] };

const spawnNative = (data, listen) => spawn(PROGRAM, ["serve", "--listen", listen, "--data", data, "--pace", "0-0", "--strategy", "beginner", "--test-seed", "42", "--test-clock"], pipes);

const spawnEdge = (data, listen) => {
  const folders = [`--directory-path=storage=${data}`, `--directory-path=files=${DIST}`];
  const address = listen.endsWith(":0") ? [] : [`--socket-addr=http=${listen}`];
  return spawn(process.env.WORKERD, ["serve", EDGE, "--control-fd=1", ...address, ...folders], { ...pipes, env: { ...process.env, PACE: "0-0" } });
};

export async function startServer() {
  const data = mkdtempSync(join(tmpdir(), "texas42-e2e-"));
  const begin = (listen) => listening(process.env.WORKERD ? spawnEdge(data, listen) : spawnNative(data, listen));
  let { child, url } = await begin("127.0.0.1:0");
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    url,
    kill,
    pass: (milliseconds) => void (process.env.WORKERD || child.stdin.write(`${milliseconds}\n`)),
    restart: async () => void ({ child } = await begin(new URL(url).host)),
    stop: async () => {
      await kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function listening(child) {
  let text = "";
  return new Promise((done, fail) => {
    const read = (chunk) => {
      text += chunk;
      const port = text.match(/http:\/\/127\.0\.0\.1:(\d+)|"port":(\d+)/);
      if (port) done({ child, url: `http://127.0.0.1:${port[1] ?? port[2]}/` });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", fail);
    child.on("exit", () => fail(new Error(`the server exited: ${text}`)));
  });
}
