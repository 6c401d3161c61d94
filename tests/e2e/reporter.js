// Ends a run with the same summary line as cargo's test binaries, so that `cargo xtask test` can add up the results.
export default class Tally {
  #counts = { passed: 0, failed: 0, skipped: 0 };

  onTestEnd(test) {
    const outcome = { expected: "passed", skipped: "skipped" }[test.outcome()] ?? "failed";
    this.#counts[outcome] += 1;
  }

  // A run that was interrupted or found no tests counts as failed.
  onEnd({ status }) {
    const { passed, failed, skipped } = this.#counts;
    console.log(`\ntest result: ${status === "passed" ? "ok" : "FAILED"}. ${passed} passed; ${failed} failed; ${skipped} ignored\n`);
  }

  printsToStdio() {
    return false;
  }
}
