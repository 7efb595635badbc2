// One server: clients on several hosts that miss one file server, whose own log is not among what was scanned, are one incident; and so are disks
// of one host that fail in the same seconds, which have a controller, a shelf or a backplane in common.

import type { FaultEvent } from '../../../model/event.ts';
import { fileServerName } from '../../../model/file-server-name.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { logOfHost } from '../../../model/unnamed-host.ts';
import { type Group, isRooted, placeOf, rootOf, runsWithin, shortOf } from './groups.ts';

/** Clients ask a server again and again, and miss it after minutes at most. */
const MISSED_MS = 900_000;
/** What has no host in its log is of this one only where it is as near as that. */
const LOCAL_MS = 120_000;
/** A port or a controller is tried again and again before its disk is given up. */
const PORT_MS = 60_000;
/** A controller that fails takes its disks with it. */
const AT_ONCE_MS = 10_000;

const MISSES: ReadonlySet<Kind> = new Set<Kind>(['storage.stall', 'storage.io_error']);

/** By the address that clients have for it, else by its name: two targets of one address are one server. */
export function ofOneServer(incidents: readonly Incident[]): Group[] {
  const clients = incidents.filter((one) => isRooted(one) && serverOf(one) !== null);
  const address = new Map<string, string>();
  for (const event of incidents.flatMap(({ events }) => events)) {
    const said = serverIn(event);
    if (said?.name !== null && said?.address !== null && said !== null) address.set(said.name, said.address);
  }
  const byServer = Map.groupBy(clients, (one) => {
    const said = serverOf(one);
    return said?.address ?? address.get(said?.name ?? '') ?? said?.name ?? '';
  });
  return [...byServer.values()].flatMap((all) =>
    runsWithin(all, MISSED_MS).flatMap(([first, ...others]) =>
      first === undefined || others.length === 0 ? [] : [{ lead: first, others }],
    ),
  );
}

/** Errors of files that only the log of a job has are of the one file server, or disk, that failed before them. */
export function ofOneStore(incidents: readonly Incident[]): Group[] {
  const stores = incidents.filter((one) => isRooted(one) && STORES.has(one.root.kind) && one.unconfirmed === null);
  const groups = new Map<Incident, Incident[]>();
  for (const one of incidents) {
    const root = rootOf(one);
    if (root?.source !== 'job-log' || one.unconfirmed === null || !MISSES.has(one.root.kind)) continue;
    const [store, ...others] = stores.filter((other) => isStoreOf(other, one));
    if (store === undefined || others.length > 0) continue;
    groups.set(store, [...(groups.get(store) ?? []), one]);
  }
  return [...groups].map(([lead, others]) => ({ lead, others }));
}

const STORES: ReadonlySet<Kind> = new Set<Kind>(['storage.stall', 'storage.io_error', 'storage.readonly', 'storage.degraded']); // biome-ignore format: one list

/** A disk of one host is missed there at once; a file server wherever it is mounted. */
function isStoreOf(store: Incident, job: Incident): boolean {
  const afterMs = job.openedMs - store.openedMs;
  if (afterMs < -AT_ONCE_MS || afterMs > MISSED_MS) return false;
  if (isServed(store) || placeOf(store) === placeOf(job)) return true;
  return logOfHost(job.host) !== null && afterMs <= LOCAL_MS;
}

/** Others have said that they miss it, or what failed exports what it holds. */
function isServed({ events }: Incident): boolean {
  return events.some(({ attributes }) => SERVES.some((name) => attributes[name] !== undefined) || typeof attributes.file_system === 'string'); // biome-ignore format: one rule
}

const SERVES = ['client_log', 'on_server', 'lustre_target', 'served_by'] as const;

interface Server {
  readonly name: string | null;
  readonly address: string | null;
}

/** Null where it is of no client, or its line names no server. */
function serverOf(incident: Incident): Server | null {
  const root = rootOf(incident);
  return root === undefined || !MISSES.has(root.kind) || root.component?.type !== 'host' ? null : serverIn(root);
}

function serverIn({ attributes }: FaultEvent): Server | null {
  const { server, address, file_system: system } = attributes;
  if (typeof system !== 'string') return null;
  const name = fileServerName(attributes) ?? (typeof server === 'string' ? shortOf(server) : null);
  const at = typeof address === 'string' ? `${system} ${address}` : null;
  return name === null && at === null ? null : { name: name === null ? null : `${system} ${name}`, address: at };
}

/** Groups of what a client waits for, and what that brought about there, with the incident of its server, which has what the client said. */
export function ofServedClients(incidents: readonly Incident[]): Group[] {
  const servers = incidents.filter(({ events }) => events.some(({ attributes }) => attributes.client_log === true));
  const groups = new Map<Incident, Incident[]>();
  for (const one of incidents) {
    const root = rootOf(one);
    if (root === undefined || servers.includes(one)) continue;
    const server = servers.find(({ events }) => events.some((event) => event.attributes.client_log === true && isSame(event, root))); // biome-ignore format: one rule
    if (server !== undefined) groups.set(server, [...(groups.get(server) ?? []), one]);
  }
  return [...groups].map(([lead, others]) => ({ lead, others }));
}

/** Groups of a server that clients wait for, with the scheduler that misses no others than these: its daemon there waits as well. */
export function ofWaitingHosts(incidents: readonly Incident[]): Group[] {
  return incidents.flatMap((missed) => {
    if (missed.root.kind !== 'host.down' || missed.made !== undefined) return [];
    const hosts = hostsOf(missed, ({ kind }) => kind === 'host.down');
    const [lead, ...others] = incidents.filter((one) => {
      const afterMs = missed.openedMs - one.openedMs;
      if (one === missed || !isRooted(one) || afterMs < 0 || afterMs > MISSED_MS) return false;
      const waiting = hostsOf(one, ({ kind, state, attributes }) => kind === 'storage.stall' && state !== 'clear' && typeof attributes.server === 'string'); // biome-ignore format: one rule
      return waiting.size > 0 && [...hosts].every((host) => waiting.has(host));
    });
    return lead === undefined || others.length > 0 || hosts.size === 0 ? [] : [{ lead, others: [missed] }];
  });
}

function hostsOf({ events }: Incident, isOf: (event: FaultEvent) => boolean): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) => (event.component?.type === 'host' && isOf(event) ? [shortOf(event.component.id)] : [])),
  );
}

function isSame(a: FaultEvent, b: FaultEvent): boolean {
  return a.kind === b.kind && a.component?.id === b.component?.id && Math.abs(a.timeMs - b.timeMs) < AT_ONCE_MS;
}

/** Groups of incidents of the disks of one host, led by what is said of their host where there is such a thing. */
export function ofOneController(incidents: readonly Incident[]): Group[] {
  const disks = incidents.filter(
    (one) => isRooted(one) && one.root.kind === 'storage.io_error' && serverOf(one) === null && isConnection(one),
  );
  return [...Map.groupBy(disks, placeOf).values()].flatMap((all) =>
    runsWithin(all, all.some(({ root }) => root.component?.type === 'host') ? PORT_MS : AT_ONCE_MS).flatMap((run) => {
      const [first] = run;
      // Of one disk alone its port or cable may be what is wrong, which the disk names.
      const ofDisks = run.filter(({ root }) => root.component?.type === 'disk');
      const isOfOne = new Set(ofDisks.map(({ root }) => root.component?.id)).size === 1;
      const lead = (isOfOne ? ofDisks[0] : run.find(({ root }) => root.component?.type === 'host')) ?? first;
      return lead === undefined || run.length < 2 ? [] : [{ lead, others: run.filter((one) => one !== lead) }];
    }),
  );
}

/** Groups of the only disk of a host that stalls, or fails, with what waits for its disk there in those minutes. */
export function ofWaitedDisk(incidents: readonly Incident[]): Group[] {
  return incidents.flatMap((waits) => {
    const root = rootOf(waits);
    if (root?.kind !== 'storage.stall' || root.component?.type !== 'host' || !WAITS.has(root.attributes.program)) return []; // biome-ignore format: one rule
    const disks = incidents.filter(
      (one) =>
        isRooted(one) &&
        MISSES.has(one.root.kind) &&
        one.root.component?.type === 'disk' &&
        placeOf(one) === placeOf(waits) &&
        Math.abs(one.openedMs - waits.openedMs) <= LOCAL_MS,
    );
    const [lead, ...others] = disks;
    return lead === undefined || others.length > 0 ? [] : [{ lead, others: [waits] }];
  });
}
/** They say how long a write took, and not to which disk. */
const WAITS: ReadonlySet<unknown> = new Set(['etcd']);

/** Groups of a disk that failed, with what the kernel says of it by its SCSI address or its ATA port: of the only disk of its host that failed in that minute. */
export function ofOneAddress(incidents: readonly Incident[]): Group[] {
  const failed = incidents.filter((one) => isRooted(one) && one.root.kind === 'storage.io_error');
  return failed.flatMap((one) => {
    const { device } = rootOf(one)?.attributes ?? {};
    if (one.root.component?.type !== 'host' || typeof device !== 'string' || !ADDRESS.test(device)) return [];
    const near = failed.filter(
      (other) => placeOf(other) === placeOf(one) && Math.abs(other.openedMs - one.openedMs) <= PORT_MS,
    );
    const [lead, ...others] = near.filter(({ root }) => root.component?.type === 'disk');
    return lead === undefined || others.length > 0 ? [] : [{ lead, others: [one] }];
  });
}

const ADDRESS = /^(?:\d{1,5}(?::\d{1,20}){3}|ata\d{1,3})$/;

/** A bad sector is of one disk alone, whatever the others do. */
function isConnection(incident: Incident): boolean {
  const root = rootOf(incident);
  return root !== undefined && root.trust === 'kernel' && root.attributes.what !== 'medium';
}
