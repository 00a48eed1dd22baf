//! The confinement on this machine, and that of each server.

use toolgate_core::server::{ConfinementLevel, TransportSpec};
use toolgate_sandbox::Confiner;

use super::finding::{DoctorFinding, fine, wrong};
use crate::config::{Config, ServerEntry};
use crate::{confining, failure};

pub(super) fn check(config: &Config) -> Vec<DoctorFinding> {
    let confiner = match confining::confiner(config) {
        Ok(confiner) => confiner,
        Err(error) => return vec![wrong("sandbox", failure::render(&error), None)],
    };
    let started = config.servers.iter().filter(|server| server.enabled);
    let each = started.filter_map(|server| of_server(&confiner, server));
    [machine(&confiner)].into_iter().chain(each).collect()
}

fn machine(confiner: &Confiner) -> DoctorFinding {
    let lacking = confiner.means().lacking();
    if lacking.is_empty() {
        return fine("sandbox", "this machine can confine servers".into());
    }
    let hint = "`[sandbox] required = true` starts no server that cannot be confined in full; a container may need another seccomp profile";
    let says = format!("this machine cannot confine servers in full: {}", lacking.join("; "));
    let confined_at_all = confiner.means().has_namespaces() || confiner.means().has_landlock();
    DoctorFinding { ok: confined_at_all, hint: Some(hint.into()), ..fine("sandbox", says) }
}

fn of_server(confiner: &Confiner, server: &ServerEntry) -> Option<DoctorFinding> {
    let TransportSpec::Stdio { .. } = &server.spec.transport else { return None };
    let confinement = confiner.confinement(&server.spec.transport, &confining::inherited())?;
    let about = format!("sandbox of {}", server.spec.name);
    let says = format!("{}: {}", confinement.level.as_str(), confinement.says.join("; "));
    let hint = (confinement.level == ConfinementLevel::Off)
        .then(|| "its program can do whatever the gateway can: trust it as you trust the gateway".to_owned());
    Some(DoctorFinding { hint, ..fine(&about, says) })
}
