// The section of the accuracy page on the confidence: what was reported so surely was right how often, and what the map does.

import map from '#catalog/calibration.json' with { type: 'json' };
import { type Bin, calibrationError, reliability, wilson } from './accuracy.ts';
import type { Claim } from './measure.ts';

/** `held` are the claims of the half kept apart, `other` those that may be calibrated on. In Markdown. */
export function reliabilitySection(held: readonly Claim[], other: readonly Claim[]): string {
  const error = (claims: readonly Claim[]): string => (100 * calibrationError(claims)).toFixed(1);
  const free = (claims: readonly Claim[]): Claim[] => claims.filter(({ capped }) => !capped);
  const before = (claims: readonly Claim[]): Claim[] =>
    claims.map((claim) => ({ ...claim, confidence: claim.capped ? claim.confidence : claim.evidence }));
  const row = (what: string, of: (claims: readonly Claim[]) => readonly Claim[]): string =>
    `| ${what} | ${error(of(held))} | ${error(of(other))} | ${of(held).length}, ${of(other).length} |`;
  return `## Reliability of the confidence

Named roots by the confidence they were reported with, and how many of them were right. The confidence of an incident with an
effect is the probability that its root brought that effect about; of a root alone, that it happened. Incidents that nothing asked
for count as wrong, and so does what a coincidence was blamed with. The two halves were written by different hands
(\`src/simulator/corpus/hold-out-split.ts\`): one by those who wrote the engine, with the coincidences that its own rows of causes
suggest; the other, which nothing was set by, without a look at it, with coincidences written from experience. Scenarios that the engine
was fixed for count with the first. Each scenario counts once, however many seeds it was played with: in brackets is the 95 % Wilson
interval over scenarios.

| confidence | half kept apart: scenarios | mean confidence | right | other half: scenarios | mean confidence | right |
|---|---|---|---|---|---|---|
${bins(held, other)}

${tooSure(held)}

| calibration error, points | half kept apart | other half | claims |
|---|---|---|---|
${row('all claims', (claims) => claims)}
${row('without those held at 60 %', free)}
${row('without those held at 60 %, before the map', (claims) => before(free(claims)))}

Evidence that a user of the host could have written never carries a claim above 60 %, however often it is right here: a rule
against forgery, not a finding. So those claims are reported less surely than they are right, on purpose, and the error is reported
with them and without.

### The map

What the parts of a confidence add up to goes through a monotone map before that rule, as one named part
(catalog/calibration.json, written by \`scripts/accuracy --fit\`: ${map.made}). Each knot is
the share right of the scenarios behind it, each scenario counted once however often it was played, pulled back by ${map.shrink}
scenarios that speak for no change; between knots it is linear, below the lowest one it soon fades out, and it never raises a
claim above ${(100 * map.most).toFixed(0)} %. Claims on a user's word alone are not fitted on.

| evidence comes to | reported instead | right, by scenario | scenarios | claims |
|---|---|---|---|---|
${map.knots.map(knotRow).join('\n')}

The corpus is our own. The map makes the confidence fit scenarios written by those who wrote the engine, in which what is
named is nearly always right; in life more is wrong, and what no scenario has is reported as surely as what it looks like. Read a
confidence as an order first: what is reported with 90 % is right more often than what is reported with 60 %. The table that
\`faultline incidents --reliability\` draws from your own verdicts is worth more than this one.`;
}

function knotRow({ at, reported, right, scenarios, claims }: (typeof map.knots)[number]): string {
  return `| ${at.toFixed(2)} | ${reported.toFixed(2)} | ${(100 * right).toFixed(1)} % | ${scenarios} | ${claims} |`;
}

function bins(reported: readonly Claim[], other: readonly Claim[]): string {
  const left = new Map(reliability(reported).map((bin) => [bin.from, bin]));
  const right = new Map(reliability(other).map((bin) => [bin.from, bin]));
  const starts = [...new Set([...left.keys(), ...right.keys()])].sort((a, b) => a - b);
  const cells = (bin: Bin | undefined): string =>
    bin === undefined
      ? '0 | – | –'
      : `${bin.scenarios} | ${bin.confidence.toFixed(2)} | ${(100 * bin.share).toFixed(1)} % (${interval(bin)})`;
  return starts
    .map(
      (from) =>
        `| ${from.toFixed(1)} to ${(from + 0.1).toFixed(1)} | ${cells(left.get(from))} | ${cells(right.get(from))} |`,
    )
    .join('\n');
}

/** Where even the upper end of the interval is below what was reported. */
function tooSure(held: readonly Claim[]): string {
  const over = reliability(held).filter((bin) => wilson(bin.share * bin.scenarios, bin.scenarios)[1] < bin.confidence);
  if (over.length === 0)
    return 'In no bin of the half kept apart is the confidence above the interval of what was right.';
  const reported = over.map(({ from, confidence, share }) => {
    const [sure, right] = [confidence, share].map((value) => `${(100 * value).toFixed(0)} %`);
    return `${from.toFixed(1)} to ${(from + 0.1).toFixed(1)} (reported with ${sure}, right in ${right})`;
  });
  return `Reported too surely on the half kept apart: ${reported.join('; ')}.`;
}

function interval({ share, scenarios }: Bin): string {
  const [low, high] = wilson(share * scenarios, scenarios);
  return `${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}`;
}
