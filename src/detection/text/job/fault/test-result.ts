// Test results: what a test runner prints of each test names the fault that the test is about, and an error that was expected.

const OUTCOME = '(?:PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR|RERUN)';
/** pytest: "tests/test_a.py::test_b[x] PASSED  [ 12%]"; its summary and pytest-xdist have the outcome first, behind "[gw0] [ 12%]". */
const PYTEST = new RegExp(
  `^[\\w./-]{1,200}\\.py::[^]{1,400}? ${OUTCOME}\\b|^(?:\\[gw\\d{1,4}\\] (?:\\[ {0,3}\\d{1,3}%\\] )?)?${OUTCOME} [\\w./-]{1,200}\\.py(?:::|$| |:\\d)`,
);
/** unittest: "test_ecc (tests.test_gpu.TestGpu.test_ecc) ... ok"; others end so behind a name alone. */
const UNITTEST =
  /\btest_?\w{0,120}(?: \([\w.]{1,200}\))? \.\.\. (?:ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b/;
/** GoogleTest: "[       OK ] Suite.Name (3 ms)"; Go: "--- PASS: TestName (0.00s)"; TAP: "ok 3 - name". */
const OTHERS =
  /^(?:\[ {0,10}(?:RUN|OK|PASSED|FAILED|SKIPPED|DISABLED) {0,10}\] |\s{0,16}--- (?:PASS|FAIL|SKIP): |(?:not )?ok \d{1,6} - )/;
/** No part that is looked at is further behind. */
const MAX_HEAD = 600;

export function isTestResult(body: string): boolean {
  const head = body.length > MAX_HEAD ? body.slice(0, MAX_HEAD) : body;
  return PYTEST.test(head) || OTHERS.test(head) || UNITTEST.test(head);
}
