// Kubernetes: a taint with its label on this node, or a condition in its status; counts nodes by metadata alone, cheap in a large cluster.

import type { Component } from '../../../model/component.ts';
import { OWN_NAME } from '../../../model/stage.ts';
import { HttpClient } from '../../../sources/kubernetes/api/http-client.ts';
import { KubeError } from '../../../sources/kubernetes/kubelet/kubelet-error.ts';
import { at, listAt, numberAt, wordAt } from '../../../sources/kubernetes/pod/values.ts';
import type { Cluster } from '../decide/breaker.ts';
import type { KubernetesTarget } from '../settings.ts';
import { ActError, type Target } from './target.ts';

const ANSWER_MS = 10_000;
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const PATCH = 'application/strategic-merge-patch+json';
/** Nodes that are out of service: more are not counted, the breaker is open long before. */
const MOST_OUT = 500;
const NODES = '/api/v1/nodes';

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

  get words(): string {
    return `PATCH ${this.path} ${JSON.stringify(this.body)}`;
  }

  abstract count(): Promise<Cluster | null>;
  abstract isDone(): Promise<boolean>;
  protected abstract readonly path: string;
  protected abstract readonly body: object;

  async tryOut(): Promise<void> {
    await this.patch(this.body, '&dryRun=All');
  }

  async act(): Promise<void> {
    await this.patch(this.body);
  }

  protected async patch(body: object, more = ''): Promise<void> {
    const path = `${this.path}?fieldManager=${OWN_NAME}${more}`;
    await this.answered((client) => client.send('PATCH', path, { body: JSON.stringify(body), type: PATCH, timeoutMs: ANSWER_MS })); // biome-ignore format: one line
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

  protected get path(): string {
    return `${NODES}/${this.node}`;
  }

  protected get body(): object {
    const { taint: key, effect } = this.settings;
    return { metadata: { labels: { [key]: this.#value } }, spec: { taints: [{ key, value: this.#value, effect }] } };
  }

  async count(): Promise<Cluster> {
    const names = async (selector: string): Promise<string[]> => {
      const page = await this.get(`${NODES}?${selector}&limit=${MOST_OUT}`, METADATA);
      return listAt(page, 'items').flatMap((item) => wordAt(item, 'metadata', 'name') ?? []);
    };
    const cordoned = await names(`fieldSelector=${encodeURIComponent('spec.unschedulable=true')}`);
    const marked = await names(`labelSelector=${encodeURIComponent(this.settings.taint)}`);
    const first = await this.get(`${NODES}?limit=1`, METADATA);
    const nodes = listAt(first, 'items').length + (numberAt(first, 'metadata', 'remainingItemCount') ?? 0);
    return { out: [...new Set([...cordoned, ...marked])], nodes };
  }

  async isDone(): Promise<boolean> {
    const selector = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`;
    const own = selector('fieldSelector', `metadata.name=${this.node}`);
    const page = await this.get(`${NODES}?${own}`, METADATA);
    const [item] = listAt(page, 'items');
    if (item === undefined) throw new ActError('unknown_node', `the cluster has no node ${this.node}`);
    return at(item, 'metadata', 'labels', this.settings.taint) !== undefined;
  }

  async undo(): Promise<void> {
    const { taint: key, effect } = this.settings;
    await this.patch({ metadata: { labels: { [key]: null } }, spec: { taints: [{ $patch: 'delete', key, effect }] } });
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

  protected get path(): string {
    return `${NODES}/${this.node}/status`;
  }

  protected get body(): object {
    const time = this.#time;
    const condition = { type: this.settings.condition, status: this.#status, reason: this.#reason, message: this.#message, lastHeartbeatTime: time, lastTransitionTime: time }; // biome-ignore format: one record
    return { status: { conditions: [condition] } };
  }

  async count(): Promise<null> {
    return null;
  }

  async isDone(): Promise<boolean> {
    return false;
  }
}
