// Runs a correlation of PowerTrace's three files by the scorer that was asked for, and prints what came of it.

import { safeJson } from '../../model/safe-text.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError } from '../common/run-command.ts';
import { compileLate } from './powertrace/compile-late.ts';
import { powerTraceDocument } from './powertrace/document.ts';
import { type PowerTraceOptions, powerTraceReport } from './powertrace/incidents.ts';
import { powerTraceMarkdown, powerTraceText } from './powertrace/text.ts';
import { type Files, readRecords } from './read-records.ts';
import type { Records } from './records.ts';

const FILES = ['events', 'traces', 'topology'] as const;
/** What PowerTrace's scorer alone goes by, as it is typed. */
const ITS_OWN = { window: '--window', lag: '--lag', confidence: '--confidence', gpuRate: '--gpu-rate' } as const;

export interface CorrelateOptions extends Files, PowerTraceOptions {
  readonly scorer: 'faultline' | 'powertrace';
  readonly output: 'timeline' | 'json' | 'markdown';
}

/** As the command line gives them: which files are needed depends on the scorer. */
export type AnyOptions = Omit<CorrelateOptions, 'scorer' | keyof Files> &
  Partial<Files> & { readonly scorer: CorrelateOptions['scorer'] | 'primus'; readonly alerts?: string };

/** @param isGiven whether an option was typed. */
export async function runCorrelate(
  given: AnyOptions,
  io: CommandIo,
  isGiven: (option: keyof typeof ITS_OWN) => boolean,
): Promise<void> {
  const idle = (Object.keys(ITS_OWN) as (keyof typeof ITS_OWN)[]).filter(isGiven).map((name) => ITS_OWN[name]);
  if (given.scorer !== 'powertrace' && idle.length > 0)
    io.stderr.write(`${idle.join(', ')}: without effect on --scorer ${given.scorer}. Add --scorer powertrace, or leave out what is without effect\n`); // biome-ignore format: one line
  if (given.scorer === 'primus') {
    const { runPrimus } = await import('./primus/run-primus.ts');
    runPrimus(given, io);
    return;
  }
  const { events, traces, topology, scorer } = given;
  if (events === undefined || traces === undefined || topology === undefined) {
    const missing = FILES.filter((name) => given[name] === undefined).map((name) => `--${name} FILE`);
    throw new CommandError(2, `FL1200 correlate needs three files: add ${missing.join(', ')}`);
  }
  const options = { ...given, events, traces, topology, scorer };
  if (scorer === 'powertrace') compileLate();
  const records = readRecords(options, (line) => io.stderr.write(`${line}\n`), scorer === 'faultline');
  if (options.scorer === 'powertrace') io.stdout.write(penalties(records, options, io));
  else {
    // Loads the graph of causes, which the other scorers do without.
    const { correlateRecords } = await import('./own/correlate-records.ts');
    const { shown } = await import('./own/shown.ts');
    io.stdout.write(await shown(correlateRecords(records, options.baseline), options, io));
  }
}

function penalties(records: Records, options: CorrelateOptions, io: CommandIo): string {
  const report = powerTraceReport(records, options);
  for (const warning of report.skipped) io.stderr.write(`${warning}\n`);
  if (options.output === 'timeline') return powerTraceText(report);
  if (options.output === 'markdown') return powerTraceMarkdown(report);
  return `${safeJson(JSON.stringify(powerTraceDocument(report, io.now()), null, 2))}\n`;
}
