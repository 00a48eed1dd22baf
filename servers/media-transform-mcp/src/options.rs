//! The additional options of the command line.

use std::path::PathBuf;

/// Options of this server.
#[derive(Clone, Default, Debug, clap::Args)]
pub struct MediaTransformOptions {
    /// The LibreOffice program for `engine: libreoffice`; searched on the PATH by default
    #[arg(long, value_name = "PROGRAM", env = "MEDIA_TRANSFORM_LIBREOFFICE", help_heading = "Engines")]
    pub libreoffice: Option<PathBuf>,
    /// Use only the fonts inside this program, so that the same input makes the same file on every machine
    #[arg(long, env = "MEDIA_TRANSFORM_EMBEDDED_FONTS", help_heading = "Engines")]
    pub embedded_fonts: bool,
}
