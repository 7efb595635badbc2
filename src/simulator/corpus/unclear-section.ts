// The section of the accuracy page on what one host cannot tell: how often the answer was right there, and why not more often.

import type { Run } from './measure.ts';
import type { CorpusScenario } from './scenario-family.ts';

/** In Markdown; `runs` are those of the family alone. */
export function unclearSection(scenarios: readonly CorpusScenario[], runs: readonly Run[]): string {
  const rows = [...Map.groupBy(runs, ({ name }) => name)].map(([name, own]): Row => {
    const answers = own.flatMap((run) => run.answers);
    const claims = own.flatMap((run) => run.claims);
    const right = answers.filter(({ rootRight }) => rootRight).length;
    const sure = claims.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, claims.length);
    const extra = own.reduce((sum, { falseIncidents }) => sum + falseIncidents.length, 0);
    const title = scenarios.find((scenario) => scenario.name === name)?.title ?? '';
    return { name, title, right, of: answers.length, sure, extra };
  });
  return `## What one host cannot tell

In family \`unclear\` the same evidence comes with one of several causes that the seed draws, and nothing on the host shows which.
No answer can be right each time; the answer should be the likelier cause, as sure as it is often right. An incident that is
there and has the wrong root counts as wrong, not as one that nothing asked for. Where two causes are equally likely the one
that was seen is reported, for its action is right either way: a driver call that never comes back needs its GPU looked at whether
the GPU's processor stopped or not. "No root cause yet" would be right only in those runs where the first fault was another
host's or only stood next to the symptom, and wrong in all others of the same scenario. ${better(rows)}

| scenario | root right | mean confidence | further incidents |
|---|---|---|---|
${rows.map(line).join('\n')}

Further incidents remain where a PDU that may feed this host sags and its reading comes after the GPUs were braked: without a
configured feed and with the order open they are reported as two, the brakes with the sag as what could be behind them.`;
}

interface Row {
  readonly name: string;
  readonly title: string;
  readonly right: number;
  readonly of: number;
  readonly sure: number;
  readonly extra: number;
}

function line({ name, title, right, of, sure, extra }: Row): string {
  return `| ${name}: ${title} | ${right} of ${of} | ${sure.toFixed(2)} | ${extra} |`;
}

function better(rows: readonly Row[]): string {
  const wrong = rows.filter(({ right, of }) => 2 * right < of).map(({ name }) => name);
  if (wrong.length === 0) return 'In no scenario here is the named root wrong more often than right.';
  return `The named root is wrong more often than right in: ${wrong.join(', ')}.`;
}
