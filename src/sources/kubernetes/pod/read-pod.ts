// Reads v1.Pod, as JSON or as decoded protobuf, of which no more is kept than is used: labels, annotations and variables by name.

import { expectedNames } from './kept-names.ts';
import { networkOf } from './network.ts';
import type { Condition, Container, DeviceHealth, Ended, Pod } from './pod.ts';
import { at, listAt, numberAt, textAt, timeAt, wordAt } from './values.ts';
import { variablesOf } from './variables.ts';

const MOST_CONTAINERS = 64;
const MOST_CONDITIONS = 32;
const MOST_VALUE = 253;
/** Name of a namespace, pod or container: DNS labels with dots. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const UID = /^[0-9a-zA-Z-]{1,64}$/;
const HASHES = ['kubernetes.io/config.mirror', 'kubernetes.io/config.hash'];

/** Null where it has no name, namespace or uid. `userLabels`: labels that may name a user. */
export function readPod(raw: unknown, userLabels: readonly string[] = []): Pod | null {
  const name = wordAt(raw, 'metadata', 'name');
  const namespace = wordAt(raw, 'metadata', 'namespace');
  const uid = wordAt(raw, 'metadata', 'uid');
  if (name === null || namespace === null || uid === null) return null;
  if (!NAME.test(name) || !NAME.test(namespace) || !UID.test(uid)) return null;
  const labels = kept(at(raw, 'metadata', 'labels'), [...expectedNames.labels, ...userLabels]);
  const annotations = kept(at(raw, 'metadata', 'annotations'), expectedNames.annotations);
  const hash = HASHES.map((key) => at(raw, 'metadata', 'annotations', key)).find((one) => typeof one === 'string');
  const pod = { uid, namespace, name, labels, annotations };
  const network = networkOf(raw);
  return {
    ...pod,
    configHash: typeof hash === 'string' && /^[0-9a-f]{32}$/.test(hash) ? hash : null,
    controller: controllerOf(raw),
    priorityClass: wordAt(raw, 'spec', 'priorityClassName'),
    phase: wordAt(raw, 'status', 'phase'),
    reason: wordAt(raw, 'status', 'reason'),
    message: textAt(raw, 'status', 'message'),
    startedMs: timeAt(raw, 'status', 'startTime'),
    deletionMs: timeAt(raw, 'metadata', 'deletionTimestamp'),
    conditions: listAt(raw, 'status', 'conditions').slice(0, MOST_CONDITIONS).flatMap(conditionOf),
    containers: containersOf(raw, pod),
    ...(network === null ? {} : { network }),
  };
}

export function kept(map: unknown, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = at(map, name);
    if (typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) && value.length <= MOST_VALUE) found[name] = value;
  }
  return found;
}

function controllerOf(raw: unknown): Pod['controller'] {
  for (const reference of listAt(raw, 'metadata', 'ownerReferences')) {
    const kind = wordAt(reference, 'kind');
    const name = wordAt(reference, 'name');
    if (at(reference, 'controller') === true && kind !== null && name !== null) return { kind, name };
  }
  return null;
}

export function conditionOf(raw: unknown): Condition[] {
  const type = wordAt(raw, 'type');
  const status = wordAt(raw, 'status');
  if (type === null || status === null) return [];
  const atMs = timeAt(raw, 'lastTransitionTime');
  return [{ type, status, reason: wordAt(raw, 'reason'), message: textAt(raw, 'message'), atMs }];
}

type Named = Pick<Pod, 'uid' | 'namespace' | 'name' | 'labels' | 'annotations'>;

function containersOf(raw: unknown, pod: Named): Container[] {
  const found: Container[] = [];
  const places = [
    ['initContainers', 'initContainerStatuses'],
    ['containers', 'containerStatuses'],
  ] as const;
  for (const [written, reported] of places) {
    const specs = new Map(listAt(raw, 'spec', written).map((spec) => [wordAt(spec, 'name'), spec]));
    const states = new Map(listAt(raw, 'status', reported).map((state) => [wordAt(state, 'name'), state]));
    for (const name of new Set([...specs.keys(), ...states.keys()])) {
      if (name === null || !NAME.test(name) || found.length >= MOST_CONTAINERS) continue;
      const variables = variablesOf(listAt(specs.get(name), 'env'), pod, wordAt(raw, 'spec', 'nodeName'));
      found.push({ name, init: written === 'initContainers', ...stateOf(states.get(name)), variables });
    }
  }
  return found;
}

function stateOf(raw: unknown): Omit<Container, 'name' | 'init' | 'variables'> {
  const id = /^[a-z0-9.-]{1,32}:\/\/([0-9a-zA-Z_-]{1,128})$/.exec(wordAt(raw, 'containerID') ?? '')?.[1];
  const restarts = numberAt(raw, 'restartCount');
  return {
    id: id ?? null,
    // Protobuf leaves out what is zero only in other versions of it: a status without a count has none.
    restarts: raw === undefined || restarts === null ? null : Math.max(0, Math.floor(restarts)),
    waiting: wordAt(raw, 'state', 'waiting', 'reason'),
    ended: [at(raw, 'lastState', 'terminated'), at(raw, 'state', 'terminated')].flatMap(endedOf),
    devices: listAt(raw, 'allocatedResourcesStatus').flatMap(devicesOf),
  };
}

function endedOf(raw: unknown): Ended[] {
  if (typeof raw !== 'object' || raw === null) return [];
  const exitCode = numberAt(raw, 'exitCode');
  const signal = numberAt(raw, 'signal');
  return [{ reason: wordAt(raw, 'reason'), exitCode, signal: signal === 0 ? null : signal, atMs: timeAt(raw, 'finishedAt') }]; // biome-ignore format: one record
}

function devicesOf(raw: unknown): DeviceHealth[] {
  const resource = wordAt(raw, 'name');
  if (resource === null) return [];
  return listAt(raw, 'resources').flatMap((one) => {
    const id = wordAt(one, 'resourceID');
    const health = wordAt(one, 'health') ?? 'Unknown';
    return id === null ? [] : [{ resource, id, health, message: textAt(one, 'message') }];
  });
}
