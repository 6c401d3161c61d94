// Ends a run with the line that cargo's test programs end with, so that `cargo xtask test` can add the results up.
export default class Tally {
  #counts = { passed: 0, failed: 0, skipped: 0 };

  onTestEnd(test) {
    const outcome = { expected: "passed", skipped: "skipped" }[test.outcome()] ?? "failed";
    this.#counts[outcome] += 1;
  }

  // A run that broke off, or that found no tests, is a failure too.
  onEnd({ status }) {
    const { passed, failed, skipped } = this.#counts;
    console.log(`\ntest result: ${status === "passed" ? "ok" : "FAILED"}. ${passed} passed; ${failed} failed; ${skipped} ignored\n`);
  }

  printsToStdio() {
    return false;
  }
}
