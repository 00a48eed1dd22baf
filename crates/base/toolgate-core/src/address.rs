//! The rules for addresses of servers that were named over the network. Servers from the operator's own file
//! need no permission.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The addresses that a server may lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// The operator wrote the address down.
    Anywhere,
    /// The address came over the network.
    Within(AddressRules),
}

/// Additional addresses that the operator allows beyond public ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AddressRules {
    pub allow_loopback: bool,
    pub allow_private: bool,
}

/// The reason why an address is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddressRefused {
    #[error(
        "{0} is an address of this machine; `[network] allow_loopback = true` in toolgate.toml allows it"
    )]
    Loopback(IpAddr),
    #[error(
        "{0} is an address of a private network; `[network] allow_private = true` in toolgate.toml allows it"
    )]
    Private(IpAddr),
    #[error("{0} is not the address of a server")]
    Never(IpAddr),
}

impl Reach {
    pub fn check(self, address: IpAddr) -> Result<(), AddressRefused> {
        match self {
            Reach::Anywhere => Ok(()),
            Reach::Within(rules) => rules.check(address),
        }
    }
}

impl AddressRules {
    /// Checks that an address may be dialled. An address that embeds another one counts as the embedded one.
    pub fn check(self, address: IpAddr) -> Result<(), AddressRefused> {
        let plain = match address {
            IpAddr::V6(v6) => carried(v6).map_or(IpAddr::V6(v6), IpAddr::V4),
            v4 => v4,
        };
        match kind(plain) {
            AddressKind::Public => Ok(()),
            AddressKind::Loopback if self.allow_loopback => Ok(()),
            AddressKind::Private if self.allow_private => Ok(()),
            AddressKind::Loopback => Err(AddressRefused::Loopback(address)),
            AddressKind::Private => Err(AddressRefused::Private(address)),
            AddressKind::Never => Err(AddressRefused::Never(address)),
        }
    }
}

enum AddressKind {
    Public,
    Loopback,
    Private,
    /// Unspecified, multicast, broadcast, documentation, metadata services, reserved.
    Never,
}

fn kind(address: IpAddr) -> AddressKind {
    match address {
        IpAddr::V4(v4) => kind_v4(v4),
        IpAddr::V6(v6) => kind_v6(v6),
    }
}

fn kind_v4(address: Ipv4Addr) -> AddressKind {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        (127, ..) => AddressKind::Loopback,
        (10, ..) | (172, 16..=31, _) | (192, 168, _) | (100, 64..=127, _) => AddressKind::Private,
        // 169.254 has the metadata services of clouds.
        (0, ..) | (169, 254, _) | (192, 0, 0 | 2) | (198, 18..=19, _) | (198, 51, 100) | (203, 0, 113) => {
            AddressKind::Never
        }
        (224.., ..) => AddressKind::Never,
        _ => AddressKind::Public,
    }
}

fn kind_v6(address: Ipv6Addr) -> AddressKind {
    let first = address.segments()[0];
    match first {
        _ if address.is_loopback() => AddressKind::Loopback,
        _ if address.is_unspecified() || address.is_multicast() => AddressKind::Never,
        0xfc00..=0xfdff => AddressKind::Private,
        0xfe80..=0xfebf => AddressKind::Never,
        0x2001 if address.segments()[1] == 0x0db8 => AddressKind::Never,
        0x2000..=0x3fff => AddressKind::Public,
        _ => AddressKind::Never,
    }
}

/// The older address inside a newer one: mapped, compatible, translated (64:ff9b), 6to4, Teredo.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let last = || {
        let [a, b] = s[6].to_be_bytes();
        let [c, d] = s[7].to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match s {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => Some(last()),
        [0, 0, 0, 0, 0, 0, high, _] if high != 0 => Some(last()),
        [0x2002, high, low, ..] => {
            let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
            Some(Ipv4Addr::new(a, b, c, d))
        }
        // The client's address is written with every bit turned.
        [0x2001, 0, ..] => Some(Ipv4Addr::from(!u32::from(last()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(address: &str, rules: AddressRules) -> bool {
        rules.check(address.parse().expect("an address")).is_ok()
    }

    #[test]
    fn without_permission_only_public_addresses_are_dialled() {
        let rules = AddressRules::default();
        for public in ["8.8.8.8", "2606:4700::1111", "100.128.0.1", "172.32.0.1"] {
            assert!(allowed(public, rules), "{public}");
        }
        for not in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "100.64.0.1",
            "169.254.169.254",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fc00::1",
            "fe80::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:0:0:0:0:0:80ff:fffe",
            "2001:db8::1",
        ] {
            assert!(!allowed(not, rules), "{not}");
        }
    }

    #[test]
    fn each_permission_opens_its_own_range_and_nothing_opens_metadata_services() {
        let loopback = AddressRules { allow_loopback: true, allow_private: false };
        let private = AddressRules { allow_loopback: false, allow_private: true };
        let both = AddressRules { allow_loopback: true, allow_private: true };
        assert!(
            allowed("127.0.0.1", loopback)
                && allowed("::1", loopback)
                && allowed("::ffff:127.0.0.1", loopback)
        );
        assert!(!allowed("10.0.0.1", loopback) && !allowed("127.0.0.1", private));
        assert!(allowed("10.0.0.1", private) && allowed("fd00::1", private));
        assert!(!allowed("169.254.169.254", both) && !allowed("0.0.0.0", both));
    }
}
