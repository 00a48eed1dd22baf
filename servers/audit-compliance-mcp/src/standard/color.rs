//! Colour spaces where they are used, halftones and transparency groups.

use crate::cos::{Dict, PdfValue};

use super::checker::Checker;
use super::intents::ProfileHeader;
use super::output::DeviceColors;
use super::syntax;

/// Colour spaces inside colour spaces.
const DEPTH_MAX: usize = 8;

/// A colour space in use.
#[derive(Clone, Copy, Debug)]
pub(super) enum ColorSpace<'a> {
    Device(DeviceColors),
    Other(&'a PdfValue),
}

/// Inside which kind of colour space another one is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    Indexed,
    Spot,
    Group,
}

pub(super) fn device(name: &str) -> Option<DeviceColors> {
    match name {
        "DeviceGray" | "G" | "CalGrayDevice" => Some(DeviceColors::Gray),
        "DeviceRGB" | "RGB" => Some(DeviceColors::Rgb),
        "DeviceCMYK" | "CMYK" => Some(DeviceColors::Cmyk),
        _ => None,
    }
}

/// The colour space that a value names or is.
pub(super) fn resolve<'a>(
    c: &Checker<'a>,
    value: &PdfValue,
    resources: Option<&'a Dict>,
) -> Option<ColorSpace<'a>> {
    let name = value.name()?;
    if let Some(colors) = device(name) {
        return Some(ColorSpace::Device(colors));
    }
    let spaces = c.at(resources?, "ColorSpace").dict()?;
    let found = c.at(spaces, name);
    match found.name().and_then(device) {
        Some(colors) => Some(ColorSpace::Device(colors)),
        None if *found != PdfValue::Null => Some(ColorSpace::Other(found)),
        None => None,
    }
}

/// A colour space that something is painted with.
pub(super) fn used<'a>(c: &mut Checker<'a>, space: ColorSpace<'a>, resources: Option<&'a Dict>) {
    match space {
        ColorSpace::Device(colors) => device_colors(c, colors, resources, Around::Nothing),
        ColorSpace::Other(value) => of_value(c, value, resources, Around::Nothing, 0),
    }
}

/// The colour space of a picture or a shading.
pub(super) fn used_value<'a>(c: &mut Checker<'a>, value: &'a PdfValue, resources: Option<&'a Dict>) {
    match resolve(c, value, resources) {
        Some(space) => used(c, space, resources),
        None => of_value(c, value, resources, Around::Nothing, 0),
    }
}

fn of_value<'a>(
    c: &mut Checker<'a>,
    value: &'a PdfValue,
    resources: Option<&'a Dict>,
    around: Around,
    depth: usize,
) {
    if depth > DEPTH_MAX {
        return;
    }
    if let Some(colors) = value.name().and_then(device) {
        device_colors(c, colors, resources, around);
        return;
    }
    let list = value.list();
    let Some(kind) = list.first().and_then(|it| c.get(it).name()) else { return };
    let second = list.get(1).map(|it| c.get(it));
    match (kind, second) {
        ("ICCBased", Some(profile)) => icc(c, profile),
        ("Indexed" | "I", Some(base)) => of_value(c, base, resources, Around::Indexed, depth + 1),
        ("Pattern", Some(base)) => of_value(c, base, resources, Around::Indexed, depth + 1),
        ("Separation", Some(_)) => {
            separation(c, list);
            alternate(c, list, resources, depth);
        }
        ("DeviceN", Some(names)) => {
            device_n(c, list, names);
            alternate(c, list, resources, depth);
        }
        _ if list.len() == 1 => {
            if let Some(colors) = device(kind) {
                device_colors(c, colors, resources, around);
            }
        }
        _ => {}
    }
}

fn alternate<'a>(c: &mut Checker<'a>, list: &'a [PdfValue], resources: Option<&'a Dict>, depth: usize) {
    if let Some(space) = list.get(2).map(|it| c.get(it)) {
        of_value(c, space, resources, Around::Spot, depth + 1);
    }
}

fn device_colors<'a>(c: &mut Checker<'a>, colors: DeviceColors, resources: Option<&'a Dict>, around: Around) {
    let (key, rule, name) = match colors {
        DeviceColors::Gray => ("DefaultGray", "6.2.4.3-4", "DeviceGray"),
        DeviceColors::Rgb => ("DefaultRGB", "6.2.4.3-2", "DeviceRGB"),
        DeviceColors::Cmyk => ("DefaultCMYK", "6.2.4.3-3", "DeviceCMYK"),
    };
    let spaces = resources.and_then(|it| c.at(it, "ColorSpace").dict());
    let covered = match colors {
        DeviceColors::Gray => c.output.colors.is_some(),
        _ => c.output.colors == Some(colors),
    };
    if covered || spaces.is_some_and(|it| it.has(key)) {
        return;
    }
    c.a(rule, name);
    match around {
        Around::Nothing => {}
        Around::Indexed => c.a("6.2.4.5-1", name),
        Around::Spot => c.a("6.2.4.4-3", name),
        Around::Group => c.a("6.2.10-3", name),
    }
}

fn icc<'a>(c: &mut Checker<'a>, profile: &'a PdfValue) {
    let Some(stream) = profile.stream() else {
        c.a("6.2.4.2-1", "no profile");
        return;
    };
    let Some(header) = ProfileHeader::of(c, stream) else {
        c.a("6.2.4.2-1", "the profile cannot be read");
        return;
    };
    let class = matches!(&header.class, b"scnr" | b"mntr" | b"prtr" | b"spac");
    let space = matches!(&header.space, b"GRAY" | b"RGB " | b"CMYK" | b"Lab ");
    let components = c.at(&stream.dict, "N").int();
    if !class || !space || header.major > 4 || components != Some(header.components()) {
        c.a(
            "6.2.4.2-1",
            format!(
                "a profile of class {} and version {}",
                String::from_utf8_lossy(&header.class),
                header.major
            ),
        );
    }
}

/// True if a colour space is ICCBased with four components.
pub(super) fn is_icc_cmyk<'a>(c: &Checker<'a>, space: ColorSpace<'a>) -> bool {
    let ColorSpace::Other(value) = space else { return false };
    let list = value.list();
    let is_icc = list.first().is_some_and(|it| c.get(it).is_name("ICCBased"));
    let stream = list.get(1).and_then(|it| c.get(it).stream());
    is_icc && stream.is_some_and(|it| c.at(&it.dict, "N").int() == Some(4))
}

fn separation<'a>(c: &mut Checker<'a>, list: &'a [PdfValue]) {
    let Some(PdfValue::Name(name)) = list.get(1).map(|it| c.get(it)) else { return };
    let name_value = c.get(&list[1]);
    syntax::utf8_name(c, name_value);
    if name == b"All" || name == b"None" {
        return;
    }
    let same = |c: &Checker<'a>, one: &'a [PdfValue], other: &'a [PdfValue]| {
        (2..4).all(|index| match (one.get(index), other.get(index)) {
            (Some(one), Some(other)) => one == other || c.get(one) == c.get(other),
            (one, other) => one.is_none() && other.is_none(),
        })
    };
    let known = c.spots.iter().find(|(known, _)| known == name).map(|(_, list)| *list);
    match known {
        Some(known) if !same(c, known, list) => c.a("6.2.4.4-2", String::from_utf8_lossy(name)),
        Some(_) => {}
        None => c.spots.push((name.clone(), list)),
    }
}

fn device_n<'a>(c: &mut Checker<'a>, list: &'a [PdfValue], names: &'a PdfValue) {
    const PROCESS: [&[u8]; 5] = [b"Cyan", b"Magenta", b"Yellow", b"Black", b"None"];
    if names.list().len() > 32 {
        c.a("6.1.13-9", format!("{} colorants", names.list().len()));
    }
    let attributes = list.get(4).and_then(|it| c.get(it).dict());
    let colorants = attributes.and_then(|it| c.at(it, "Colorants").dict());
    for name in names.list() {
        let value = c.get(name);
        syntax::utf8_name(c, value);
        let PdfValue::Name(bytes) = c.get(name) else { continue };
        let has = colorants.is_some_and(|it| it.iter().any(|(key, _)| key == bytes.as_slice()));
        if !has && !PROCESS.contains(&bytes.as_slice()) {
            c.a("6.2.4.4-1", String::from_utf8_lossy(bytes));
        }
    }
    for (_, value) in colorants.into_iter().flat_map(Dict::iter) {
        let own = c.get(value).list();
        if own.first().is_some_and(|it| c.get(it).is_name("Separation")) {
            separation(c, own);
        }
    }
}

/// A halftone dictionary.
pub(super) fn halftone<'a>(c: &mut Checker<'a>, dict: &'a Dict) {
    let kind = c.at(dict, "HalftoneType").int().unwrap_or(0);
    if kind != 1 && kind != 5 {
        c.a("6.2.5-4", format!("halftone type {kind}"));
    }
    if dict.has("HalftoneName") {
        c.a("6.2.5-5", "HalftoneName");
    }
    if kind == 5 {
        const PRIMARY: [&[u8]; 10] = [
            b"Cyan", b"Magenta", b"Yellow", b"Black", b"Gray", b"Red", b"Green", b"Blue", b"Default", b"Type",
        ];
        for (key, value) in
            dict.iter().filter(|(key, _)| !matches!(*key, b"HalftoneType" | b"HalftoneName" | b"Type"))
        {
            let Some(own) = c.get(value).dict() else { continue };
            let primary = PRIMARY.contains(&key);
            if primary == own.has("TransferFunction") {
                c.a("6.2.5-6", String::from_utf8_lossy(key));
            }
        }
    }
}

/// A transparency group.
pub(super) fn group<'a>(c: &mut Checker<'a>, dict: &'a Dict) {
    if c.at(dict, "S").is_name("Transparency") && dict.has("CS") {
        let space = c.at(dict, "CS");
        of_value(c, space, None, Around::Group, 0);
    }
}
