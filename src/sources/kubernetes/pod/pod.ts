// Pod: what is kept of one, whichever source has it and in whatever form.

import type { PodNetwork } from './network.ts';

export interface Pod {
  /** As the API writes it; the group of a static pod has its configuration's hash in its place. */
  readonly uid: string;
  readonly configHash: string | null;
  readonly namespace: string;
  readonly name: string;
  /** The controller that made it, one step up. */
  readonly controller: { readonly kind: string; readonly name: string } | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly priorityClass: string | null;
  /** Pending, Running, Succeeded, Failed; null where the source does not say. */
  readonly phase: string | null;
  /** Of its status: Evicted, UnexpectedAdmissionError, … */
  readonly reason: string | null;
  readonly message: string | null;
  /** Epoch ms. */
  readonly startedMs: number | null;
  /** When it is to be gone, epoch ms; null while nothing asked for that. */
  readonly deletionMs: number | null;
  readonly conditions: readonly Condition[];
  readonly containers: readonly Container[];
  /** Left out where nothing says which it is. */
  readonly network?: PodNetwork;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string | null;
  readonly message: string | null;
  /** Its last change, epoch ms. */
  readonly atMs: number | null;
}

export interface Container {
  readonly name: string;
  /** Runs before the others; one that stays with them counts as one of them to kubelet. */
  readonly init: boolean;
  /** Without the runtime's prefix; null until it runs. */
  readonly id: string | null;
  /** Null where the source does not say. */
  readonly restarts: number | null;
  readonly waiting: string | null;
  /** This run's end, or the run's before. */
  readonly ended: readonly Ended[];
  readonly variables: Readonly<Record<string, string>>;
  /** Devices that their plugin or driver reports on. */
  readonly devices: readonly DeviceHealth[];
}

export interface Ended {
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly signal: number | null;
  /** Epoch ms. */
  readonly atMs: number | null;
}

export interface DeviceHealth {
  readonly resource: string;
  readonly id: string;
  /** Healthy, Unhealthy, Unknown */
  readonly health: string;
  readonly message: string | null;
}
