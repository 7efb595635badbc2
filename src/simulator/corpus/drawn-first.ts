// First events of coincidences as the catalogue has them: one of each kind that a row of causes leads from to a job.

import { CAUSE_ROWS } from '../../correlation/graph/cause-graph.ts';
import { isExplaining, isSymptom, losesLoad } from '../../correlation/graph/kind-roles.ts';
import { KINDS, type Kind, kindInfo } from '../../model/kind.ts';
import type { StepDocument } from '../scenario/document.ts';

/** One thing of either list. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /** `at` is a duration from the moment of the part, with a minus for what began before. */
  readonly steps: readonly (Omit<StepDocument, 'at'> & { readonly at: string })[];
}

/** Where such an event is on the host of `world.yaml`, by the first word of its kind, or the first two. */
const PLACE: Readonly<Record<string, string>> = {
  'gpu.memory': 'gpu/0000:52:00.0',
  gpu: 'gpu/0000:43:00.0',
  nvlink: 'nvlink/0000:43:00.0/3',
  nvswitch: 'nvswitch/0000:05:00.0',
  pcie: 'pcie/0000:40:00.0',
  nic: 'nic/0000:5e:00.0',
  net: 'host/node-9',
  cpu: 'cpu/node-9/1',
  memory: 'dimm/node-9/C2',
  storage: 'host/node-9',
  host: 'host/node-9',
  process: 'process/98330',
  psu: 'psu/node-9/1',
  power: 'pdu_phase/pdu-a-rack-9/1',
  cooling: 'host/node-9',
  fabric_manager: 'host/node-9',
};

/** Trust and source that go with such kinds. */
const BY: Readonly<Record<string, readonly [source: string, trust: 'kernel' | 'facility' | 'bmc' | 'driver']>> = {
  power: ['pdu', 'facility'],
  psu: ['bmc', 'bmc'],
  cooling: ['bmc', 'bmc'],
  gpu: ['gpu', 'driver'],
};

/** Kinds that may be harmless: none that takes a device away or is critical, none of the job itself, none that is planned. */
export function drawnFirst(): Part[] {
  const leading = new Set(CAUSE_ROWS.filter(({ effect }) => effect.startsWith('job.')).map(({ cause }) => cause));
  return KINDS.filter((kind) => leading.has(kind) && mayBeHarmless(kind)).flatMap((kind) => [
    partOf(kind, 'short'),
    partOf(kind, 'lasting'),
  ]);
}

function mayBeHarmless(kind: Kind): boolean {
  if (isExplaining(kind) || isSymptom(kind) || losesLoad(kind) || placeOf(kind) === undefined) return false;
  return kindInfo(kind).severity !== 'critical';
}

function placeOf(kind: Kind): string | undefined {
  const [family = '', part = ''] = kind.split('.');
  return PLACE[`${family}.${part}`] ?? PLACE[family];
}

/** Over after five seconds, or there until the end. */
function partOf(kind: Kind, length: 'short' | 'lasting'): Part {
  const [source, trust] = BY[kind.split('.')[0] ?? ''] ?? ['kernel-log', 'kernel'];
  const event = { source, kind, component: placeOf(kind) ?? 'unknown', trust };
  const step = length === 'short' ? { at: '0s', for: '5s', event } : { at: '0s', for: '1h', event };
  return { name: `${kind} (${length})`, title: kindInfo(kind).title, steps: [step] };
}
