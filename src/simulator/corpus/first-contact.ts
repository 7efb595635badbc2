// First contact: how scenarios were answered the first time, before anything was changed for them; kept as data.

import record from '#catalog/scenarios/first-contact.json' with { type: 'json' };

/** What became of a wrong answer: the truth was wrong, the engine was fixed, or it is wrong still. */
const BECAME: Readonly<Record<string, string>> = {
  truth: 'the truth was wrong and was corrected',
  fixed: 'fixed after first contact',
  left: 'left as it is',
};

/** Names of the scenarios that the engine was fixed for: first contact with these is over. */
export function fixedFor(): ReadonlySet<string> {
  const wrong = record.rounds.flatMap((round) => round.wrong);
  return new Set(wrong.filter(({ then }) => then === 'fixed').map(({ name }) => name));
}

/** A section of the accuracy page, in Markdown. */
export function firstContactSection(): string {
  return `## First contact

The most honest figures here: scenarios written from public reports of such days, the truth first, and played only then,
with the engine as it stood. What they showed stays in this table whatever was changed afterwards. Those that the engine
was fixed for are not kept apart any more and count for the other half below.

${record.rounds.map(roundText).join('\n\n')}
`;
}

function roundText(round: Round): string {
  const { date, engine, seeds, scenarios, runs, roots, false_incidents, wrong } = round;
  const note = 'note' in round ? ` ${round.note}` : '';
  const rows = wrong.map(({ name, answer, then, why }) => `| ${name} | ${answer} | ${BECAME[then] ?? then}: ${why} |`);
  return `**${date}, engine of ${engine}: right ${scenarios.right} of ${scenarios.of} scenarios with each of ${seeds} seeds** (${runs.right} of ${runs.of}
runs; root right in ${percent(roots.right, roots.of)} of ${roots.of} answers; ${false_incidents} incidents that nothing asked for).${note}
${rows.length === 0 ? '' : wrongTable(rows)}`;
}

function wrongTable(rows: readonly string[]): string {
  return `
| wrong at first contact | answered | what became of it |
|---|---|---|
${rows.join('\n')}`;
}

type Round = (typeof record.rounds)[number];

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
