//! Reads the files that the arguments name. Errors name the file, the field and the rule.

use std::{io::Read, path::Path};

use anyhow::{Context, bail};
use texas42_vocab::Config;

/// The largest file to read.
const MAX_BYTES: u64 = 16 << 20;

/// The text of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let source: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?)
    };
    source.take(MAX_BYTES + 1).read_to_string(&mut text).with_context(|| format!("{} cannot be read", name(path)))?;
    if text.len() as u64 > MAX_BYTES {
        bail!("{} is larger than {MAX_BYTES} bytes", name(path));
    }
    Ok(text)
}

/// The name of a source in errors.
fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// The configuration in a file; without a file, straight 42.
pub(crate) fn read_config(path: Option<&Path>) -> anyhow::Result<Config> {
    let Some(path) = path else { return Ok(Config::default()) };
    let text = read(path)?;
    // serde would also accept an array and assign its items to the fields in order.
    if text.trim_start().starts_with('[') {
        bail!("{} is not a configuration: a configuration is an object", name(path));
    }
    let mut json = serde_json::Deserializer::from_str(&text);
    let what = || format!("{} is not a configuration", name(path));
    let config = serde_path_to_error::deserialize(&mut json).with_context(what)?;
    json.end().with_context(what)?;
    Ok(config)
}
