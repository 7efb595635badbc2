// Runs a correlation of PowerTrace's three files by the scorer that was asked for, and prints what came of it.

import { renderIncidentText } from '../../incidents/report/text.ts';
import { eventToDocument } from '../../model/documents/event.ts';
import { incidentToDocument } from '../../model/documents/incident.ts';
import { safeJson } from '../../model/safe-text.ts';
import { shownJson } from '../../model/shown-json.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError } from '../common/incident-context.ts';
import type { Found } from './own/correlate-records.ts';
import { powerTraceDocument } from './powertrace/document.ts';
import { type PowerTraceOptions, powerTraceReport } from './powertrace/incidents.ts';
import { powerTraceMarkdown, powerTraceText } from './powertrace/text.ts';
import { type Files, readRecords } from './read-records.ts';
import type { Records } from './records.ts';

const SCHEMA = 'faultline/correlate/1';
const WIDTH = 100;
const FILES = ['events', 'traces', 'topology'] as const;

export interface CorrelateOptions extends Files, PowerTraceOptions {
  readonly scorer: 'faultline' | 'powertrace';
  readonly output: 'timeline' | 'json' | 'markdown';
}

/** As the command line gives them: which files are needed depends on the scorer. */
export type AnyOptions = Omit<CorrelateOptions, 'scorer' | keyof Files> &
  Partial<Files> & { readonly scorer: CorrelateOptions['scorer'] | 'primus'; readonly alerts?: string };

export async function runCorrelate(given: AnyOptions, io: CommandIo): Promise<void> {
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
  const records = readRecords(options, (line) => io.stderr.write(`${line}\n`));
  if (options.scorer === 'powertrace') io.stdout.write(penalties(records, options, io));
  else {
    const { correlateRecords } = await import('./own/correlate-records.ts');
    io.stdout.write(shown(correlateRecords(records, options.baseline), options, io));
  }
}

function penalties(records: Records, options: CorrelateOptions, io: CommandIo): string {
  const report = powerTraceReport(records, options);
  for (const warning of report.skipped) io.stderr.write(`${warning}\n`);
  if (options.output === 'timeline') return powerTraceText(report);
  if (options.output === 'markdown') return powerTraceMarkdown(report);
  return `${safeJson(JSON.stringify(powerTraceDocument(report, io.now()), null, 2))}\n`;
}

function shown({ incidents, events }: Found, options: CorrelateOptions, io: CommandIo): string {
  if (options.output === 'json') {
    const documents = events.map((event) => eventToDocument(event, event.component?.host ?? ''));
    return `${shownJson({ schema: SCHEMA, events: documents, incidents: incidents.map((each) => incidentToDocument(each)) })}\n`;
  }
  if (incidents.length === 0) return `No incident in ${events.length} events.\n`;
  const width = Math.min(io.stdout.columns ?? WIDTH, WIDTH);
  const texts = incidents.map((incident) =>
    renderIncidentText(incident, {
      width,
      colour: io.colour && options.output === 'timeline',
      nowMs: incident.updatedMs,
      timeZone: 'UTC',
      hint: false,
    }),
  );
  if (options.output === 'timeline') return texts.map((text) => `${text}\n`).join('\n');
  return texts.map((text) => `\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\`\n`).join('\n');
}
