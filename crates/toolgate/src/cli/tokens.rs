//! `toolgate token …`

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use toolgate_core::scope::AgentName;
use toolgate_core::{PrincipalKind, Role};

use super::span::span;

#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token; it is printed once and cannot be shown again
    #[command(
        after_help = "Examples:\n  toolgate token create --role agent --label laptop\n  toolgate token create --role agent --agent researcher\n  toolgate token create --role approver --principal ann --group finance\n  toolgate token create --role auditor --principal acme-audit --expires 30d\n  toolgate token create --role server --server resume-profile-mcp"
    )]
    Create(NewTokenArgs),
    /// List all tokens: their principal, who created them, when they were last used and when they expire
    List {
        /// Include tokens of sessions, which are created and end with them
        #[arg(long)]
        sessions: bool,
    },
    /// Revoke a token; running gateways notice within a second
    Revoke {
        /// Its id, the beginning of its id, or its label
        token: String,
    },
}

#[derive(Args)]
pub(crate) struct NewTokenArgs {
    #[arg(long, value_enum)]
    pub(crate) role: RoleArg,
    /// Label to recognise it by
    #[arg(long)]
    pub(crate) label: Option<String>,
    /// Principal of the token, as policies and the ledger name it. Without it each token is its own principal
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,
    /// Server that a token of role `server` may register
    #[arg(long, value_name = "NAME", conflicts_with_all = ["principal", "groups", "agent"], required_if_eq("role", "server"))]
    pub(crate) server: Option<String>,
    /// Kind of principal that holds it; only a human may approve [default: agent for agents, service for
    /// servers, else human]
    #[arg(long, value_enum)]
    pub(crate) kind: Option<KindArg>,
    /// Group of the holder, as in @approvers of a gate; repeatable
    #[arg(long = "group", value_name = "GROUP")]
    pub(crate) groups: Vec<String>,
    /// Agent to which the token is bound: its holder sees no more than that agent does
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: Option<AgentName>,
    /// The lifetime of the token, such as 90m, 12h or 30d [default: until it is revoked]
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub(crate) expires: Option<Duration>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum RoleArg {
    Agent,
    Admin,
    Operator,
    Approver,
    Auditor,
    Server,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Role {
        match role {
            RoleArg::Agent => Role::Agent,
            RoleArg::Admin => Role::Admin,
            RoleArg::Operator => Role::Operator,
            RoleArg::Approver => Role::Approver,
            RoleArg::Auditor => Role::Auditor,
            RoleArg::Server => Role::Server,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum KindArg {
    Human,
    Agent,
    Service,
}

impl From<KindArg> for PrincipalKind {
    fn from(kind: KindArg) -> PrincipalKind {
        match kind {
            KindArg::Human => PrincipalKind::Human,
            KindArg::Agent => PrincipalKind::Agent,
            KindArg::Service => PrincipalKind::Service,
        }
    }
}
