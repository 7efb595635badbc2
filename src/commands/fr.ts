// faultline fr: which rank the others wait for, from the flight-recorder dumps of a job.

import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { FlightRecorderDocument } from '../model/documents/flight-recorder.ts';
import { shownJson } from '../model/shown-json.ts';
import { steadyNow } from '../model/time.ts';
import { jsonOption } from './common/options.ts';
import { argument, defineCommand, Option } from './define-command.ts';
import type { Dumps } from './fr/dumps.ts';

interface Options {
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly trigger?: boolean;
  readonly job?: string;
  readonly summary?: boolean;
}

/** Between two looks at the folders. */
const LOOK_MS = 500;
/** How long after the last dump of a job that is followed another one is waited for. */
const FOLLOW_GRACE_MS = 3000;
/** How long the ranks that were asked may take: their stacks need the interpreter, which may hang. */
const ANSWER_MS = 30_000;

export const fr = defineCommand<Options, [paths: string[]]>({
  name: 'fr',
  group: 'Analyse and try',
  usage: 'PATH... [--json]',
  summary: 'flight-recorder dumps: which rank is waited for',
  description: 'analyse flight-recorder dumps of one job: which rank the others wait for, and where in the code',
  help: '\nExit status: 0 when dumps could be read, whatever they contain; 1 otherwise.',
  example: 'faultline fr /dumps/job-7',
  arguments: [argument('<path...>', 'dumps, summaries, what a collector wrote of them, or folders with any of these')],
  options: [
    jsonOption('one document; with --follow one a line'),
    new Option('--follow', 'analyse again whenever new dumps have come to rest, until interrupted'),
    new Option(
      '--trigger',
      'ask the ranks on this host for dumps first, through their debug-info pipe; the job continues',
    ),
    new Option(
      '--summary',
      'print what other hosts need of the dumps of this one, a line for a file that `fr` reads there',
    ),
    new Option('--job <name>', 'which job of the summaries; with --summary: the name to write into it'),
  ],
  run: ({ arguments: [paths], options }) => run(paths, options),
});

async function run(paths: readonly string[], options: Options): Promise<number> {
  if (options.trigger) await trigger(paths);
  if (options.summary) return await summarise(paths, options);
  if (!options.follow) return await analyse(paths, options);
  const dumps = await dumpsSeen(paths);
  const report = once(options);
  let status = await analyse(paths, options, report);
  if (status !== 0) process.stderr.write('waiting for dumps; Ctrl-C ends it\n');
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
  process.stdout.once('close', () => stopped.abort());
  while (!stopped.signal.aborted) {
    await rest(stopped.signal);
    if (await dumps.renewed(steadyNow(), null, FOLLOW_GRACE_MS)) status = await analyse(paths, options, report);
  }
  return status;
}

async function trigger(paths: readonly string[]): Promise<void> {
  const { askRanks } = await import('./fr/ask.ts');
  const dumps = await dumpsSeen(paths);
  const { ranks, said } = await askRanks(paths, '/proc');
  for (const line of said) process.stderr.write(`${line}\n`);
  const until = performance.now() + ANSWER_MS;
  const never = new AbortController().signal;
  while (ranks.length > 0 && performance.now() < until) {
    await rest(never);
    if (await dumps.renewed(steadyNow(), ranks.length, FOLLOW_GRACE_MS)) return;
  }
  if (ranks.length > 0) {
    const took = `${ANSWER_MS / 1000} s`;
    process.stderr.write(`FL2416 no new dump within ${took} of asking; what is there is analysed\n`);
  }
}

/** Dumps as they lie there; only what comes later counts as renewed. */
async function dumpsSeen(paths: readonly string[]): Promise<Dumps> {
  const { Dumps } = await import('./fr/dumps.ts');
  const dumps = await Dumps.of(paths);
  // A file is at rest when two looks saw the same.
  for (let look = 0; look < 2; look += 1) await dumps.renewed(steadyNow(), null, 0);
  return dumps;
}

async function rest(signal: AbortSignal): Promise<void> {
  await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {}); // interrupted: the loop ends
}

type Report = (text: string) => void;

/** What was reported last is not reported again: a dump that stays cut off is looked at twice, to the same end. */
function once({ json }: Options): Report {
  let last = '';
  return (text) => {
    if (text === last) return;
    // Reports that follow each other are told apart by when they were made.
    const at = last === '' || json ? '' : `\n${new Date().toISOString().slice(0, 19).replace('T', ' ')} UTC\n`;
    last = text;
    process.stdout.write(`${at}${text}`);
  };
}

async function analyse(paths: readonly string[], options: Options, report?: Report): Promise<number> {
  const { analyseDumps } = await import('../sources/flight-recorder/dumps/analyse.ts');
  const { showProgress } = await import('./fr/progress.ts');
  const shown = showProgress(process.stderr);
  const { job } = options;
  const wanted = { onStart: shown.start, ...(job === undefined ? {} : { job }) };
  const { document, kept } = await orWhy(paths, analyseDumps(paths, wanted).finally(shown.end));
  reportKept(kept);
  const readable = await tellErrors(paths, document);
  if (readable && job !== undefined) await tellUnusedName(job, document);
  if (readable || options.json) await print(document, options, report);
  return readable ? 0 : 1;
}

async function summarise(paths: readonly string[], { job }: Options): Promise<number> {
  const { analyseDumps } = await import('../sources/flight-recorder/dumps/analyse.ts');
  const { namedSummary } = await import('../sources/flight-recorder/dumps/named-summary.ts');
  const { document, summary, kept } = await orWhy(paths, analyseDumps(paths));
  reportKept(kept);
  if (!(await tellErrors(paths, document))) return 1;
  if (summary === '') {
    const { length } = document.job.dumps;
    process.stderr.write(
      `FL2419 ${length} dumps are more than the ranks of one host (64): give their folder to faultline fr as it is\n`,
    );
    return 1;
  }
  process.stdout.write(`${namedSummary(summary, { job: job ?? '', host: hostname() })}\n`);
  return 0;
}

async function orWhy<Result>(paths: readonly string[], analysis: Promise<Result>): Promise<Result> {
  const { whyNone } = await import('./fr/errors.ts');
  return await analysis.catch(async (error: unknown) => {
    throw await whyNone(error, paths);
  });
}

/** Kernels without seccomp, containers that forbid to drop rights: what reads hostile files should have none. */
function reportKept(kept: string): void {
  if (kept === '') return;
  process.stderr.write(`FL2422 the process that parsed the dumps could not be confined in full; it kept: ${kept}\n`);
}

/** What could not be read, to stderr; whether anything could. */
async function tellErrors(paths: readonly string[], { job }: FlightRecorderDocument): Promise<boolean> {
  const { plain } = await import('../model/plain.ts');
  const { dumpError, linksAmong, nothingRead } = await import('./fr/errors.ts');
  for (const error of job.errors) process.stderr.write(`${plain(dumpError(error), 1000)}\n`);
  if (job.dumps.some((dump) => dump.rejected === undefined || dump.entries > 0)) return true;
  // Whether a path that cannot be entered holds dumps is not known.
  if (job.dumps.length > 0 || job.errors.length < paths.length) {
    process.stderr.write(`${nothingRead(paths, job.dumps)}\n`);
  }
  for (const line of await linksAmong(paths)) process.stderr.write(`  ${line}\n`);
  return false;
}

/** A name that chose nothing must not look as if it had. */
async function tellUnusedName(name: string, { job }: FlightRecorderDocument): Promise<void> {
  const { unusedName } = await import('./fr/errors.ts');
  const said = await unusedName(name, job.dumps);
  if (said !== null) process.stderr.write(`${said}\n`);
}

async function print(
  document: FlightRecorderDocument,
  { json, follow }: Options,
  report: Report = (text) => void process.stdout.write(text),
): Promise<void> {
  const { stdout } = process;
  if (json) {
    report(`${shownJson(document, follow ? 0 : 2)}\n`);
    return;
  }
  const { flightRecorderText } = await import('./fr/text.ts');
  const colour = stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  report(flightRecorderText(document, { width: 100, colour }));
}
