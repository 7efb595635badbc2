// Host names: which hosts the events of logs that name none are of.

import { basename, dirname } from 'node:path';
import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import { hostOfLog } from '../../model/unnamed-host.ts';
import { hostInForm, hostOfPath, isHostName } from './host-in-path.ts';
import { sharingHosts } from './sharing-hosts.ts';

/** A host that lines name, and those that stand in for a log whose lines name none. */
export interface HostOfLogs {
  readonly name: string;
  /** Under these its events were found. */
  readonly foundAs: readonly string[];
  /** No line and no path names it: it is called as its log or folder is. */
  readonly isCalledAfterLog: boolean;
  /** Kernel logs that only the lines of a job's log say are of it. */
  readonly saidOf?: readonly string[];
  /** Logs that only the name of their file, or of a folder above, says are of it. */
  readonly namedByPath?: readonly string[];
  /** Of these, logs of jobs and services, which may be of other hosts as well. */
  readonly namedByName?: readonly string[];
  /** Logs that are of it for they lie next to such a one, where nothing else names it. */
  readonly namedByNeighbour?: readonly string[];
  /** Logs that are of it for no other log of their folder names another host. */
  readonly saidBeside?: readonly string[];
  /** Nothing but the caller's --host says that the logs are of it. */
  readonly isGiven?: boolean;
}

/** Where no line and no path names any host, all logs are of the one that the caller names. */
export function givenName(hosts: readonly HostOfLogs[], name: string | null): readonly HostOfLogs[] {
  if (name === null || hosts.length === 0 || hosts.some(({ isCalledAfterLog }) => !isCalledAfterLog)) return hosts;
  return [{ name, foundAs: hosts.flatMap(({ foundAs }) => foundAs), isCalledAfterLog: false, isGiven: true }];
}

/** A log whose lines name no host. */
export interface Unnamed {
  readonly kernel: boolean;
  /** The output of a tool, of the devices of one machine. */
  readonly ofDevices?: boolean;
  /** Of these, what is of the machine that it ran on and of no other. */
  readonly ofMachine?: boolean;
  /** A list of what is on many hosts, or on any. */
  readonly isOfCluster?: boolean;
  readonly path: string;
  /** Its lines name none that wrote them, but the host of the fault that they report first; null where they do not. */
  readonly says?: string | null;
  /** The prompt that it begins with names the machine that it is of; null where none does. */
  readonly terminal?: string | null;
  /** Of a job: all hosts that its log names. */
  readonly ranOn?: readonly string[];
  /** Of a job of more ranks than one host has GPUs. */
  readonly isWide?: boolean;
  /** Of a job whose ranks waited: the one that those run on of which nothing came. */
  readonly waitedFor?: string | null;
  /** Tables and logs of schedulers and their like: all hosts that they report of, and none that they are of themselves. */
  readonly about?: readonly string[];
  /** All hosts that its events name. */
  readonly mentions?: readonly string[];
}

/**
 * A log that names no host is of the host that its path names; else of the only host that the others name; else of the one whose
 * logs are nearest to it: in its folder, or below the first folder above that has any; else, of a job, of the host that its
 * lines say. Kernel logs that name none are hosts of their own, each with the logs nearest to it, called as a job's log among
 * them says, as the folder is where there are several folders or its name is plainly that of a host, else as the log is. Where the nearest
 * are of several hosts, none is guessed. What reports of other hosts alone is of the host that it reports of; of several, it is read with
 * what reports of the same ones. The log of a job on several hosts is of the one whose ranks the others waited for, or the only one of them that
 * reports anything. `namedIn`: in which logs lines name a host, by the host; `eventful`: the names and labels that anything was found of.
 */
export function hostsOf(
  named: ReadonlySet<string>,
  unnamed: ReadonlyMap<string, Unnamed>,
  namedIn: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
  eventful: ReadonlySet<string> = new Set(),
): HostOfLogs[] {
  const logs = [...unnamed].flatMap(([label, log]) => (named.has(label) ? [] : [{ label, ...log }]));
  const hosts = new Map([...named].map((name) => [name, [name]]));
  const byShort = new Map([...named].reverse().map((name) => [shortOf(name), name])); // of several the first
  const byPath = new Map<string, string[]>();
  const byName = new Map<string, string[]>();
  const byNeighbour = new Map<string, string[]>();
  const sure = new Set(named);
  const forms = new Set([...named].map(formOf));
  const known = new Folders();
  for (const [host, paths] of namedIn) for (const path of paths) known.add(path, host);
  const add = (host: string, label: string): void => append(hosts, host, label);
  let rest: typeof logs = [];
  for (const log of logs) {
    if (typeof log.terminal === 'string') {
      add(log.terminal, log.label);
      known.add(log.path, log.terminal);
      continue;
    }
    const said = hostOfPath(log.path, log.kernel || log.ofDevices === true) ?? hostInForm(log.path, (name) => forms.has(formOf(name))); // biome-ignore format: one line
    if (said === null || (said.ofProgram && saysMore(log))) {
      rest.push(log);
      continue;
    }
    const host = alike(named, byShort, said.host);
    add(host, log.label);
    append(byPath, host, log.path);
    if (said.ofProgram) append(byName, host, log.path);
    else sure.add(host);
    known.add(log.path, host);
  }
  const called = new Set<string>();
  const taken = new Set<string>();
  for (const {
    logs: [first, ...more],
    about: [only, ...others],
  } of sharingHosts(rest)) {
    if (first === undefined || only === undefined || (others.length > 0 && more.length === 0)) continue;
    const host = others.length > 0 ? first.label : alike(named, byShort, only);
    if (others.length > 0) called.add(host);
    for (const { label } of [first, ...more]) {
      add(host, label);
      taken.add(label);
    }
  }
  rest = rest.filter(({ label, path, says = null }) => {
    if (taken.has(label)) return false;
    const folder = basename(dirname(path));
    const isPlain = PLAINLY_HOST.test(folder) || forms.has(formOf(folder));
    if (says !== null || !isPlain || !isHostFolder(folder, forms)) return true;
    const host = alike(named, byShort, folder);
    if (!hosts.has(host)) called.add(host);
    add(host, label);
    append(byPath, host, path);
    known.add(path, host);
    return false;
  });
  rest = rest.filter((log) => {
    const host = behindJob(log, (name) => alike(named, byShort, name), hosts, eventful);
    if (host !== null) add(host, log.label);
    return host === null;
  });
  const [only] = hosts.keys();
  rest = rest.filter((log) => {
    const { label, path } = log;
    const near = only !== undefined && hosts.size === 1 && named.size === 1 ? only : known.nearest(path);
    const host = near !== null && isElsewhere(log, near) ? null : near;
    if (host !== null) add(host, label);
    if (host !== null && byName.has(host) && !sure.has(host)) append(byNeighbour, host, path);
    return host === null;
  });
  const saidOf = new Map<string, string[]>();
  // Next to a kernel log that no one names, a job's log may say whose both are.
  const namesOthers = named.size === 0 && rest.some(({ kernel }) => kernel);
  rest = rest.filter(({ label, says = null }) => {
    if (says === null || namesOthers) return true;
    add(alike(named, byShort, says), label);
    return false;
  });
  const folders = Map.groupBy(rest, ({ path }) => dirname(path));
  const kernels = new Folders();
  const kernelFolders = new Set<string>();
  for (const { kernel, label, path } of rest) {
    if (!kernel) continue;
    kernels.add(path, label);
    kernelFolders.add(dirname(path));
  }
  // Among logs of several hosts a kernel log says nothing of those in other folders.
  const kernelOf = ({ path, isOfCluster = false }: Unnamed): string | null =>
    isOfCluster || (named.size > 1 && !kernelFolders.has(dirname(path))) ? null : kernels.nearest(path);
  const groups = Map.groupBy(rest, (log) => (log.kernel ? log.label : (kernelOf(log) ?? log.label)));
  for (const [label, group] of groups) {
    const folder = dirname(unnamed.get(label)?.path ?? '');
    const members = new Set(group);
    const isWhole = (folders.get(folder) ?? []).every((each) => members.has(each));
    const inFolder = basename(folder);
    const afterFolder = isHostFolder(inFolder, forms) ? inFolder : hostOfLog(inFolder);
    const isFree = inFolder !== '' && inFolder !== '.' && !hosts.has(afterFolder);
    const [said, ...others] = new Set(group.flatMap(({ says = null }) => says ?? []));
    const isSaid = said !== undefined && others.length === 0;
    const name = isSaid ? said : folders.size > 1 && isWhole && isFree ? afterFolder : label;
    if (!isSaid) called.add(name);
    else if (group.some(({ kernel }) => kernel)) saidOf.set(name, group.filter(({ kernel }) => kernel).map((each) => each.path)); // biome-ignore format: one line
    for (const each of group) add(name, each.label);
  }
  return [...hosts].map(([name, foundAs]) => {
    const [logs, namedByPath, namedByName] = [saidOf.get(name), byPath.get(name), byName.get(name)];
    const namedByNeighbour = byNeighbour.get(name);
    return {
      name,
      foundAs,
      isCalledAfterLog: called.has(name),
      ...(logs === undefined ? {} : { saidOf: logs }),
      ...(namedByPath === undefined ? {} : { namedByPath }),
      ...(namedByName === undefined ? {} : { namedByName }),
      ...(namedByNeighbour === undefined ? {} : { namedByNeighbour }),
    };
  });
}

/** What the lines of a job's or a service's log say of hosts counts before the name of its file, which is that of the first of several hosts. */
function saysMore({
  kernel,
  ofDevices = false,
  says = null,
  ranOn = [],
  about = [],
  isWide = false,
}: Unnamed): boolean {
  return !kernel && !ofDevices && (isWide || says !== null || ranOn.length > 1 || about.length > 0);
}

/** It is a list of a whole cluster, or all hosts that its lines name are others. */
function isElsewhere({ isOfCluster = false, says = null, ranOn = [] }: Unnamed, host: string): boolean {
  return isOfCluster || (says !== null && [says, ...ranOn].every((each) => shortOf(each) !== shortOf(host)));
}

/** "gx-70", "node07.example.com": hardly a case, a day or a run. */
const PLAINLY_HOST = /^[a-z]{2,}(?:-[a-z]+)*-?\d{2,5}(?:\.[a-z][\w.-]*)?$/i;

/** Where to look for what ended a job on several hosts; null where its log does not say, or no other log is of that host. */
function behindJob(
  { waitedFor = null, says = null, ranOn = [] }: Unnamed,
  known: (name: string) => string,
  hosts: ReadonlyMap<string, readonly string[]>,
  eventful: ReadonlySet<string>,
): string | null {
  if (waitedFor !== null && hosts.has(known(waitedFor))) return known(waitedFor);
  const reports = (name: string): boolean => (hosts.get(name) ?? []).some((label) => eventful.has(label));
  if (says === null || ranOn.length < 2 || reports(known(says))) return null;
  const [only, ...others] = new Set(ranOn.map(known).filter(reports));
  return others.length === 0 ? (only ?? null) : null;
}

/** Of a short number behind a word: "d16" and "inc-4711" are rather a case or a day. */
const HARDLY_A_CASE = /^[a-z]{2,}(?:-[a-z]+)*-?\d{1,3}(?![\d])/;

/** Whether commands may be aimed at the name of a folder: it has the form of a host that lines name, or is hardly anything else. */
function isHostFolder(folder: string, forms: ReadonlySet<string>): boolean {
  return isHostName(folder) && (forms.has(formOf(folder)) || HARDLY_A_CASE.test(folder));
}

/** "gx-#" of "gx-07.example.com". */
function formOf(host: string): string {
  return shortOf(host).replace(/\d+/g, '#');
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

const shortOf = (host: string): string => host.split('.', 1)[0] ?? host;

/** "gx-07", and "gx-07-note" of a report with a note behind the host, are "gx-07.cluster.local" where that is named. */
function alike(named: ReadonlySet<string>, byShort: ReadonlyMap<string, string>, host: string): string {
  if (named.has(host)) return host;
  const short = shortOf(host);
  for (let end = short.length; end > 0; end = short.lastIndexOf('-', end - 1)) {
    const same = byShort.get(short.slice(0, end));
    if (same !== undefined) return same;
  }
  return host;
}

/** Which host the logs below each folder are of. */
class Folders {
  /** Null: of several. */
  readonly #hosts = new Map<string, string | null>();

  add(path: string, host: string): void {
    for (const folder of foldersOf(path)) {
      const had = this.#hosts.get(folder);
      this.#hosts.set(folder, had === undefined || had === host ? host : null);
    }
  }

  /** The only one that has logs below the deepest folder above the path which has any; null where there are several, or none. */
  nearest(path: string): string | null {
    for (const folder of foldersOf(path)) {
      const host = this.#hosts.get(folder);
      if (host !== undefined) return host;
    }
    return null;
  }
}

/** From its own up; an archive is a folder. */
function* foldersOf(path: string): Generator<string> {
  for (let end = lastCut(path, path.length); end > 0; end = lastCut(path, end)) yield path.slice(0, end);
}

function lastCut(path: string, before: number): number {
  return Math.max(path.lastIndexOf('/', before - 1), path.lastIndexOf('!', before - 1));
}

/** The event as of the host of this name. */
export function asOf(host: string, found: EventInput, foundAs: ReadonlySet<string>): EventInput {
  const { component } = found;
  if (component === null) return found;
  const renamed = renamedComponent(component, host, foundAs);
  return renamed === component ? found : { ...found, component: renamed };
}

function renamedComponent(component: Component, host: string, foundAs: ReadonlySet<string>): Component {
  if (component.type === 'host') {
    const id = foundAs.has(component.id) ? host : component.id;
    const isOf = component.host !== undefined && foundAs.has(component.host);
    return id === component.id && !isOf ? component : { ...component, id, ...(isOf ? { host } : {}) };
  }
  const { host: of } = component;
  if (of === undefined || of === host || !foundAs.has(of)) return component;
  // A part is called by its host: "gx-07/2".
  const { id, parent } = component;
  const own = id.startsWith(`${of}/`) ? `${host}${id.slice(of.length)}` : id;
  return { ...component, id: own, host, ...(parent === `host/${of}` ? { parent: `host/${host}` } : {}) };
}
