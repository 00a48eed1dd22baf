//! Registration, names of tools, and credentials: from `[oauth]` to `[[aliases]]`.

use super::EffectTime::{AfterRestart, WhileRunning};
use super::KeyKind::{Flag, Map, Moment, Path, Seconds, Text, Texts, Url, Word, Words};
use super::{ConfigTable, is, needed, without};
use crate::config::{access, network, registry, secrets};

const ALGORITHMS: &[&str] = &["RS256", "PS256", "ES256", "ES384", "EdDSA"];

pub(super) const OAUTH: ConfigTable = ConfigTable {
    header: "[oauth]",
    about: "Access tokens of an OAuth issuer, accepted besides Toolgate's own.",
    accepted: access::OAUTH_KEYS,
    keys: &[
        needed("issuer", Url, "The issuer, exactly as in `iss` of its tokens."),
        needed("audience", Text, "The value that `aud` must contain."),
        without("jwks_url", Url, "from the issuer's metadata", "The URL of its keys."),
        without(
            "algorithms",
            Words(ALGORITHMS),
            "those that the issuer's keys are for",
            "Signature algorithms that are accepted.",
        ),
        needed(
            "scopes",
            Map,
            "The role that each scope gives, as for `toolgate token create`. Of several, the strongest counts.",
        ),
        without("groups_claim", Text, "no groups", "The claim that names the principal's groups."),
        without("principal_claim", Text, "`sub`", "The claim that names the principal."),
    ],
    changes: AfterRestart,
    least: "[oauth]\nissuer = \"https://id.example.com\"\naudience = \"https://gate.example.com/mcp\"\n\
            scopes = { \"toolgate:call\" = \"agent\" }\n",
    example: "[oauth]\nissuer = \"https://id.example.com\"\naudience = \"https://gate.example.com/mcp\"\n\
              scopes = { \"toolgate:call\" = \"agent\", \"toolgate:operate\" = \"operator\" }\ngroups_claim = \"groups\"\n",
};

pub(super) const VAULT: ConfigTable = ConfigTable {
    header: "[vault]",
    about: "The key that encrypts secrets and sign-ins. If the key is lost, the secrets are lost. One of the two.",
    accepted: access::VAULT_KEYS,
    keys: &[
        without(
            "key_file",
            Path,
            "`vault.key` in the data folder, created on first use",
            "A file that only its owner may read.",
        ),
        without(
            "key_env",
            Text,
            "`key_file`",
            "The name of an environment variable. `openssl rand -base64 32` makes a key.",
        ),
    ],
    changes: AfterRestart,
    least: "[vault]\n",
    example: "[vault]\nkey_env = \"TOOLGATE_VAULT_KEY\"\n",
};

pub(super) const SECRETS: ConfigTable = ConfigTable {
    header: "[[secrets]]",
    about: "Secrets of servers that are stored outside the vault. A server names one as `${vault:NAME}`, as if it were \
         in the vault. It is read when it is first needed, cached in memory, and never written to disk. Exactly one of \
         `file`, `command` and `openbao` is required. A principal's own secret in the vault takes precedence.",
    accepted: secrets::SECRETS_KEYS,
    keys: &[
        needed("server", Text, "The server to which the secret belongs."),
        needed("name", Text, "The name, as in `${vault:NAME}`."),
        without(
            "file",
            Path,
            "another source",
            "A file with one line. Servers that the gateway starts do not see it.",
        ),
        without(
            "command",
            Texts,
            "another source",
            "A program, by its absolute path, and its arguments. No shell is involved. It must print the secret within 10 s.",
        ),
        without(
            "openbao",
            Text,
            "another source",
            "A path and a field, `team/github#token`, in the KV engine (version 2) that `[openbao]` names.",
        ),
        is(
            "cache_seconds",
            Seconds,
            "300",
            "How long a value is cached before it is read again. If a server answers 401, it is read again at once.",
        ),
        is(
            "origins",
            Texts,
            "[]",
            "Origins that it may be sent to if this file does not have the server's address: `https://api.example.com`, or `*`.",
        ),
    ],
    changes: AfterRestart,
    least: "[[secrets]]\nfile = \"/run/secrets/github\"\nserver = \"github\"\nname = \"TOKEN\"\n",
    example: "[[secrets]]\nserver = \"github\"\nname = \"TOKEN\"\nfile = \"/run/secrets/github\"\ncache_seconds = 60\n",
};

pub(super) const OPENBAO: ConfigTable = ConfigTable {
    header: "[openbao]",
    about: "OpenBao, or HashiCorp Vault, which has the same API: its address, and how the gateway authenticates: with \
         a token or with AppRole.",
    accepted: secrets::OPENBAO_KEYS,
    keys: &[
        needed("address", Url, "Its address."),
        is("mount", Text, "\"secret\"", "The mount path of its KV engine (version 2)."),
        without("namespace", Text, "none", "Its namespace."),
        without(
            "token_file",
            Path,
            "AppRole",
            "A file with a token; it is read again whenever it is needed.",
        ),
        without("token_env", Text, "AppRole", "The name of an environment variable with a token."),
        without("role_id", Text, "a token", "The role of an AppRole login."),
        without("secret_id_file", Path, "a token", "A file with the secret id of the login."),
        without("secret_id_env", Text, "a token", "The name of an environment variable with the secret id."),
    ],
    changes: AfterRestart,
    least: "[openbao]\ntoken_file = \"token\"\naddress = \"https://bao.example.com:8200\"\n",
    example: "[openbao]\naddress = \"https://bao.example.com:8200\"\nrole_id = \"toolgate\"\nsecret_id_file = \"/run/secrets/bao\"\n",
};

pub(super) const NETWORK: ConfigTable = ConfigTable {
    header: "[network]",
    about: "Outgoing connections, and the addresses that servers which are not in this file may have: those that \
            register, and those of `PATCH /settings/mcp_servers`. Public addresses are always allowed. Certificates \
            and proxy apply to servers, sign-ins, the MCP registry, webhooks, mail, meters, traces, stored files and the issuer; a server may \
            have its own. The files are read at the start and when this file changes; for servers a change takes \
            effect at once, for the others after a restart.",
    accepted: network::KEYS,
    keys: &[
        is("allow_loopback", Flag, "false", "Allows addresses on this machine."),
        is(
            "allow_private",
            Flag,
            "false",
            "Allows 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10 and fc00::/7.",
        ),
        without(
            "ca_file",
            Path,
            "none",
            "Certificates of your own authorities, in PEM, trusted besides those of the machine.",
        ),
        is("public_roots", Flag, "true", "`false`: only those in `ca_file` are trusted."),
        without(
            "client_certificate",
            Path,
            "none",
            "The client certificate to present where one is requested, in PEM, with its chain. It is not presented to \
                 servers that are not in this file.",
        ),
        without(
            "client_key",
            Path,
            "none",
            "Its private key, in PEM. Programs that the gateway starts do not see the file.",
        ),
        without(
            "proxy",
            Text,
            "none",
            "The HTTP proxy for connections, with CONNECT: `http://proxy.example:3128`, with credentials \
             `http://${PROXY_USER}:${PROXY_PASSWORD}@proxy.example:3128`. `\"\"`: no proxy. This machine is always \
             reached directly.",
        ),
        is(
            "no_proxy",
            Texts,
            "[]",
            "Destinations that are also reached directly: names (`host.example`), domains (`.example`), addresses \
                 (`10.0.0.0/8`), or all (`*`).",
        ),
    ],
    changes: WhileRunning,
    least: "[network]\n",
    example: "[network]\nallow_private = true\nproxy = \"http://proxy.example:3128\"\nno_proxy = [\".intra.example\"]\n",
};

pub(super) const REGISTRY: ConfigTable = ConfigTable {
    header: "[registry]",
    about: "How changes to tools are handled, and where servers are found. A tool is pinned when it is first seen.",
    accepted: registry::REGISTRY_KEYS,
    keys: &[
        is(
            "drift",
            Word(&["quarantine", "accept"]),
            "\"quarantine\"",
            "A changed definition: `quarantine` withholds the tool until `toolgate tools accept`, `accept` accepts it at once.",
        ),
        is(
            "new_tools",
            Word(&["visible", "review", "review_all"]),
            "\"visible\"",
            "A tool that a server did not have before: `visible` at once, or after a `review`. `review_all`: the tools that \
                 a server has when it is first seen wait for a review as well.",
        ),
        is(
            "findings",
            Word(&["flag", "quarantine"]),
            "\"flag\"",
            "A description with hidden instructions: `flag` marks it, `quarantine` withholds the tool.",
        ),
        is(
            "url",
            Url,
            "\"https://registry.modelcontextprotocol.io\"",
            "The MCP registry in which `toolgate servers search` and the console find servers. The console goes by a change \
                 after a restart.",
        ),
        is("timeout_seconds", Seconds, "10", "The time that one request to the registry may take."),
        is(
            "check_every_seconds",
            Seconds,
            "86400",
            "How often the registry is asked whether it has another version of servers that came from there; 0 is never. What is \
                 found is told, and nothing is changed. A change counts after a restart.",
        ),
    ],
    changes: WhileRunning,
    least: "[registry]\n",
    example: "[registry]\nnew_tools = \"review\"\nfindings = \"quarantine\"\n",
};

pub(super) const ALIASES: ConfigTable = ConfigTable {
    header: "[[aliases]]",
    about: "Aliases of tools.",
    accepted: registry::ALIASES_KEYS,
    keys: &[
        needed("name", Text, "The alias. With `primary`, a name of three parts: `documents.text.read`."),
        needed("tool", Text, "The canonical name of the tool: `files:read_text_file`."),
        without("until", Moment, "no end", "The day on which the alias ends."),
        is(
            "primary",
            Flag,
            "false",
            "Whether agents see the tool under this name. Its other names still work.",
        ),
    ],
    changes: WhileRunning,
    least: "[[aliases]]\nname = \"read_file\"\ntool = \"files:read_text_file\"\n",
    example: "[[aliases]]\nname = \"read_file\"\ntool = \"files:read_text_file\"\nuntil = 2027-01-01\n",
};
