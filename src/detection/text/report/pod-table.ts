// Pod table: what `kubectl get pods` says of each pod, by the names of its columns; a status alone says what it waits for or how it ended.

import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import { askedNamespace } from './asked-namespace.ts';
import { PodNodes } from './pod-nodes.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';

const HEAD = /^(?:NAMESPACE +)?NAME +READY +STATUS +RESTARTS +AGE\b/;
/** A row whose head was not copied: no other table has such columns. */
const ROW_ALONE =
  /^(?:[a-z0-9][a-z0-9.-]{0,62} +)?[a-z0-9][a-z0-9.-]{0,252} +\d{1,4}\/\d{1,4} +[A-Z][\w:]{1,60} +\d{1,7}(?: \((?:\d{1,6}[smhdy]){1,3} ago\))? +(?:\d{1,6}[smhdy]){1,3}(?: |$)/;
const COLUMNS = ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'IP', 'NODE', 'NOMINATED NODE', 'READINESS GATES'];
const WORDS = /[A-Z]+(?: (?:NODE|GATES))?/g;
const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;
/** It starts, and ends soon after: so many times is not chance. */
const OFTEN = 3;
/** Pods without which no other pod of their node gets a GPU. */
const GIVES_DEVICES =
  /(?:^|-)(?:device-plugin|gpu-device|driver-daemonset|container-toolkit|gpu-feature-discovery|dra-driver|dra-plugin|fabricmanager)/;
/** How a container of a pod that is over ended. */
const ENDED: ReadonlySet<string> = new Set(['Error', 'ContainerStatusUnknown']);
const WAITS =
  /^(?:Init:)?(?:ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|ImageInspectError|RegistryUnavailable|CreateContainerConfigError|CreateContainerError|RunContainerError|PreStartHookError|PostStartHookError|ContainerCannotRun|StartError)$/;
/** What a pod is for minutes on its way: for longer it is stuck, on an image that does not end or on what its node lacks. */
const ON_ITS_WAY = /^(?:Init:\d{1,3}\/\d{1,3}|PodInitializing|ContainerCreating)$/;
const STUCK_MIN = 60;
const MINUTES: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440, y: 525_600 };
/** What its node said when it did not take the pod (kubernetes: pkg/kubelet/lifecycle, pkg/kubelet/cm). */
const REFUSED = /^(?:UnexpectedAdmissionError|TopologyAffinityError|ResourceAllocateError|OutOf(?!Memory)\S{1,64})$/;
const EVICTED = 'Evicted';
const LOOPS = /^(?:Init:)?CrashLoopBackOff$/;
const MOST_PODS = 4096;

interface Row {
  readonly pod: string;
  readonly namespace: string | null;
  readonly node: string | null;
  readonly status: string;
  readonly restarts: number;
  /** As it is printed: "7h30m". */
  readonly age: string;
}

export class PodTable implements ReportReader {
  readonly form = 'kubectl';
  readonly #host: string;
  readonly #pods: PodNodes;
  #columns: readonly string[] | null = null;
  #asked = '';
  readonly #said = new Set<string>();

  constructor(host: string, pods = new PodNodes()) {
    this.#host = host;
    this.#pods = pods;
  }

  take(line: string): Reported | null {
    const asked = askedNamespace(line);
    if (asked !== null) {
      this.#asked = asked;
      return null;
    }
    if (HEAD.test(line)) {
      this.#columns = line.trim().match(WORDS);
      return NOTHING;
    }
    const found = rowOf(line, this.#columns ?? columnsOf(line));
    const row =
      found === null || found.namespace !== null || this.#asked === '' ? found : { ...found, namespace: this.#asked };
    if (row === null) {
      this.#columns = null;
      return null;
    }
    const key = `${row.namespace ?? ''}/${row.pod}`;
    if (row.node !== null) this.#pods.place(row.pod, row.namespace ?? '', row.node);
    const finding = this.#said.has(key) || this.#said.size >= MOST_PODS ? null : findingOf(row, this.#host);
    if (finding !== null) this.#said.add(key);
    return { ...NOTHING, findings: finding === null ? [] : [finding] };
  }
}

function columnsOf(line: string): readonly string[] {
  if (!ROW_ALONE.test(line)) return [];
  return /^\S+ +\d{1,4}\//.test(line) ? COLUMNS : ['NAMESPACE', ...COLUMNS];
}

/** Words of a row. */
const FEWEST = 5;

/** Null where the line is not a row of the table. */
function rowOf(line: string, columns: readonly string[]): Row | null {
  if (columns.length < FEWEST) return null;
  // Of columns only RESTARTS has a blank within: "44 (2m ago)".
  const cells = line
    .replace(/ \((?:\d{1,6}[smhdy]){1,3} ago\)/, '')
    .trim()
    .split(/\s+/);
  if (cells.length < FEWEST || cells.length > columns.length) return null;
  const value = (name: string): string => cells[columns.indexOf(name)] ?? '';
  const [pod, namespace, node] = [value('NAME'), value('NAMESPACE'), value('NODE')];
  if (!NAME.test(pod) || !/^\d{1,4}\/\d{1,4}$/.test(value('READY'))) return null;
  return {
    pod,
    namespace: NAME.test(namespace) ? namespace : null,
    node: NAME.test(node) ? node : null,
    status: value('STATUS'),
    restarts: Number(/^\d{1,7}$/.exec(value('RESTARTS'))?.[0] ?? 0),
    age: value('AGE'),
  };
}

/** Minutes of "7h30m"; 0 for anything but an age. */
function minutesOf(age: string): number {
  return [...age.matchAll(/(\d{1,6})([smhdy])/g)].reduce(
    (sum, [, count, unit = 's']) => sum + Number(count) * (MINUTES[unit] ?? 0),
    0,
  );
}

function findingOf({ pod, namespace, node, status, restarts, age }: Row, host: string): ReportedFinding | null {
  const discriminator = `${namespace ?? ''}/${pod}`;
  const of = { pod, ...(namespace === null ? {} : { namespace }), reason: evidenceText(status) };
  if (ENDED.has(status)) {
    const id = namespace === null ? pod : `${namespace}/${pod}`;
    const where = node === null ? {} : { named_host: node };
    return { kind: 'job.failed', component: { type: 'job', id }, attributes: { ...of, ...where }, discriminator };
  }
  if (status === EVICTED || REFUSED.test(status)) {
    const component = { type: 'host', id: node ?? host } as const;
    // Pods that were evicted stay in the table until they are removed: when it was, it does not say.
    if (status === EVICTED)
      return { kind: 'pod.evicted', component, attributes: of, severity: 'warning', discriminator };
    return { kind: 'pod.rejected', component, attributes: of, discriminator };
  }
  const loops = LOOPS.test(status) && restarts >= OFTEN;
  const stuck = ON_ITS_WAY.test(status) && minutesOf(age) >= STUCK_MIN;
  if (!loops && !stuck && !WAITS.test(status)) return null;
  const severity: { severity?: Severity } = GIVES_DEVICES.test(pod) ? { severity: 'critical' } : {};
  const message = loops ? `${status}, ${restarts} restarts` : stuck ? `${status} for ${age}` : status;
  return {
    kind: 'pod.start_failed',
    component: { type: 'host', id: node ?? host },
    attributes: { ...of, message: evidenceText(message) },
    ...severity,
    discriminator,
  };
}
