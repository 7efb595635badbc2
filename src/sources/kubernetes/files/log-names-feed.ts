// Log names feed: which pods and containers are here by the names of their logs' folders, where no kubelet and no API may be asked.

import { readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../helpers/error-code.ts';
import { KubeError } from '../kubelet/kubelet-error.ts';
import type { Feed, PodSink } from '../pod/feed.ts';
import type { Container, Pod } from '../pod/pod.ts';

const EVERY_MS = 10_000;
const SOONEST_MS = 1_000;
const MOST_PODS = 1024;
const MOST_CONTAINERS = 64;
/** No namespace and no pod has "_" in its name (kubelet: pkg/kubelet/kuberuntime/helpers.go). */
const POD = /^([a-z0-9][a-z0-9.-]{0,252})_([a-z0-9][a-z0-9.-]{0,252})_([0-9a-zA-Z-]{1,64})$/;
const RUN = /^(\d{1,6})\.log$/;
/** <pod>_<namespace>_<container>-<id>.log: cut at 255 bytes, so that a long name leaves less than the whole id. */
const LINK = /-([0-9a-f]{64})\.log$/;

interface Folder {
  readonly mtimeMs: number;
  readonly names: readonly string[];
}

export class LogNamesFeed implements Feed {
  readonly name = 'names of log files';
  readonly needs: string;
  readonly notes = ['names alone: no owner, no variables and no state of the pods'];
  trouble: KubeError | null = null;
  readonly #logs: string;
  readonly #links: string;
  #folders = new Map<string, Folder>();
  /** Path of a log → id of the container that writes it. */
  #ids = new Map<string, string>();
  #linksMs = -1;
  #sink: PodSink | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;
  #lookedMs = 0;

  /** `logs`: /var/log/pods; `links`: /var/log/containers, whose links lead there. */
  constructor(logs: string, links: string) {
    this.#logs = logs;
    this.#links = links;
    this.needs = `reading ${logs}`;
  }

  async probe(): Promise<void> {
    await this.#list(this.#logs);
  }

  start(sink: PodSink): void {
    this.#sink = sink;
    void this.#round();
  }

  hurry(): void {
    if (this.#sink !== null && !this.#looking)
      this.#next(Math.max(0, SOONEST_MS - (performance.now() - this.#lookedMs)));
  }

  stop(): void {
    this.#sink = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #round(): Promise<void> {
    this.#looking = true;
    this.#lookedMs = performance.now();
    try {
      const folders = new Map<string, Folder>();
      await this.#readLinks();
      const pods: Pod[] = [];
      for (const name of (await this.#list(this.#logs)).slice(0, MOST_PODS)) {
        const [, namespace, called, uid] = POD.exec(name) ?? [];
        if (namespace === undefined || called === undefined || uid === undefined) continue;
        pods.push(podOf(namespace, called, uid, await this.#containers(join(this.#logs, name), folders)));
      }
      this.#folders = folders;
      this.trouble = null;
      this.#sink?.replace(pods);
    } catch (error) {
      this.trouble = error instanceof KubeError ? error : new KubeError('bad_reply', String(error));
    }
    this.#looking = false;
    this.#next(EVERY_MS);
  }

  #next(pauseMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#sink === null ? null : setTimeout(() => void this.#round(), pauseMs).unref();
  }

  async #containers(folder: string, folders: Map<string, Folder>): Promise<Container[]> {
    const found: Container[] = [];
    for (const name of (await this.#names(folder, folders)).slice(0, MOST_CONTAINERS)) {
      const runs = await this.#names(join(folder, name), folders);
      const numbers = runs.flatMap((run) => RUN.exec(run)?.[1] ?? []).map(Number);
      if (numbers.length === 0) continue;
      const restarts = Math.max(...numbers);
      const id = this.#ids.get(join(folder, name, `${restarts}.log`)) ?? null;
      found.push({ name, init: false, id, restarts, waiting: null, ended: [], variables: {}, devices: [] });
    }
    return found;
  }

  /** A folder that did not change has the names that it had. One that went away meanwhile has none. */
  async #names(folder: string, folders: Map<string, Folder>): Promise<readonly string[]> {
    const info = await stat(folder).catch(() => null);
    if (info === null || !info.isDirectory()) return [];
    const known = this.#folders.get(folder);
    const same = known !== undefined && known.mtimeMs === info.mtimeMs;
    const names = same ? known.names : await readdir(folder).catch(() => []);
    folders.set(folder, { mtimeMs: info.mtimeMs, names });
    return names;
  }

  async #readLinks(): Promise<void> {
    const info = await stat(this.#links).catch(() => null);
    if (info === null || info.mtimeMs === this.#linksMs) return;
    this.#linksMs = info.mtimeMs;
    const ids = new Map<string, string>();
    for (const name of (await readdir(this.#links).catch(() => [])).slice(0, MOST_PODS * 4)) {
      const id = LINK.exec(name)?.[1];
      const target = id === undefined ? null : await readlink(join(this.#links, name)).catch(() => null);
      // The link has the host's path; what comes after the folder of all pods is the same wherever that is mounted.
      const inside = target?.split('/').slice(-3).join('/');
      if (id !== undefined && inside !== undefined) ids.set(join(this.#logs, inside), id);
    }
    this.#ids = ids;
  }

  async #list(folder: string): Promise<string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      const code = errorCode(error) ?? 'unknown';
      throw new KubeError(code === 'EACCES' ? 'denied' : 'absent', `${folder}: ${code}`);
    }
  }
}

function podOf(namespace: string, name: string, uid: string, containers: Container[]): Pod {
  const isHash = /^[0-9a-f]{32}$/.test(uid);
  return {
    uid,
    configHash: isHash ? uid : null,
    namespace,
    name,
    controller: null,
    labels: {},
    annotations: {},
    priorityClass: null,
    phase: null,
    reason: null,
    message: null,
    startedMs: null,
    deletionMs: null,
    conditions: [],
    containers,
  };
}
