//! `toolgate inputs` and `toolgate runs`.
