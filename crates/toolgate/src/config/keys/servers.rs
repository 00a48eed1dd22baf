//! `[sandbox]`, `[capability_servers]` and `[[servers]]`.

use super::Changes::{AfterRestart, WhileRunning};
use super::Kind::{Count, Flag, Map, Other, Path, Rate, Seconds, Table as Nested, Text, Texts, Url, Word};
use super::{Table, is, needed, without};
use crate::config::{network, sandbox, server, shipped};

const ONE_OF_FOUR: &str = "one of the four is needed";
const AS_REGISTRY: &str = "as in `[registry]`";
const AS_NETWORK: &str = "as in `[network]`";

pub(super) const SANDBOX: Table = Table {
    header: "[sandbox]",
    about: "Programs that Toolgate starts are confined: they do not see what the gateway keeps nor well-known secrets of the home \
            folder, and write only in temporary folders, caches, their working folder and folders that their arguments name. \
            `toolgate servers show NAME` says how each one is; `sandbox` of a server opens what it needs.",
    accepted: &sandbox::KEYS,
    keys: &[is(
        "required",
        Flag,
        "false",
        "`true`: a server does not start where this machine cannot confine it in full, rather than being confined as far as can be.",
    )],
    changes: AfterRestart,
    least: "[sandbox]\n",
    example: "[sandbox]\nrequired = true\n",
};

pub(super) const SHIPPED: Table = Table {
    header: "[capability_servers]",
    about: "Servers that come with Toolgate, and those you write with its kit. Every program in the folder whose name ends in \
            `-mcp` is started and kept running, under that name; one that appears later is taken up. A `[[servers]]` table of \
            the same name takes its place.",
    accepted: &shipped::KEYS,
    keys: &[
        without(
            "folder",
            Path,
            "`$TOOLGATE_SERVERS` (empty: none), else `servers` beside the program `toolgate`",
            "Where the programs are.",
        ),
        is("without", Texts, "[]", "Those that are left out."),
        is(
            "env",
            Map,
            "{}",
            "What all of them get beyond `PATH`, `HOME` and the like, `TOOLGATE_MODEL` and `CAPABILITY_OCR_MODELS`. No secrets: those \
             are for one server.",
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
            "What one of them has for itself.",
        ),
    ],
    changes: WhileRunning,
    least: "[capability_servers]\n",
    example: "[capability_servers]\nfolder = \"bin\"\nwithout = [\"image-ocr-mcp\"]\n",
};

pub(super) const SHIPPED_ONE: Table = Table {
    header: "[capability_servers.servers.NAME]",
    about: "What one capability server has for itself, by the name of its program.",
    accepted: &shipped::ONE_KEYS,
    keys: &[
        is("env", Map, "{}", "What it alone gets, beside what all get. May hold `${vault:NAME}`."),
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

pub(super) const SERVERS: Table = Table {
    header: "[[servers]]",
    about: "One table for each MCP server. `toolgate servers import FILE` writes them from the configuration of a client. A \
            server is started (`command`), reached (`url`, `urls`), or registers itself (`registered`).",
    accepted: &server::KEYS,
    keys: &[
        needed(
            "name",
            Text,
            "Letters, digits, `-`, `_` and `.`; agents see it in front of every tool of the server.",
        ),
        without(
            "command",
            Text,
            ONE_OF_FOUR,
            "A program in `PATH`, or a path; one with a slash starts at the folder of this file unless it is absolute.",
        ),
        is("args", Texts, "[]", "Its arguments."),
        is(
            "env",
            Map,
            "{}",
            "All that the program gets beyond `PATH`, `HOME` and the like. May hold `${vault:NAME}`.",
        ),
        without("cwd", Path, "the folder of this file", "Its working folder."),
        is(
            "sandbox",
            Other("`\"default\"`, `\"off\"` or `{ … }`"),
            "\"default\"",
            "What its process may do; `{ … }` opens what it needs, see below. `\"off\"`: whatever the gateway's user may, which \
             includes reading what the gateway keeps.",
        ),
        without(
            "url",
            Url,
            ONE_OF_FOUR,
            "A server somewhere else. Streamable HTTP of any revision and the older HTTP+SSE are told apart by asking.",
        ),
        without("urls", Texts, ONE_OF_FOUR, "Several instances of it. Calls go to the less busy of two."),
        without(
            "registered",
            Flag,
            ONE_OF_FOUR,
            "The server registers itself, with the limits of this table.",
        ),
        without(
            "headers",
            Map,
            "none",
            "Headers that are sent along; beside `url` or `urls`. May hold `${vault:NAME}`.",
        ),
        without(
            "oauth",
            Nested("`{ … }`"),
            "what the server offers",
            "How the gateway introduces itself at `toolgate servers login NAME`; see below.",
        ),
        without(
            "network",
            Nested("`{ … }`"),
            "as `[network]` says",
            "Certificates and proxy for this server; see below. Beside `url`, `urls` or `registered`.",
        ),
        is("timeout_seconds", Seconds, "60", "How long one call may take."),
        is("connect_timeout_seconds", Seconds, "30", "How long connecting and listing may take."),
        is("concurrency_max", Count, "64", "Calls under way at once."),
        without("rate", Rate, "any number", "How many calls may start within a time."),
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
            "Where it has several instances and gives its sessions ids: which calls stay at one instance. `run`: those of one run, \
             and those of one client's session of the older era. All others go to the instance with less to do.",
        ),
        is(
            "era",
            Word(&["auto", "newer", "older"]),
            "\"auto\"",
            "Which era of MCP is spoken with it. `auto`: the newer one where it speaks that, and the older one once it was seen to \
             ask its client in the older way.",
        ),
        is(
            "prefix",
            Flag,
            "true",
            "`false` keeps the names of its tools as they are; only where it is the one enabled server.",
        ),
        is("tools", Nested("`{ … }`"), "{}", "Which of its tools agents see; see below."),
        is(
            "trust_annotations",
            Flag,
            "true",
            "Whether its own hints about the effects of its tools are believed; with `registered` they are not unless this says \
             so. `false`: they may do anything, unless `[[tools]]` says otherwise. The levels of care `regulated` and \
             `audit_critical` believe no hints at all.",
        ),
        is(
            "elicitation",
            Flag,
            "true",
            "Whether it may ask people for input. Clients see its name in front of every question; questions for secrets \
             are refused.",
        ),
        is("sampling", Flag, "false", "Whether it may have text written by the client's model."),
        without(
            "drift",
            Word(&["quarantine", "accept"]),
            AS_REGISTRY,
            "As in `[registry]`, for this server.",
        ),
        without(
            "new_tools",
            Word(&["visible", "review"]),
            AS_REGISTRY,
            "As in `[registry]`, for this server.",
        ),
        is("enabled", Flag, "true", "`false` leaves the server out without losing its lines."),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\n",
    example: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\n\
              args = [\"-y\", \"@modelcontextprotocol/server-filesystem\", \".\"]\n\n\
              [[servers]]\nname = \"github\"\nurl = \"https://api.githubcopilot.com/mcp/\"\n\
              headers = { Authorization = \"Bearer ${TOKEN}\" }\n",
};

pub(super) const FILTER: Table = Table {
    header: "[servers.tools]",
    about: "Which tools of a server agents see, by their own names: `*` stands for any characters, `?` for one; within \
            `[[servers]]`.",
    accepted: &server::TOOLS_KEYS,
    keys: &[
        without("allow", Texts, "all", "Those that are seen."),
        is("deny", Texts, "[]", "Those that are not; it wins."),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\n[servers.tools]\n",
    example: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\ntools = { allow = [\"read_*\"], deny = [\"*_secret\"] }\n",
};

pub(super) const OAUTH: Table = Table {
    header: "[servers.oauth]",
    about: "What you arranged with a server whose tools need a person's consent; within `[[servers]]`.",
    accepted: &server::OAUTH_KEYS,
    keys: &[
        without(
            "client_id",
            Text,
            "the gateway registers itself",
            "The name that the server's operator gave the gateway.",
        ),
        without("client_secret", Text, "none", "What belongs to it."),
        is("scopes", Texts, "[]", "What is asked for."),
        without(
            "client_metadata_url",
            Url,
            "none",
            "The address of a document that says who the gateway is, in place of a client id.",
        ),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"github\"\nurl = \"https://example.com/mcp\"\n[servers.oauth]\n",
    example: "[[servers]]\nname = \"github\"\nurl = \"https://example.com/mcp\"\n\
              oauth = { client_id = \"toolgate\", scopes = [\"read\"] }\n",
};

pub(super) const NETWORK: Table = Table {
    header: "[servers.network]",
    about: "How connections to one server leave; within `[[servers]]`. What is not said is as in `[network]`.",
    accepted: &network::SERVER_KEYS,
    keys: &[
        without("ca_file", Path, AS_NETWORK, "Certificates of authorities that are trusted for this server."),
        is("public_roots", Flag, "true", "`false`: none but those of `ca_file` are trusted."),
        without("client_certificate", Path, AS_NETWORK, "The certificate that this server is shown."),
        without("client_key", Path, AS_NETWORK, "Its private key."),
        without("proxy", Text, AS_NETWORK, "The proxy that leads there; `\"\"` is none."),
        without("no_proxy", Texts, AS_NETWORK, "Who is reached directly; `[\"*\"]` is everybody."),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"mail\"\nurl = \"https://mail.example/mcp\"\n[servers.network]\n",
    example: "[[servers]]\nname = \"mail\"\nurl = \"https://mail.example/mcp\"\n\
              network = { proxy = \"http://proxy.example:3128\" }\n",
};

pub(super) const OPENINGS: Table = Table {
    header: "[servers.sandbox]",
    about: "What is opened for the process of a server; within `[[servers]]`.",
    accepted: &server::SANDBOX_KEYS,
    keys: &[
        is(
            "write",
            Texts,
            "[]",
            "Folders and files that it may change (a folder that is not there is made), besides temporary folders, caches, its working folder and folders that its \
             arguments name. Its working folder is left out where this file lies in it: whoever changes this file becomes the gateway.",
        ),
        is(
            "read",
            Texts,
            "[]",
            "Hidden places that it sees all the same, such as `${HOME}/.aws` or `/run/docker.sock`. What the gateway keeps is never seen.",
        ),
        is("network", Flag, "true", "`false`: it has no network, not even to this machine."),
        without(
            "user",
            Text,
            "the gateway's user",
            "The user that it runs as; needs a gateway that runs as root.",
        ),
    ],
    changes: WhileRunning,
    least: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\n[servers.sandbox]\n",
    example: "[[servers]]\nname = \"files\"\ncommand = \"npx\"\nsandbox = { write = [\"notes\"], network = false }\n",
};
