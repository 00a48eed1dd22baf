//! The oldest encryption of PDF (revision 2: RC4 with 40 bits), enough to make a file that asks for a password.

const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08, 0x2E,
    0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];
pub(super) const ID: [u8; 16] = *b"an id of a file!";
const PERMISSIONS: i32 = -4;

/// The entries of the encryption dictionary for a user password, and the key that encrypts.
pub(super) fn for_password(password: &str) -> (String, Vec<u8>) {
    let padded = padded(password);
    let owner = rc4(&md5(&padded)[..5], &padded);
    let mut seed = padded.to_vec();
    seed.extend_from_slice(&owner);
    seed.extend_from_slice(&PERMISSIONS.to_le_bytes());
    seed.extend_from_slice(&ID);
    let key = md5(&seed)[..5].to_vec();
    let user = rc4(&key, &PADDING);
    let entries = format!(
        "<< /Filter /Standard /V 1 /R 2 /O <{}> /U <{}> /P {PERMISSIONS} >>",
        hex(&owner),
        hex(&user)
    );
    (entries, key)
}

/// Encrypts the content of an object.
pub(super) fn encrypted(key: &[u8], object: u32, bytes: &[u8]) -> Vec<u8> {
    let mut seed = key.to_vec();
    seed.extend_from_slice(&object.to_le_bytes()[..3]);
    seed.extend_from_slice(&[0, 0]);
    rc4(&md5(&seed)[..key.len() + 5], bytes)
}

fn padded(password: &str) -> [u8; 32] {
    let mut padded = [0; 32];
    let bytes: Vec<u8> = password.bytes().chain(PADDING).take(32).collect();
    padded.copy_from_slice(&bytes);
    padded
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn rc4(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut state: Vec<u8> = (0..=255).collect();
    let mut other = 0_u8;
    for index in 0..256 {
        other = other.wrapping_add(state[index]).wrapping_add(key[index % key.len()]);
        state.swap(index, usize::from(other));
    }
    let (mut one, mut other) = (0_u8, 0_u8);
    let next = |byte: &u8| {
        one = one.wrapping_add(1);
        other = other.wrapping_add(state[usize::from(one)]);
        state.swap(usize::from(one), usize::from(other));
        byte ^ state[usize::from(state[usize::from(one)].wrapping_add(state[usize::from(other)]))]
    };
    bytes.iter().map(next).collect()
}

fn md5(bytes: &[u8]) -> [u8; 16] {
    const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64) + if padded.len() % 64 > 56 { 64 } else { 0 }, 0);
    let length = padded.len();
    padded[length - 8..].copy_from_slice(&(bytes.len() as u64 * 8).to_le_bytes());
    let mut state: [u32; 4] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476];
    for block in padded.as_chunks::<64>().0 {
        let word = |index: usize| u32::from_le_bytes(block.as_chunks::<4>().0[index]);
        let [mut a, mut b, mut c, mut d] = state;
        for step in 0..64_usize {
            let (mixed, index) = match step / 16 {
                0 => ((b & c) | (!b & d), step),
                1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
                2 => (b ^ c ^ d, (3 * step + 5) % 16),
                _ => (c ^ (b | !d), (7 * step) % 16),
            };
            let sine = ((step as f64 + 1.0).sin().abs() * 4_294_967_296.0) as u32;
            let sum = a.wrapping_add(mixed).wrapping_add(sine).wrapping_add(word(index));
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(TURNS[step / 16][step % 4]));
        }
        for (value, added) in state.iter_mut().zip([a, b, c, d]) {
            *value = value.wrapping_add(added);
        }
    }
    let mut digest = [0; 16];
    digest
        .iter_mut()
        .zip(state.iter().flat_map(|value| value.to_le_bytes()))
        .for_each(|(to, from)| *to = from);
    digest
}

#[test]
fn digests_are_those_that_are_known() {
    assert_eq!(hex(&md5(b"")), "d41d8cd98f00b204e9800998ecf8427e");
    assert_eq!(hex(&md5(b"message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
    assert_eq!(hex(&md5(&[b'a'; 60])), hex(&md5(&[b'a'; 60])));
    assert_eq!(hex(&rc4(b"Key", b"Plaintext")), "bbf316e8d940af0ad3");
}
