//! What can be said on the command line beyond what every server knows.

use std::path::PathBuf;

/// Options of this server.
#[derive(Clone, Default, Debug, clap::Args)]
pub struct Options {
    /// The program of LibreOffice for `engine: libreoffice`; looked for on the PATH if left out
    #[arg(long, value_name = "PROGRAM", env = "MEDIA_TRANSFORM_LIBREOFFICE", help_heading = "Engines")]
    pub libreoffice: Option<PathBuf>,
    /// Set only with the fonts inside this program, so that the same input makes the same file on every machine
    #[arg(long, env = "MEDIA_TRANSFORM_EMBEDDED_FONTS", help_heading = "Engines")]
    pub embedded_fonts: bool,
}
