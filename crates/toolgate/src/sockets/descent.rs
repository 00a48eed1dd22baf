//! A check whether the process at the other end of a socket was started by this gateway: then it is a server
//! or works for one, and with any key it is not the person at the command line. A process whose parents have
//! ended is no longer a descendant, so this is a second fence and not the first.

use tokio::net::UnixStream;

/// Longer than any line of parents that people start programs through.
const GENERATIONS_MAX: usize = 64;

pub(super) fn is_of_ours(stream: &UnixStream) -> bool {
    let Some(peer) = stream.peer_cred().ok().and_then(|peer| peer.pid()) else { return false };
    let own = i32::try_from(std::process::id()).unwrap_or(i32::MAX);
    peer != own
        && std::iter::successors(Some(peer), |pid| parent(*pid)).take(GENERATIONS_MAX).any(|pid| pid == own)
}

/// `None` if the system does not tell.
fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parent_in(&stat)
}

/// The name of the program is in brackets and may contain anything.
fn parent_in(stat: &str) -> Option<i32> {
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok().filter(|parent| *parent > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_stands_behind_the_name_whatever_the_name_is() {
        assert_eq!(parent_in("77 (a) b) (c) S 12 77 77 0 -1"), Some(12));
        assert_eq!(parent_in("1 (init) S 0 1 1 0"), None);
        assert_eq!(parent_in("nonsense"), None);
    }

    #[tokio::test]
    async fn we_are_no_descendant_of_ourselves() {
        let (stream, _other) = UnixStream::pair().unwrap();
        assert!(!is_of_ours(&stream));
    }
}
