// The reference page of detectors: the six formulas, and every rule of the shipped set with the source of its thresholds.

import { DETECTION_RULES } from '../../src/detection/rules/detectors.ts';
import { ruleLine } from '../../src/detection/rules/rule-text.ts';

const FORMULAS = `
# Detectors

Six detectors, in native code, watch every series; which one watches what is data (\`catalog/detectors.json\`,
\`gpu-detectors.json\`, \`nic.json\`). \`faultline config print --detectors\` lists the set in force, with \`--json\` as a
document. Each tells an onset and a clear, dated at the first sample beyond (or back within); the change happened between
the sample before and that one.

x(t) is the sample at time t, NaN and infinity are no samples, and a sample older than the last one is not judged.

## level

Beyond when x > limit (below: x < limit); within when x ≤ clear (≥ clear). Onset after x was beyond at every sample for
*dwell*; clear after it was within for *clear dwell*. Between the two nothing changes.

## mask

Beyond when x & bits ≠ 0 and x & without = 0. Dwell and clear dwell as with *level*. A value below 0 or above 2^53 holds no
bits and is absent.

## rate

r(t) = (g(t) − g(t₀)) / max(window, t − t₀), where g is the growth since the first sample, t₀ the oldest sample in the
window (of a series slower than the window: the one before). Beyond when r ≥ limit. Where x falls, the counter was
restarted: that step adds nothing, and the notice \`counter_reset\` is given.

## drop

m = median of the last *window* (at least *min samples*), frozen from the first sample beyond until the clear, so that what
is abnormal never becomes normal. Beyond when x < ratio × m (above: x > ratio × m) for *dwell samples* in a row; within at
clear ratio × m. A median of 0 or less judges nothing.

## trend

Least squares through the window: v = a + b·t. It meets the limit in h = (limit − v(now)) / b. Beyond when 0 ≤ h ≤ horizon
and |b| ≥ 4 × its standard error √(Σ residual² / (n − 2) / Σ (t − t̄)²), so that noise on a level series leads nowhere; within
when h > 2 × horizon or the line leads away. The event says when the limit is met.

## peers

m = median of the newest values of all series of the selection, or of the component's group: GPUs of one model under one
role of one job. Beyond when m − x > ratio × |m| (above: x − m); needs *min peers* others, and a value counts for three of
the series' own intervals. A GPU without a known job has no peers.

## Conditions

*against*: x is replaced by x / y or x − y, where y is the newest value of another quantity of the same component; without y
nothing is judged. *only*: samples count only while another quantity (or the ratio of two) is above or below a limit, or
absent; else an open anomaly either stays as it is and a dwell begins again (hold), or ends (clear). Where several rules tell
one kind of one component, it is over when the last of them says so. A point has no clear: it is over at once, or lasts until
a reset. No rule watches what is not a fault: the clock event reasons idle 0x1, application clocks 0x2, sync boost 0x10 and
display clocks 0x100, and power smoothing, whose floor hides a sag.

## The shipped set
`;

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

export function detectorsPage() {
  const rows = DETECTION_RULES.map(ruleLine).map(
    ({ name, type, watches, condition, event, source }) =>
      `| ${[`\`${name}\``, type, watches, condition, event, source].map(cell).join(' | ')} |`,
  );
  return `${FORMULAS}
| name | detector | watches | when | event | source of the thresholds |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
