# The workerd configuration for a local run. The command line sets the folders and the port.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "edge", worker = .edge),
    (name = "files", disk = (path = ".", allowDotfiles = false)),
    (name = "storage", disk = (path = ".", writable = true)),
    (name = "internet", network = (allow = [])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "edge")],
);

const edge :Workerd.Worker = (
  modules = [
    (name = "index.js", esModule = embed "index.js"),
    (name = "edge.js", esModule = embed "edge.js"),
    (name = "edge_bg.wasm", wasm = embed "edge_bg.wasm"),
{{snippets}}  ],
  compatibilityDate = "2026-10-01",
  durableObjectNamespaces = [
    (className = "Table", uniqueKey = "texas42-table", enableSql = true),
    (className = "Code", uniqueKey = "texas42-code", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "storage"),
  bindings = [
    (name = "TABLES", durableObjectNamespace = "Table"),
    (name = "CODES", durableObjectNamespace = "Code"),
    (name = "ASSETS", service = "files"),
    (name = "PACE", fromEnvironment = "PACE"),
    (name = "PLAYER", fromEnvironment = "PLAYER"),
    (name = "WORLDS", fromEnvironment = "WORLDS"),
    (name = "MESSAGES", fromEnvironment = "MESSAGES"),
    (name = "LOOKUPS", fromEnvironment = "LOOKUPS"),
    (name = "KEEP_DAYS", fromEnvironment = "KEEP_DAYS"),
    (name = "KEEP_MILLISECONDS", fromEnvironment = "KEEP_MILLISECONDS"),
    (name = "ORIGINS", fromEnvironment = "ORIGINS"),
  ],
);
