//! The text of the unit.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// The first line of each unit that `toolgate service` has written.
pub(super) const MARK: &str = "# Written by `toolgate service install`.";

pub(super) struct UnitText<'a> {
    pub(super) program: &'a Path,
    pub(super) config: Option<PathBuf>,
    pub(super) data: &'a Path,
}

impl UnitText<'_> {
    pub(super) fn render(&self) -> anyhow::Result<String> {
        let mut command = format!("{} serve --data {}", quoted(self.program)?, quoted(self.data)?);
        if let Some(config) = &self.config {
            command.push_str(&format!(" --config {}", quoted(config)?));
        }
        Ok(format!(
            "{MARK}\n\
             [Unit]\n\
             Description=Toolgate, the governed door between AI agents and tools\n\
             StartLimitIntervalSec=60\n\
             StartLimitBurst=5\n\
             \n\
             [Service]\n\
             ExecStart={command}\n\
             Restart=on-failure\n\
             RestartSec=2\n\
             TimeoutStopSec=60\n\
             KillMode=mixed\n\
             NoNewPrivileges=yes\n\
             UMask=0077\n\
             LimitNOFILE=65536\n\
             \n\
             [Install]\n\
             WantedBy=default.target\n"
        ))
    }
}

/// A path as systemd reads it back: quoted, with `%` and `$` meaning themselves.
fn quoted(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().with_context(|| format!("systemd takes no path like {}", path.display()))?;
    if text.chars().any(char::is_control) {
        bail!("systemd takes no path with a control character: {text:?}");
    }
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    Ok(format!("\"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_mean_themselves_to_systemd() {
        assert_eq!(quoted(Path::new("/home/a b/100%/$x\"")).unwrap(), r#""/home/a b/100%%/$$x\"""#);
        quoted(Path::new("/a\nExecStart=/bin/sh")).unwrap_err();
    }

    #[test]
    fn the_unit_names_program_data_and_configuration() {
        let data = Path::new("/home/ada/data");
        let unit = UnitText { program: Path::new("/usr/bin/toolgate"), config: None, data };
        let without = unit.render().unwrap();
        assert!(without.starts_with(MARK));
        assert!(
            without.contains("\nExecStart=\"/usr/bin/toolgate\" serve --data \"/home/ada/data\"\n"),
            "{without}"
        );
        let config = Some("/home/ada/toolgate.toml".into());
        let with = UnitText { config, ..unit }.render().unwrap();
        assert!(with.contains(" --config \"/home/ada/toolgate.toml\"\n"), "{with}");
    }
}
