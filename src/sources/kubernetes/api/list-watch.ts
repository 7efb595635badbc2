// List, then watch: a list of the API server kept up to date, from the version that the list had. When that version is gone,
// it is listed again. (Initial events in the watch itself are not asked for: an older etcd cannot give them.)

import { backOffMs } from '../../../helpers/back-off.ts';
import { KubeError, kubeError } from '../kubelet/kubelet-error.ts';
import { at, listAt, numberAt, wordAt } from '../pod/values.ts';
import type { HttpClient, Watched } from './http-client.ts';

const ANSWER_MS = 20_000;
/** The server ends a watch after this, and it continues with the next. */
const WATCH_S = 300;
const PAGE = 100;
const MOST_ITEMS = 1024;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface ListWatchOptions {
  readonly client: HttpClient;
  /** /api/v1/pods */
  readonly path: string;
  /** spec.nodeName=node-3 */
  readonly fieldSelector: string;
  /** Content types of the list, and of the objects of the watch. */
  readonly accept: string;
  readonly watchAccept?: string;
  onList(items: readonly unknown[]): void;
  onChange(type: 'ADDED' | 'MODIFIED' | 'DELETED', item: unknown): void;
  /** 0 to 1, so that the nodes of a cluster do not all ask at once. */
  readonly random?: () => number;
}

export class ListWatch {
  readonly #options: ListWatchOptions;
  readonly #random: () => number;
  #watched: Watched | null = null;
  #timer: NodeJS.Timeout | null = null;
  #version: string | null = null;
  #failures = 0;
  #stopped = true;
  trouble: KubeError | null = null;
  /** How often it was listed. */
  lists = 0;

  constructor(options: ListWatchOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** Resolves where the list may be read; rejects with `KubeError`. */
  async probe(): Promise<void> {
    await this.#page(1, null);
  }

  start(): void {
    this.#stopped = false;
    void this.#continue();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#watched?.cancel();
    this.#watched = null;
  }

  async #continue(): Promise<void> {
    this.#timer = null;
    try {
      this.#version ??= await this.#list();
      if (this.#stopped) return;
      const watched = await this.#watch(this.#version);
      if (this.#stopped) watched.cancel();
      else this.#watched = watched;
    } catch (error) {
      this.#ended(kubeError(error));
    }
  }

  async #list(): Promise<string> {
    const items: unknown[] = [];
    let page = await this.#page(PAGE, null);
    items.push(...page.items);
    while (page.next !== null && items.length < MOST_ITEMS) {
      page = await this.#page(PAGE, page.next);
      items.push(...page.items);
    }
    this.lists += 1;
    if (!this.#stopped) this.#options.onList(items);
    return page.version;
  }

  async #page(limit: number, from: string | null) {
    const { client, path, fieldSelector, accept } = this.#options;
    const query = new URLSearchParams({ fieldSelector, limit: String(limit) });
    if (from !== null) query.set('continue', from);
    const body = parsed(await client.get(`${path}?${query}`, accept, ANSWER_MS));
    const version = wordAt(body, 'metadata', 'resourceVersion');
    if (version === null) throw new KubeError('bad_reply', `${client.url}${path}: not a list`);
    const next = at(body, 'metadata', 'continue');
    return { items: listAt(body, 'items'), version, next: typeof next === 'string' && next !== '' ? next : null };
  }

  #watch(version: string): Promise<Watched> {
    const { client, path, fieldSelector, accept, watchAccept = accept } = this.#options;
    const query = new URLSearchParams({
      fieldSelector,
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: version,
      timeoutSeconds: String(Math.round(WATCH_S * (1 + this.#random()))),
    });
    return client.watch(
      `${path}?${query}`,
      watchAccept,
      ANSWER_MS,
      (line) => this.#take(line),
      (why) => this.#ended(why),
    );
  }

  #take(line: string): void {
    try {
      const event = parsed(line);
      const type = at(event, 'type');
      const item = at(event, 'object');
      if (type === 'ERROR')
        throw new KubeError(numberAt(item, 'code') === 410 ? 'gone' : 'bad_reply', 'the watch ended');
      this.#version = wordAt(item, 'metadata', 'resourceVersion') ?? this.#version;
      this.trouble = null;
      this.#failures = 0;
      if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') this.#options.onChange(type, item);
    } catch (error) {
      this.#watched?.cancel();
      this.#ended(kubeError(error));
    }
  }

  /** Null: the server's time for a watch was over. */
  #ended(why: KubeError | null): void {
    if (this.#stopped) return;
    this.#watched = null;
    if (why !== null && why.fault !== 'down') this.#version = null;
    this.trouble = why?.fault === 'gone' ? null : why;
    const pauseMs = why === null ? 0 : backOffMs(FIRST_PAUSE_MS, this.#failures, LONGEST_PAUSE_MS);
    if (why !== null) this.#failures += 1;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#continue(), pauseMs * (0.5 + this.#random() / 2)).unref();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new KubeError('bad_reply', 'not JSON');
  }
}
