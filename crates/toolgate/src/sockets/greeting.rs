//! The first line on the agents' socket: `toolgate stdio --agent NAME` names its agent there. A client
//! without such a line begins with its first message, and has the agent of its principal.

use std::io::Cursor;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use toolgate_core::scope::{AgentName, SessionRoute};

/// The beginning of the line. JSON never starts like this.
const WORD: &str = "toolgate-agent ";
/// More than the word and the longest name, in any script.
const LINE_BYTES_MAX: u64 = 512;

/// The line that names the agent.
pub(crate) fn greet(agent: &AgentName) -> String {
    format!("{WORD}{agent}\n")
}

/// Reads the line if there is one. Everything else is left in the reader as it came.
pub(super) async fn hear<R: AsyncRead + Unpin>(reader: R) -> (SessionRoute, impl AsyncRead + Unpin) {
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let begins = reader.fill_buf().await.is_ok_and(|first| first.first() == WORD.as_bytes().first());
    if begins {
        // Unreadable input ends here as it would end there.
        drop((&mut reader).take(LINE_BYTES_MAX).read_until(b'\n', &mut line).await);
    }
    let agent = read(&line);
    if agent.is_some() {
        line.clear();
    }
    (agent.map_or(SessionRoute::Default, SessionRoute::Agent), Cursor::new(line).chain(reader))
}

fn read(line: &[u8]) -> Option<AgentName> {
    let name = std::str::from_utf8(line).ok()?.strip_prefix(WORD)?.strip_suffix('\n')?;
    AgentName::new(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn heard(sent: &str) -> (SessionRoute, String) {
        let (route, mut reader) = hear(sent.as_bytes()).await;
        let mut rest = String::new();
        reader.read_to_string(&mut rest).await.expect("text");
        (route, rest)
    }

    #[tokio::test]
    async fn an_agent_says_its_name_before_its_first_message() {
        let agent = AgentName::new("büro-2").expect("a name");
        let sent = greet(&agent) + "{\"id\":1}\n";
        assert_eq!(heard(&sent).await, (SessionRoute::Agent(agent), "{\"id\":1}\n".to_owned()));
    }

    #[tokio::test]
    async fn what_is_no_greeting_stays_as_it_came() {
        let long = format!("toolgate-agent {}\n{{}}\n", "x".repeat(2_000));
        for sent in
            ["", "{\"id\":1}\n", "[]\n", " {}\n", "true\n{}\n", "toolgate-agent a b\n{}\n", "tool", &long]
        {
            assert_eq!(heard(sent).await, (SessionRoute::Default, sent.to_owned()), "{sent:?}");
        }
    }
}
