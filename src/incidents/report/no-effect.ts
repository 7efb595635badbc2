// No effect: what is said where nothing followed from the root: its own work, where it is work, and else that no job was seen to suffer.

import type { Component } from '../../model/component.ts';
import { nameText } from '../../model/component-name.ts';
import type { Attributes, FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import { plain } from '../../model/plain.ts';
import { podOf } from '../../model/pod-name.ts';
import { evictedBy, evictedHost } from './evicted.ts';
import { isShutDown, readOnlySystem } from './failed-disk.ts';
import { hasFailedWrites } from './failed-writes.ts';
import { fullPath } from './full-disk.ts';
import { offForHeatMs } from './host-off.ts';
import { workSaid } from './owner.ts';
import { hostWords } from './place.ts';
import { stoppedHost } from './stopped-host.ts';
import { waitingText } from './waiting-clients.ts';

const LONGEST = 64;

/** `on vllm itself`, `gx-28 stopped`, `process python (5511) ended, of slurm job 90411`, `none seen on a job so far`. */
export function noEffectText(incident: Incident): string {
  const { root, events } = incident;
  const { component } = root;
  if (component?.type === 'job' || component?.type === 'rank') return `on ${nameText(component)} itself`;
  const stopped = stoppedHost(incident);
  if (stopped !== null) return `${stopped} stopped`;
  const server = evictedBy(incident);
  if (server !== null) return `what ${evictedHost(incident)} had not written to ${server} is lost`;
  if (hasFailedWrites(incident)) return `programs on ${evictedHost(incident)} got I/O errors`;
  const readOnly = readOnlySystem(incident);
  const clients = waitingText(events);
  if (readOnly !== null)
    return `file system ${readOnly} of ${plain(incident.host, LONGEST)} ${isShutDown(incident) ? 'is shut down: it gives errors to reads, too' : 'is read-only'}${clients === null ? '' : `; ${clients}`}`;
  if (clients !== null) return clients;
  if (offForHeatMs(incident) !== null) return `${hostWords(incident)} shut itself down, with all that ran there`;
  const evicted = root.kind === 'host.pressure' ? events.map(({ attributes }) => podOf(attributes)).find((pod) => pod !== null) : undefined; // biome-ignore format: one rule
  if (evicted !== undefined) return `pod ${plain(String(evicted), LONGEST)} evicted`;
  const waiting = root.kind === 'host.not_ready' ? podsOn(events) : null;
  if (waiting !== null) return waiting;
  const suffered = workHurt(incident);
  if (suffered !== null) return suffered;
  const { ended_by: by } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const ended = ENDED_WORK.get(by);
  const workers = Math.max(0, ...events.map(({ attributes }) => Number(attributes.workers ?? 0)));
  if (ended !== undefined) return by === 'Ray' && workers > 1 ? `${workers} workers of the job ended` : ended;
  const named = ({ attributes }: FaultEvent): boolean => typeof attributes.pid === 'number' && typeof attributes.process === 'string'; // biome-ignore format: one rule
  const killed = ENDS.has(root.kind) ? events.find(named) : events.find((event) => ENDED_BESIDE.has(event.kind) && named(event)); // biome-ignore format: one rule
  const whose = workSaid(incident);
  if (killed === undefined)
    return root.kind.startsWith('pod.') && whose !== null
      ? `on ${whose} itself`
      : (thrown(incident) ?? unwritten(incident) ?? NONE_SEEN);
  const { pid, process } = killed.attributes;
  return `process ${plain(String(process), LONGEST)} (${pid}) ended${whose === null || whose.startsWith('the job') ? '' : `, of ${whose}`}`;
}

/** As events of the pods of a node say. */
function podsOn(events: readonly FaultEvent[]): string | null {
  const pods = podsSaid(events);
  if (pods === null) return null;
  const isTaken = events.some(({ attributes }) => typeof attributes.pods === 'string' && attributes.evicted === true);
  return `${pods} ${isTaken ? 'taken off it' : 'waiting for it'}`;
}

/** `pod ml/trainer-0`, `pods ml/trainer-0, ml/trainer-1 and 3 more`; null where events name none. */
export function podsSaid(events: readonly FaultEvent[]): string | null {
  const { pods } = events.find(({ attributes }) => typeof attributes.pods === 'string')?.attributes ?? {};
  if (typeof pods !== 'string') return null;
  const text = plain(pods, MOST_NAMES);
  return `${/, | and /.test(text) ? 'pods' : 'pod'} ${text}`;
}
const MOST_NAMES = 240;

const NONE_SEEN = 'none seen on a job so far';

/** What ended, failed or waits of the work there, where any line says so; null where none does. */
export function hurtText(incident: Incident): string | null {
  const said = noEffectText(incident);
  return said === NONE_SEEN ? null : said;
}

/** What a device or host did is reported by the exception of a program that needed it: that one ended. */
function thrown({ evidence }: Incident): string | null {
  for (const one of evidence) {
    const [, name] = one.source === 'job-log' && 'text' in one ? (EXCEPTION.exec(one.text) ?? []) : [];
    if (name !== undefined) return `a job there ended: ${plain(name, LONGEST)}`;
  }
  return null;
}
const EXCEPTION = /(?:^|[\s.])([A-Z]\w{1,60}(?:Error|Exception))\b/;

/** By what ended it for its memory. */
const ENDED_WORK: ReadonlyMap<unknown, string> = new Map([
  ['Ray', 'a worker of the job ended'],
  ['LSF', 'the job ended'],
  ['PBS', 'the job ended'],
  ['Slurm', 'the job ended'],
]);

/** A job's own line on a full disk says what it could not write. */
function unwritten({ root, evidence }: Incident): string | null {
  if (root.kind !== 'host.disk_full' && root.kind !== 'storage.full') return null;
  const [path] = evidence.flatMap((one) => (one.source === 'job-log' && 'text' in one ? (fullPath({ message: one.text }) ?? []) : [])); // biome-ignore format: one rule
  return path === undefined ? null : `a job there could not write ${plain(path, LONGEST)}`;
}

/** A page that the kernel gave up, with the machine check for it; XID 45 and 94: the driver removed the channels of a process, or ended the one that read what is lost. */
const ENDED_BESIDE: ReadonlySet<string> = new Set(['gpu.preemptive_cleanup', 'gpu.memory.contained', 'memory.ue']);
/** Their lines name a process that the kernel ended for it. */
const ENDS: ReadonlySet<string> = new Set(['host.oom', 'memory.ue', 'process.segfault']);

/** What the lines say of a job or rank, though no figure tells how much it lost: `train: checkpoint failed`; null where they say nothing. */
function workHurt({ root, events }: Incident): string | null {
  const ofWork = events.filter(
    ({ id, kind, component, severity, state }) =>
      id !== root.eventId && isWork(component) && WORDS_OF_WORK.test(kind) && severity !== 'info' && state !== 'clear',
  );
  const [own] = [...ofWork].sort((one, other) => Number(other.kind.startsWith('job.')) - Number(one.kind.startsWith('job.'))); // biome-ignore format: one call
  if (own === undefined) return null;
  // What the network did to the job is less than that a rank raised for it.
  const raised = own.kind.startsWith('net.')
    ? ofWork.find(({ attributes }) => exceptionOf(attributes) !== '')
    : undefined;
  if (raised !== undefined)
    return `${nameText(raised.component)} raised ${plain(exceptionOf(raised.attributes), LONGEST)}`;
  return `${nameText(own.component)}: ${kindInfo(own.kind).title}`;
}

function exceptionOf({ exception }: Attributes): string {
  return typeof exception === 'string' ? exception : '';
}

function isWork(component: Component | null): boolean {
  return component?.type === 'job' || component?.type === 'rank';
}
const WORDS_OF_WORK = /^(?:job|net)\./;
