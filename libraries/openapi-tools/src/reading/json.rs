//! JSON. Values and levels are counted before anything is allocated for them.

use serde_json::Value;

use crate::bad::BadDocument;
use crate::limits::ReadLimits;

pub(super) fn parse(text: &str, limits: &ReadLimits) -> Result<Value, BadDocument> {
    count(text.as_bytes(), limits)?;
    serde_json::from_str(text).map_err(|error| BadDocument::Json { says: error.to_string() })
}

/// Every value but the first follows a comma or begins a list or an object that is not empty.
fn count(bytes: &[u8], limits: &ReadLimits) -> Result<(), BadDocument> {
    let (mut values, mut depth, mut deepest) = (1usize, 0usize, 0usize);
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => skip_string(&mut rest),
            b'{' | b'[' => {
                values += 1;
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => values += 1,
            _ => {}
        }
    }
    if deepest > limits.depth_max {
        return Err(BadDocument::TooDeep { max: limits.depth_max });
    }
    if values > limits.nodes_max {
        return Err(BadDocument::TooManyValues { max: limits.nodes_max });
    }
    Ok(())
}

fn skip_string(rest: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                rest.next();
            }
            _ => {}
        }
    }
}
