// A real API server on etcd, for tests: started on ports of the loopback, with users that have only what a test gives them.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../until.ts';

export interface Cluster {
  readonly url: string;
  readonly ca: string;
  /** File with the token of a user: of `admin`, who may do all, or of one who may nothing yet. */
  token(user: string): string;
  /** As admin, or with the token of another. */
  send(
    method: string,
    path: string,
    body?: object,
    type?: string,
    token?: string,
  ): Promise<{ status: number; body: unknown }>;
  /** etcd forgets all versions but the present one. */
  compact(): void;
  readonly rssBytes: () => number;
  stop(): Promise<void>;
}

const USERS = ['admin', 'faultline', 'metadata', 'nothing'];

/** `binaries`: the folder that scripts/lib/kubernetes/build-api-server prints. */
export async function startCluster(binaries: string): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-cluster-'));
  const [client, peer, port] = await Promise.all([freePort(), freePort(), freePort()]);
  writeFileSync(join(folder, 'tokens.csv'), USERS.map((user) => `token-${user},${user},${user}${user === 'admin' ? ',system:masters' : ''}\n`).join('')); // biome-ignore format: one line
  for (const user of USERS) writeFileSync(join(folder, `token-${user}`), `token-${user}`);
  execFileSync('openssl', ['genrsa', '-out', join(folder, 'account.key'), '2048'], { stdio: 'ignore' });
  const children: ChildProcess[] = [];
  const run = (name: string, args: readonly string[]): ChildProcess => {
    const log = createWriteStream(join(folder, `${name}.log`));
    const child = spawn(join(binaries, name), args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH, ETCD_UNSUPPORTED_ARCH: 'arm64' } }); // biome-ignore format: one line
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    children.push(child);
    return child;
  };
  const stop = async (): Promise<void> => {
    const over = children.map((child) => new Promise<void>((resolve) => (child.exitCode === null ? child.once('exit', () => resolve()) : resolve()))); // biome-ignore format: one line
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(over);
    rmSync(folder, { recursive: true, force: true });
  };
  const etcdUrl = `http://127.0.0.1:${client}`;
  run('etcd', ['--data-dir', join(folder, 'etcd'), '--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl, '--listen-peer-urls', `http://127.0.0.1:${peer}`, '--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`, '--initial-cluster', `default=http://127.0.0.1:${peer}`, '--unsafe-no-fsync']); // biome-ignore format: one line
  const api = run('kube-apiserver', [
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, 'certificates')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'account.key')}`,
    `--service-account-signing-key-file=${join(folder, 'account.key')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
    // A version is kept no longer than its list is made: 410 comes as it does after hours in a large cluster.
    '--watch-cache=false',
    // On by itself from 1.36 on; before, the server drops the field.
    '--feature-gates=ResourceHealthStatus=true',
  ]);
  const url = `https://127.0.0.1:${port}`;
  const send: Cluster['send'] = (method, path, body, type = 'application/json', token = 'token-admin') =>
    new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type, Accept: 'application/json' };
      const request = https.request(new URL(path, url), { method, headers, rejectUnauthorized: false }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          resolve({ status: response.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text });
        });
      });
      request.on('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  try {
    await until(async () => (await send('GET', '/readyz').catch(() => null))?.status === 200, {
      what: 'a ready API server',
    });
  } catch (error) {
    const log = readFileSync(join(folder, 'kube-apiserver.log'), 'utf8').slice(-2000);
    await stop();
    throw new Error(`${String(error)}\n${log}`);
  }
  return {
    url,
    ca: join(folder, 'certificates/apiserver.crt'),
    token: (user) => join(folder, `token-${user}`),
    send,
    compact() {
      // The number of the newest version: etcd's own answer to any question has it.
      const post = (path: string, body: object) => execFileSync('curl', ['-s', `${etcdUrl}${path}`, '-d', JSON.stringify(body)], { encoding: 'utf8' }); // biome-ignore format: one line
      const { header } = JSON.parse(post('/v3/kv/range', { key: 'AA==' })) as { header: { revision: string } };
      post('/v3/kv/compaction', { revision: header.revision, physical: true });
    },
    rssBytes: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    stop,
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
