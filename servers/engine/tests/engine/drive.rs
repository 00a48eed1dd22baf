//! One engine of a test, in a folder of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use engine_protocol::{
    CONTENTS_FOLDER, ContentId, EngineAnswer, EngineErrorCode, EngineFault, EngineLine, EngineRequest,
    RequestLine,
};
use sha2::{Digest, Sha256};

/// Far more than anything here takes, on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
const LINES_MAX: usize = 4096;

pub(crate) struct EngineProcess {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<EngineLine>,
    last: u64,
}

impl EngineProcess {
    pub(crate) fn start(folder: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate-engine"));
        command.arg("--folder").arg(folder).args(["--threads", "2", "--log", "warn"]);
        for variable in ["TOOLGATE_MODEL", "CAPABILITY_OCR_MODELS", "TOOLGATE_ENGINE_POSTGRES"] {
            command.env_remove(variable);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = sync_channel(LINES_MAX);
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let line =
                    serde_json::from_str(&line).unwrap_or_else(|_| panic!("no line of an engine: {line}"));
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, input, lines, last: 0 }
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, text: &str) {
        self.input.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn send(&mut self, request: EngineRequest) -> u64 {
        self.last += 1;
        let line = serde_json::to_string(&RequestLine { id: self.last, request }).unwrap();
        self.write(&format!("{line}\n"));
        self.last
    }

    /// The next line; none at the end of the output.
    pub(crate) fn next_line(&self) -> Option<EngineLine> {
        self.lines.recv_timeout(PATIENCE).ok()
    }

    /// The answer to a request, past its progress and answers to others.
    pub(crate) fn answer<T: EngineAnswer>(&self, asked: u64) -> Result<T, EngineFault> {
        loop {
            match self.next_line().expect("an answer comes") {
                EngineLine::Result { id, result } if id == asked => {
                    return Ok(serde_json::from_value(result).unwrap());
                }
                EngineLine::Error { id, error } if id == asked => return Err(error),
                _ => {}
            }
        }
    }

    pub(crate) fn ask<T: EngineAnswer>(&mut self, request: EngineRequest) -> Result<T, EngineFault> {
        let id = self.send(request);
        self.answer(id)
    }

    pub(crate) fn refusal<T: EngineAnswer>(&mut self, request: EngineRequest) -> EngineErrorCode {
        match self.ask::<T>(request) {
            Ok(_) => panic!("it was not refused"),
            Err(fault) => fault.code,
        }
    }

    /// Waits for the end of the process, and says if it ended well.
    pub(crate) fn ends_well(&mut self) -> bool {
        eventually(|| self.child.try_wait().unwrap().map(|status| status.success()))
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // It has ended already, in most tests.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Puts a content in the folder, as the gateway does.
pub(crate) fn put(folder: &Path, bytes: &[u8]) -> ContentId {
    let digits: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let id = ContentId::try_from(digits).unwrap();
    let contents = folder.join(CONTENTS_FOLDER);
    std::fs::create_dir_all(&contents).unwrap();
    std::fs::write(contents.join(id.as_str()), bytes).unwrap();
    id
}

pub(crate) fn get(folder: &Path, id: &ContentId) -> Vec<u8> {
    std::fs::read(folder.join(CONTENTS_FOLDER).join(id.as_str())).unwrap()
}

/// Waits until something is there.
pub(crate) fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "it did not happen in time");
        thread::sleep(Duration::from_millis(5));
    }
}
