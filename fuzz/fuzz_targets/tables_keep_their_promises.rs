//! The libFuzzer target for the law of the same name in `tests/fuzz-laws`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| texas42_fuzz_laws::tables_keep_their_promises(data));
