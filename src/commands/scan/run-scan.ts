// Runs a scan: reads every input, correlates what each host's lines report, and prints what came of it.

import { whoMay } from '../../helpers/files/who-may.ts';
import { plain } from '../../model/plain.ts';
import { compareSeverity, type Severity } from '../../model/severity.ts';
import { shownJson } from '../../model/shown-json.ts';
import { NoAddon } from '../../native.ts';
import { inputsIn, NOT_TEXT } from '../../sources/saved-text/input.ts';
import { filesOf, openInput, whyNot } from '../../sources/saved-text/paths.ts';
import type { CommandIo } from '../common/command-io.ts';
import { correlateHost } from '../common/correlate-host.ts';
import { give, mustBeFormat } from '../common/give-report.ts';
import { CommandError } from '../common/incident-context.ts';
import { asTyped } from './as-typed.ts';
import { withoutGuessedEnd, withoutGuessedRepairs } from './counted-back.ts';
import { type ScannedInput, scanDocument } from './document.ts';
import { dumpFolderOf } from './dump-folder.ts';
import { FoundEvents } from './found-events.ts';
import { asOf, givenName, type HostOfLogs, hostsOf } from './host-names.ts';
import { hotGpus } from './hot-gpus.ts';
import { ofNamedJob } from './job-names.ts';
import { isUseless, nothingJudged } from './left-out.ts';
import { nextToEachOther } from './next-to.ts';
import { ofEachHost } from './of-each-host.ts';
import { joinedFaults } from './one-fault/joined.ts';
import { ofSameGpu } from './one-fault/same-gpu.ts';
import { ofOnlyHost } from './only-host.ts';
import { apartFromOtherJobs } from './other-jobs.ts';
import { withOthersHeat } from './others-heat.ts';
import { withItsEnd } from './over.ts';
import { chosen, mustBeId, scanPages } from './pages.ts';
import { placed } from './placed.ts';
import { ProgressBar } from './progress-bar.ts';
import { type Read, Reading } from './reading.ts';
import { Readings } from './readings.ts';
import { ofSameDisk } from './same-disk.ts';
import { ofSameJob } from './same-job.ts';
import { type EventsOf, isOfClient, withClients, withoutCovered } from './served.ts';
import { ServerLoads } from './server-loads.ts';
import { Steps } from './steps.ts';
import { stillSo } from './still.ts';
import { lastOf, scanText } from './text.ts';
import { withoutUnasked } from './unasked.ts';
import { redated } from './undated.ts';
import { isWanted, type Wanted, wantedOf } from './wanted.ts';
import { SCAN_ZONE } from './zone.ts';

const HOST_SAID = 'host_from_job_log';
const HOST_BY_PATH = 'host_from_path';
const FILE_TIME = 'file_time';
const OTHER_LOG_TIME = 'time_of_other_log';
const WAIT_MS = 2000;

export interface ScanOptions {
  /** The same as the format `json`. */
  readonly json?: boolean;
  readonly format?: string;
  readonly out?: string;
  readonly incident?: string;
  readonly failOn?: Severity;
  readonly since?: string;
  readonly until?: string;
  readonly host?: readonly string[];
}

/** Throws FL1200 where two are asked for at once. */
function formatOf({ json, format = json === true ? 'json' : 'text' }: ScanOptions): string {
  if (json === true && format !== 'json')
    throw new CommandError(2, `FL1200 --json and --format ${format} are two forms of output: leave one out`);
  return format;
}

export async function runScan(paths: readonly string[], options: ScanOptions, io: CommandIo): Promise<number> {
  const format = formatOf(options);
  mustBeFormat(format);
  mustBeId(options.incident);
  const wanted = wantedOf(options, io.now());
  const found = new FoundEvents();
  const steps = new Steps();
  const readings = new Readings();
  const servers = new ServerLoads();
  const reading = new Reading({ found, steps, readings, servers, wanted });
  const { failures: failed, dumps } = await readAll(paths, reading, io);
  const guess = found.saysMuch ? null : reading.unread.guess();
  if (guess !== null) found.add(guess.label, guess.event);
  const { named, unnamed, namedIn } = reading;
  const apart = hostsOf(named, unnamed, namedIn, new Set(found.hosts));
  const eventsOf = (labels: readonly string[]) => found.of(labels);
  const sameWork = ofSameJob(ofSameDisk(apart, eventsOf), eventsOf, reading.jobNodes);
  const hosts = givenName(ofOnlyHost(sameWork, reading, eventsOf), wanted.host);
  if (reading.inputs.length === 0 && failed > 0) throw new CommandError(1, 'FL1401 none of the inputs could be read');
  const all = correlated(hosts, reading, { found, readings }, wanted);
  const inputs = withQuotesSaid(withTimesSaid(reading.inputs, all.datedByOthers), reading.quoted.passed);
  const raised = withoutUnasked(all, reading.times.newestMs);
  const result = { ...all, incidents: chosen(raised, options.incident) };
  const judged = {
    inputs,
    hosts,
    times: reading.times,
    found: result.events.length + steps.all.length > 0,
  };
  const nothing = nothingJudged(judged, wanted);
  const nextTo = nextToEachOther(result.incidents, hosts, SCAN_ZONE, new Set(reading.undated.keys()));
  const look = [...hotGpus(readings, result.events), ...servers.sentences];
  const guessedJobs = [...reading.guessedJobs];
  const shown = { paths, inputs, hosts, guessedJobs, nothing, failed, dumps, nextTo, look, ...result };
  const as = { format, ...(options.out === undefined ? {} : { out: options.out }) };
  if (format === 'json') {
    const said = withHostsSaid(inputs, hosts);
    const document = scanDocument({ inputs: said, ...result, nextTo, dumps, steps: steps.all, readings, look });
    await give(`${shownJson(document)}\n`, as, io);
  } else if (format === 'html' || format === 'markdown') {
    const pages = await scanPages(format, result.incidents, paths, { nextTo, dumps, quiet: lastOf(shown) });
    await give(format === 'markdown' ? asTyped(pages) : pages, as, io);
  } else {
    await give(scanText(shown, io), as, io);
  }
  if (format !== 'text' && nothing !== null) io.stderr.write(`FL1405 ${nothing}.\n`);
  leftOut(found.leftOut, 'events', io);
  leftOut(found.ofHostsLeftOut, 'events of hosts', io);
  leftOut(reading.entriesLeftOut, 'log entries of BMCs', io);
  for (const name of reading.cut)
    io.stderr.write(`FL1403 ${plain(name, 200)} is longer than 16 MiB: entries behind that were left out. Split it\n`);
  leftOut(steps.leftOut, 'training steps', io);
  leftOut(readings.leftOut, 'readings', io);
  const { failOn } = options;
  const severe =
    failOn !== undefined &&
    (nothing !== null ||
      guess !== null ||
      result.incidents.some(({ severity }) => compareSeverity(severity, failOn) >= 0));
  return failed > 0 || severe || isUseless(judged, wanted) ? 1 : 0;
}

/** What only the words of a job's log, or the name of a file or folder, say of the host; the document has no head that says so. */
function withHostsSaid(inputs: readonly ScannedInput[], hosts: readonly HostOfLogs[]): ScannedInput[] {
  const said = new Set(hosts.flatMap(({ saidOf = [] }) => saidOf));
  const byPath = new Set(
    hosts.flatMap(({ namedByPath = [], namedByNeighbour = [], saidBeside = [] }) => [
      ...namedByPath,
      ...namedByNeighbour,
      ...saidBeside,
    ]),
  );
  return inputs.map((input) => {
    const more = [...(said.has(input.name) ? [HOST_SAID] : []), ...(byPath.has(input.name) ? [HOST_BY_PATH] : [])];
    return more.length === 0 ? input : { ...input, assumed: [...input.assumed, ...more] };
  });
}

/** Of logs without times that another one dates. */
function withTimesSaid(inputs: readonly ScannedInput[], datedBy: ReadonlySet<string>): ScannedInput[] {
  return inputs.map((input) =>
    datedBy.has(input.name)
      ? { ...input, assumed: input.assumed.map((each) => (each === FILE_TIME ? OTHER_LOG_TIME : each)) }
      : input,
  );
}

/** Of texts that quote lines of a day which is over. */
function withQuotesSaid(inputs: readonly ScannedInput[], passed: ReadonlySet<string>): readonly ScannedInput[] {
  return inputs.map((input) =>
    passed.has(input.name) ? { ...input, assumed: [...input.assumed, 'quoted_earlier'] } : input,
  );
}

/** Returns how many inputs could not be read, or not to their end, and where dumps of collectives lie among them. */
async function readAll(
  paths: readonly string[],
  reading: Reading,
  io: CommandIo,
): Promise<{ readonly failures: number; readonly dumps: string | null }> {
  let failures = 0;
  const failed = (name: string, why: string): void => {
    failures += 1;
    const remedy = /EACCES|EPERM|permission denied/.test(why) ? ` ${whoMay(name)}` : '';
    io.stderr.write(`FL1402 ${plain(name, 300)} could not be read: ${why}.${remedy}\n`);
  };
  const files = await filesOf(paths, failed);
  const bar = new ProgressBar(
    io.stderr,
    files.reduce((sum, { size }) => sum + (size ?? 0), 0),
  );
  for (const file of files) {
    // In folders and archives there is more than logs.
    const quietly = (name: string, why: string): void => {
      if (why !== NOT_TEXT || !(file.found || name.includes('!'))) failed(name, why);
    };
    const left = (name: string, links: number, devices: number): void => {
      io.stderr.write(`FL1404 ${plain(name, 200)}: ${links} links and ${devices} devices in it are passed over\n`);
    };
    const waiting = file.size === null ? setTimeout(() => io.stderr.write(waitText(file.path)), WAIT_MS) : undefined;
    try {
      const { input, close } = await openInput(file, io.now(), (bytes) => {
        clearTimeout(waiting);
        bar.read(bytes);
      });
      try {
        for await (const each of inputsIn(input, { failed: quietly, left })) await reading.read(each);
      } finally {
        await close();
      }
    } catch (error) {
      // No other file would be read either.
      if (error instanceof NoAddon) throw new CommandError(1, error.message);
      failed(file.path, whyNot(error));
    } finally {
      clearTimeout(waiting);
    }
  }
  bar.end();
  return { failures, dumps: await dumpFolderOf(files) };
}

/** A FIFO, a device or a pipe from which nothing comes. */
function waitText(path: string): string {
  const what =
    path === '-'
      ? 'standard input'
      : `${plain(path, 300)}: it is not a regular file, and no process has written to it yet`;
  return `waits for ${what}; Ctrl-C ends it\n`;
}

function correlated(
  hosts: readonly HostOfLogs[],
  {
    jobHosts,
    jobNames,
    undated,
    countedBack,
    plans,
    quoted,
    rejected,
    unnamed,
    missed,
  }: Pick<
    Reading,
    'jobHosts' | 'jobNames' | 'undated' | 'countedBack' | 'plans' | 'quoted' | 'rejected' | 'unnamed' | 'missed'
  >,
  { found, readings }: { readonly found: FoundEvents; readonly readings: Readings },
  wanted: Wanted,
): Read {
  const all: Read = { events: [], incidents: [], datedByOthers: new Set() };
  const present = new Set(found.hosts);
  const shown = hosts.filter(({ foundAs }) => foundAs.some((each) => present.has(each)));
  const byHost = ofEachHost(shown, ({ name, foundAs }) => {
    const labels = new Set(foundAs);
    const events = foundAs.flatMap((label) =>
      found.of([label]).map((event) => asOf(name, ofNamedJob(placed(event, jobHosts.get(label)), jobNames), labels)),
    );
    return plans.heldTo(foundAs, withOthersHeat(events, readings));
  });
  const guessed = new Set([...countedBack, ...undated.keys()]);
  const own: EventsOf[] = [];
  for (const [name, events] of byHost) {
    if (!isWanted(wanted, name) || events.length === 0) continue;
    const inputs = events.sort((a, b) => a.timeMs - b.timeMs);
    const timed = redated(withoutGuessedRepairs(quoted.without(inputs), guessed), undated);
    for (const log of timed.moved) all.datedByOthers.add(log);
    own.push({ host: name, inputs: stillSo(ofSameGpu(timed.inputs)) });
  }
  for (const { host, inputs } of withClients(own).flatMap(apartFromOtherJobs)) {
    const { events, incidents } = correlateHost(host, inputs);
    all.events.push(...events.filter((event) => !isOfClient(event)).map((event) => ({ event, host })));
    all.incidents.push(
      ...incidents.map((incident) => withoutGuessedEnd(withItsEnd(incident, events), events, guessed)),
    );
  }
  const incidents = withoutCovered(all.incidents).sort((a, b) => a.openedMs - b.openedMs);
  return {
    ...all,
    incidents: missed.namedIn(
      rejected.namedIn(
        joinedFaults(incidents, {
          events: all.events.map(({ event }) => event),
          restarts: plans.restarts(hosts),
          undated: new Set([...undated.keys()].filter((log) => !all.datedByOthers.has(log))),
          countedBack,
          hostsOfJobs: new Map([...unnamed.values()].map(({ path, ranOn = [] }) => [path, ranOn])),
        }),
      ),
    ),
  };
}

function leftOut(count: number, what: string, io: CommandIo): void {
  if (count > 0) io.stderr.write(`FL1403 ${count} ${what} more than can be kept were left out: scan less at once\n`);
}
