// Serves the bundle as static files on a free local port.
import { createServer } from "node:http";
import { readFile, stat } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { DIST } from "./paths.js";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
  ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json", ".woff2": "font/woff2",
};

// What a page logs when its study module is withheld.
export const NOT_LOADED = /the study module/;

export async function serveFiles(folder = DIST) {
  const changes = {};
  let withheld;
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://here").pathname).replace(/^(\.\.[/\\])+/, "");
    const file = join(folder, path.endsWith("/") ? path + "index.html" : path);
    const headers = { "content-type": TYPES[extname(file)] ?? "application/octet-stream" };
    headers["cache-control"] = path.startsWith("/a/") ? "public, max-age=31536000, immutable" : "no-cache";
    try {
      if (withheld?.test(path)) throw new Error("withheld");
      const change = changes[path.slice(1)];
      const text = change && change(await readFile(file, "utf8"));
      if (text) return response.writeHead(200, headers).end(text);
      const accepts = /\bbr\b/.test(request.headers["accept-encoding"] ?? "");
      const packed = accepts && (await stat(file + ".br").catch(() => null));
      if (packed) headers["content-encoding"] = "br";
      const content = await readFile(packed ? file + ".br" : file);
      response.writeHead(200, headers).end(content);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" }).end("there is no such file");
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    // Changes the contents of a file, as a new version would.
    change: (path, work) => { changes[path] = work; },
    // Answers as if the files whose path matches did not exist; without a pattern, serves all files again.
    withhold: (pattern) => { withheld = pattern; },
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }),
  };
}
