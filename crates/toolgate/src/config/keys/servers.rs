//! `[sandbox]`, `[capability_servers]` and `[[servers]]`.

use super::EffectTime::{AfterRestart, WhileRunning};
use super::KeyKind::{Count, Flag, Map, Other, Path, Rate, Seconds, Table as Nested, Text, Texts, Url, Word};
use super::{ConfigTable, is, needed, without};
use crate::config::{network, sandbox, server, shipped};

const ONE_WAY: &str = "one way is needed: `command`, `url`, `urls`, `registered`, `openapi` or `connector`";
const AS_REGISTRY: &str = "as in `[registry]`";
const AS_NETWORK: &str = "as in `[network]`";

pub(super) const SANDBOX: ConfigTable = ConfigTable {
    header: "[sandbox]",
    about: "Programs that Toolgate starts run in a sandbox: they see neither the gateway's data nor well-known secrets \
         of the home folder, and write only to temporary folders, caches, their working folder and folders named in \
         their arguments. `toolgate servers show NAME` shows the sandbox of each; `sandbox` of a server opens what it \
         needs.",
    accepted: sandbox::KEYS,
    keys: &[is(
        "required",
        Flag,
        "false",
        "`true`: a server does not start if this machine cannot enforce its sandbox in full. `false`: it is confined \
             as far as possible.",
    )],
    changes: AfterRestart,
    least: "[sandbox]\n",
    example: "[sandbox]\nrequired = true\n",
};

pub(super) const SHIPPED: ConfigTable = ConfigTable {
    header: "[capability_servers]",
    about: "Servers that come with Toolgate, and those you write with its kit. Every program in the folder whose name \
         ends in `-mcp` is started and kept running, under that name; a program that is added later is started, too. A \
         `[[servers]]` table of the same name replaces it.",
    accepted: shipped::KEYS,
    keys: &[
        without(
            "folder",
            Path,
            "`$TOOLGATE_SERVERS` (empty: none), else `servers` beside the program `toolgate`",
            "The folder with the programs.",
        ),
        is("without", Texts, "[]", "Servers that are not started."),
        is(
            "env",
            Map,
            "{}",
            "Environment variables for all of them, besides `PATH`, `HOME` and the like, `TOOLGATE_MODEL`, \
                 `CAPABILITY_OCR_MODELS`, `CAPABILITY_SPEECH_MODELS` and `CAPABILITY_FACE_MODELS`. No secrets: those belong to one server.",
        ),
        without(
            "network",
            Flag,
            "`false`, unless `env` holds an address such as that of a model",
            "Whether they and their workers may use the network.",
        ),
        without(
            "servers",
            Nested("tables `[capability_servers.servers.NAME]`"),
            "none",
            "Settings of one server.",
        ),
    ],
    changes: WhileRunning,
    least: "[capability_servers]\n",
    example: "[capability_servers]\nfolder = \"bin\"\nwithout = [\"image-ocr-mcp\"]\n",
};

pub(super) const SHIPPED_ONE: ConfigTable = ConfigTable {
    header: "[capability_servers.servers.NAME]",
    about: "Settings of one capability server, by the name of its program.",
    accepted: shipped::ONE_KEYS,
    keys: &[
        is(
            "env",
            Map,
            "{}",
            "Environment variables for this server alone, besides those for all. May contain `${vault:NAME}`.",
        ),
        without(
            "network",
            Flag,
            "as for all, counting its own `env`",
            "Whether it and its workers may use the network.",
        ),
    ],
    changes: WhileRunning,
    least: "[capability_servers.servers.text-analysis-mcp]\n",
    example: "[capability_servers.servers.text-analysis-mcp]\nenv = { OPENAI_API_KEY = \"${vault:OPENAI}\" }\n",
};

pub(super) const SERVERS: ConfigTable = ConfigTable {
    header: "[[servers]]",
    about: "One table for each MCP server. `toolgate servers import FILE` writes them from the configuration of a \
         client. Toolgate starts a server (`command`) or connects to it (`url`, `urls`), or the server registers \
         itself (`registered`). An HTTP API without MCP becomes a server by its description (`openapi`, `connector`).",
    accepted: server::KEYS,
    keys: &[
        needed(
            "name",
            Text,
            "Letters, digits, `-`, `_` and `.`; agents see it as the prefix of the server's tools.",
        ),
        without(
            "command",
            Text,
            ONE_WAY,
            "A program in `PATH`, or a path. A path with a slash is relative to the folder of this file, unless it is absolute.",
        ),
        is("args", Texts, "[]", "Its arguments."),
        is(
            "env",
            Map,
            "{}",
            "The only environment variables it gets besides `PATH`, `HOME` and the like. May contain `${vault:NAME}`.",
        ),
        without("cwd", Path, "the folder of this file", "Its working folder."),
        is(
            "sandbox",
            Other("`\"default\"`, `\"off\"` or `{ … }`"),
            "\"default\"",
            "What its process may do; `{ … }` opens what it needs, see below. `\"off\"`: everything that the gateway's \
                 user may do, including reading the gateway's data.",
        ),
        without(
            "url",
            Url,
            ONE_WAY,
            "The URL of a remote server. Toolgate detects whether it speaks Streamable HTTP (of any revision) or the \
                 older HTTP+SSE.",
        ),
        without(
            "urls",
            Texts,
            ONE_WAY,
            "The URLs of several instances. Each call goes to the less busy of two.",
        ),
        without("registered", Flag, ONE_WAY, "The server registers itself, with the limits of this table."),
        without(
            "openapi",
            Text,
            ONE_WAY,
            "The path or address of an OpenAPI document (2.0, 3.0 or 3.1, JSON or YAML): each operation of the API becomes a \
                 tool. A path is relative to the folder of this file.",
        ),
        without(
            "connector",
            Text,
            ONE_WAY,
            "A connector that ships with Toolgate, such as `slack`, or the path of a connector file. May stand beside \
                 `openapi`.",
        ),
        without(
            "base_url",
            Url,
            "what the description says",
            "The address of the API; with `openapi` or `connector`. A document that is fetched may name its own origin only, \
                 so an API elsewhere needs it.",
        ),
        without(
            "query",
            Map,
            "none",
            "Parameters in the query of every request; with `openapi` or `connector`. May contain `${vault:NAME}`.",
        ),
        without(
            "headers",
            Map,
            "none",
            "Headers to send along; with `url`, `urls`, `openapi` or `connector`. May contain `${vault:NAME}`.",
        ),
        without(
            "oauth",
            Nested("`{ … }`"),
            "what the server offers",
            "The gateway's OAuth client for `toolgate servers login NAME`; see below.",
        ),
        without(
            "network",
            Nested("`{ … }`"),
            "as `[network]` says",
            "Certificates and proxy for this server; see below. Not with `command`.",
        ),
        is("timeout_seconds", Seconds, "60", "The time-out of one call."),
        is("connect_timeout_seconds", Seconds, "30", "The time-out of connecting and listing."),
        is("concurrency_max", Count, "64", "The number of calls that may run at once."),
        without("rate", Rate, "any number", "The rate at which calls may start."),
        is(
            "isolation",
            Word(&["shared", "principal"]),
            "\"shared\"",
            "One process or connection for everyone, or one for each principal.",
        ),
        is(
            "affinity",
            Word(&["run", "principal", "none"]),
            "\"run\"",
            "Which calls stay at one instance, if the server has several and gives its sessions ids or keeps a state \
                 for its callers. `run`: those of one run, and those of one client's session of the older era (of \
                 one session, for a state of callers). All others go to the less busy instance.",
        ),
        is(
            "era",
            Word(&["auto", "newer", "older"]),
            "\"auto\"",
            "The era of MCP to use. `auto`: the newer one if the server speaks it, and the older one once the server \
                 has asked its client in the older way.",
        ),
        is(
            "prefix",
            Flag,
            "true",
            "`false` keeps the names of its tools as they are; only if it is the one enabled server.",
        ),
        is("tools", Nested("`{ … }`"), "{}", "The tools of the server that agents see; see below."),
        is(
            "trust_annotations",
            Flag,
            "true",
            "Whether the server's own hints about the effects of its tools are trusted; with `registered` they are \
                 not, unless this key says so. `false`: its tools count as able to do anything, unless `[[tools]]` \
                 says otherwise. From `regulated` on, templates trust no hints at all.",
        ),
        is(
            "elicitation",
            Flag,
            "true",
            "Whether it may ask people for input (elicitation). Clients see its name in front of every question; \
                 questions for secrets are refused.",
        ),
        is("sampling", Flag, "false", "Whether it may request text from the client's model (sampling)."),
        without(
            "drift",
            Word(&["quarantine", "accept"]),
            AS_REGISTRY,
            "Like the same key in `[registry]`, for this server.",
        ),
        without(
            "new_tools",
            Word(&["visible", "review", "review_all"]),
            AS_REGISTRY,
            "Like the same key in `[registry]`, for this server.",
        ),
        without(
            "published",
            Nested("a table `[servers.published]`"),
            "it is the operator's own",
            "The entry of a registry that the server was made from; `toolgate servers add` writes it. The rules of \
                 `[network]` for addresses from the network apply to the server, and it is shown no certificate of `[network]`.",
        ),
        is("enabled", Flag, "true", "`false` disables the server and keeps its configuration."),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\n",
    example: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\n\
              args = [\"-y\", \"@modelcontextprotocol/server-filesystem\", \".\"]\n\n\
              [[servers]]\nname = \"github\"\nurl = \"https://api.githubcopilot.com/mcp/\"\n\
              headers = { Authorization = \"Bearer ${TOKEN}\" }\n",
};

pub(super) const FILTER: ConfigTable = ConfigTable {
    header: "[servers.tools]",
    about: "The tools of a server that agents see, by the server's own names: `*` matches any characters, `?` matches \
         one; within `[[servers]]`.",
    accepted: server::TOOLS_KEYS,
    keys: &[
        without("allow", Texts, "all", "Tools that agents see."),
        is("deny", Texts, "[]", "Tools that agents do not see; it takes precedence."),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\n[servers.tools]\n",
    example: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\ntools = { allow = [\"read_*\"], deny = [\"*_secret\"] }\n",
};

pub(super) const OAUTH: ConfigTable = ConfigTable {
    header: "[servers.oauth]",
    about: "The gateway's OAuth client for a server whose tools want a token; within `[[servers]]`.",
    accepted: server::OAUTH_KEYS,
    keys: &[
        without(
            "client_id",
            Text,
            "the gateway registers itself",
            "The client id that the server's operator gave the gateway.",
        ),
        without(
            "client_secret",
            Text,
            "none",
            "The secret of the client id. With `openapi` or `connector` both may be in the vault: `${vault:NAME}`.",
        ),
        without(
            "authorization_url",
            Url,
            "the server publishes it",
            "Where a person agrees, if the server does not publish it.",
        ),
        without(
            "token_url",
            Url,
            "the server publishes it",
            "Where tokens are given, if the server does not publish it. The client's secret goes there, so it is written down \
             and never taken from a document.",
        ),
        without(
            "flow",
            Word(&["code", "client_credentials"]),
            "`code`",
            "`code`: a person signs in once, with `toolgate servers login`; `client_credentials`: the gateway gets tokens with \
             the client's id and secret, for `openapi` and `connector`.",
        ),
        without(
            "client_auth",
            Word(&["header", "body"]),
            "`header`",
            "Where token requests at `token_url` have the client's id and secret: `header` (Basic) or `body`.",
        ),
        is("scopes", Texts, "[]", "The scopes to request."),
        without(
            "client_metadata_url",
            Url,
            "none",
            "The URL of a client metadata document that describes the gateway, in place of a client id.",
        ),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"github\"\nurl = \"https://example.com/mcp\"\n[servers.oauth]\n",
    example: "[[servers]]\nname = \"github\"\nurl = \"https://example.com/mcp\"\n\
              oauth = { client_id = \"toolgate\", scopes = [\"read\"] }\n",
};

const PUBLISHED_LEAST: &str = "[[servers]]\nname = \"weather\"\ncommand = \"npx\"\n[servers.published]\n\
     registry = \"https://registry.example.com\"\nname = \"io.github.owner/weather\"\nversion = \"1.2.0\"\n\
     digest = \"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"\n";

pub(super) const PUBLISHED: ConfigTable = ConfigTable {
    header: "[servers.published]",
    about: "The entry of an MCP registry that a server was made from; within `[[servers]]`. `toolgate servers outdated` says \
            whether the registry has another one now.",
    accepted: server::PUBLISHED_KEYS,
    keys: &[
        needed("registry", Url, "The address of the registry."),
        needed("name", Text, "The name of the entry: `io.github.owner/server`."),
        needed("version", Text, "The version of the entry."),
        needed("digest", Text, "The digest of the entry as it was read."),
    ],
    changes: WhileRunning,
    least: PUBLISHED_LEAST,
    example: PUBLISHED_LEAST,
};

pub(super) const NETWORK: ConfigTable = ConfigTable {
    header: "[servers.network]",
    about: "Connections to one server; within `[[servers]]`. Keys that are left out are as in `[network]`.",
    accepted: network::SERVER_KEYS,
    keys: &[
        without(
            "ca_file",
            Path,
            AS_NETWORK,
            "Certificates of the authorities that are trusted for this server.",
        ),
        is("public_roots", Flag, "true", "`false`: only those in `ca_file` are trusted."),
        without("client_certificate", Path, AS_NETWORK, "The client certificate to present to this server."),
        without("client_key", Path, AS_NETWORK, "Its private key."),
        without("proxy", Text, AS_NETWORK, "The proxy for this server; `\"\"`: no proxy."),
        without("no_proxy", Texts, AS_NETWORK, "Destinations that are reached directly; `[\"*\"]`: all."),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"mail\"\nurl = \"https://mail.example/mcp\"\n[servers.network]\n",
    example: "[[servers]]\nname = \"mail\"\nurl = \"https://mail.example/mcp\"\n\
              network = { proxy = \"http://proxy.example:3128\" }\n",
};

pub(super) const OPENINGS: ConfigTable = ConfigTable {
    header: "[servers.sandbox]",
    about: "What the sandbox opens for the process of a server; within `[[servers]]`.",
    accepted: server::SANDBOX_KEYS,
    keys: &[
        is(
            "write",
            Texts,
            "[]",
            "Folders and files that it may change (missing folders are created), besides temporary folders, caches, \
                 its working folder and folders named in its arguments. The working folder is excluded if this file is \
                 in it: a program that can change this file can take over the gateway.",
        ),
        is(
            "read",
            Texts,
            "[]",
            "Hidden places that it may see, such as `${HOME}/.aws` or `/run/docker.sock`. The gateway's data is never visible.",
        ),
        is("network", Flag, "true", "`false`: it has no network, not even to this machine."),
        without(
            "user",
            Text,
            "the gateway's user",
            "The user that it runs as; requires a gateway that runs as root.",
        ),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\n[servers.sandbox]\n",
    example: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\nsandbox = { write = [\"notes\"], network = false }\n",
};
