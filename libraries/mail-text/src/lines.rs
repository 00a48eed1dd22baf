//! The lines of a mail as SMTP takes them.

/// Lines that begin with a dot get another one, since a lone dot ends a mail. The last line is ended. The dot that ends the mail does
/// not stand here.
pub fn dotted(message: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(message.len() + 64);
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b".") {
            body.push(b'.');
        }
        body.extend_from_slice(line);
    }
    if !body.ends_with(b"\r\n") {
        body.extend_from_slice(b"\r\n");
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_dot_in_a_mail_does_not_end_it() {
        assert_eq!(dotted(b"a\r\n.\r\n..b\r\nc"), b"a\r\n..\r\n...b\r\nc\r\n");
        assert_eq!(dotted(b".\r\n"), b"..\r\n");
    }
}
