// Node watch: this node as the API server has it, where the service account may: conditions, cordon, taints; and why pods wait.

import { HttpClient, JSON_TYPE, type Peer } from './api/http-client.ts';
import { ListWatch } from './api/list-watch.ts';
import { isOutOfService, type Node, type NodeChange, nodeChanges, readNode } from './events/node.ts';
import type { NodePlan } from './events/node-marks.ts';
import { StartEvents, type StartTrouble } from './events/start-events.ts';
import { type KubeError, kubeError } from './kubelet/kubelet-error.ts';
import type { Pod } from './pod/pod.ts';

const AGAIN_MS = 300_000;

export interface NodeWatchOptions {
  readonly peer: Peer;
  readonly node: string;
  /** `first`: it was so when the watch began. */
  readonly onChange: (change: NodeChange, first: boolean) => void;
  /** Planned work that the node's marks declare. */
  readonly onPlans: (plans: readonly NodePlan[]) => void;
  readonly onTrouble: (pod: Pod, trouble: StartTrouble | null) => void;
}

export class NodeWatch {
  readonly #client: HttpClient;
  readonly #list: ListWatch;
  readonly #events: StartEvents;
  readonly #onChange: NodeWatchOptions['onChange'];
  readonly #onPlans: NodeWatchOptions['onPlans'];
  #node: Node | null = null;
  #refused: KubeError | null = null;
  #running = false;
  #triedMs = Number.NEGATIVE_INFINITY;

  constructor({ peer, node, onChange, onPlans, onTrouble }: NodeWatchOptions) {
    this.#client = new HttpClient(peer);
    this.#onChange = onChange;
    this.#onPlans = onPlans;
    this.#events = new StartEvents(this.#client, onTrouble);
    this.#list = new ListWatch({
      client: this.#client,
      path: '/api/v1/nodes',
      fieldSelector: `metadata.name=${node}`,
      accept: JSON_TYPE,
      onList: (items) => this.#take(items[0]),
      onChange: (type, item) => {
        if (type !== 'DELETED') this.#take(item);
      },
    });
  }

  /** One clause for `doctor`. */
  get note(): string {
    const { trouble } = this.#list;
    const why = this.#refused ?? trouble;
    const node = why === null ? (this.#node === null ? 'not listed' : 'watched') : why.message;
    const { error, asked } = this.#events;
    const events = asked === 0 ? 'asked when a pod waits' : (error?.message ?? 'may be read');
    return `node: ${node}; Events: ${events}`;
  }

  get isOutOfService(): boolean {
    return this.#node !== null && isOutOfService(this.#node);
  }

  /** Never rejects. */
  async look(pods: Iterable<Pod>, nowMs: number): Promise<void> {
    if (!this.#running && nowMs - this.#triedMs >= AGAIN_MS) {
      this.#triedMs = nowMs;
      try {
        await this.#list.probe();
        this.#refused = null;
        this.#running = true;
        this.#list.start();
      } catch (error) {
        this.#refused = kubeError(error);
      }
    }
    await this.#events.look(pods, nowMs);
  }

  stop(): void {
    this.#list.stop();
    this.#client.close();
  }

  #take(raw: unknown): void {
    const node = readNode(raw);
    if (node === null) return;
    const before = this.#node;
    this.#node = node;
    // What is planned is known before what follows from it.
    this.#onPlans(node.plans);
    for (const change of nodeChanges(before, node)) this.#onChange(change, before === null);
  }
}
