// The native server with the page inside, on a free port and in a folder of its own; or, when WORKERD names the runtime, the
// edge with the page beside it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "./harness.js";

const pipes = { stdio: ["ignore", "pipe", "pipe"] };

const spawnNative = (root, data) =>
  spawn(`${root}target/debug/texas42`, ["serve", "--listen", "127.0.0.1:0", "--data", data, "--pace", "20-60"], pipes);

const spawnEdge = (root, data) => {
  const folders = [`--directory-path=storage=${data}`, `--directory-path=files=${root}target/web-dist`];
  const words = ["serve", `${root}target/edge-dist/workerd.capnp`, "--control-fd=1", ...folders];
  return spawn(process.env.WORKERD, words, { ...pipes, env: { ...process.env, PACE: "20-60" } });
};

export async function startServer(root) {
  const data = mkdtempSync(join(tmpdir(), "texas42-e2e-"));
  const child = process.env.WORKERD ? spawnEdge(root, data) : spawnNative(root, data);
  let text = "";
  const url = await new Promise((done, fail) => {
    const read = (chunk) => {
      text += chunk;
      const port = text.match(/http:\/\/127\.0\.0\.1:(\d+)|"port":(\d+)/);
      if (port) done(`http://127.0.0.1:${port[1] ?? port[2]}/`);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", fail);
    child.on("exit", () => fail(new Error(`the server ended: ${text}`)));
  });
  check(url, "the server says where it is");
  const stop = async () => {
    child.removeAllListeners("exit");
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    await Promise.race([gone, new Promise((done) => setTimeout(done, 4000))]);
    child.kill("SIGKILL");
    rmSync(data, { recursive: true, force: true });
  };
  return { url, stop };
}
