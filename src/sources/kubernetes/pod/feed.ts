// Feed: one way to learn of this node's pods. The ladder takes the first that works.

import type { KubeError } from '../kubelet/kubelet-error.ts';
import type { Pod } from './pod.ts';

export interface PodSink {
  /** These are all. */
  replace(pods: readonly Pod[]): void;
  set(pod: Pod): void;
  drop(uid: string): void;
}

export interface Feed {
  /** As `doctor` names it: "kubelet Pods API". */
  readonly name: string;
  /** What it needs, in words. */
  readonly needs: string;
  /** Resolves when it answers; rejects with why it cannot be used here, as `KubeError`. */
  probe(): Promise<void>;
  /** From now on the sink is kept up to date, over restarts of the other side. Never throws. */
  start(sink: PodSink): void;
  /** Something unknown runs here: look again soon. */
  hurry(): void;
  stop(): void;
  /** Why it does not answer now; null while it does. */
  readonly trouble: KubeError | null;
  /** What whoever asks should know besides: certificate not verified, … */
  readonly notes: readonly string[];
}
