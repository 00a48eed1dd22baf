//! Mail: notices of what waits for people, one mail each, and a digest once a day.
//!
//! Lives here: the words of mails, their form, and the few commands of SMTP that send them. No mail has arguments, results or
//! secrets in it: it says what waits, and the console shows the rest to those who may see it.

mod delivery;
mod digest;
mod letter;
mod notice;
mod settings;
mod smtp;
mod trial;

pub(crate) use delivery::MailDelivery;
pub use digest::{BadDigestTime, DigestTime, MailDigest};
pub use mail_text::MailAddress;
pub use settings::{MailEncryption, MailLogin, MailNotice, MailReceiver, MailSender};
pub use trial::{MailTrial, MailTrialFailure};
