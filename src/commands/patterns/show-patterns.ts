// Shows the named patterns: a list, one of them whole, all as a document, or as alert rules.

import { knownPatterns } from '../../correlation/patterns/known-patterns.ts';
import type { Pattern } from '../../correlation/patterns/patterns.ts';
import { usePatternFolder } from '../../correlation/patterns/user/pattern-folder.ts';
import { didYouMean } from '../../helpers/did-you-mean.ts';
import { jsonLine } from '../../incidents/log/json-line.ts';
import { labelled } from '../../incidents/report/layout.ts';
import { kindInfo } from '../../model/kind.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError } from '../common/incident-context.ts';
import { alertRules } from './alert-rules.ts';
import { patternDocument } from './pattern-document.ts';

export interface PatternsOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly rules?: boolean;
  readonly runbooks?: string;
}

const WIDTH = 100;
const LABEL = 14;

export async function showPatterns(name: string | undefined, options: PatternsOptions, io: CommandIo): Promise<void> {
  if (options.json === true && options.rules === true)
    throw new CommandError(2, 'FL1200 --json and --rules are two forms of output: leave one out');
  if (options.runbooks !== undefined && options.rules !== true)
    throw new CommandError(2, 'FL1200 --runbooks is for the links of --rules: add --rules');
  for (const text of await usePatternFolder(options.config ?? (process.env.FAULTLINE_CONFIG || null)))
    io.stderr.write(`warning: ${text}\n`);
  const wanted = name === undefined ? [...knownPatterns().values()] : [named(name)];
  const { stdout } = io;
  if (options.rules === true) stdout.write(alertRules(wanted, options.runbooks ?? null));
  else if (options.json === true)
    stdout.write(`${jsonLine({ schema: 'faultline/patterns/1', patterns: wanted.map(patternDocument) })}\n`);
  else {
    const width = stdout.columns ?? WIDTH;
    const lines = name === undefined ? listOf(wanted, width) : wanted.flatMap((pattern) => wholeOf(pattern, width));
    for (const line of lines) stdout.write(`${line}\n`);
  }
}

function named(name: string): Pattern {
  const found = knownPatterns().get(name.toLowerCase().replaceAll('-', '_'));
  if (found !== undefined) return found;
  const known = [...knownPatterns().keys()];
  const begun = known.find((id) => id.startsWith(`${name.toLowerCase().replaceAll('-', '_')}_`));
  const near = didYouMean(name, known) ?? begun ?? null;
  const hint = near === null ? 'faultline patterns lists them' : `Did you mean: ${near}`;
  throw new CommandError(2, `FL3131 there is no pattern "${name}". ${hint}`);
}

function listOf(patterns: readonly Pattern[], width: number): string[] {
  const longest = patterns.reduce((most, { id }) => Math.max(most, id.length), 0) + 2;
  return patterns.flatMap(({ id, headline, origin }) =>
    labelled(id, origin === undefined ? headline : `${headline} (of this site)`, longest, width),
  );
}

function wholeOf(pattern: Pattern, width: number): string[] {
  const { id, headline, about, advisory, without, thresholds, lookAlikes, remediation, source } = pattern;
  const { runbook, detectors } = patternDocument(pattern);
  const several = (label: string, texts: readonly string[]): string[] =>
    texts.flatMap((text, i) => labelled(i === 0 ? label : '', text, LABEL, width));
  const needs = [
    ...pattern.requires.map(({ why }) => `always: ${why}`),
    ...pattern.completes.map(({ why }) => `for the whole: ${why}`),
    ...(without.size === 0 ? [] : [`never with: ${[...without].map((kind) => kindInfo(kind).title).join(', ')}`]),
    ...(advisory ? ['advisory: never more than in part, as nothing that a host reads proves it'] : []),
  ];
  return [
    `${id}: ${headline}`,
    ...labelled('', about, 2, width),
    '',
    ...several(
      'Root',
      pattern.root.map((kind) => `${kindInfo(kind).title} (${kind})`),
    ),
    ...several('Needs', needs),
    ...several(
      'Thresholds',
      thresholds.map(({ what, value, source: from }) => `${what}: ${value} [${from}]`),
    ),
    ...several(
      'Detectors',
      detectors.map(({ name, watches, condition, source: from }) => `${name}: ${watches} ${condition} [${from}]`),
    ),
    ...several(
      'Looks like',
      lookAlikes.map(({ pattern: other, toldApartBy }) => `${other}, where ${toldApartBy}`),
    ),
    ...labelled('Do', remediation, LABEL, width),
    ...labelled('Runbook', runbook, LABEL, width),
    ...labelled('Source', source, LABEL, width),
    ...(pattern.origin === undefined ? [] : labelled('File', pattern.origin, LABEL, width)),
  ];
}
