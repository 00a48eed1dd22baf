//! `toolgate mail …`

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum MailCommand {
    /// Show where mails go, what they tell of, and how deliveries go
    #[command(after_help = "Example:\n  toolgate mail show")]
    Show,
    /// Send one test mail to each address right away, and say how far each came
    #[command(
        after_help = "Ends with status 0 if every mail was taken, and with 1 otherwise.\n\nExample:\n  toolgate mail test"
    )]
    Test,
}
