//! Aligned tables for text output.

use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Row, Table, TableStyle};

use crate::color::{STRONG, styled};

/// Columns with a space between them, and a rule below the heading.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('-').junction(' '))
    .content_lines(ContentLineStyle::none().junction(' '));

/// Renders a table with a heading. Columns from `numbers_from` on are aligned to the right. Cells are wrapped if the table is
/// wider than `columns`.
pub(crate) fn render(
    head: &[&str],
    rows: impl IntoIterator<Item = impl Into<Row>>,
    numbers_from: usize,
    columns: usize,
) -> String {
    let mut table = Table::new();
    table.load_style(STYLE).set_header(head.to_vec()).add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding(if index + 1 == head.len() { (0, 0) } else { (0, 1) });
        if index >= numbers_from {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    if let Ok(width) = u16::try_from(columns) {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    with_strong_heading(&table.trim_fmt())
}

fn with_strong_heading(text: &str) -> String {
    let is_rule = |line: &str| line.contains('-') && line.chars().all(|letter| "- ".contains(letter));
    let heading = text.lines().position(is_rule).unwrap_or_default();
    let line = |(number, line): (usize, &str)| {
        let line = if number < heading { styled(STRONG, line) } else { line.to_owned() };
        line + "\n"
    };
    text.lines().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(columns: usize) -> String {
        let rows = [["nello", "no trumps, doubles low", "7"], ["base", "fives", "12"]];
        let table = render(&["layer", "answer", "times"], rows.map(Vec::from), 2, columns);
        anstream::adapter::strip_str(&table).to_string()
    }

    #[test]
    fn columns_are_aligned() {
        let expected = "\
layer  answer                  times
------ ----------------------- -----
nello  no trumps, doubles low      7
base   fives                      12
";
        assert_eq!(plain(usize::MAX), expected);
    }

    #[test]
    fn cells_are_wrapped_on_a_narrow_terminal() {
        let table = plain(30);
        assert!(table.lines().all(|line| line.chars().count() <= 30) && table.lines().count() > 4, "{table}");
    }
}
