// Start events: why a pod that is on this node does not start, by the Events about it. Asked only of those that wait for long:
// a watch of every Event of the cluster on each of its nodes would be a load of its own.

import type { HttpClient } from '../api/http-client.ts';
import { JSON_TYPE } from '../api/http-client.ts';
import { type KubeError, kubeError } from '../kubelet/kubelet-error.ts';
import type { Pod } from '../pod/pod.ts';
import { listAt, textAt, timeAt, wordAt } from '../pod/values.ts';
import { isStartEvent } from './reasons.ts';

const WAITS_MS = 60_000;
const AGAIN_MS = 60_000;
const ANSWER_MS = 10_000;
/** At one look. */
const MOST_ASKED = 4;
const MOST_EVENTS = 50;

export interface StartTrouble {
  readonly reason: string;
  readonly message: string | null;
  readonly atMs: number | null;
}

export class StartEvents {
  readonly #client: HttpClient;
  readonly #onTrouble: (pod: Pod, trouble: StartTrouble | null) => void;
  /** Uid → when it was asked of last, and what was reported. */
  readonly #waiting = new Map<string, { pod: Pod; askedMs: number; reported: boolean }>();
  error: KubeError | null = null;
  asked = 0;

  /** `onTrouble`: null once the pod starts or is gone. */
  constructor(client: HttpClient, onTrouble: (pod: Pod, trouble: StartTrouble | null) => void) {
    this.#client = client;
    this.#onTrouble = onTrouble;
  }

  /** Never rejects. */
  async look(pods: Iterable<Pod>, nowMs: number): Promise<void> {
    const now = new Map<string, Pod>();
    for (const pod of pods) if (waits(pod, nowMs)) now.set(pod.uid, pod);
    for (const [uid, { pod, reported }] of this.#waiting) {
      if (now.has(uid)) continue;
      this.#waiting.delete(uid);
      if (reported) this.#onTrouble(pod, null);
    }
    let asked = 0;
    for (const [uid, pod] of now) {
      const known = this.#waiting.get(uid) ?? { pod, askedMs: Number.NEGATIVE_INFINITY, reported: false };
      this.#waiting.set(uid, known);
      if (known.reported || nowMs - known.askedMs < AGAIN_MS || asked >= MOST_ASKED) continue;
      asked += 1;
      known.askedMs = nowMs;
      const trouble = await this.#ask(pod);
      if (trouble === null || !this.#waiting.has(uid)) continue;
      known.reported = true;
      this.#onTrouble(pod, trouble);
    }
  }

  async #ask({ namespace, uid }: Pod): Promise<StartTrouble | null> {
    const query = new URLSearchParams({ fieldSelector: `involvedObject.uid=${uid}`, limit: String(MOST_EVENTS) });
    try {
      this.asked += 1;
      const body: unknown = JSON.parse(await this.#client.get(`/api/v1/namespaces/${namespace}/events?${query}`, JSON_TYPE, ANSWER_MS)); // biome-ignore format: one line
      this.error = null;
      const found = listAt(body, 'items').filter((event) => isStartEvent(wordAt(event, 'reason')));
      const times = found.map((event) => timeOf(event) ?? 0);
      const last = found[times.indexOf(Math.max(...times))];
      const reason = wordAt(last, 'reason');
      return reason === null ? null : { reason, message: textAt(last, 'message'), atMs: timeOf(last) };
    } catch (error) {
      this.error = kubeError(error);
      return null;
    }
  }
}

/** On this node for a minute, and no container runs or ran. */
function waits({ phase, startedMs, containers }: Pod, nowMs: number): boolean {
  if (phase !== 'Pending' || startedMs === null || nowMs - startedMs < WAITS_MS) return false;
  return containers.every(({ id, ended }) => id === null && ended.length === 0);
}

/** Newer controllers leave the first two empty. */
function timeOf(event: unknown): number | null {
  return timeAt(event, 'series', 'lastObservedTime') ?? timeAt(event, 'lastTimestamp') ?? timeAt(event, 'eventTime');
}
