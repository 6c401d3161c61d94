//! The icon as a PNG, for the devices that want no SVG: the same domino as in `icon.svg`, drawn dot by dot.

use std::io::Write;

use anyhow::Result;
use flate2::{Compression, Crc, write::ZlibEncoder};

const FELT: [u8; 3] = [20, 81, 59];
const EDGE: [u8; 3] = [205, 191, 159];
const FACE: [u8; 3] = [251, 246, 233];
const LINE: [u8; 3] = [185, 168, 131];
const DOT: [u8; 3] = [42, 33, 27];

/// The dots of 4-2 on a board of 512 by 512.
const DOTS: [(f32, f32); 6] =
    [(204.0, 108.0), (308.0, 108.0), (204.0, 204.0), (308.0, 204.0), (204.0, 296.0), (308.0, 392.0)];

/// A square icon of so many pixels.
pub(crate) fn png(size: u32) -> Result<Vec<u8>> {
    let mut rows = Vec::new();
    for y in 0..size {
        rows.push(0);
        for x in 0..size {
            rows.extend(smooth(x, y, size));
        }
    }
    let mut header = Vec::new();
    header.extend(size.to_be_bytes());
    header.extend(size.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&rows)?;
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &packed.finish()?);
    chunk(&mut file, *b"IEND", &[]);
    Ok(file)
}

/// The mean of sixteen points inside a pixel, so that edges are smooth.
fn smooth(x: u32, y: u32, size: u32) -> [u8; 3] {
    let mut sums = [0_u32; 3];
    for step in 0..16_u32 {
        let at = |pixel: u32, part: u32| (pixel as f32 + (part as f32 + 0.5) / 4.0) * 512.0 / size as f32;
        let colour = colour(at(x, step % 4), at(y, step / 4));
        for (sum, part) in sums.iter_mut().zip(colour) {
            *sum += u32::from(part);
        }
    }
    sums.map(|sum| (sum / 16) as u8)
}

fn colour(x: f32, y: f32) -> [u8; 3] {
    if DOTS.iter().any(|(dot_x, dot_y)| (x - dot_x).hypot(y - dot_y) < 20.0) {
        DOT
    } else if (176.0..336.0).contains(&x) && (247.0..253.0).contains(&y) {
        LINE
    } else if is_inside(x, y, 56.0, 444.0) {
        FACE
    } else if is_inside(x, y, 64.0, 456.0) {
        EDGE
    } else {
        FELT
    }
}

/// Inside the domino between two heights, with round corners.
fn is_inside(x: f32, y: f32, top: f32, bottom: f32) -> bool {
    let radius = 36.0;
    let (near_x, near_y) = (x.clamp(148.0 + radius, 364.0 - radius), y.clamp(top + radius, bottom - radius));
    (x - near_x).hypot(y - near_y) <= radius
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) {
    file.extend((content.len() as u32).to_be_bytes());
    let mut crc = Crc::new();
    crc.update(&kind);
    crc.update(content);
    file.extend(kind);
    file.extend(content);
    file.extend(crc.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_is_a_png_of_the_size() {
        let file = png(16).unwrap();
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&file[16..24], &[0, 0, 0, 16, 0, 0, 0, 16]);
        assert!(file.ends_with(&[0xae, 0x42, 0x60, 0x82]));
    }
}
