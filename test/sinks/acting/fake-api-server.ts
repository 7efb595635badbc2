// An API server of nodes alone, in HTTP: lists by field and label, remainingItemCount, merges as the real one does them
// (taints are one list, conditions are merged by type, a version that is not the newest conflicts), tables in pages, 403.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

interface FakeNode {
  readonly metadata: { readonly name: string; labels: Record<string, string>; resourceVersion: string };
  readonly spec: { unschedulable?: boolean; taints: { key: string; value?: string; effect: string }[] };
  readonly status: { conditions: { type: string; status: string; reason: string; message: string }[] };
}

export class FakeApiServer {
  readonly nodes = new Map<string, FakeNode>();
  /** "GET /api/v1/nodes?limit=1" */
  readonly asked: string[] = [];
  readonly traceparents: (string | undefined)[] = [];
  forbids = false;
  /** So often another writes the node first. */
  conflicts = 0;
  /** Called before a change is taken. */
  onPatch: () => void = () => {};
  url = '';

  static async start(t: TestContext, names: readonly string[]): Promise<FakeApiServer> {
    const fake = new FakeApiServer();
    for (const name of names)
      fake.nodes.set(name, {
        metadata: { name, labels: {}, resourceVersion: '1' },
        spec: { taints: [] },
        status: { conditions: [] },
      });
    const server = createServer((request, response) => {
      void fake.#answer(request).then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    });
    t.after(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return fake;
  }

  node(name: string): FakeNode {
    const found = this.nodes.get(name);
    if (found === undefined) throw new Error(`no node ${name}`);
    return found;
  }

  async #answer(request: IncomingMessage): Promise<[number, object]> {
    this.asked.push(`${request.method} ${request.url}`);
    this.traceparents.push(request.headers.traceparent as string | undefined);
    const { pathname, searchParams: query } = new URL(request.url ?? '/', this.url);
    if (this.forbids && request.method === 'PATCH') return [403, { kind: 'Status', code: 403 }];
    if (request.method === 'GET' && pathname === '/api/v1/nodes' && request.headers.accept?.includes('as=Table'))
      return [200, this.#table(query)];
    if (request.method === 'GET' && pathname === '/api/v1/nodes')
      return [200, this.#list(query, request.headers.accept === 'application/json')];
    const [, name = '', sub = ''] = /^\/api\/v1\/nodes\/([^/]+)(\/status)?$/.exec(pathname) ?? [];
    const node = this.nodes.get(name);
    if (request.method !== 'PATCH' || node === undefined) return [404, { kind: 'Status', code: 404 }];
    const type = sub === '' ? 'application/merge-patch+json' : 'application/strategic-merge-patch+json';
    if (request.headers['content-type'] !== type) return [415, {}];
    const body = JSON.parse(await textOf(request)) as Patch;
    if (this.conflicts > 0) {
      this.conflicts -= 1;
      node.metadata.resourceVersion = String(Number(node.metadata.resourceVersion) + 1);
    }
    const version = body.metadata?.resourceVersion ?? node.metadata.resourceVersion;
    if (version !== node.metadata.resourceVersion) return [409, { kind: 'Status', code: 409, message: 'modified' }];
    if (query.get('dryRun') === 'All') return [200, node];
    this.onPatch();
    if (sub === '') merge(node, body);
    else for (const condition of body.status?.conditions ?? []) put(node.status.conditions, condition, 'type');
    return [200, node];
  }

  /** Two rows a page, however many are asked for. */
  #table(query: URLSearchParams): object {
    const from = Number(query.get('continue') ?? 0);
    const rows = [...this.nodes.values()].slice(from, from + 2).map(({ metadata, spec, status }) => {
      const ready = status.conditions.find(({ type }) => type === 'Ready')?.status ?? 'True';
      const words = [{ True: 'Ready', False: 'NotReady' }[ready] ?? 'Unknown', ...(spec.unschedulable === true ? ['SchedulingDisabled'] : [])]; // biome-ignore format: one line
      return { cells: [metadata.name, words.join(','), '<none>', '3d', 'v1.34.1'], object: null };
    });
    const more = from + 2 < this.nodes.size ? { continue: String(from + 2) } : {};
    const columnDefinitions = ['Name', 'Status', 'Roles', 'Age', 'Version'].map((name) => ({ name, type: 'string' }));
    return { kind: 'Table', metadata: { resourceVersion: '7', ...more }, columnDefinitions, rows };
  }

  #list(query: URLSearchParams, whole: boolean): object {
    const [field, value] = (query.get('fieldSelector') ?? '').split('=');
    const label = query.get('labelSelector');
    const fits = ({ metadata, spec }: FakeNode): boolean => {
      if (label !== null && metadata.labels[label] === undefined) return false;
      if (field === 'spec.unschedulable') return String(spec.unschedulable === true) === value;
      return field !== 'metadata.name' || metadata.name === value;
    };
    const all = [...this.nodes.values()].filter(fits);
    const shown = ({ metadata, spec }: FakeNode): object => (whole ? { metadata, spec } : { metadata });
    const items = all.slice(0, Number(query.get('limit') ?? all.length)).map(shown);
    return { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '7', remainingItemCount: all.length - items.length }, items }; // biome-ignore format: one line
  }
}

interface Patch {
  readonly metadata?: { readonly labels?: Record<string, string | null>; readonly resourceVersion?: string };
  readonly spec?: { readonly taints?: FakeNode['spec']['taints'] };
  readonly status?: { readonly conditions?: FakeNode['status']['conditions'] };
}

function merge(node: FakeNode, { metadata, spec }: Patch): void {
  for (const [key, value] of Object.entries(metadata?.labels ?? {}))
    if (value === null) delete node.metadata.labels[key];
    else node.metadata.labels[key] = value;
  if (spec?.taints !== undefined) node.spec.taints = spec.taints;
  node.metadata.resourceVersion = String(Number(node.metadata.resourceVersion) + 1);
}

function put<T extends object>(list: T[], item: T, by: keyof T): void {
  const at = list.findIndex((each) => each[by] === item[by]);
  if (at < 0) list.push(item);
  else list[at] = item;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString();
}
