// The section of the accuracy page on coincidences: what was blamed for a failure of its own kind, and how surely.

import { blame, type CoincidenceAnswer } from './coincidences.ts';

/** Answers to those written from experience, and to a sample of those that the rows of causes suggest. */
export interface CoincidenceAnswers {
  readonly written: readonly CoincidenceAnswer[];
  readonly drawn: readonly CoincidenceAnswer[];
}

const STATED = [0.5, 0.75, 0.9];

/** In Markdown. */
export function coincidencesSection({ written, drawn }: CoincidenceAnswers): string {
  return `## Coincidences

A harmless event, and 10, 60, 300 or 1,200 s later a failure that has nothing to do with it. Whatever else is named as its cause is
blamed wrongly. ${written.length} pairs are written from experience: fourteen events that hosts live with, a rank that ends with an error of its own, a
collective that times out after ten minutes, steps that become slow. ${drawn.length} are drawn from what the rows of causes themselves suggest, each kind
that leads to a job's failure and is not critical, short or lasting, before failures that say little of themselves. The world and both
lists are in catalog/scenarios/coincidences.

| blamed with a confidence of | written, goal | written | drawn |
|---|---|---|---|
${STATED.map((least) => row(least, written, drawn)).join('\n')}

${worst([...written, ...drawn])}`;
}

function row(least: number, written: readonly CoincidenceAnswer[], drawn: readonly CoincidenceAnswer[]): string {
  const goal = least >= 0.9 ? 'none' : least >= 0.75 ? '≤ 2 %' : '–';
  return `| at least ${(100 * least).toFixed(0)} % | ${goal} | ${share(least, written)} | ${share(least, drawn)} |`;
}

function share(least: number, answers: readonly CoincidenceAnswer[]): string {
  const sure = answers.filter((answer) => (blame(answer) ?? 0) >= least).length;
  return `${sure} of ${answers.length} (${((100 * sure) / Math.max(1, answers.length)).toFixed(1)} %)`;
}

function worst(answers: readonly CoincidenceAnswer[]): string {
  const blamed = answers.flatMap((answer) => {
    const sure = blame(answer);
    return sure === null ? [] : [{ name: answer.name, sure }];
  });
  const most = blamed.sort((a, b) => b.sure - a.sure).slice(0, 8);
  if (most.length === 0) return 'Nothing was blamed.';
  return `Blamed most surely: ${most.map(({ name, sure }) => `${name} (${(100 * sure).toFixed(0)} %)`).join('; ')}.`;
}
