// Reads events of pods and nodes as kubectl prints them, by catalog/kubernetes/event-words.json: by their reason, or their message alone.

import catalog from '#catalog/kubernetes/event-words.json' with { type: 'json' };
import { canonicalPciAddress } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import { evidenceText } from '../evidence.ts';
import { xidFacts } from '../xid.ts';
import { ageOf, type EventAge } from './event-age.ts';
import { type PodName, PodNodes, podAttributes } from './pod-nodes.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';

/** Of which every line with a reason that is known has one: what it begins with, up to what its pattern leaves open. */
export const EVENT_WORDS: readonly string[] = catalog.reasons.flatMap(({ reason }) =>
  reason.split('|').flatMap((each) => /^\w{6,}/.exec(each)?.[0] ?? []),
);

interface ReasonRow {
  readonly reason: string;
  readonly message?: string;
  readonly kind: Kind;
  /** Said of a pod that the line names, of which nothing else was said before. */
  readonly alone?: boolean;
  readonly attributes?: Readonly<Record<string, boolean>>;
}

interface MessageRow {
  readonly message: string;
  readonly kind: Kind;
  readonly example: string;
}

// Held against kinds by test/detection/text/report/pod-events.test.ts.
export const REASON_ROWS = catalog.reasons as readonly ReasonRow[];
export const MESSAGE_ROWS = catalog.messages as readonly MessageRow[];

/** "  Warning  UnexpectedAdmissionError  73s   kubelet   Allocate failed due to …", with times and objects before it in `get events`. */
const EVENT =
  /^\s{0,8}(?:[\w./:<>(){},-]{1,80}\s{1,160}){0,8}(?:Normal|Warning)\s{1,40}([A-Z][\w./-]{2,80})\s{1,40}(\S.{0,2000})$/;
/** "train-0   0/1   UnexpectedAdmissionError   0   4s", "Reason:  UnexpectedAdmissionError" of a pod. */
const STATUS =
  /^(?:\S{1,253}\s{1,80}(?:\S{1,253}\s{1,80})?\d{1,4}\/\d{1,4}\s{1,20}|\s{0,4}(?:"reason"|[Rr]eason):\s{1,24}"?)([A-Z][\w./-]{2,80})(?=[\s",]|$)/;
/** In what `describe pod` prints, and not in a table. */
const OF_STATUS = /^\s{0,4}Reason:\s/;
const STATUS_MESSAGE = /^Message:\s/;
/** Before the words themselves. */
const LABEL = /^\s{0,16}(?:"message"|[Mm]essage):\s{1,24}"?/;
/** Of a pod's status, plain, in YAML or JSON; or nothing, as web pages show it. */
const BEFORE = String.raw`\s{0,16}(?:(?:"message"|[Mm]essage):\s{1,24})?["']?`;

const REASONS = REASON_ROWS.map((row) => ({
  row,
  reason: new RegExp(`^(?:${row.reason})$`),
  message: row.message === undefined ? null : new RegExp(row.message),
}));
const MESSAGES = MESSAGE_ROWS.map((row) => ({ row, form: new RegExp(`^${BEFORE}${row.message}["',]{0,3}\\s*$`) }));
/** "Node:             gx-4/10.0.0.4" */
const NODE = /^Node:\s{1,40}([a-z0-9][a-z0-9.-]{0,252})(?:\/|\s*$)/;
/** Of what is described, and of an event's object in `get events`: "job/train", "pytorchjob/train". */
const NAME = /^Name:\s{1,40}([a-z0-9][a-z0-9.-]{0,252})\s*$/;
const JOB = /(?:^|\s)(?:\w{0,24}job|jobset|\w{0,24}workload)\/([a-z0-9][a-z0-9.-]{0,252})(?=\s)/;
/** The column with the object of an event, in `get events`. */
const NODE_OBJECT = /(?:^|\s)node\/([a-z0-9][a-z0-9.-]{0,252})(?=\s)/;
/** Nodes alone are in none. */
const NAMESPACE = /^Namespace:(?:\s{1,40}([a-z0-9][a-z0-9-]{0,62}))?\s/;
/** The kernel's own words, as node-problem-detector hands them on: "Memory cgroup out of memory: Killed process 4411 (python) total-vm:…". */
const VICTIM = /(Memory cgroup out of memory: )?Kill(?:ed)? process (\d{1,10}) \(([^)\n]{1,64})\)/;
/** "3m (x4 over 5m)", and who says it: "kubelet, gx-4". */
const TIMES = /^(?:(?:\d{1,5}[smhdy]){1,3} \(x\d{1,6} over |\{?kubelet,? )/;
/** The column with who says it, of the kubelet of the pod's node: "kubelet, gx-4", "{kubelet gx-4}". */
const FROM = /(?:^|\s)\{?kubelet,? (?!\d{1,5}[smhdy])([a-z0-9][a-z0-9.-]{0,252})\}?(?=\s)/;
/** "NVRM: Xid (PCI:0000:4e:00): 79, …", as a detector of problems hands it on. */
const XID = /\bNVRM: Xid \(PCI:([0-9A-Fa-f:.]{7,16})\): (\d{1,3})\b/;
const MOST_SAID = 256;
/** Volumes are there before any container of the pod is begun: what comes of one later says that this is over. */
const OF_VOLUMES = /^(?:FailedMount|FailedAttachVolume|FailedMapVolume)$/;
const PAST_VOLUMES = /^(?:Pulling|Pulled|Created|Started|Failed|FailedCreatePodSandBox|BackOff)$/;
/** The last line of an event's message that has several, which kubectl prints as it is. */
const LAST_LINE = /^nvidia-container-(?:cli|runtime-hook): /;
/** Of an event that another line of its message follows. */
const GOES_ON = /Auto-detected mode as ['"]?[\w-]{2,24}['"]?\s*$/;
/** Behind what every runtime on the way puts before it. */
const OF_TOOLKIT = /\bnvidia-container-(?:cli|runtime-hook): .*/s;

interface Waiting {
  readonly age: EventAge | null;
  readonly findings: readonly ReportedFinding[];
}

export class PodEvents implements ReportReader {
  readonly form = 'kubectl';
  readonly #host: string;
  /** Of the pod that is described. */
  #node: string | null = null;
  /** Of what is described. */
  #name: string | null = null;
  /** The same where it is a node. */
  #described: string | null = null;
  #namespace: string | null = null;
  readonly #pods: PodNodes;
  readonly #said = new Set<string>();
  /** The reason of a status, until the line behind it, which may say it in full. */
  #refused: (() => readonly ReportedFinding[]) | null = null;
  /** By pod, volumes that were not there, until the end or until something says that they are. */
  readonly #volumes = new Map<string, Waiting>();
  /** By pod, how long ago the last event was that its volumes were there for; null where its line has no age. */
  readonly #begun = new Map<string, EventAge | null>();
  /** Of pods whose node a later line may name: the newest event of a table comes first. */
  readonly #unplaced: { readonly pod: string; readonly finding: ReportedFinding }[] = [];
  /** The line before, of an event whose message may have another line. */
  #unended: string | null = null;

  constructor(host: string, pods = new PodNodes()) {
    this.#host = host;
    this.#pods = pods;
  }

  take(line: string): Reported | null {
    const before = this.#refused;
    this.#refused = null;
    const own = this.#take(line);
    if (before === null || (own !== null && STATUS_MESSAGE.test(line))) return own;
    const findings = [...before(), ...(own?.findings ?? [])];
    return findings.length === 0 ? own : { ...NOTHING, ...own, findings };
  }

  end(): Reported {
    const findings = [
      ...(this.#refused?.() ?? []),
      ...this.#unplaced.map(({ pod, finding }) => this.#placed(pod, finding)),
      ...[...this.#volumes].flatMap(([pod, { findings: held }]) => held.map((finding) => this.#placed(pod, finding))),
    ];
    this.#refused = null;
    this.#volumes.clear();
    this.#unplaced.length = 0;
    return { ...NOTHING, findings };
  }

  #take(line: string): Reported | null {
    const unended = this.#unended;
    this.#unended = null;
    if (unended !== null && LAST_LINE.test(line)) {
      const said = this.#take(`${unended} ${line}`);
      return said === null
        ? null
        : { ...said, findings: said.findings.map((each) => ({ ...each, lines: [unended, line] })) };
    }
    this.#pods.take(line);
    const node = NODE.exec(line)?.[1];
    if (node !== undefined) this.#node = node;
    const [, reason, rest = ''] = EVENT.exec(line) ?? [];
    const named = NAME.exec(line)?.[1];
    if (named !== undefined) {
      this.#name = named;
      this.#described = named;
    }
    const [ofNamespace, namespace] = NAMESPACE.exec(`${line} `) ?? [];
    if (ofNamespace !== undefined) this.#described = null;
    if (named !== undefined) this.#namespace = null;
    this.#namespace = namespace ?? this.#namespace;
    if (reason !== undefined) {
      const handed = this.#handedOn(line);
      if (handed !== null) return handed;
      const row = REASONS.find((each) => each.reason.test(reason) && (each.message?.test(rest) ?? true));
      const of = this.#pods.podIn(line) ?? this.#pod();
      if (of !== null && PAST_VOLUMES.test(reason)) this.#volumesThere(of.pod, ageOf(line));
      if (reason === 'Failed' && GOES_ON.test(line)) {
        this.#unended = line;
        if (row === undefined) return null;
        this.#refused = () =>
          (this.#reasonSaid(row.row, reason, rest, line) ?? []).map((each) => ({ ...each, lines: [line] }));
        return NOTHING;
      }
      if (row === undefined) return null;
      const findings = this.#reasonSaid(row.row, reason, rest, line);
      if (findings === null) return null;
      if (of === null || findings.length === 0) return { ...NOTHING, findings };
      if (!OF_VOLUMES.test(reason)) return { ...NOTHING, findings: this.#later(of.pod, findings, line) };
      return this.#volumesMissing(of.pod, {
        age: ageOf(line),
        findings: findings.map((each) => ({ ...each, lines: [line] })),
      });
    }
    for (const { row, form } of MESSAGES) {
      const found = form.exec(line);
      if (found === null) continue;
      const ofPod = row.kind.startsWith('pod.');
      const pod = ofPod && STATUS_MESSAGE.test(line) ? podAttributes(this.#pod()) : {};
      return this.#say(row.kind, { ...found.groups, ...pod, ...(ofPod ? messageOf(line.replace(LABEL, '')) : {}) });
    }
    const status = STATUS.exec(line)?.[1];
    if (status === undefined) return null;
    const row = REASONS.find((each) => each.message === null && each.reason.test(status))?.row;
    if (row?.kind.startsWith('pod.') !== true) return null;
    const described = OF_STATUS.test(line) ? this.#pod() : null;
    const said = (): Reported => this.#say(row.kind, { reason: evidenceText(status), ...podAttributes(described) });
    if (row.kind !== 'pod.rejected' || described === null) return said();
    this.#refused = () => said().findings.map((finding) => ({ ...finding, lines: [line] }));
    return NOTHING;
  }

  #reasonSaid(row: ReasonRow, reason: string, rest: string, line: string): readonly ReportedFinding[] | null {
    const node = NODE_OBJECT.exec(line)?.[1] ?? this.#described;
    const findings = this.#of(row, reason, rest, line, node)?.findings;
    if (findings === undefined) return null;
    const age = ageOf(line);
    return age === null ? findings : findings.map((finding) => ({ ...finding, age }));
  }

  /** What is to be said now: of a pod whose node is not known yet nothing. */
  #later(pod: string, findings: readonly ReportedFinding[], line: string): readonly ReportedFinding[] {
    const isKnown = this.#node !== null || this.#pods.nodeOf(pod) !== null || this.#unplaced.length >= MOST_SAID;
    if (isKnown || ageOf(line) === null) return findings;
    const waits = ({ kind, component }: ReportedFinding): boolean => kind.startsWith('pod.') && component?.id === this.#host; // biome-ignore format: one rule
    this.#unplaced.push(...findings.filter(waits).map((finding) => ({ pod, finding: { ...finding, lines: [line] } })));
    return findings.filter((finding) => !waits(finding));
  }

  /** With the node and namespace that any line of the text names. */
  #placed(pod: string, finding: ReportedFinding): ReportedFinding {
    const { component, attributes = {} } = finding;
    const [node, namespace] = [this.#pods.nodeOf(pod), this.#pods.namespaceOf(pod)];
    return {
      ...finding,
      ...(node === null || component?.id !== this.#host ? {} : { component: { type: 'host', id: node } }),
      attributes: { ...(namespace === null || attributes.pod === undefined ? {} : { namespace }), ...attributes },
    };
  }

  /** A pod is begun again after a node's restart: of two ages the smaller is what is so now. */
  #volumesMissing(pod: string, waiting: Waiting): Reported {
    const begun = this.#begun.get(pod);
    if (!(begun !== undefined && isLater(begun, waiting.age))) this.#volumes.set(pod, waiting);
    return NOTHING;
  }

  #volumesThere(pod: string, age: EventAge | null): void {
    const waiting = this.#volumes.get(pod);
    if (waiting !== undefined && (age === null || !isLater(waiting.age, age))) {
      this.#volumes.delete(pod);
      for (const { kind, component } of waiting.findings) this.#said.delete(`${kind} ${component?.id} ${pod}`);
      this.#said.delete(`of ${pod}`);
    }
    const known = this.#begun.get(pod);
    if (this.#begun.size < MOST_SAID && (known === undefined || isLater(age, known))) this.#begun.set(pod, age);
  }

  /** That is described; null of anything else. */
  #pod(): PodName | null {
    return this.#name === null || this.#described !== null ? null : { pod: this.#name, namespace: this.#namespace };
  }

  /** The driver's words on a GPU of a node, of when the event says and not of when it was printed. */
  #handedOn(line: string): Reported | null {
    const [, address = '', number] = XID.exec(line) ?? [];
    const id = canonicalPciAddress(/\.\d$/.test(address) ? address : `${address}.0`);
    const host = NODE_OBJECT.exec(line)?.[1] ?? this.#described;
    if (number === undefined || id === null || host === null) return null;
    const age = ageOf(line);
    const finding = { ...xidFacts(Number(number)), component: { type: 'gpu', id, host } as const };
    return { ...NOTHING, findings: [age === null ? finding : { ...finding, age }] };
  }

  #of(
    { kind, alone, attributes: own }: ReasonRow,
    reason: string,
    rest: string,
    line: string,
    node: string | null,
  ): Reported | null {
    const [, limit, pid, process] = kind === 'host.oom' ? (VICTIM.exec(line) ?? []) : [];
    if (pid === undefined || process === undefined) {
      // Events under a pod that is described are of it.
      const object = this.#pods.podIn(line) ?? this.#pod();
      const of = kind.startsWith('pod.') || own !== undefined ? { ...podAttributes(object), ...messageOf(rest) } : {};
      const on = node ?? FROM.exec(line)?.[1] ?? (object === null ? null : this.#pods.nodeOf(object.pod));
      if (alone === true && (object === null || this.#said.has(`of ${object.pod}`))) return null;
      return this.#say(kind, { reason: evidenceText(reason), ...of, ...own }, JOB.exec(line)?.[1] ?? this.#name, on);
    }
    const host = node ?? this.#node ?? this.#host;
    const key = `${kind} ${host} ${pid}`;
    if (this.#said.has(key) || this.#said.size >= MOST_SAID) return NOTHING;
    this.#said.add(key);
    const constraint = limit === undefined ? {} : { constraint: 'CONSTRAINT_MEMCG' };
    const attributes = { process: evidenceText(process), pid: Number(pid), ...constraint };
    return { ...NOTHING, findings: [{ kind, component: { type: 'process', id: pid, host }, attributes }] };
  }

  /** Pods are tried again and again: of one pod, or a host where none is named, each kind is said once, and a rejection not besides what it was for. */
  #say(
    kind: Kind,
    attributes: Readonly<Record<string, string | boolean>>,
    job: string | null = null,
    node: string | null = null,
  ): Reported {
    const ofJob = kind.startsWith('job.') && job !== null;
    const id = ofJob ? job : (node ?? this.#node ?? this.#host);
    const pod = typeof attributes.pod === 'string' ? attributes.pod : '';
    const key = `${kind} ${id} ${pod}`;
    const known = this.#said.has(key) || (kind === 'pod.rejected' && this.#said.has(`gpu.lost ${id} ${pod}`));
    if (known || this.#said.size >= MOST_SAID) return NOTHING;
    this.#said.add(key).add(`of ${pod}`);
    const discriminator = pod === '' ? {} : { discriminator: pod };
    const component = { type: ofJob ? 'job' : 'host', id } as const;
    return { ...NOTHING, findings: [{ kind, component, attributes, ...discriminator }] };
  }
}

/** The widest column that is a sentence: kubectl parts columns by two blanks and more, and the message is one of the last. */
function messageOf(rest: string): Readonly<Record<string, string>> {
  const sentences = rest.split(/\s{2,}/).filter((column) => /\s/.test(column) && !TIMES.test(column));
  const [message] = sentences.sort((one, other) => other.length - one.length);
  return message === undefined ? {} : { message: evidenceText(OF_TOOLKIT.exec(message)?.[0] ?? message) };
}

function isLater(one: EventAge | null, other: EventAge | null): boolean {
  return one !== null && other !== null && one.seconds < other.seconds;
}
