// Reads what kubectl prints of nodes: `get nodes`, the conditions of `describe node`, and events of nodes and evicted pods.

import type { Component } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';

/** "Name:               gx-004.example.com", the head of what is described. */
const NAME = /^Name:[ \t]{1,40}([a-z0-9][a-z0-9.-]{0,252})\s*$/;
/** A pod's conditions are named alike. */
const OF_POD = /^(?:Namespace|Node|Controlled By):[ \t]/;
/**
 * "  MemoryPressure   False   Wed, 05 Aug 2026 12:43:36 +0530   …   KubeletHasSufficientMemory   …": a pod's conditions have no times, and
 * an event has its type first (kubectl's describe.go).
 */
const CONDITION =
  /^\s{0,8}([A-Z][A-Za-z]{3,40})\s{1,40}(True|False|Unknown)\s{1,40}(?:[A-Z][a-z]{2}, \d{1,2} |<unknown>|\d{4}-\d\d-\d\dT|[A-Z][A-Za-z]{3,60}(?:\s|$))(.{0,400})$/;
/** "gx-004   NotReady,SchedulingDisabled   <none>   41d   v1.31.2" */
const ROW =
  /^([a-z0-9][a-z0-9.-]{0,252}) {1,40}NotReady(?:,[\w,]{1,64})? {1,40}\S{1,80} {1,20}\d{1,5}[smhdy]\w{0,12} {1,20}v\d/;
/** controllers and kubelet: "Node gx-004 status is now: NodeNotReady". */
const STATUS =
  /\bNode ([a-z0-9][a-z0-9.-]{0,252}) status is now: Node(NotReady|HasDiskPressure|HasInsufficientMemory|HasInsufficientPID)\b/;
/** A table's columns: type, reason. */
const REASON =
  /^\s{0,4}(?:[\w./:<>()-]{1,80}\s{1,40}){0,4}(?:Normal|Warning)\s{1,40}(NodeNotReady|NodeHasDiskPressure|NodeHasInsufficientMemory|NodeHasInsufficientPID|EvictionThresholdMet|SystemOOM|FreeDiskSpaceFailed)\s/;
/** eviction/helpers.go; a pod's own limit has other words ("Pod ephemeral local storage usage exceeds …"). */
const EVICTED = /(?:^|[\s:"])The node was low on resource: ([\w-]{2,40})[.\s]/;
const OOM = /System OOM encountered, victim process: ([^,\n]{1,64}), pid: (\d{1,10})/;

/** Of a container's state, in `describe pod`. */
const KILLED = /^\s{2,12}Reason:\s{1,16}OOMKilled\s*$/;

const PRESSURES: Readonly<Record<string, string>> = {
  MemoryPressure: 'memory',
  DiskPressure: 'disk',
  PIDPressure: 'pid',
  OutOfDisk: 'disk',
  NodeHasDiskPressure: 'disk',
  HasDiskPressure: 'disk',
  NodeHasInsufficientMemory: 'memory',
  HasInsufficientMemory: 'memory',
  NodeHasInsufficientPID: 'pid',
  HasInsufficientPID: 'pid',
  FreeDiskSpaceFailed: 'disk',
  EvictionThresholdMet: 'unknown',
};
const MOST_SAID = 4096;

export class Kubectl implements ReportReader {
  readonly form = 'kubectl';
  readonly #host: string;
  #node: string | null = null;
  #ofPod = false;
  readonly #said = new Set<string>();

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    const named = NAME.exec(line)?.[1];
    if (named !== undefined) {
      this.#node = named;
      this.#ofPod = false;
      return null;
    }
    if (OF_POD.test(line)) this.#ofPod = true;
    const row = ROW.exec(line)?.[1];
    if (row !== undefined) return this.#say('host.not_ready', row, {});
    return this.#condition(line) ?? this.#event(line);
  }

  #condition(line: string): Reported | null {
    const [, type = '', value, rest = ''] = CONDITION.exec(line) ?? [];
    if (value === undefined || this.#ofPod) return null;
    const silent = value === 'Unknown' && (type === 'Ready' || /NodeStatusUnknown|Kubelet stopped posting/.test(line));
    if (silent) return this.#say('host.not_ready', this.#node, { condition: 'Ready', status: 'Unknown' });
    if (type === 'Ready' && value === 'False') return this.#say('host.not_ready', this.#node, { condition: 'Ready' });
    if (value !== 'True') return rest === '' ? null : NOTHING;
    const resource = PRESSURES[type];
    if (resource !== undefined) return this.#say('host.pressure', this.#node, { condition: type, resource });
    return type === 'ReadonlyFilesystem' ? this.#say('storage.readonly', this.#node, { condition: type }) : null;
  }

  #event(line: string): Reported | null {
    if (KILLED.test(line)) return this.#say('pod.oom_killed', null, {});
    const [, victim, pid] = OOM.exec(line) ?? [];
    if (victim !== undefined) return this.#say('host.oom', this.#node, { process: victim, pid: Number(pid) });
    const resource = EVICTED.exec(line)?.[1];
    if (resource !== undefined) return this.#say('host.pressure', null, { resource });
    const [, node = null, status] = STATUS.exec(line) ?? [];
    const reason = status ?? REASON.exec(line)?.[1];
    if (reason === undefined) return null;
    if (reason.endsWith('NotReady')) return this.#say('host.not_ready', node ?? this.#node, {});
    const pressure = PRESSURES[reason];
    return pressure === undefined ? null : this.#say('host.pressure', node ?? this.#node, { resource: pressure });
  }

  /** Of one node once a report; of one that the line does not name it is the host of the text. */
  #say(kind: Kind, node: string | null, attributes: ReportedFinding['attributes']): Reported {
    const host = node ?? this.#host;
    const key = `${kind} ${host}`;
    if (this.#said.has(key) || this.#said.size >= MOST_SAID) return NOTHING;
    this.#said.add(key);
    const component: Component = { type: 'host', id: host };
    return { ...NOTHING, findings: [{ kind, component, attributes }] };
  }
}
