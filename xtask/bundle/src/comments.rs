//! Leaves the comments of scripts and style sheets out of the bundle, because a visitor loads them like code. Everything else
//! stays as it is written.

/// Removes the lines of a script that contain nothing but a comment. No script has a text of several lines, or code after a
/// comment that starts a line.
fn without_comment_lines(script: &str) -> String {
    let mut is_in_comment = false;
    let is_code = |line: &&str| {
        let text = line.trim_start();
        let is_comment = is_in_comment || text.starts_with("//") || text.starts_with("/*");
        is_in_comment = (is_in_comment || text.starts_with("/*")) && !text.contains("*/");
        !is_comment
    };
    script.split_inclusive('\n').filter(is_code).collect()
}

/// Removes the comments of a style sheet. No text in it contains the signs of a comment.
fn without_comments(style: &str) -> String {
    let mut parts = style.split("/*");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    kept.extend(parts.filter_map(|part| part.split_once("*/")).map(|(_, rules)| rules.trim_start()));
    kept
}

/// The content of a file without its comments, if the file is a script or a style sheet.
pub(crate) fn removed(name: &str, content: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    let remove = match name.rsplit('.').next() {
        Some("js") => without_comment_lines,
        Some("css") => without_comments,
        _ => return Ok(content),
    };
    Ok(remove(&String::from_utf8(content)?).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_keeps_its_code() {
        let script = [
            "// What it is.\nimport a from \"a\"; // why\n",
            "    /**\n     * Adds.\n     *\n     * @returns {number}\n     */\n  b() { return 2\n    * 3; }\n/* one line */\nc();\n",
        ];
        let code = "import a from \"a\"; // why\n  b() { return 2\n    * 3; }\nc();\n";
        assert_eq!(without_comment_lines(&script.concat()), code);
    }

    #[test]
    fn a_style_sheet_keeps_its_rules() {
        let style = "/* Colors */\na { b: c; }\n/* * / */ d { e: f; }\n";
        assert_eq!(without_comments(style), "a { b: c; }\nd { e: f; }\n");
        assert_eq!(without_comments("a { b: c; }\n"), "a { b: c; }\n");
    }

    #[test]
    fn other_files_stay_as_they_are() {
        assert_eq!(removed("words.json", b"// {}".to_vec()).unwrap(), b"// {}");
    }
}
