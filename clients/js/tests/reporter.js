// Ends a run with the same summary line as cargo's test binaries, so that `cargo xtask test` can add up the results.
export default async function* tally(events) {
  const counts = { "test:pass": 0, "test:fail": 0 };
  for await (const { type, data } of events) {
    if (type in counts && data.details?.type !== "suite") counts[type] += 1;
  }
  const [passed, failed] = [counts["test:pass"], counts["test:fail"]];
  yield `\ntest result: ${failed || !passed ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed; 0 ignored\n\n`;
}
