// The section of the accuracy page on the confidence: what was reported so surely was right how often, and what the maps do.

import catalog from '#catalog/calibration.json' with { type: 'json' };
import { type Bin, calibrationError, reliability, tooSure, wilson } from './accuracy.ts';
import type { Claim } from './measure.ts';

export interface FirstContactClaims {
  /** As they were stated when the scenarios were played for the first time. */
  readonly stated: readonly Claim[];
  /** As maps state them that were fitted on everything else. */
  readonly unseen: readonly Claim[];
  /** As maps state them that were fitted on the rounds before: without the first rounds, and without coincidences of their own. */
  readonly before: readonly Claim[];
}

/** `inSample` are the claims of today's runs; null: none of first contact are known. In Markdown. */
export function reliabilitySection(inSample: readonly Claim[], first: FirstContactClaims | null): string {
  const unseen = first?.unseen ?? [];
  return `## Reliability of the confidence

Named roots by the confidence they were reported with, and how many of them were right. The confidence of an incident with an
effect is the probability that its root brought that effect about; of a root alone, that it is what was to be reported. Incidents
that nothing asked for count as wrong, and so does what a coincidence was blamed with. Each scenario counts once, however many seeds
it was played with: in brackets is the 95 % Wilson interval over scenarios.

Of interest is what is said of a day that was not prepared for. So the first three columns are of first contact: what was named in
scenarios when others had just written them (catalog/scenarios/first-contact-claims.json), wrong or right as it was then, whatever
was fixed since, and what the coincidences written from experience were blamed with. Each round is stated by maps that were
fitted on the other rounds. The last three columns are today's answers to all scenarios: what was wrong in them has been fixed, so they
are right more often than anything unseen will be, and say nothing of the confidence but that it is modest there.

| confidence | first contact: scenarios | mean confidence | right | in sample: scenarios | mean confidence | right |
|---|---|---|---|---|---|---|
${bins(unseen, inSample)}

${binsTooSure(unseen)}

| calibration error, points | all claims | without those held at 60 % | of that too sure | claims |
|---|---|---|---|---|
${first === null ? '' : `${row('first contact, as maps state it that were fitted on everything else', first.unseen)}\n${row('first contact, each round from the fifth on as maps state it that were fitted on the rounds before it', first.before)}\n${row('first contact, as it was stated then', first.stated)}\n`}${row('in sample', inSample)}

Evidence that a user of the host could have written never carries a claim above 60 %, however often it is right here: a rule
against forgery, not a finding. So those claims are reported less surely than they are right, on purpose, and the error is reported
with them and without.

### The maps

What the parts of a confidence add up to goes through a monotone map before that rule, as one named part (catalog/calibration.json,
written by \`scripts/accuracy --fit\`: ${catalog.made}). There is one for claims that the work suffered, one where only other
hardware followed, one for roots alone, and one for roots alone that are often no fault (role \`often_harmless\` in catalog/kinds: an error
that was recovered from, a port or an outlet that is off, what a protection did): what the parts come to does not show the difference.
Each knot is the share right of the scenarios behind it, pulled back by ${catalog.shrink} scenarios that speak for no
change; between knots it is linear, below the lowest one it soon fades out, above the last it is level. 90 % and more are for
stretches whose whole interval of what was right is above it. Claims on a user's word alone are not fitted on.

| what followed | evidence comes to | reported instead | right, by scenario | scenarios | claims |
|---|---|---|---|---|---|
${maps()}

No stretch is yet: of what looked as sure at first contact about one root in eleven was wrong, mostly a fact that is not a fault of its own. So
89 % is the most that is said of a fault, and the error above is mostly what that holds back. Scenarios are not life; the table that \`faultline incidents --reliability\` draws from your own verdicts is worth more
than this one.`;
}

function row(what: string, claims: readonly Claim[]): string {
  const error = (of: readonly Claim[]): string => (100 * calibrationError(of)).toFixed(1);
  const free = claims.filter(({ capped }) => !capped);
  return `| ${what} | ${error(claims)} | ${error(free)} | ${(100 * tooSure(free)).toFixed(1)} | ${claims.length} |`;
}

function maps(): string {
  const names = {
    work: 'the work',
    hardware: 'other hardware',
    nothing: 'nothing',
    harmless: 'nothing, often harmless',
  };
  const rows = Object.entries(catalog.maps).flatMap(([what, { knots }]) => {
    const name = names[what as keyof typeof names];
    return knots.map(
      ({ at, reported, right, scenarios, claims }) =>
        `| ${name} | ${at.toFixed(2)} | ${reported.toFixed(2)} | ${(100 * right).toFixed(1)} % | ${scenarios} | ${claims} |`,
    );
  });
  return rows.join('\n');
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
function binsTooSure(claims: readonly Claim[]): string {
  const over = reliability(claims).filter(
    (bin) => wilson(bin.share * bin.scenarios, bin.scenarios)[1] < bin.confidence,
  );
  if (over.length === 0) return 'In no bin of first contact is the confidence above the interval of what was right.';
  const reported = over.map(({ from, confidence, share }) => {
    const [sure, right] = [confidence, share].map((value) => `${(100 * value).toFixed(0)} %`);
    return `${from.toFixed(1)} to ${(from + 0.1).toFixed(1)} (reported with ${sure}, right in ${right})`;
  });
  return `Reported too surely at first contact: ${reported.join('; ')}.`;
}

function interval({ share, scenarios }: Bin): string {
  const [low, high] = wilson(share * scenarios, scenarios);
  return `${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}`;
}
