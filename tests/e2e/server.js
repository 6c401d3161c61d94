// The native server with the page inside, on a free port and in a folder of its own; or, when WORKERD names the runtime, the
// edge with the page beside it. It can be killed and started again.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const pipes = { stdio: ["ignore", "pipe", "pipe"] };

const spawnNative = (root, data, listen) =>
  spawn(`${root}target/debug/texas42`, ["serve", "--listen", listen, "--data", data, "--pace", "20-60"], pipes);

const spawnEdge = (root, data, listen) => {
  const folders = [`--directory-path=storage=${data}`, `--directory-path=files=${root}target/web-dist`];
  const again = listen.endsWith(":0") ? [] : [`--socket-addr=http=${listen}`];
  const words = ["serve", `${root}target/edge-dist/workerd.capnp`, "--control-fd=1", ...again, ...folders];
  return spawn(process.env.WORKERD, words, { ...pipes, env: { ...process.env, PACE: "20-60" } });
};

// A test with a server of its own.
export const withServer = (work) => async (world) => {
  const server = await startServer(world.root);
  try {
    await work({ ...world, server, url: server.url });
  } finally {
    await server.stop();
  }
};

async function startServer(root) {
  const data = mkdtempSync(join(tmpdir(), "texas42-e2e-"));
  const begin = (listen) => listening(process.env.WORKERD ? spawnEdge(root, data, listen) : spawnNative(root, data, listen));
  let { child, url } = await begin("127.0.0.1:0");
  const kill = () => ended(child, "SIGKILL");
  const restart = async () => ({ child } = await begin(new URL(url).host));
  const stop = async () => {
    await Promise.race([ended(child, "SIGTERM"), new Promise((done) => setTimeout(done, 4000))]);
    child.kill("SIGKILL");
    rmSync(data, { recursive: true, force: true });
  };
  return { url, kill, restart, stop };
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
    child.on("exit", () => fail(new Error(`the server ended: ${text}`)));
  });
}

function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const gone = new Promise((done) => child.once("exit", done));
  child.kill(signal);
  return gone;
}
