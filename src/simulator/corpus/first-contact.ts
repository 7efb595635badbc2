// First contact: how scenarios were answered the first time, before anything was changed for them; kept as data.

import record from '#catalog/scenarios/first-contact.json' with { type: 'json' };

import { type ScenarioShare, shareText } from './by-scenario.ts';

/** What became of a wrong answer: the truth was wrong, the engine was fixed, or it is wrong still. */
const BECAME: Readonly<Record<string, string>> = {
  truth: 'the truth was wrong and was corrected',
  fixed: 'fixed after first contact',
  left: 'left as it is',
};

/** How many scenarios were right at first contact, over all rounds. */
export function firstContactShare(): ScenarioShare {
  const sum = (of: (round: Round) => number): number => record.rounds.reduce((total, round) => total + of(round), 0);
  return { right: sum(({ scenarios }) => scenarios.right), of: sum(({ scenarios }) => scenarios.of) };
}

/** The head of the accuracy page, in Markdown. */
export function firstContactLead(): string {
  return `## First contact

**Right at first contact: ${shareText(firstContactShare())} of scenarios.** The most honest figure here: scenarios written from public
reports of such days, the truth first, and played only then, with the engine as it was. A scenario is right where the whole
answer was, with every seed. What they showed stays here whatever was changed afterwards; [what became of each](#rounds-of-first-contact)
is at the end. In brackets the 95 % Wilson interval, which counts scenarios, not seeds.

| round | engine | scenarios right | roots right, by answer | incidents that nothing asked for |
|---|---|---|---|---|
${record.rounds.map(roundRow).join('\n')}
`;
}

/** The end of the page: each round with what was wrong in it, in Markdown. */
export function firstContactRounds(): string {
  return `## Rounds of first contact

${record.rounds.map(roundText).join('\n\n')}
`;
}

/** A round of days with nothing wrong asks for no root. */
function rootsText({ right, of }: Round['roots']): string {
  return of === 0 ? '– of 0' : `${percent(right, of)} of ${of}`;
}

function roundRow({ date, engine, scenarios, roots, false_incidents }: Round): string {
  return `| ${date} | ${engine} | ${shareText(scenarios)} | ${rootsText(roots)} | ${false_incidents} |`;
}

function roundText(round: Round): string {
  const { date, engine, seeds, scenarios, runs, roots, false_incidents, wrong } = round;
  const note = 'note' in round ? ` ${round.note}` : '';
  const rows = wrong.map(({ name, answer, then, why }) => `| ${name} | ${answer} | ${BECAME[then] ?? then}: ${why} |`);
  return `**${date}, engine of ${engine}: right ${scenarios.right} of ${scenarios.of} scenarios with each of ${seeds} seeds** (${runs.right} of ${runs.of}
runs; root right in ${rootsText(roots)} answers; ${false_incidents} incidents that nothing asked for).${note}
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
