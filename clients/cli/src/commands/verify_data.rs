//! `texas42 verify-data`: checks that all data that a server stored is present and intact.

use std::{fmt::Write, path::PathBuf};

use anyhow::{Context, bail};
use texas42_server::serve::{DataReport, Findings, accept_loss, verify};

use crate::output;

/// Check stored data, or a backup, for lost or damaged tables.
///
/// Compares every row of the journal with its checksum, every table with the chain of its rows, and the end of the journal with the
/// high-water mark in texas42.mark. It changes nothing. Stop the server first, or check a backup. If anything is damaged or lost, the
/// command lists it and exits with 1.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The data folder of a stopped server, or a backup
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// Set each damaged table back to its last intact version, and remove tables without one. Restore a backup if there is one
    #[arg(long)]
    accept_loss: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let check = if args.accept_loss { accept_loss } else { verify };
    let folder = args.folder.display();
    let report = check(&args.folder).with_context(|| format!("the data folder {folder} cannot be checked"))?;
    output::print(described(&report))?;
    match report.findings.is_intact() {
        true => Ok(()),
        false if args.accept_loss => {
            Ok(output::print("the loss is accepted: the server will start without complaint\n")?)
        }
        false => bail!("the data folder {folder} is damaged; restore a backup, or see --accept-loss"),
    }
}

/// The findings, one line each.
pub(crate) fn described(report: &DataReport) -> String {
    let DataReport { tables, events, findings: Findings { tables: damaged, problems, notes } } = report;
    let notes = notes.iter().map(|note| format!("note: {note}\n"));
    let problems = problems.iter().map(|problem| format!("damaged: {problem}\n"));
    let damaged = damaged.iter().map(|table| format!("damaged: {table}\n"));
    let mut text: String = notes.chain(problems).chain(damaged).collect();
    let summary = if report.findings.is_intact() { "everything is intact" } else { "not everything is intact" };
    writeln!(text, "{summary}: {tables} tables, {events} intact events").ok();
    text
}
