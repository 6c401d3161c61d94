//! Copies that travel: brotli at its best, gzip for those who do not know it.

use std::io::Write;

use anyhow::Result;
use brotli::{
    CompressorWriter,
    enc::{BrotliEncoderParams, backward_references::BrotliEncoderMode},
};
use flate2::{Compression, write::GzEncoder};

/// The first bytes of every WebAssembly module.
const MODULE: &[u8] = b"\0asm";

/// Brotli, quality 11, with a window that the whole module fits into. What comes next in a module depends most on the upper bits
/// of the byte before, in text on what kind of letter it was.
pub(crate) fn brotli(content: &[u8]) -> Result<Vec<u8>> {
    let is_module = content.starts_with(MODULE);
    let mode =
        if is_module { BrotliEncoderMode::BROTLI_FORCE_MSB_PRIOR } else { BrotliEncoderMode::BROTLI_MODE_GENERIC };
    let parameters =
        BrotliEncoderParams { quality: 11, lgwin: 22, mode, size_hint: content.len(), ..Default::default() };
    let mut writer = CompressorWriter::with_params(Vec::new(), 1 << 16, &parameters);
    writer.write_all(content)?;
    Ok(writer.into_inner())
}

/// Gzip, level 9.
pub(crate) fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let text = b"twenty-eight dominoes ".repeat(50);
        let module = [MODULE, &text].concat();
        for content in [text, module] {
            let mut back = Vec::new();
            brotli::Decompressor::new(&brotli(&content).unwrap()[..], 4096).read_to_end(&mut back).unwrap();
            assert_eq!(back, content);
            back.clear();
            flate2::read::GzDecoder::new(&gzip(&content).unwrap()[..]).read_to_end(&mut back).unwrap();
            assert_eq!(back, content);
        }
    }
}
