//! LibreOffice as a child process, for its layout if it is installed. It gets its own folder and profile;
//! time and memory are those of the worker, which ends it too.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use capability_kit::Trouble;

/// Names of the program, in search order.
const PROGRAMS: [&str; 2] = ["soffice", "libreoffice"];
/// The maximum length of its error message.
const COMPLAINT_CHARS: usize = 300;

/// The place of LibreOffice, if given.
#[derive(Clone, Default)]
pub(crate) struct LibreOffice {
    said: Option<PathBuf>,
}

impl LibreOffice {
    pub(crate) fn new(said: Option<PathBuf>) -> Self {
        Self { said }
    }

    /// A PDF of an office file with this extension.
    pub(crate) fn pdf(&self, bytes: &[u8], extension: &str) -> Result<Vec<u8>, Trouble> {
        let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
        let input = folder.path().join(format!("input.{extension}"));
        fs::write(&input, bytes).map_err(|error| failed(&error))?;
        let complaint = self.run(folder.path(), &input)?;
        fs::read(folder.path().join("input.pdf")).map_err(|_| {
            Trouble::unreadable(format!("LibreOffice could not convert the file: {complaint}"))
                .hint("try engine: own, which lays the text out again")
        })
    }

    fn run(&self, folder: &Path, input: &Path) -> Result<String, Trouble> {
        let programs: Vec<PathBuf> = match &self.said {
            Some(program) => vec![program.clone()],
            None => PROGRAMS.iter().map(PathBuf::from).collect(),
        };
        for program in programs {
            match command(&program, folder, input).output() {
                Ok(output) => {
                    let said = String::from_utf8_lossy(&output.stderr);
                    return Ok(said.trim().chars().take(COMPLAINT_CHARS).collect());
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(&error)),
            }
        }
        Err(Trouble::unavailable("LibreOffice is not installed on this server's machine").hint(
            "apt-get install --no-install-recommends libreoffice-writer-nogui, or start the server with \
             --libreoffice PROGRAM; engine: own works without it",
        ))
    }
}

/// Standard input and output are used by the worker.
fn command(program: &Path, folder: &Path, input: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .arg(format!("-env:UserInstallation=file://{}", folder.join("profile").display()))
        .args([
            "--headless",
            "--norestore",
            "--nolockcheck",
            "--nodefault",
            "--convert-to",
            "pdf",
            "--outdir",
        ])
        .arg(folder)
        .arg(input)
        .current_dir(folder)
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn failed(error: &io::Error) -> Trouble {
    Trouble::internal(format!("LibreOffice could not be run: {error}"))
}
