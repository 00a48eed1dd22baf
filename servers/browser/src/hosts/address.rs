//! Kinds of addresses. One that embeds another counts as the embedded one, so that no detour leads to a private network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AddressClass {
    Public,
    /// This machine and private networks.
    Private,
    /// Unspecified, multicast, broadcast, link-local with the metadata services of clouds, documentation, reserved.
    Never,
}

pub(super) fn class(address: IpAddr) -> AddressClass {
    match address {
        IpAddr::V4(v4) => class_v4(v4),
        IpAddr::V6(v6) => carried(v6).map_or_else(|| class_v6(v6), class_v4),
    }
}

fn class_v4(address: Ipv4Addr) -> AddressClass {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        (127 | 10, ..) | (172, 16..=31, _) | (192, 168, _) | (100, 64..=127, _) => AddressClass::Private,
        (0, ..) | (169, 254, _) | (192, 0, 0 | 2) | (192, 88, 99) => AddressClass::Never,
        (198, 18..=19, _) | (198, 51, 100) | (203, 0, 113) | (224.., ..) => AddressClass::Never,
        _ => AddressClass::Public,
    }
}

fn class_v6(address: Ipv6Addr) -> AddressClass {
    let [first, second, ..] = address.segments();
    match first {
        _ if address.is_loopback() => AddressClass::Private,
        0xfc00..=0xfdff => AddressClass::Private,
        0x2001 if second == 0x0db8 => AddressClass::Never,
        0x2000..=0x3fff => AddressClass::Public,
        _ => AddressClass::Never,
    }
}

/// The older address inside a newer one: mapped, compatible, translated (64:ff9b), 6to4, Teredo.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let of = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match s {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(of(high, low)),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => Some(of(high, low)),
        [0x2002, high, low, ..] => Some(of(high, low)),
        // The client's address is written with every bit turned.
        [0x2001, 0, _, _, _, _, high, low] => Some(of(!high, !low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str) -> AddressClass {
        class(address.parse().unwrap())
    }

    #[test]
    fn an_address_counts_as_the_one_that_it_embeds() {
        for public in ["8.8.8.8", "2606:4700::1111", "100.128.0.1", "172.32.0.1", "64:ff9b::808:808"] {
            assert_eq!(of(public), AddressClass::Public, "{public}");
        }
        for private in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "100.64.0.1",
            "::1",
            "fd12::1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2002:c0a8:101::1",
            "2001:0:1:2:3:4:80ff:fffe",
        ] {
            assert_eq!(of(private), AddressClass::Private, "{private}");
        }
        for never in [
            "0.0.0.0",
            "::",
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "224.0.0.1",
            "255.255.255.255",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "64:ff9b:1::a00:1",
            "100::1",
            "2001:db8::1",
        ] {
            assert_eq!(of(never), AddressClass::Never, "{never}");
        }
    }
}
