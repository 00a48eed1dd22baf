//! Who may join, what tools are called, and which credentials there are: from `[oauth]` to `[[aliases]]`.

use super::Changes::{AfterRestart, WhileRunning};
use super::Kind::{Flag, Map, Moment, Path, Seconds, Text, Texts, Url, Word, Words};
use super::{Table, is, needed, without};
use crate::config::{access, network, registry, secrets};

const ALGORITHMS: &[&str] = &["RS256", "PS256", "ES256", "ES384", "EdDSA"];

pub(super) const OAUTH: Table = Table {
    header: "[oauth]",
    about: "Access tokens of an OAuth issuer, taken beside Toolgate's own.",
    accepted: &access::OAUTH_KEYS,
    keys: &[
        needed("issuer", Url, "Exactly as `iss` in its tokens says it."),
        needed("audience", Text, "What `aud` must name."),
        without("jwks_url", Url, "where the issuer's own metadata say", "Where its keys are."),
        without(
            "algorithms",
            Words(ALGORITHMS),
            "those that the issuer's keys are for",
            "Signatures that are taken.",
        ),
        needed(
            "scopes",
            Map,
            "What each scope lets its holder do: a role, as for `toolgate token create`. Of several the strongest counts.",
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

pub(super) const VAULT: Table = Table {
    header: "[vault]",
    about: "The key that secrets and sign-ins are encrypted with. Whoever loses the key loses the secrets. One of the two.",
    accepted: &access::VAULT_KEYS,
    keys: &[
        without(
            "key_file",
            Path,
            "`vault.key` in the data folder, made at first use",
            "A file that only its owner may read.",
        ),
        without(
            "key_env",
            Text,
            "`key_file`",
            "The name of a variable of the environment. `openssl rand -base64 32` makes a key.",
        ),
    ],
    changes: AfterRestart,
    least: "[vault]\n",
    example: "[vault]\nkey_env = \"TOOLGATE_VAULT_KEY\"\n",
};

pub(super) const SECRETS: Table = Table {
    header: "[[secrets]]",
    about: "Secrets of servers that are kept elsewhere. A server names one as `${vault:NAME}`, as if it was in the vault; it is read \
            when it is first needed, kept in memory for a while, and never written down. One of `file`, `command` and `openbao`. \
            A principal's own secret in the vault comes first.",
    accepted: &secrets::SECRETS_KEYS,
    keys: &[
        needed("server", Text, "The server whose secret it is."),
        needed("name", Text, "What stands in `${vault:NAME}`."),
        without(
            "file",
            Path,
            "another source",
            "A file of one line. Servers that the gateway starts do not see it.",
        ),
        without(
            "command",
            Texts,
            "another source",
            "A program, by its absolute path, and its arguments. There is no shell. What it prints is the secret; it has 10 s.",
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
            "How long a value is used before it is read again. A server that answers 401 has it read at once.",
        ),
        is(
            "origins",
            Texts,
            "[]",
            "Where it may be sent if this file does not have the server's address: `https://api.example.com`, or `*`.",
        ),
    ],
    changes: AfterRestart,
    least: "[[secrets]]\nfile = \"/run/secrets/github\"\nserver = \"github\"\nname = \"TOKEN\"\n",
    example: "[[secrets]]\nserver = \"github\"\nname = \"TOKEN\"\nfile = \"/run/secrets/github\"\ncache_seconds = 60\n",
};

pub(super) const OPENBAO: Table = Table {
    header: "[openbao]",
    about: "OpenBao, or HashiCorp Vault, which speaks the same API: where it is and how the gateway is let in, by a token or by \
            AppRole.",
    accepted: &secrets::OPENBAO_KEYS,
    keys: &[
        needed("address", Url, "Where it is."),
        is("mount", Text, "\"secret\"", "Where its KV engine of version 2 is."),
        without("namespace", Text, "none", "Its namespace."),
        without(
            "token_file",
            Path,
            "AppRole",
            "A file with a token; it is read again whenever it is needed.",
        ),
        without("token_env", Text, "AppRole", "The name of a variable of the environment with a token."),
        without("role_id", Text, "a token", "The role of an AppRole login."),
        without("secret_id_file", Path, "a token", "A file with the secret id of the login."),
        without(
            "secret_id_env",
            Text,
            "a token",
            "The name of a variable of the environment with the secret id.",
        ),
    ],
    changes: AfterRestart,
    least: "[openbao]\ntoken_file = \"token\"\naddress = \"https://bao.example.com:8200\"\n",
    example: "[openbao]\naddress = \"https://bao.example.com:8200\"\nrole_id = \"toolgate\"\nsecret_id_file = \"/run/secrets/bao\"\n",
};

pub(super) const NETWORK: Table = Table {
    header: "[network]",
    about: "How connections leave, and where servers may be that were not written into this file: those that register, and those of \
            `PATCH /settings/mcp_servers`. Public addresses always may. Certificates and proxy count for servers, sign-ins, webhooks, meters, \
            traces, stored files and the issuer; a server may have its own. The files are read at the start and when this file changes; \
            servers go by them at once, the others after a restart.",
    accepted: &network::KEYS,
    keys: &[
        is("allow_loopback", Flag, "false", "This machine."),
        is(
            "allow_private",
            Flag,
            "false",
            "10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10 and fc00::/7.",
        ),
        without(
            "ca_file",
            Path,
            "none",
            "Certificates of authorities of your own, in PEM, trusted beside those of the machine.",
        ),
        is("public_roots", Flag, "true", "`false`: none but those of `ca_file` are trusted."),
        without(
            "client_certificate",
            Path,
            "none",
            "The certificate that is shown where one is asked for, in PEM, with those that lead to its authority. It is not shown to servers that are not in this file.",
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
            "The HTTP proxy that connections go through, by CONNECT: `http://proxy.example:3128`, with credentials `http://${PROXY_USER}:${PROXY_PASSWORD}@proxy.example:3128`. \
             `\"\"` is none. This machine is always reached directly.",
        ),
        is(
            "no_proxy",
            Texts,
            "[]",
            "Who else is: names (`host.example`), domains (`.example`), addresses (`10.0.0.0/8`), or everybody (`*`).",
        ),
    ],
    changes: WhileRunning,
    least: "[network]\n",
    example: "[network]\nallow_private = true\nproxy = \"http://proxy.example:3128\"\nno_proxy = [\".intra.example\"]\n",
};

pub(super) const REGISTRY: Table = Table {
    header: "[registry]",
    about: "How changes to tools are taken. A tool is pinned as it was when it was first seen.",
    accepted: &registry::REGISTRY_KEYS,
    keys: &[
        is(
            "drift",
            Word(&["quarantine", "accept"]),
            "\"quarantine\"",
            "A changed definition withholds the tool until `toolgate tools accept`, or is taken as it comes.",
        ),
        is(
            "new_tools",
            Word(&["visible", "review"]),
            "\"visible\"",
            "A tool that a server did not have before is there at once, or after a review.",
        ),
        is(
            "findings",
            Word(&["flag", "quarantine"]),
            "\"flag\"",
            "A description with hidden instructions in it is marked, or withholds the tool.",
        ),
    ],
    changes: WhileRunning,
    least: "[registry]\n",
    example: "[registry]\nnew_tools = \"review\"\nfindings = \"quarantine\"\n",
};

pub(super) const ALIASES: Table = Table {
    header: "[[aliases]]",
    about: "Other names of tools.",
    accepted: &registry::ALIASES_KEYS,
    keys: &[
        needed("name", Text, "The other name. With `primary`, one of three parts: `documents.text.read`."),
        needed("tool", Text, "The canonical name of the tool: `files:read_text_file`."),
        without("until", Moment, "for ever", "The day on which an old name ends."),
        is("primary", Flag, "false", "Whether agents see the tool under this name; others go on working."),
    ],
    changes: WhileRunning,
    least: "[[aliases]]\nname = \"read_file\"\ntool = \"files:read_text_file\"\n",
    example: "[[aliases]]\nname = \"read_file\"\ntool = \"files:read_text_file\"\nuntil = 2027-01-01\n",
};
