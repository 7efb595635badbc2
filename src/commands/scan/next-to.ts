// Next to: a slow or waiting job and a fault that could be its cause, both found by one scan and not joined: why not, and how to find out.

import { causesOf } from '../../correlation/graph/cause-graph.ts';
import { placeText } from '../../incidents/report/place.ts';
import { shortId, UNKNOWN } from '../../incidents/report/sentences.ts';
import { clockText, durationText, otherDay } from '../../incidents/report/when.ts';
import { jobText } from '../../model/component-name.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { KINDS, type Kind, kindEntry } from '../../model/kind.ts';
import { bareTitle } from '../../model/mark.ts';
import { plain } from '../../model/plain.ts';
import { saidGpu } from '../../model/said-device.ts';
import { sourceNamed } from '../../sources/named.ts';
import { logOf } from './found-events.ts';
import type { HostOfLogs } from './host-names.ts';
import { mayBeOfOne } from './of-one-cause.ts';

/** What lies further apart is hardly of one cause. */
const NEAR_MS = 3_600_000;
/** More than these are counted. */
const MOST = 2;

const NAME_ALL = 'if so, this scan with --host NAME joins them';
const NAME_ONE = 'if so, name the log that has no host after it (dmesg-NAME.txt) and scan again';

const GPU_HARDWARE: ReadonlySet<Kind> = new Set(
  KINDS.filter((kind) => kindEntry(kind).groups?.includes('gpu_hardware')),
);

/** One that was not joined to the other. */
export interface NextTo {
  readonly of: string;
  readonly text: string;
  /** To be seen before what the incident asks for. */
  readonly first?: string;
}

/**
 * Of a symptom in a job without a root: faults that can cause it, seen within an hour of it, that nothing but a missing name or a missing
 * time keeps apart. Both say so.
 */
export function nextToEachOther(
  incidents: readonly Incident[],
  hosts: readonly HostOfLogs[],
  timeZone: string,
  undated: ReadonlySet<string> = new Set(),
): NextTo[] {
  const unnamed = new Set(
    hosts.flatMap(({ name, isCalledAfterLog, namedByPath }) => (isCalledAfterLog && !namedByPath ? [name] : [])),
  );
  const howToName = unnamed.size === hosts.length ? NAME_ALL : NAME_ONE;
  const found: NextTo[] = [];
  const faults = incidents.filter(({ rootKnown }) => rootKnown);
  for (const symptom of incidents) {
    if (symptom.rootKnown || !isWork(symptom)) continue;
    const causes = causesOf(symptom.root.kind);
    const near = faults
      .filter(({ root, openedMs }) => causes.has(root.kind) && Math.abs(openedMs - symptom.openedMs) <= NEAR_MS)
      .flatMap((fault) => {
        const why = whyApart(symptom, fault, unnamed, howToName);
        return why === null ? [] : [{ fault, why }];
      })
      .sort((a, b) => b.fault.confidence - a.fault.confidence);
    for (const { fault, why } of near.slice(0, MOST)) {
      found.push({ of: symptom.id, text: `${saidOf(fault, symptom, timeZone)}. ${why}` });
      found.push({ of: fault.id, text: `${saidOf(symptom, fault, timeZone)}, perhaps for this. ${why}` });
    }
    const more = near.length - MOST;
    if (more > 0) found.push({ of: symptom.id, text: `and ${more} more that could be its cause` });
  }
  const tied = [...found, ...peersOf(incidents, timeZone), ...byNumberOf(incidents, timeZone)];
  return [...tied, ...atOnceOf(incidents, tied, timeZone, undated)];
}

/** Faults that nothing ties, and that began as near to each other as this, are perhaps of one cause where there can be such a one. */
const AT_ONCE_MS = 10_000;
/** Of more the overview says when each began. */
const MOST_AT_ONCE = 6;

/** The nearest other fault of the same seconds, which no line ties to it: a breaker, and the supply of a host that the log of its PDU does not name. */
function atOnceOf(
  incidents: readonly Incident[],
  tied: readonly NextTo[],
  timeZone: string,
  undated: ReadonlySet<string>,
): NextTo[] {
  // What has the time of its file may be of any moment.
  const faults = incidents.filter((one) => one.rootKnown && !one.events.every((event) => undated.has(logOf(event))));
  if (faults.length > MOST_AT_ONCE) return [];
  return faults.flatMap((one) => {
    if (tied.some(({ of }) => of === one.id)) return [];
    const apart = (other: Incident): number => Math.abs(other.openedMs - one.openedMs);
    const [nearest] = faults.filter((other) => other !== one && apart(other) <= AT_ONCE_MS && mayBeOfOne(one, other)).sort((a, b) => apart(a) - apart(b)); // biome-ignore format: one call
    return nearest === undefined
      ? []
      : [{ of: one.id, text: `${saidOf(nearest, one, timeZone)}: perhaps of one cause` }];
  });
}

/** A peer meets what a lost GPU left unfinished within moments. */
const PEER_MS = 60_000;
/** What a program that waits for a peer, or reads its memory, may fail with. */
const OF_A_PEER: ReadonlySet<Kind> = new Set<Kind>(['gpu.app_fault', 'gpu.fifo_error', 'process.segfault']);

/** A fault of a program moments after a GPU of another host broke under a job: perhaps a rank of that job, and no fault of its own. */
function peersOf(incidents: readonly Incident[], timeZone: string): NextTo[] {
  return incidents.flatMap((fault) => {
    if (!OF_A_PEER.has(fault.root.kind)) return [];
    const behind = incidents.find(
      ({ root, host, openedMs, events }) =>
        GPU_HARDWARE.has(root.kind) &&
        host !== fault.host &&
        fault.openedMs >= openedMs &&
        fault.openedMs - openedMs <= PEER_MS &&
        events.some(({ component }) => component?.type === 'job' || component?.type === 'rank'),
    );
    if (behind === undefined) return [];
    const text = `${saidOf(behind, fault, timeZone)}. If this process is a rank of the job that it ended, see to that GPU first: this may be its consequence`;
    return [{ of: fault.id, text, first: firstOf(fault, behind) }];
  });
}

/** What may be of one GPU that a tool calls by a number and another by its address. */
const OF_GPU_HARDWARE = /^(?:gpu|pcie|nvlink)\./;

/** A GPU that a tool names by its number alone, next to one of the same host that another names by its address: perhaps the same. */
function byNumberOf(incidents: readonly Incident[], timeZone: string): NextTo[] {
  return incidents.flatMap((numbered) => {
    const gpu = numbered.root.component === null ? saidGpu(rootOf(numbered)?.attributes ?? {}) : null;
    if (gpu === null) return [];
    const addressed = incidents.filter(
      ({ root: { kind, component }, host, openedMs }) =>
        component?.type === 'gpu' &&
        OF_GPU_HARDWARE.test(kind) &&
        !GPU_APP.has(kind) &&
        host === numbered.host &&
        Math.abs(openedMs - numbered.openedMs) <= NEAR_MS,
    );
    const how = `the same GPU where nvidia-smi -i ${gpu} --query-gpu=pci.bus_id --format=csv has its address`;
    return addressed.slice(0, MOST).flatMap((other) => [
      { of: numbered.id, text: `${saidOf(other, numbered, timeZone)}: ${how}` },
      { of: other.id, text: `${saidOf(numbered, other, timeZone)}: ${how}` },
    ]);
  });
}

/** Of a program, whatever GPU it ran on. */
const GPU_APP: ReadonlySet<Kind> = new Set<Kind>(['gpu.app_fault', 'gpu.fifo_error', 'gpu.preemptive_cleanup']);

/** Whether the process belongs to the job that the other incident ended: nothing is wrong with the program then. */
function firstOf(fault: Incident, behind: Incident): string {
  const { pid } = rootOf(fault)?.attributes ?? {};
  const who = typeof pid === 'number' ? `process ${pid}` : 'this program';
  const { component } =
    behind.events.find(({ component }) => component?.type === 'job' || component?.type === 'rank') ?? {};
  const job = component?.type === 'rank' ? component.id.slice(0, component.id.lastIndexOf('/')) : (component?.id ?? '');
  return `see whether ${who} was a rank of ${jobText(job)}, which ${shortId(behind.id)} ended: then this is what came of it, and nothing is to be done here`;
}

function whyApart(symptom: Incident, fault: Incident, unnamed: ReadonlySet<string>, howToName: string): string | null {
  if (symptom.host === fault.host)
    return isLaterReport(symptom, fault)
      ? 'Its report says what was so when it was written: see whether it was so before'
      : null;
  const nameless = [symptom, fault].filter(({ host }) => unnamed.has(host)).length;
  if (nameless === 0) return null;
  return `Of one host? No line says; ${howToName}`;
}

/** What was written after the effect began cannot be put before it. */
function isLaterReport(symptom: Incident, fault: Incident): boolean {
  const seen = rootOf(fault);
  return fault.openedMs > symptom.openedMs && seen !== undefined && sourceNamed(seen.source) === undefined;
}

function saidOf(other: Incident, from: Incident, timeZone: string): string {
  const apart = other.openedMs - from.openedMs;
  const when = `${otherDay(other.openedMs, from.openedMs, timeZone)}${clockText(other.openedMs, timeZone)}`;
  const how = Math.abs(apart) < 1000 ? '' : `, ${durationText(Math.abs(apart))} ${apart > 0 ? 'later' : 'before'}`;
  const what = plain(bareTitle(other)).replace(UNKNOWN, '');
  return `${what}${placeText(other)}, seen ${when}${how} (${shortId(other.id)})`;
}

function isWork({ root: { component } }: Incident): boolean {
  return component?.type === 'job' || component?.type === 'rank';
}

function rootOf({ events, root }: Incident): FaultEvent | undefined {
  return events.find(({ id }) => id === root.eventId);
}
