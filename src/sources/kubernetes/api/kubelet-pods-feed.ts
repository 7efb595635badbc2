// Kubelet /pods feed: asks kubelet's own HTTPS port for all of its pods, every so often and when something unknown runs.

import { createHash } from 'node:crypto';
import { backOffMs } from '../../../helpers/back-off.ts';
import { KubeError, kubeError } from '../kubelet/kubelet-error.ts';
import type { Feed, PodSink } from '../pod/feed.ts';
import { readPod } from '../pod/read-pod.ts';
import { at, listAt } from '../pod/values.ts';
import { HttpClient, JSON_TYPE, type Peer } from './http-client.ts';

const ANSWER_MS = 10_000;
const EVERY_MS = 15_000;
/** Something unknown runs: kubelet makes the whole list for each answer. */
const SOONEST_MS = 2_000;
const LONGEST_MS = 120_000;

export class KubeletPodsFeed implements Feed {
  readonly name = 'kubelet /pods';
  readonly needs =
    'a service account with get on nodes/pods (ClusterRole; Kubernetes 1.33), and kubelet’s certificate authority';
  readonly notes: readonly string[];
  trouble: KubeError | null = null;
  readonly #client: HttpClient;
  readonly #userLabels: readonly string[];
  #sink: PodSink | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #askedMs = 0;
  #asking = false;
  #last = '';

  constructor(peer: Peer, userLabels: readonly string[]) {
    this.#client = new HttpClient(peer);
    this.#userLabels = userLabels;
    this.notes = peer.insecure ? [`the certificate of ${peer.url} is not verified: sources.kubernetes.kubelet_ca`] : [];
  }

  async probe(): Promise<void> {
    await this.#ask();
  }

  start(sink: PodSink): void {
    this.#sink = sink;
    this.#last = '';
    void this.#round();
  }

  hurry(): void {
    if (this.#sink !== null && this.trouble === null && !this.#asking)
      this.#next(Math.max(0, SOONEST_MS - (performance.now() - this.#askedMs)));
  }

  stop(): void {
    this.#sink = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#client.close();
  }

  async #round(): Promise<void> {
    this.#asking = true;
    let pauseMs = EVERY_MS;
    try {
      const body = await this.#ask();
      // The same text has the same pods: a long one is read once.
      const digest = createHash('sha1').update(body).digest('base64');
      if (digest !== this.#last)
        this.#sink?.replace(podsOf(body).flatMap((raw) => readPod(raw, this.#userLabels) ?? []));
      this.#last = digest;
      this.trouble = null;
      this.#failures = 0;
    } catch (error) {
      this.trouble = kubeError(error);
      pauseMs = backOffMs(SOONEST_MS, this.#failures, LONGEST_MS);
      this.#failures += 1;
    }
    this.#asking = false;
    this.#next(pauseMs * (0.9 + Math.random() / 5));
  }

  #next(pauseMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#sink === null ? null : setTimeout(() => void this.#round(), pauseMs).unref();
  }

  #ask(): Promise<string> {
    this.#askedMs = performance.now();
    return this.#client.get('/pods', JSON_TYPE, ANSWER_MS);
  }
}

function podsOf(body: string): readonly unknown[] {
  let list: unknown;
  try {
    list = JSON.parse(body);
  } catch {
    throw new KubeError('bad_reply', '/pods: not JSON');
  }
  if (at(list, 'kind') !== 'PodList') throw new KubeError('bad_reply', '/pods: not a list of pods');
  return listAt(list, 'items');
}
