// Makes the bundle of one incident: takes each part, cleans it, writes one archive with a manifest, and notes the outcome on the incident.

import { hostname, userInfo } from 'node:os';
import { errorText } from '../../helpers/error-text.ts';
import { archiveOf, type BundleFile, sha256 } from '../../incidents/bundle/archive.ts';
import { Cleaner } from '../../incidents/bundle/cleaner.ts';
import { Names } from '../../incidents/bundle/names.ts';
import { loadNotes } from '../../incidents/log/load-notes.ts';
import { NoteBook } from '../../incidents/notes/note-book.ts';
import { shortId } from '../../incidents/report/sentences.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { shownJson } from '../../model/shown-json.ts';
import type { CommandIo } from '../common/command-io.ts';
import { findIncident } from '../common/find-incident.ts';
import { type LogOptions, logDirectoryOf } from '../common/incident-context.ts';
import { version } from '../common/version.ts';
import { configuredSecrets, readConfiguration } from './configured.ts';
import { incidentFiles } from './incident-parts.ts';
import { type BundleOutcome, noteOutcome } from './note-outcome.ts';
import type { HostPaths, PartContext, RawFile } from './part.ts';
import { PARTS } from './parts.ts';
import { NewFile, type WriteAll } from './write-new.ts';

export interface BundleOptions extends LogOptions {
  readonly out?: string;
  readonly anonymous?: boolean;
  readonly nvidiaBugReport?: boolean;
  readonly by?: string;
  readonly note?: boolean;
  readonly json?: boolean;
}

export interface BundleSurroundings {
  readonly paths: HostPaths;
  readonly hostname: string;
  readonly writeAll?: WriteAll;
}

const REAL: BundleSurroundings = {
  paths: {
    journalctl: '/usr/bin/journalctl',
    bugReport: '/usr/bin/nvidia-bug-report.sh',
    osRelease: '/etc/os-release',
  },
  hostname: hostname(),
};

interface LeftOut {
  readonly what: string;
  readonly why: string;
}

export async function makeBundle(given: string, options: BundleOptions, io: CommandIo, around = REAL): Promise<void> {
  const startMs = io.now();
  const logDirectory = await logDirectoryOf(options);
  const incident = await findIncident(given, logDirectory, io, true);
  const stamp = new Date(startMs).toISOString().replace(/\.\d+|[-:]/g, '');
  const folder = `faultline-bundle-${shortId(incident.id)}-${stamp}`;
  const file = await NewFile.at(options.out, `${folder}.tar.gz`);
  try {
    const made = await archive(incident, logDirectory, folder, options, io, around);
    await file.write(made.bytes, around.writeAll);
    const sum = sha256(made.bytes);
    await note(incident, options, io, { file: file.path, bytes: made.bytes.length, sha256: sum, startMs, error: null });
    if (options.json === true) io.stdout.write(`${shownJson({ ...made.manifest, file: file.path, sha256: sum }, 2)}\n`);
    else io.stdout.write(textOf(file.path, sum, made));
  } catch (error) {
    const failed = { file: file.path, bytes: null, sha256: null, startMs, error: errorText(error) };
    await note(incident, options, io, failed);
    throw error;
  } finally {
    await file.close();
  }
}

interface Made {
  readonly bytes: Buffer;
  readonly manifest: object;
  readonly files: readonly BundleFile[];
  readonly leftOut: readonly LeftOut[];
  readonly removed: number;
}

async function archive(
  incident: Incident,
  logDirectory: string,
  folder: string,
  options: BundleOptions,
  io: CommandIo,
  around: BundleSurroundings,
): Promise<Made> {
  const { config, trouble } = await readConfiguration(options.config);
  const here = config?.config.host ?? around.hostname;
  const context: PartContext = {
    incident,
    said: new NoteBook(await loadNotes(logDirectory)).of(incident.id),
    logDirectory,
    config,
    configTrouble: trouble,
    elsewhere: here === incident.host ? null : `the incident is of host ${incident.host}, and this is ${here}`,
    anonymous: options.anonymous === true,
    wantsBugReport: options.nvidiaBugReport === true,
    paths: around.paths,
    signal: io.signal(),
  };
  const { raw, leftOut } = await takeAll(context, io);
  const names = context.anonymous ? namesOf(context, [here, around.hostname], raw) : null;
  const cleaner = new Cleaner(config === null ? [] : await configuredSecrets(config), names);
  const cleaned = raw.map((each) => fileOf(each, cleaner));
  const csv = cleaned.find(({ path }) => path === 'samples.csv')?.bytes.toString() ?? null;
  const own = incidentFiles(context, cleaner, csv, io.now()).map((each) => packed(each));
  const files = [...own, ...cleaned];
  const manifest = {
    schema: 'faultline/bundle/1',
    incident_id: incident.id,
    revision: incident.revision,
    host: cleaner.text(incident.host),
    made_at: new Date(io.now()).toISOString(),
    faultline: version,
    anonymous: context.anonymous,
    secrets_removed: cleaner.removed,
    files: files.map(({ path, what, bytes }) => ({ path, what, bytes: bytes.length, sha256: sha256(bytes) })),
    left_out: cleaner.value(leftOut),
  };
  const first = packed({ path: 'manifest.json', what: 'what is in it, with its hashes', value: manifest });
  const bytes = await archiveOf(folder, [first, ...files], incident.updatedMs);
  return { bytes, manifest, files, leftOut, removed: cleaner.removed };
}

async function takeAll(context: PartContext, io: CommandIo): Promise<{ raw: RawFile[]; leftOut: LeftOut[] }> {
  const raw: RawFile[] = [];
  const leftOut: LeftOut[] = [];
  for (const part of PARTS) {
    if (context.signal.aborted) throw new Error('stopped');
    const taken = await part.take(context).catch((error: unknown) => ({ leftOut: errorText(error) }));
    if ('leftOut' in taken) leftOut.push({ what: part.name, why: taken.leftOut });
    else raw.push(...taken);
  }
  if (context.signal.aborted) io.stderr.write('stopped: nothing is written\n');
  return { raw, leftOut };
}

function namesOf({ incident, said, config }: PartContext, hosts: readonly string[], raw: readonly RawFile[]): Names {
  const names = new Names();
  for (const name of [incident.host, ...hosts, config?.config.host]) names.host(name);
  const whole = JSON.stringify([incident, said]);
  for (const [, host] of whole.matchAll(/"host":"([^"\\]{1,253})"/g)) names.host(host);
  for (const [, host] of whole.matchAll(/"(?:host)\/([^"\\/]{1,253})"/g)) names.host(host);
  for (const { user } of incident.whose ?? []) names.user(user);
  for (const each of [said.acknowledged, said.verdict]) names.user(each?.by);
  names.user(ownName());
  for (const text of [whole, ...raw.map(textIn)]) names.learnFrom(text);
  return names;
}

function ownName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null; // a user without an entry, as in many containers
  }
}

function textIn(file: RawFile): string {
  return 'text' in file ? file.text : JSON.stringify(file.value);
}

function fileOf(file: RawFile, cleaner: Cleaner): BundleFile {
  const { path, what } = file;
  return packed(
    'text' in file ? { path, what, text: cleaner.text(file.text) } : { path, what, value: cleaner.value(file.value) },
  );
}

function packed(file: RawFile): BundleFile {
  const text = 'text' in file ? file.text : `${shownJson(file.value, 2)}\n`;
  return { path: file.path, what: file.what, bytes: Buffer.from(text) };
}

async function note(incident: Incident, options: BundleOptions, io: CommandIo, outcome: BundleOutcome): Promise<void> {
  if (options.note === false) return;
  try {
    await noteOutcome(incident, outcome, options, io);
  } catch (error) {
    io.stderr.write(`no note of it is on the incident: ${plain(errorText(error))}\n`);
  }
}

function textOf(path: string, sum: string, { bytes, files, leftOut, removed }: Made): string {
  const width = Math.max(...files.map((file) => file.path.length));
  const lines = [
    `${plain(path, 4096)}   ${sizeText(bytes.length)}`,
    `sha256 ${sum}`,
    ...files.map(
      (file) => `  ${file.path.padEnd(width)}  ${sizeText(file.bytes.length).padStart(9)}  ${plain(file.what)}`,
    ),
    ...leftOut.map(({ what, why }) => `  without ${what}: ${plain(why)}`),
    `${removed === 1 ? '1 secret was' : `${removed} secrets were`} removed. Look through it before you send it: a secret in the middle of a sentence looks like a word`,
  ];
  return `${lines.join('\n')}\n`;
}

function sizeText(bytes: number): string {
  return bytes < 10_240 ? `${bytes} B` : `${(bytes / 1024).toFixed(0)} KiB`;
}
