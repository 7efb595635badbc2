// Reads what kubectl prints of nodes: `get nodes`, the conditions of `describe node`, and events of nodes and evicted pods.

import catalog from '#catalog/kubernetes/event-words.json' with { type: 'json' };
import type { Component } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import { evidenceText } from '../evidence.ts';
import { ageOf } from './event-age.ts';
import { usedIn } from './evicted-container.ts';
import { KilledContainer } from './killed-container.ts';
import { nodeCondition, PRESSURES } from './node-condition.ts';
import { NodeDevices } from './node-devices.ts';
import { type Moment, NodeStates } from './node-states.ts';
import { PodNodes, podAttributes } from './pod-nodes.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';

/** "$ kubectl describe node gx-004 | sed …": where what follows was cut, only the command names it. */
const OOM = /System OOM encountered, victim process: ([^,\n]{1,64}), pid: (\d{1,10})/;
const ASKED =
  /^(?:.{0,120}[$#%>] {0,2})?kubectl (?:-{1,2}[\w=./-]{1,80} ){0,4}describe (?:nodes?|no)[ /]([a-z0-9][a-z0-9.-]{0,252})(?=\s|$)/;
/** "Name:               gx-004.example.com", the head of what is described. */
const NAME = /^Name:[ \t]{1,40}([a-z0-9][a-z0-9.-]{0,252})\s*$/;
/** A pod's conditions are named alike. */
const OF_POD = /^(?:Namespace|Node|Controlled By):[ \t]/;
/** "gx-004   NotReady,SchedulingDisabled   <none>   41d   v1.31.2"; until 1.7 without the column of roles. */
const ROW =
  /^([a-z0-9][a-z0-9.-]{0,252}) {1,40}NotReady(,[\w,]{1,64})? {1,40}(?:\S{1,80} {1,20})?\d{1,5}[smhdy]\w{0,12} {1,20}v\d/;
/** Someone took it out of service. */
const CORDONED = 'SchedulingDisabled';
/** controllers and kubelet: "Node gx-004 status is now: NodeNotReady". */
const STATUS =
  /\bNode ([a-z0-9][a-z0-9.-]{0,252}) status is now: Node(Ready|NotReady|HasDiskPressure|HasInsufficientMemory|HasInsufficientPID)\b/;
const NODE_REASONS =
  'NodeReady|NodeNotReady|NodeHasDiskPressure|NodeHasInsufficientMemory|NodeHasInsufficientPID|EvictionThresholdMet|SystemOOM|FreeDiskSpaceFailed';
/**
 * A table's columns: type, reason, behind what either command of any release has before them (times, counts, "{kubelet gx-4}"); or the
 * reason first, before an age, where whoever copied it left the type out.
 */
const REASON = new RegExp(
  `^\\s{0,8}(?:(?:[\\w./:<>(){},-]{1,80}\\s{1,160}){0,8}(?:Normal|Warning)\\s{1,40}(${NODE_REASONS})\\s|(${NODE_REASONS})\\s{1,40}\\d{1,5}[smhdy])`,
);
/** The column with who says it: "kubelet, gx-4", "{kubelet gx-4}". */
const FROM = /(?:^|\s)\{?kubelet,? (?!\d{1,5}[smhdy])([a-z0-9][a-z0-9.-]{0,252})\}?(?=\s)/;
/** The head of `get events`, of which every row may be an ordinary one; before 1.8 "LASTSEEN   FIRSTSEEN   COUNT". */
const EVENTS =
  /^(?:NAMESPACE\s{1,160})?(?:LAST ?SEEN\s{1,40}(?:FIRST ?SEEN\s{1,40}COUNT\s{1,40})?)[A-Z ]{0,160}\bREASON\s{1,160}[A-Z]/;
/** "(x3 over 46m)" */
const TIMES = /\(x(\d{1,6}) over ((?:\d{1,5}[smhdy]){1,3})\)/;
/** eviction/helpers.go; a pod's own limit has other words ("Pod ephemeral local storage usage exceeds …"). */
const EVICTED = /(?:^|[\s:"])The node was low on resource: ([\w-]{2,40})[.\s]/;
/** The column with the object of an event, in `get events`. */
const OBJECT = /(?:^|\s)node\/([a-z0-9][a-z0-9.-]{0,252})(?=\s)/;

/** "Attempting to reclaim ephemeral-storage": what is short, of an eviction that begins. */
const RECLAIMED = /\bAttempting to reclaim ([\w-]{2,40})/;

/** "Node:             gx-19/10.2.0.19", of a pod. */
const OF_NAMESPACE = /^Namespace:[ \t]{1,40}([a-z0-9][a-z0-9-]{0,62})\s*$/;
const POD_NODE = /^Node:[ \t]{1,40}([a-z0-9][a-z0-9.-]{0,252})(?:\/|\s*$)/;
const OF_GPU = /^gpu\.|gpu|xid|nvidia/i;
/** An event of the pod that is described. */
const BACK_OFF = /\sBackOff\s.*\b[Bb]ack-?[Oo]ff restarting failed container\b/;
const MOST_SAID = 4096;
const MOST_LISTED = 3;
/** node controller: its node is not ready, or bears another taint that the pod does not bear with. */
const TAINTED = /\s(?:TaintManagerEviction|NodeControllerEviction)\s.*\b(?:Marking for deletion|Deleting) [Pp]od /;
/** So many times not ready within a day was not planned by anyone, whether or not it is ready now. */
const OFTEN = 3;
const DAY_S = 86_400;
const SHORT = 'host.pressure ';

/** An event with the columns of either command before its type, as far as its reason; and all behind that. */
const EVENT =
  /^\s{0,8}(?:[\w./:<>(){},-]{1,80}\s{1,160}){0,8}(?:Normal|Warning)\s{1,40}([A-Z]\w{2,60})\s{1,40}(\S.{0,800})/;
const REMOVALS = (catalog.removals as readonly { readonly reason: string; readonly message?: string }[]).map(
  ({ reason, message = '' }) => ({ reason: new RegExp(`^(?:${reason})$`), message: new RegExp(message) }),
);

export class Kubectl implements ReportReader {
  readonly form = 'kubectl';
  readonly #host: string;
  #node: string | null = null;
  #ofPod = false;
  /** On which the pod that is described runs. */
  #podNode: string | null = null;
  #namespace: string | null = null;
  readonly #container = new KilledContainer();
  /** Of which a container ran out of memory. */
  #endedPod: string | null = null;
  readonly #said = new Set<string>();
  /** It may have become ready again since, or have been taken away. */
  readonly #states = new NodeStates();
  readonly #pods: PodNodes;
  readonly #devices = new NodeDevices();
  /** A condition of the node says what is wrong with its GPUs: that pods can have fewer of them follows from it. */
  #gpuSaid = false;
  /** Pods whose node is not ready, or that are taken off one, as their own events say. */
  readonly #waiting = new Map<string, Moment>();
  readonly #taken = new Set<string>();
  /** Nodes that an event calls short, and those that evicted a pod for it. */
  readonly #isShort = new Map<string, { readonly resource: string; readonly at: Moment }>();
  readonly #evicted = new Set<string>();
  #line = 0;

  constructor(host: string, pods = new PodNodes()) {
    this.#host = host;
    this.#pods = pods;
  }

  take(line: string): Reported | null {
    const reported = this.#read(line);
    const age = reported === null || reported.findings.length === 0 || !EVENT.test(line) ? null : ageOf(line);
    if (reported === null || age === null) return reported;
    return { ...reported, findings: reported.findings.map((finding) => ({ age, ...finding })) };
  }

  #read(line: string): Reported | null {
    this.#line += 1;
    this.#pods.take(line);
    if (EVENTS.test(line)) return NOTHING;
    const named = NAME.exec(line)?.[1] ?? ASKED.exec(line)?.[1];
    const { taken, done } =
      named === undefined ? this.#container.take(line) : { taken: false, done: this.#container.end() };
    const killed = done === null ? null : this.#takeKilled(done);
    if (named !== undefined) {
      this.#node = named;
      this.#ofPod = false;
      this.#podNode = null;
      this.#namespace = null;
      this.#devices.clear();
      this.#gpuSaid = false;
      return killed;
    }
    if (killed !== null) return killed;
    if (taken) this.#endedPod = this.#node;
    // That it is started again and again follows from that.
    if (taken || (this.#ofPod && this.#endedPod === this.#node && BACK_OFF.test(line))) return NOTHING;
    const fewer = this.#devices.take(line);
    if (fewer !== null && !this.#ofPod)
      return this.#gpuSaid ? NOTHING : this.#say('pod.device_unhealthy', this.#node, { ...fewer });
    if (OF_POD.test(line)) this.#ofPod = true;
    this.#namespace = OF_NAMESPACE.exec(line)?.[1] ?? this.#namespace;
    this.#podNode = POD_NODE.exec(line)?.[1] ?? this.#podNode;
    const [, row, more = ''] = ROW.exec(line) ?? [];
    if (row !== undefined) return more.includes(CORDONED) ? asWarning(this.#say('host.not_ready', row, { cordoned: true })) : this.#say('host.not_ready', row, {}); // biome-ignore format: one rule
    return this.#condition(line) ?? this.#event(line);
  }

  #condition(line: string): Reported | null {
    const condition = this.#ofPod ? null : nodeCondition(line);
    if (condition === null) return null;
    if (condition === undefined) return NOTHING;
    const { kind, attributes, uuid, ...more } = condition;
    const said = this.#say(kind, this.#node, attributes, uuid);
    this.#gpuSaid ||= OF_GPU.test(`${kind} ${attributes.condition}`);
    const component: Component | null = uuid === undefined ? null : { type: 'gpu', id: uuid, host: this.#node ?? this.#host }; // biome-ignore format: one line
    const own = { ...more, ...(component === null ? {} : { component }) };
    return { ...said, findings: said.findings.map((finding) => ({ ...finding, ...own })) };
  }

  #event(line: string): Reported | null {
    const [, victim, pid] = OOM.exec(line) ?? [];
    const object = OBJECT.exec(line)?.[1] ?? this.#node ?? FROM.exec(line)?.[1] ?? null;
    if (victim !== undefined && pid !== undefined) return this.#killed(object ?? this.#host, victim, pid);
    const taken = TAINTED.test(line) ? this.#pods.podIn(line) : null;
    if (taken !== null && this.#taken.size < MOST_SAID) this.#taken.add(taken.pod);
    if (isRemoval(line)) {
      this.#states.removed(object ?? this.#host, this.#at(line));
      return NOTHING;
    }
    const resource = EVICTED.exec(line)?.[1];
    if (resource !== undefined) {
      const described = this.#ofPod && this.#node !== null ? { pod: this.#node, namespace: this.#namespace } : null;
      const pod = this.#pods.podIn(line) ?? described;
      const own = pod === null ? null : (this.#pods.nodeOf(pod.pod) ?? this.#podNode);
      const node = own ?? (this.#ofPod ? null : this.#node) ?? this.#onlyShort();
      const used = usedIn(line);
      if (this.#evicted.size < MOST_SAID) this.#evicted.add(node ?? this.#host);
      const key = pod === null ? '' : `${pod.namespace ?? ''}/${pod.pod}`;
      const said = this.#say('host.pressure', node, { resource, ...podAttributes(pod), ...used }, key);
      return this.#since(said, line, node ?? this.#host);
    }
    const [, node = null, status] = STATUS.exec(line) ?? [];
    const [, typed, bare] = status === undefined ? (REASON.exec(line) ?? []) : [];
    const reason = status ?? typed ?? bare;
    if (reason === undefined) return null;
    if (reason === 'SystemOOM') return this.#say('host.oom', node ?? object, { reason });
    if (reason.endsWith('NotReady')) {
      const ofPod = node === null && object === null ? this.#pods.podIn(line) : null;
      if (ofPod !== null) return this.#waits(ofPod.pod, line);
      this.#states.notReady(node ?? object ?? this.#host, this.#at(line));
      return this.#again(line, node ?? object);
    }
    if (reason.endsWith('Ready')) {
      this.#states.ready(node ?? object ?? this.#states.onlyUnready ?? this.#host, this.#at(line));
      return NOTHING;
    }
    const pressure = PRESSURES[reason];
    if (pressure === undefined) return null;
    const short = RECLAIMED.exec(line)?.[1] ?? pressure;
    return this.#short(node ?? object ?? this.#host, short, this.#at(line));
  }

  /** Waits for what it evicts, which says more of the same; of one that evicts nothing the end of the text tells. */
  #short(node: string, resource: string, at: Moment): Reported {
    const isSaid = this.#said.has(`${SHORT}${node}`) || this.#evicted.has(node);
    if (!isSaid && !this.#isShort.has(node) && this.#isShort.size < MOST_SAID)
      this.#isShort.set(node, { resource, at });
    return NOTHING;
  }

  /** The eviction is of when the shortage began, where an event says that as well. */
  #since(said: Reported, line: string, node: string): Reported {
    const { text, age = null } = this.#isShort.get(node)?.at ?? {};
    this.#isShort.delete(node);
    if (text === undefined) return said;
    const began = { lines: [text, line], ...(age === null ? {} : { age }) };
    return { ...said, findings: said.findings.map((finding) => ({ ...finding, ...began })) };
  }

  #stillShort(): ReportedFinding[] {
    return [...this.#isShort].flatMap(
      ([
        node,
        {
          resource,
          at: { text, age },
        },
      ]) =>
        this.#evicted.has(node)
          ? []
          : this.#say('host.pressure', node, { resource }).findings.map((finding) => ({
              ...finding,
              lines: [text],
              ...(age === null ? {} : { age }),
            })),
    );
  }

  #takeKilled({ attributes, timeMs, lines }: NonNullable<ReturnType<KilledContainer['end']>>): Reported {
    const pod = this.#ofPod ? this.#node : null;
    const of = podAttributes(pod === null ? null : { pod, namespace: this.#namespace });
    const key = pod === null ? {} : { discriminator: pod };
    const said = this.#say('pod.oom_killed', this.#podNode, { ...of, ...attributes }, pod ?? '');
    const when = timeMs === undefined ? {} : { timeMs };
    return { ...said, findings: said.findings.map((finding) => ({ ...finding, ...key, ...when, lines: lines ?? [] })) };
  }

  /** It comes and goes: a restart of the kubelet makes one such event, an hour of them keeps each count. */
  #again(line: string, node: string | null): Reported {
    const [, count = '1', over = ''] = TIMES.exec(line) ?? [];
    const often = Number(count) >= OFTEN && (ageOf(over)?.seconds ?? Number.POSITIVE_INFINITY) <= DAY_S;
    return often ? this.#say('host.not_ready', node, { times: Number(count) }) : NOTHING;
  }

  /** That its node is not ready is reported of each of its pods besides. */
  #waits(pod: string, line: string): Reported {
    if (this.#waiting.size < MOST_SAID) this.#waiting.set(pod, this.#at(line));
    return NOTHING;
  }

  #at(line: string): Moment {
    return { age: ageOf(line), line: this.#line, text: line };
  }

  /** As the kernel's own line has it: the process, on its host. */
  #killed(host: string, process: string, pid: string): Reported {
    const key = `host.oom ${host} ${pid}`;
    if (this.#said.has(key) || this.#said.size >= MOST_SAID) return NOTHING;
    this.#said.add(key);
    const component: Component = { type: 'process', id: pid, host };
    const attributes = {
      process: evidenceText(process),
      pid: Number(pid),
      constraint: 'CONSTRAINT_NONE',
      scope: 'host',
    };
    return { ...NOTHING, findings: [{ kind: 'host.oom', component, attributes }] };
  }

  /** Nodes of which the last word is that they are not ready. */
  end(): Reported {
    const done = this.#container.end();
    const killed = done === null ? null : this.#takeKilled(done);
    return {
      ...NOTHING,
      findings: [...(killed?.findings ?? []), ...this.#stillShort(), ...this.#notReady()],
    };
  }

  #notReady(): ReportedFinding[] {
    for (const [pod, at] of this.#waiting) {
      const node = this.#pods.nodeOf(pod);
      if (!this.#states.isUnready(node)) this.#states.notReady(node ?? this.#host, at);
    }
    const { faults } = this.#states;
    return faults.flatMap(({ node, since: { age, text } }) =>
      this.#say('host.not_ready', node, this.#podsOn(node, faults.length === 1)).findings.map((finding) => ({
        ...finding,
        lines: [text],
        ...(age === null ? {} : { age }),
      })),
    );
  }

  /** What ran there, as events of pods say; they name no node, so that where one alone is not ready they are of it. */
  #podsOn(node: string, isOnly: boolean): ReportedFinding['attributes'] {
    const pods = [...new Set([...this.#waiting.keys(), ...this.#taken])].filter((pod) => {
      const own = this.#pods.nodeOf(pod);
      return own === null ? isOnly : own === node;
    });
    const named = pods.slice(0, MOST_LISTED).map((pod) => {
      const namespace = this.#pods.namespaceOf(pod);
      return namespace === null ? pod : `${namespace}/${pod}`;
    });
    if (named.length === 0) return {};
    const more = pods.length > named.length ? ` and ${pods.length - named.length} more` : '';
    return {
      pods: `${named.join(', ')}${more}`,
      ...(pods.some((pod) => this.#taken.has(pod)) ? { evicted: true } : {}),
    };
  }

  /** Evictions name the pod alone: where one node runs short, it is that one's. */
  #onlyShort(): string | null {
    const said = [...this.#said].filter((key) => key.startsWith(SHORT)).map((key) => key.slice(SHORT.length));
    const nodes = [...new Set([...said.filter((node) => !node.includes(' ')), ...this.#isShort.keys()])];
    return nodes.length === 1 ? (nodes[0] ?? null) : null;
  }

  /** Of one node once a report; of one that the line does not name it is the host of the text. */
  #say(kind: Kind, node: string | null, attributes: ReportedFinding['attributes'], pod = ''): Reported {
    const host = node ?? this.#host;
    const key = pod === '' ? `${kind} ${host}` : `${kind} ${host} ${pod}`;
    if (this.#said.has(key) || this.#said.size >= MOST_SAID) return NOTHING;
    this.#said.add(key);
    const component: Component = { type: 'host', id: host };
    return { ...NOTHING, findings: [{ kind, component, attributes, ...(pod === '' ? {} : { discriminator: pod }) }] };
  }
}

/** Whoever cordoned a node knows of it. */
function asWarning(reported: Reported): Reported {
  return { ...reported, findings: reported.findings.map((finding) => ({ ...finding, severity: 'warning' })) };
}

function isRemoval(line: string): boolean {
  const [, reason, rest = ''] = EVENT.exec(line) ?? [];
  return reason !== undefined && REMOVALS.some((row) => row.reason.test(reason) && row.message.test(rest));
}
