// What a scan prints for people: a line on what was read, then each incident as `faultline explain` shows it.

import { basename, dirname } from 'node:path';
import { listed, shortId } from '../../incidents/report/sentences.ts';
import { renderIncidentText } from '../../incidents/report/text.ts';
import { clockText } from '../../incidents/report/when.ts';
import type { FaultEvent } from '../../model/event.ts';
import { eventTitle } from '../../model/event-title.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { logOfHost, STDIN_LOG } from '../../model/unnamed-host.ts';
import { installationRoot } from '../../native.ts';
import type { CommandIo } from '../common/command-io.ts';
import { pathWords } from './as-typed.ts';
import type { ScannedInput } from './document.ts';
import { drainedByHand } from './drained-by-hand.ts';
import { headlineOf } from './headline.ts';
import type { HostOfLogs } from './host-names.ts';
import type { NextTo } from './next-to.ts';
import { byGravity, overview } from './overview.ts';
import { SCAN_ZONE } from './zone.ts';

const WIDTH = 100;
const ASSUMED: Readonly<Record<string, string>> = {
  first_16_mib: 'of a log of a BMC only the first 16 MiB are read: split it to have the rest',
  zone: 'times without a zone are read as UTC',
  ahead: 'lines are newer than the file itself: the clock of its host, or their year, is wrong',
  year: 'times without a year are of the newest one that fits the file',
  boot_time: 'times since boot are counted back from when the file was written',
  age: 'ages of events are counted back from when the file was written',
  file_time: 'lines without a time are read as of when the file was written',
  quoted_earlier: 'quoted lines ("> ") that are a day older than the newest line are passed over',
  time_of_other_log: 'a log without times is put at the fault that another log dates',
};
/** What is piped in has no file. */
const ASSUMED_OF_PIPE: Readonly<Record<string, string>> = {
  boot_time: 'times since boot are counted back from now',
  age: 'ages of events are counted back from now',
  file_time: 'lines without a time are read as of now',
};

export interface Shown {
  readonly inputs: readonly ScannedInput[];
  readonly hosts: readonly HostOfLogs[];
  /** Jobs of events that no line names. */
  readonly guessedJobs: readonly string[];
  readonly incidents: readonly Incident[];
  /** Folder of flight-recorder dumps among what was named. */
  readonly dumps: string | null;
  /** What may belong to an incident and could not be joined to it. */
  readonly nextTo: readonly NextTo[];
  readonly events: readonly { readonly event: FaultEvent; readonly host: string }[];
  /** GPUs that are hot by their readings, and servers that have more requests than they serve. */
  readonly look: readonly string[];
  /** What was named to be read. */
  readonly paths: readonly string[];
  /** Why no line was judged; null where some were. */
  readonly nothing: string | null;
  /** Inputs that could not be read. */
  readonly failed: number;
}

export function scanText(shown: Shown, io: CommandIo): string {
  const { incidents, nextTo, dumps } = shown;
  const width = Math.min(io.stdout.columns ?? WIDTH, WIDTH);
  const reports = byGravity(incidents).map((incident) =>
    renderIncidentText(incident, {
      width,
      colour: io.colour,
      nowMs: incident.updatedMs,
      timeZone: SCAN_ZONE,
      nextTo: nextTo.flatMap(({ of, text }) => (of === incident.id ? [text] : [])),
      first: nextTo.find(({ of, first }) => of === incident.id && first !== undefined)?.first,
      hint: false,
      logged: false,
      root: installationRoot(),
      dumps,
    }),
  );
  const headline = (incident: Incident): string => headlineOf(incident, shown);
  const assumed = assumedOf(shown);
  // What was assumed comes behind what to do, as it is read by whoever doubts that.
  const assumptions = assumed.length === 0 ? [] : [`Read so:${assumed.map((each) => `\n  ${each}`).join('')}`];
  return [headOf(shown), ...overview(incidents, width, headline), ...reports, ...assumptions, lastOf(shown)]
    .map((part) => `${part}\n`)
    .join('\n');
}

function headOf({ inputs, hosts }: Shown): string {
  const lines = inputs.reduce((sum, input) => sum + input.lines, 0);
  const [only] = inputs;
  const what =
    inputs.length === 1 && only !== undefined ? `${plain(only.name, 200)} (${only.format})` : `${inputs.length} logs`;
  return `faultline scan · ${what}${hostsText(hosts)} · ${counted(lines, 'line')}`;
}

function assumedOf({ inputs, hosts, events, guessedJobs, paths }: Shown): string[] {
  const assumed = new Set(inputs.flatMap((input) => input.assumed.flatMap((each) => assumedText(each, input.name))));
  const unplaced = new Set(events.filter((each) => !isPlaced(each)).map(({ host }) => host));
  const asked = hosts.filter(({ name, isCalledAfterLog }) => !isCalledAfterLog || unplaced.has(name));
  const after =
    events.length === 0 ? [] : [...guessesOf(asked, guessedJobs, inputs), ...howToName(hosts, events, paths)];
  return [...assumed, ...after];
}

/** Logs whose hosts nothing names may be of one, and of any that is named. */
function hostsText(hosts: readonly HostOfLogs[]): string {
  const [standIns = [], known = []] = [true, false].map((isStandIn) => hosts.filter(({ name, isCalledAfterLog }) => isStandIn === (isCalledAfterLog && logOfHost(name) !== null))); // biome-ignore format: one rule
  const unnamed = standIns.reduce((logs, { foundAs }) => logs + foundAs.length, 0);
  const named = known.length;
  if (named === 0 || hosts.length === 1) return '';
  return ` of ${counted(named, 'host')}${unnamed === 0 ? '' : `, ${unnamed} of a host that is not named`}`;
}

function assumedText(what: string, log: string): readonly string[] {
  if (log === STDIN_LOG && Object.hasOwn(ASSUMED_OF_PIPE, what)) return [ASSUMED_OF_PIPE[what] ?? ''];
  return ASSUMED[what] === undefined ? [] : [ASSUMED[what]];
}

/** What is called after a log or folder, for no line names it. */
function guessesOf(hosts: readonly HostOfLogs[], jobs: readonly string[], inputs: Shown['inputs']): string[] {
  const called = hosts.filter(({ isCalledAfterLog }) => isCalledAfterLog).map(({ name }) => name);
  const standIns = called.flatMap((name) => logOfHost(name) ?? []);
  // Several logs of one folder may be called after that.
  const folderNames = new Set(inputs.map(({ name }) => basename(dirname(name))));
  const fileNames = new Set(inputs.map(({ name }) => basename(name)));
  const isFolder = (name: string): boolean => folderNames.has(name) && !fileNames.has(name);
  const logs = standIns.filter((name) => !isFolder(name)).map((log) => plain(log, 120));
  const unnamedFolders = standIns.filter(isFolder).map((folder) => plain(folder, 120));
  const given = hosts.flatMap(({ name, isGiven }) => (isGiven === true ? [plain(name, 120)] : []));
  const folders = called.filter((name) => logOfHost(name) === null).map((name) => plain(name, 120));
  const said = hosts.flatMap(({ name, saidOf = [] }) =>
    saidOf.map((log) => `that ${plain(basename(log), 120)} is of ${plain(name, 120)} only the log of a job says`),
  );
  const onlyBy = (logs: readonly string[], name: string, says: string): string[] =>
    logs.map((log) => `that ${plain(basename(log), 120)} is of ${plain(name, 120)} only ${says} says`);
  const byName = hosts.flatMap(({ name, namedByName = [], namedByNeighbour = [], saidBeside = [] }) => [
    ...onlyBy(namedByName, name, 'its name'),
    ...onlyBy(saidBeside, name, 'a log next to it'),
    ...onlyBy(namedByNeighbour, name, 'the name of a log next to it'),
  ]);
  return [
    ...said,
    ...listedFirst(byName),
    ...given.map((name) => `no line names a host: all is of ${name}, as --host says`),
    ...(logs.length === 0
      ? []
      : [
          logs.length === 1 && logs[0] === STDIN_LOG
            ? 'no line names its host'
            : `no line names the host of ${listed(logs, ', ')}`,
        ]),
    ...(unnamedFolders.length === 0 ? [] : [`no line names the host of the logs in ${listed(unnamedFolders, ', ')}`]),
    ...(folders.length === 0
      ? []
      : [`no line names the host of the logs in ${listed(folders, ', ')}: called after the folder`]),
    ...(jobs.length === 0
      ? []
      : [
          `jobs are called after their logs: ${listed(
            jobs.map((job) => plain(job, 120)),
            ', ',
          )}`,
        ]),
  ];
}

/** Of as many logs as a screen has room for. */
function listedFirst(lines: readonly string[]): string[] {
  const more = lines.length - MOST_UNREAD;
  return more <= 0 ? [...lines] : [...lines.slice(0, MOST_UNREAD), `the same of ${counted(more, 'more log')}`];
}

/** Where nothing at all says which host the logs are of, whoever scans them may know. */
function howToName(hosts: readonly HostOfLogs[], events: Shown['events'], paths: Shown['paths']): string[] {
  const isUnknown = hosts.length > 0 && hosts.every(({ name, isCalledAfterLog }) => isCalledAfterLog && logOfHost(name) !== null); // biome-ignore format: one rule
  if (!isUnknown || events.some(isPlaced)) return [];
  return [`where all is of one host, name it: faultline scan --host NAME ${pathWords(paths)}`];
}

/** Its line says where it was, whosever the log is. */
function isPlaced({ event: { component, attributes }, host }: Shown['events'][number]): boolean {
  const of = component?.type === 'host' ? component.id : component?.host;
  return (of !== undefined && of !== host) || 'named_host' in attributes || 'possible_hosts' in attributes;
}

/** The end is what a terminal still shows: it says what to read first, and what was not read at all. */
export function lastOf(shown: Shown): string {
  const { inputs, incidents, events, nothing, failed, look: seen } = shown;
  const unread = failed === 0 ? '' : ` ${counted(failed, 'input')} could not be read, or not to the end: see FL1402.`;
  if (nothing !== null) return `${nothing}.${unread}`;
  const isUnread = inputs.some((input) => input.not_understood !== undefined);
  const isHealthy = inputs.length > 0 && inputs.every(({ judged = [] }) => judged.some(({ healthy }) => healthy));
  const rest =
    events.length === 0
      ? isHealthy
        ? 'each report that was read says that all is well'
        : isUnread
          ? 'nothing that is known'
          : 'nothing worth an event'
      : `${counted(events.length, 'event')}, of which none needs anyone`;
  const look = [
    ...(incidents.length === 0 ? seenOf(events) : []),
    ...drainedByHand(events, incidents),
    ...seen.map((each) => `To be looked at: ${each}.`),
    ...judgedIn(inputs),
    ...samplesIn(inputs),
    ...notUnderstoodIn(inputs),
  ]
    .map((line) => `\n${line}`)
    .join('');
  if (incidents.length === 0) return `No incident: ${rest}.${unread}${look}`;
  const [gravest] = byGravity(incidents);
  const alike = incidents.every(({ severity }) => severity === gravest?.severity);
  const first =
    gravest === undefined || incidents.length === 1
      ? ''
      : `\n${alike ? 'The first to read' : 'The gravest of them'}: ${shortId(gravest.id)}, ${gravest.severity}: ${headlineOf(gravest, shown).replace(/\.$/, '')}.`;
  return `${counted(incidents.length, 'incident')} out of ${counted(events.length, 'event')}. --json prints all of it, --format html or markdown a page of ${incidents.length === 1 ? 'it' : 'all'}.${unread}${first}${look}`;
}

/** A line each of the last events, which is what a job's log that ended on purpose is read for. */
function seenOf(events: Shown['events']): string[] {
  return events.slice(-MOST_SEEN).flatMap(({ event: { kind, attributes, timeMs, evidence } }) => {
    const [first] = evidence;
    if (first === undefined || !('text' in first)) return [];
    const title = eventTitle(kind, attributes);
    return `Seen: ${clockText(timeMs, SCAN_ZONE)} ${title}: "${plain(first.text, MOST_QUOTED)}".`;
  });
}

const MOST_SEEN = 3;
const MOST_QUOTED = 160;

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/** No more than a screen has; --json has all. */
const MOST_UNREAD = 5;

function notUnderstoodIn(inputs: readonly ScannedInput[]): string[] {
  const unread = inputs.flatMap(({ name, not_understood: what }) =>
    what === undefined ? [] : [`Not understood: ${plain(basename(name), 120)}: ${what}.`],
  );
  const more = unread.length - MOST_UNREAD;
  return more <= 0
    ? unread
    : [...unread.slice(0, MOST_UNREAD), `Not understood: ${counted(more, 'more input')}, named in --json.`];
}

/** Of documents that say what to do when a fault shows: what they quote is not of today. */
function samplesIn(inputs: readonly ScannedInput[]): string[] {
  const of = inputs.flatMap(({ name, samples }) => (samples === undefined ? [] : [{ log: plain(basename(name), 120), samples }])); // biome-ignore format: one rule
  return of
    .slice(0, MOST_UNREAD)
    .map(({ log, samples }) => `Samples: ${log} is a guide: what it quotes of faults (${samples}) is not of a host here. Where it is, scan those lines alone.`); // biome-ignore format: one line
}

/** What reports say that all is well in. */
function judgedIn(inputs: readonly ScannedInput[]): string[] {
  const said = inputs.flatMap(({ name, judged = [] }) =>
    judged.map(({ tool, healthy, says }) =>
      healthy
        ? `Healthy: ${plain(basename(name), 120)}: ${tool} says ${says}.`
        : `Read: ${plain(basename(name), 120)}: ${tool} shows ${says}.`,
    ),
  );
  const more = said.length - MOST_UNREAD;
  return more <= 0
    ? said
    : [...said.slice(0, MOST_UNREAD), `Healthy: ${counted(more, 'more report')}, named in --json.`];
}
