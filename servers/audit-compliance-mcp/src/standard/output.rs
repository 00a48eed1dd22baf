//! The colours that the output intent of a file covers.

/// A kind of device colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DeviceColors {
    Gray,
    Rgb,
    Cmyk,
}

/// The colours that the output intent of the file covers.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct OutputColors {
    pub(super) colors: Option<DeviceColors>,
    pub(super) has_intent: bool,
}
