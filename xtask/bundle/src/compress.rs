//! Brotli and gzip compression for the bundled files.

use std::io::Write;

use anyhow::Result;
use brotli::{
    CompressorWriter,
    enc::{BrotliEncoderParams, backward_references::BrotliEncoderMode},
};
use flate2::{Compression, write::GzEncoder};

/// The first bytes of every WebAssembly module.
const MODULE: &[u8] = b"\0asm";

/// Compresses with Brotli at quality 11 and a window that fits the whole module. For WebAssembly, the most significant bits
/// of the previous byte predict the next byte best.
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

/// Compresses with gzip at level 9.
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
    fn compressed_content_can_be_decompressed() {
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
