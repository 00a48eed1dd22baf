//! The confinement of a process, for people.

use std::path::PathBuf;

use toolgate_core::server::{Confinement, ConfinementLevel};

use crate::confiner::{ConfineError, ConfinementDemand};
use crate::means::SandboxSupport;
use crate::plan::SandboxPlan;

pub(crate) fn off() -> Confinement {
    let says =
        "may do whatever the gateway's user may, and read what the gateway keeps (`sandbox = \"off\"`)";
    Confinement { level: ConfinementLevel::Off, says: vec![says.to_owned()] }
}

pub(crate) fn refused(refused: &ConfineError) -> Confinement {
    Confinement { level: ConfinementLevel::Confined, says: vec![format!("does not start: {refused}")] }
}

pub(crate) fn of(plan: &SandboxPlan, means: &SandboxSupport, demand: ConfinementDemand) -> Confinement {
    let lacking = means.lacking();
    let level = match (means.has_namespaces() || means.has_landlock(), lacking.is_empty()) {
        (_, true) => ConfinementLevel::Confined,
        (true, false) => ConfinementLevel::Partly,
        (false, false) => ConfinementLevel::Off,
    };
    let mut says = Vec::new();
    if demand == ConfinementDemand::Required && level != ConfinementLevel::Confined {
        says.push("does not start: `[sandbox] required` is set".to_owned());
    }
    says.extend(plan.user.as_ref().map(|user| format!("runs as the user {}", user.name)));
    says.push(sight(plan));
    says.push(match plan.landlock {
        true => format!("writes only in {}", list(plan.write.iter().filter(|path| path.exists()))),
        false => "writes wherever its user may".to_owned(),
    });
    says.push(network(plan, means).to_owned());
    says.extend(lacking.into_iter().map(|lacking| format!("WARNING: {lacking}")));
    Confinement { level, says }
}

fn sight(plan: &SandboxPlan) -> String {
    match (plan.namespaces, plan.landlock) {
        (true, _) => format!("does not see {}", list(plan.own.iter().chain(&plan.hidden))),
        (false, true) => format!("cannot read {}", list(plan.own.iter())),
        (false, false) => "sees all that its user sees".to_owned(),
    }
}

fn network(plan: &SandboxPlan, means: &SandboxSupport) -> &'static str {
    match (plan.network, plan.namespaces, means.closes_network()) {
        (true, ..) => "uses the network",
        (false, true, _) => "has no network",
        (false, false, true) => "has no network but UDP, which this machine cannot close",
        (false, false, false) => "uses the network, which this machine cannot close",
    }
}

fn list<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> String {
    let shown: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    if shown.is_empty() { "nothing".to_owned() } else { shown.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> SandboxPlan {
        SandboxPlan {
            user: None,
            cwd: "/".into(),
            make: Vec::new(),
            own: vec!["/gate/data".into()],
            hidden: vec!["/home/me/.ssh".into()],
            write: vec!["/".into(), "/nowhere".into()],
            network: false,
            nested: false,
            namespaces: true,
            landlock: true,
        }
    }

    fn said(plan: &SandboxPlan, means: &SandboxSupport) -> (ConfinementLevel, String) {
        let Confinement { level, says } = of(plan, means, ConfinementDemand::Wanted);
        (level, says.join("\n"))
    }

    #[test]
    fn all_that_can_be_done_is_told_in_three_lines() {
        let (level, said) = said(&plan(), &SandboxSupport { no_namespaces: None, landlock: 7 });
        assert_eq!(level, ConfinementLevel::Confined);
        assert_eq!(said, "does not see /gate/data, /home/me/.ssh\nwrites only in /\nhas no network");
    }

    #[test]
    fn what_this_machine_cannot_do_is_a_warning() {
        let container = SandboxSupport { no_namespaces: Some("EPERM".into()), landlock: 7 };
        let (level, text) = said(&SandboxPlan { namespaces: false, ..plan() }, &container);
        assert_eq!(level, ConfinementLevel::Partly);
        assert!(
            text.starts_with("cannot read /gate/data\n") && text.contains("WARNING: user namespaces"),
            "{text}"
        );
        assert!(text.contains("but UDP"), "{text}");
        let none = SandboxPlan { namespaces: false, landlock: false, network: true, ..plan() };
        let (level, text) = said(&none, &SandboxSupport::none("no"));
        assert_eq!(level, ConfinementLevel::Off);
        assert!(text.contains("sees all that its user sees") && text.contains("no Landlock"), "{text}");
    }
}
