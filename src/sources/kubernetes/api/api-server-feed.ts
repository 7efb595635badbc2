// API server feed: this node's pods by list and watch, whole or their metadata alone.

import type { KubeError } from '../kubelet/kubelet-error.ts';
import type { Feed, PodSink } from '../pod/feed.ts';
import { readPod } from '../pod/read-pod.ts';
import { wordAt } from '../pod/values.ts';
import { HttpClient, JSON_TYPE, type Peer } from './http-client.ts';
import { ListWatch } from './list-watch.ts';

const METADATA_TYPE = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST_TYPE = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

export interface ApiServerOptions {
  readonly peer: Peer;
  readonly node: string;
  /** Names, labels and owners alone: no variables, no container ids, no status. */
  readonly metadataOnly: boolean;
  readonly userLabels: readonly string[];
}

export class ApiServerFeed implements Feed {
  readonly name: string;
  readonly needs = 'a service account with list and watch on pods (ClusterRole), and the name of the node';
  readonly #client: HttpClient;
  readonly #list: ListWatch;
  readonly #node: string;
  #sink: PodSink | null = null;
  #none = false;

  constructor({ peer, node, metadataOnly, userLabels }: ApiServerOptions) {
    this.name = metadataOnly ? 'API server, metadata alone' : 'API server';
    this.#node = node;
    this.#client = new HttpClient(peer);
    this.#list = new ListWatch({
      client: this.#client,
      path: '/api/v1/pods',
      fieldSelector: `spec.nodeName=${node}`,
      accept: metadataOnly ? METADATA_LIST_TYPE : JSON_TYPE,
      watchAccept: metadataOnly ? METADATA_TYPE : JSON_TYPE,
      onList: (items) => {
        this.#none = items.length === 0;
        this.#sink?.replace(items.flatMap((item) => readPod(item, userLabels) ?? []));
      },
      onChange: (type, item) => {
        this.#none = false;
        if (type === 'DELETED') this.#sink?.drop(wordAt(item, 'metadata', 'uid') ?? '');
        const pod = type === 'DELETED' ? null : readPod(item, userLabels);
        if (pod !== null) this.#sink?.set(pod);
      },
    });
  }

  get trouble(): KubeError | null {
    return this.#list.trouble;
  }

  get notes(): readonly string[] {
    return this.#none ? [`FL2704 the API server knows no pods on node ${this.#node}: sources.kubernetes.node may be another`] : []; // biome-ignore format: one line
  }

  probe(): Promise<void> {
    return this.#list.probe();
  }

  start(sink: PodSink): void {
    this.#sink = sink;
    this.#list.start();
  }

  hurry(): void {} // every change is pushed

  stop(): void {
    this.#sink = null;
    this.#list.stop();
    this.#client.close();
  }
}
