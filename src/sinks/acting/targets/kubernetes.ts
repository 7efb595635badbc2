// Kubernetes: a taint with its label on this node, or a condition in its status; counts nodes by what the server prints of them, cheap in a large cluster.

import type { Component } from '../../../model/component.ts';
import { OWN_NAME } from '../../../model/stage.ts';
import { HttpClient, JSON_TYPE } from '../../../sources/kubernetes/api/http-client.ts';
import { KubeError } from '../../../sources/kubernetes/kubelet/kubelet-error.ts';
import { at, listAt, wordAt } from '../../../sources/kubernetes/pod/values.ts';
import type { Cluster } from '../decide/breaker.ts';
import type { KubernetesTarget } from '../settings.ts';
import { ActError, type Target } from './target.ts';

const ANSWER_MS = 10_000;
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
/** Conditions are merged by their type; taints are one list to every kind of merge, and are written whole. */
const STRATEGIC = 'application/strategic-merge-patch+json';
const MERGE = 'application/merge-patch+json';
/** Others write the node as well: kubelet every few seconds. */
const MOST_TRIES = 8;
/** What kubectl prints of each node, by the server itself: whether it is ready is in no metadata, and a whole node is 20 KiB. */
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const PAGE = 500;
const MOST_PAGES = 100;
/** Nodes with our mark: more are not counted, the breaker is open long before. */
const MOST_MARKED = 500;
const NODES = '/api/v1/nodes';

/** Not ready, unknown to the server, or cordoned, whoever did it. */
function isOut(state: string): boolean {
  const words = state.split(',');
  return !words.includes('Ready') || words.includes('SchedulingDisabled');
}

abstract class NodePatch implements Target {
  readonly stage = 'quarantined';
  abstract readonly action: 'taint' | 'condition';
  readonly component: Component;
  readonly node: string;
  protected readonly settings: KubernetesTarget;
  readonly #client: HttpClient | null;

  constructor(settings: KubernetesTarget, host: string) {
    this.settings = settings;
    this.node = settings.node;
    this.component = { type: 'host', id: host };
    const { url, caFile, tokenFile } = settings;
    this.#client = url === null ? null : new HttpClient({ url, caFile, tokenFile, insecure: false, name: null, trust: "name the cluster's authority in acting.kubernetes.api_ca" }); // biome-ignore format: one line
  }

  abstract readonly words: string;
  abstract count(): Promise<Cluster | null>;
  abstract isDone(): Promise<boolean>;
  abstract tryOut(): Promise<void>;
  abstract act(): Promise<void>;

  protected async patch(path: string, type: string, body: object, dryRun: boolean): Promise<void> {
    const query = `?fieldManager=${OWN_NAME}${dryRun ? '&dryRun=All' : ''}`;
    const sent = { body: JSON.stringify(body), type, timeoutMs: ANSWER_MS };
    await this.answered((client) => client.send('PATCH', path + query, sent));
  }

  protected async get(path: string, accept: string): Promise<unknown> {
    return JSON.parse(await this.answered((client) => client.get(path, accept, ANSWER_MS)));
  }

  protected async answered(ask: (client: HttpClient) => Promise<string>): Promise<string> {
    if (this.#client === null) throw new ActError('no_server', 'no API server: write acting.kubernetes.api_server');
    try {
      return await ask(this.#client);
    } catch (error) {
      if (error instanceof KubeError) throw new ActError(error.fault, error.message);
      throw new ActError('bad_reply', error instanceof Error ? error.message : String(error));
    } finally {
      // Seldom used: no connection is kept.
      this.#client.close();
    }
  }
}

export class NodeTaint extends NodePatch {
  readonly action = 'taint';
  readonly #value: string;

  /** `value`: the kind of the root. */
  constructor(settings: KubernetesTarget, host: string, value: string) {
    super(settings, host);
    this.#value = value.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 63);
  }

  get words(): string {
    const { taint, effect } = this.settings;
    return `taint node ${this.node} ${taint}=${this.#value}:${effect}, and the label ${taint}=${this.#value}`;
  }

  async tryOut(): Promise<void> {
    await this.#change(this.#value, true);
  }

  async act(): Promise<void> {
    await this.#change(this.#value);
  }

  /** With all taints of others as they are at this version of the node; null takes our own away. */
  async #change(value: string | null, dryRun = false): Promise<void> {
    const { taint: key, effect } = this.settings;
    for (let tries = 1; ; tries += 1) {
      const { metadata, spec } = await this.#read();
      const others = spec.taints.filter((each) => wordAt(each, 'key') !== key);
      const own = spec.taints.find((each) => wordAt(each, 'key') === key);
      if (value === null && own !== undefined && wordAt(own, 'value') !== this.#value)
        throw new ActError('not_ours', `the taint ${key} is another by now: ${wordAt(own, 'value')}`);
      const taints = value === null ? others : [...others, { key, value, effect }];
      const body = { metadata: { resourceVersion: metadata.resourceVersion, labels: { [key]: value } }, spec: { taints } }; // biome-ignore format: one line
      try {
        return await this.patch(`${NODES}/${this.node}`, MERGE, body, dryRun);
      } catch (error) {
        if (!(error instanceof ActError) || error.type !== 'conflict' || tries >= MOST_TRIES) throw error;
      }
    }
  }

  async #read(): Promise<{ metadata: { resourceVersion: string }; spec: { taints: readonly unknown[] } }> {
    const page = await this.get(`${NODES}?fieldSelector=${encodeURIComponent(`metadata.name=${this.node}`)}`, JSON_TYPE); // biome-ignore format: one line
    const [item] = listAt(page, 'items');
    const resourceVersion = wordAt(item, 'metadata', 'resourceVersion');
    if (resourceVersion === null) throw new ActError('unknown_node', `the cluster has no node ${this.node}`);
    return { metadata: { resourceVersion }, spec: { taints: listAt(item, 'spec', 'taints') } };
  }

  async count(): Promise<Cluster> {
    const page = await this.get(`${NODES}?labelSelector=${encodeURIComponent(this.settings.taint)}&limit=${MOST_MARKED}`, METADATA); // biome-ignore format: one line
    const marked = listAt(page, 'items').flatMap((item) => wordAt(item, 'metadata', 'name') ?? []);
    const all = await this.#states();
    const out = [...all].flatMap(([name, state]) => (isOut(state) ? [name] : []));
    return { out: [...new Set([...out, ...marked])], nodes: all.size };
  }

  /** Name → state, as `kubectl get nodes` shows it: "Ready", "NotReady,SchedulingDisabled". */
  async #states(): Promise<ReadonlyMap<string, string>> {
    const states = new Map<string, string>();
    let rest = '';
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const page = await this.get(`${NODES}?includeObject=None&limit=${PAGE}${rest}`, TABLE);
      const columns = listAt(page, 'columnDefinitions').map((column) => wordAt(column, 'name'));
      const [nameAt, stateAt] = [columns.indexOf('Name'), columns.indexOf('Status')];
      if (nameAt < 0 || stateAt < 0) throw new ActError('bad_reply', 'the API server shows no state of its nodes');
      for (const row of listAt(page, 'rows')) {
        const cells = listAt(row, 'cells');
        states.set(String(cells[nameAt]), String(cells[stateAt]));
      }
      const next = wordAt(page, 'metadata', 'continue');
      if (next === null || next === '') return states;
      rest = `&continue=${encodeURIComponent(next)}`;
    }
    throw new ActError('bad_reply', `the cluster has more than ${MOST_PAGES * PAGE} nodes`);
  }

  async isDone(): Promise<boolean> {
    const page = await this.get(`${NODES}?fieldSelector=${encodeURIComponent(`metadata.name=${this.node}`)}`, METADATA); // biome-ignore format: one line
    const [item] = listAt(page, 'items');
    if (item === undefined) throw new ActError('unknown_node', `the cluster has no node ${this.node}`);
    return at(item, 'metadata', 'labels', this.settings.taint) !== undefined;
  }

  async undo(): Promise<void> {
    await this.#change(null);
  }

  get undoWords(): string {
    return `remove the taint and the label ${this.settings.taint}=${this.#value} from node ${this.node}`;
  }
}

export class NodeCondition extends NodePatch {
  readonly action = 'condition';
  readonly #status: 'True' | 'False';
  readonly #reason: string;
  readonly #message: string;
  readonly #time: string;

  /** A condition takes no node out of service; it says what others may act on. */
  constructor(settings: KubernetesTarget, host: string, said: { readonly status: 'True' | 'False'; readonly kind: string; readonly message: string; readonly atMs: number }) {
    super(settings, host);
    this.#status = said.status;
    this.#reason = said.kind.split(/[^A-Za-z0-9]+/).map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join('');
    this.#message = said.message.slice(0, 500);
    this.#time = new Date(said.atMs).toISOString();
  } // biome-ignore format: one chain

  get words(): string {
    return `condition ${this.settings.condition}=${this.#status} of node ${this.node}: ${this.#message}`;
  }

  async tryOut(): Promise<void> {
    await this.#set(true);
  }

  async act(): Promise<void> {
    await this.#set(false);
  }

  async #set(dryRun: boolean): Promise<void> {
    const time = this.#time;
    const condition = { type: this.settings.condition, status: this.#status, reason: this.#reason, message: this.#message, lastHeartbeatTime: time, lastTransitionTime: time }; // biome-ignore format: one record
    await this.patch(`${NODES}/${this.node}/status`, STRATEGIC, { status: { conditions: [condition] } }, dryRun);
  }

  async count(): Promise<null> {
    return null;
  }

  async isDone(): Promise<boolean> {
    return false;
  }
}
