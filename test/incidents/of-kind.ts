// Of a kind: an incident as correlation makes it of one event of a kind alone, on a host and a device of any name.

import { Correlator } from '../../src/correlation/correlator.ts';
import { IncidentBook } from '../../src/incidents/lifecycle.ts';
import { type Component, parseComponent } from '../../src/model/component.ts';
import type { Attributes, Trust } from '../../src/model/event.ts';
import type { Explanation } from '../../src/model/explanation.ts';
import type { Incident } from '../../src/model/incident.ts';
import { type Kind, kindInfo } from '../../src/model/kind.ts';
import { makeEvent } from '../../src/model/make-event.ts';
import type { Severity } from '../../src/model/severity.ts';
import { T0 } from './sample.ts';

export interface Names {
  readonly host: string;
  readonly job: string;
  readonly nic: string;
  readonly disk: string;
  readonly pdu: string;
}

export const SHORT: Names = { host: 'gx-07', job: '8812', nic: 'mlx5_3', disk: 'nvme1', pdu: 'pdu-b' };
export const LONG: Names = {
  host: 'gpu-worker-h200-rack17-node0042.cluster-east.example.com',
  job: 'llama-3-405b-pretraining-run-17-attempt-3',
  nic: 'enp159s0f0np0-storage-uplink',
  disk: 'dm-name-vg_scratch-lv_checkpoints',
  pdu: 'pdu-building-4-hall-2-row-11-rack-17-feed-b',
};
/** As of a saved log whose lines name no host. */
export const OF_LOG: Names = { ...LONG, host: 'log:Slurm output of attempt 3 (final).out' };

/** What a kind is commonly seen on, first what it mostly is. */
export function placesOf(kind: Kind, names: Names): readonly (Component | null)[] {
  const { host, job, pdu } = names;
  const on = (text: string, more: Partial<Component> = {}): Component => ({ ...parsed(text), ...more });
  const own = { id: host, type: 'host' } as const;
  const rank = on(`rank/${job}/3`, { host });
  const work = [rank, on(`job/${job}`), own, null];
  const families: Readonly<Record<string, readonly (Component | null)[]>> = {
    gpu: [on('gpu/0000:1d:00.0', { host }), own, null, rank],
    nvlink: [on('nvlink/0000:1d:00.0/3', { host, parent: 'gpu/0000:1d:00.0' }), null],
    nvswitch: [on('nvswitch/0000:05:00.0', { host })],
    cpu: [{ type: 'cpu', id: `${host}/0`, host }, own],
    memory: [{ type: 'dimm', id: `${host}/A1`, host }, own],
    nic: [on('nic/0000:5f:00.0', { host, aliases: [names.nic] }), own, null, rank],
    pcie: [on('pcie/0000:5f:00.0', { host }), on('gpu/0000:1d:00.0', { host })],
    psu: [{ type: 'psu', id: `${host}/1`, host }, own],
    power: [{ type: 'pdu_phase', id: `${pdu}/1` }, own],
    process: [on('process/4711', { host })],
    storage: [{ type: 'disk', id: names.disk, host }, own, rank],
    host: [own, ...(kind === 'host.oom' ? [on('process/4711', { host })] : [])],
    job: work,
    net: work,
    pod: [own, rank],
    service: [on('service/llama-api')],
  };
  return families[kind.slice(0, kind.indexOf('.'))] ?? [own];
}

function parsed(text: string): Component {
  const found = parseComponent(text);
  if (found === null) throw new Error(`no component: ${text}`);
  return found;
}

export interface Seen {
  readonly component: Component | null;
  readonly host: string;
  readonly trust: Trust;
  readonly severity?: Severity;
  readonly attributes?: Attributes;
}

/** Null where correlation makes no incident of it. */
export function incidentOf(kind: Kind, { component, host, trust, severity, attributes = {} }: Seen): Incident | null {
  const correlator = new Correlator({ host, latenessMs: 30_000, holdMs: 60_000, adviseOnWords: true });
  const event = makeEvent(host, {
    kind,
    component,
    timeMs: T0,
    observedMs: T0 + 50,
    trust,
    source: trust === 'tenant' ? 'job-log' : 'kernel-log',
    severity: severity ?? kindInfo(kind).severity,
    state: 'onset',
    attributes,
  });
  const explanations: readonly Explanation[] = [...correlator.observe(event), ...correlator.advance(T0 + 3_600_000)];
  const last = explanations.findLast(({ mergedInto }) => mergedInto === null);
  return last === undefined ? null : (new IncidentBook(host, []).apply(last) ?? null);
}
