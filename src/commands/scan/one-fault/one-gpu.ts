// One GPU: what is said of one GPU within seconds is one fault, in whatever order its log has the lines; and that nvidia-smi does not find it is
// what a GPU looks like that is lost, whenever it was asked.

import { componentText } from '../../../model/component.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { SEVERITIES } from '../../../model/severity.ts';
import { logOf } from '../found-events.ts';
import { type Group, isRooted, placeOf, rootOf, runsWithin } from './groups.ts';

/** A driver that resets a GPU that hangs says all of it within this time. */
const MOMENT_MS = 10_000;
/** It is looked for within days. */
const LOOKED_MS = 3 * 86_400_000;
/** A driver that starts, and a daemon that counts what it found, are of one start of the host. */
const START_MS = 900_000;
const GONE: ReadonlySet<Kind> = new Set<Kind>(['gpu.lost', 'gpu.init_failure']);
const NOT_FOUND: ReadonlySet<Kind> = new Set<Kind>(['gpu.missing', 'gpu.access_lost']);
/** What may be said of any fault of a GPU; two others of one moment may be of two processes. */
const GENERAL: ReadonlySet<Kind> = new Set<Kind>(['gpu.fault', 'gpu.reset_failed']);
/** What a program did, on a GPU that is well. */
const OF_PROGRAMS: ReadonlySet<Kind> = new Set<Kind>(['gpu.app_fault', 'gpu.preemptive_cleanup']);

/** Groups of incidents of one GPU, each led by what says most of it. */
export function ofOneGpu(incidents: readonly Incident[]): Group[] {
  const all = incidents.filter(
    (one) => isRooted(one) && one.root.component?.type === 'gpu' && !OF_PROGRAMS.has(one.root.kind),
  );
  return [...Map.groupBy(all, nameOf).values()].flatMap((own) => {
    const gone = own.filter(({ root }) => GONE.has(root.kind));
    const [lost] = gone;
    const looks = gone.length === 1 && lost !== undefined ? own.filter((one) => isLookAt(lost, one)) : [];
    if (lost !== undefined && looks.length > 0) return [{ lead: lost, others: looks }];
    return runsWithin(own, MOMENT_MS).flatMap((run) => {
      const [lead, ...others] = [...run].sort((a, b) => weightOf(b) - weightOf(a));
      const more = others.filter(({ root }) => GENERAL.has(root.kind));
      return lead === undefined || more.length === 0 ? [] : [{ lead, others: more }];
    });
  });
}

/**
 * Groups of the only GPU of a host that is lost, or does not start, with what its scheduler or its driver counts there: one less than it should
 * have. `guessed`: logs whose times are, so that either may come first.
 */
export function ofCountedGpu(incidents: readonly Incident[], guessed: ReadonlySet<string>): Group[] {
  const missing = incidents.filter((one) => isRooted(one) && one.root.kind === 'gpu.missing' && isOfWhole(one));
  return missing.flatMap((count) => {
    const gone = incidents.filter(
      (one) =>
        isRooted(one) &&
        GONE.has(one.root.kind) &&
        one.root.component?.type === 'gpu' &&
        placeOf(one) === placeOf(count),
    );
    const [unfit, ...more] =
      rootOf(count)?.attributes.found === 0 ? incidents.filter((one) => isUnfit(one, count)) : [];
    if (unfit !== undefined && gone.length + more.length === 0) return [{ lead: unfit, others: [count] }];
    const [lead, ...others] = gone;
    return lead === undefined || others.length > 0 || lacksMore(count) || !isCountOf(lead, count, guessed)
      ? []
      : [{ lead, others: [count] }];
  });
}

/** A driver that does not fit shows none of them. */
function isUnfit(one: Incident, count: Incident): boolean {
  if (!isRooted(one) || one.root.kind !== 'gpu.driver_unsupported' || placeOf(one) !== placeOf(count)) return false;
  const afterMs = count.openedMs - one.openedMs;
  return afterMs >= -START_MS && afterMs <= LOOKED_MS;
}

/** Said of a host, and of none of its GPUs. */
function isOfWhole({ root: { component } }: Incident): boolean {
  return component === null || component.type === 'host';
}

/** More GPUs than the one that is known to be gone. */
function lacksMore(count: Incident): boolean {
  const { found, expected } = rootOf(count)?.attributes ?? {};
  return typeof found === 'number' && typeof expected === 'number' && expected - found > 1;
}

function isCountOf(lost: Incident, count: Incident, guessed: ReadonlySet<string>): boolean {
  const afterMs = count.openedMs - lost.openedMs;
  const isGuessed = [lost, count].some((one) => one.events.every((event) => guessed.has(logOf(event))));
  return isGuessed ? Math.abs(afterMs) <= LOOKED_MS : afterMs >= -START_MS && afterMs <= LOOKED_MS;
}

function isLookAt(lost: Incident, one: Incident): boolean {
  return (
    NOT_FOUND.has(one.root.kind) &&
    rootOf(one)?.source !== 'kernel-log' &&
    Math.abs(one.openedMs - lost.openedMs) <= LOOKED_MS
  );
}

/** Groups of what is said of a GPU, or of a link, without its address in the seconds in which the log names one GPU alone, or none. */
export function ofUnnamedGpu(incidents: readonly Incident[]): Group[] {
  const all = incidents.filter(({ root, made }) => made === undefined && /^(?:gpu|nvlink)\./.test(root.kind));
  return [...Map.groupBy(all, placeOf).values()].flatMap((own) =>
    runsWithin(own, MOMENT_MS).flatMap((run) => {
      const named = new Set(
        run.flatMap(({ root: { component } }) => (component?.type === 'gpu' ? [component.id] : [])),
      );
      const unnamed = run.filter((one) => one.root.component === null || isOfProgram(one));
      const asked = run.filter(({ root }) => root.kind === 'gpu.recovery_action');
      const lead = leadOf(run);
      const others = [...unnamed, ...asked].filter((one) => one !== lead);
      return named.size > 1 || lead === null || others.length === 0 ? [] : [{ lead, others }];
    }),
  );
}

/** What a program says that could not begin to use the GPUs of its host: it names none. */
function isOfProgram(one: Incident): boolean {
  return (
    one.root.kind === 'gpu.init_failure' && one.root.component?.type === 'host' && rootOf(one)?.source === 'job-log'
  );
}

/** A known root of a GPU that is named, or of one that is not. */
function leadOf(run: readonly Incident[]): Incident | null {
  const rooted = run.filter((one) => isRooted(one) && one.root.kind !== 'gpu.recovery_action');
  return rooted.find(({ root }) => root.component?.type === 'gpu') ?? rooted[0] ?? null;
}

/** What says most of it first. */
function weightOf({ root, severity }: Incident): number {
  return SEVERITIES.indexOf(severity) + (GENERAL.has(root.kind) ? 0 : SEVERITIES.length);
}

function nameOf(incident: Incident): string {
  const { component } = incident.root;
  return component === null ? '' : `${placeOf(incident)} ${componentText(component)}`;
}
