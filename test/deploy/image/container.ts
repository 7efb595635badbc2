// Runs a container by crun or runc, without cgroups and with a network of its own that has the loopback alone.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export interface Running {
  readonly child: ChildProcess;
  /** What it printed so far, both streams. */
  readonly output: () => string;
  /** Runs the image's command with these arguments in it, as `kubectl exec` does. */
  exec(...args: string[]): { status: number | null; stdout: string; stderr: string };
  /** Of the daemon, as this machine counts. */
  pid(): number;
  /** What a probe gets: the status and the body. */
  get(port: number, path: string): { status: number; body: string };
  readonly ended: Promise<number | null>;
}

const runtime = process.env.FAULTLINE_RUNTIME ?? 'runc';
const manager = runtime === 'crun' ? ['--cgroup-manager=disabled'] : [];
let count = 0;

export function startContainer(t: TestContext, folder: string, spec: object): Running {
  const id = `faultline-test-${process.pid}-${++count}`;
  const bundle = join(folder, id);
  const state = join(folder, 'state-of-runtime');
  for (const path of [bundle, state]) mkdirSync(path, { recursive: true });
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec));
  const line = 'ip link set lo up && exec "$@"';
  const run = [runtime, '--root', state, ...manager, 'run', '--bundle', bundle, id];
  const child = spawn('unshare', ['--net', 'sh', '-c', line, 'sh', ...run], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => spawnSync(runtime, ['--root', state, ...manager, 'delete', '--force', id]));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()));
  return {
    child,
    output: () => text,
    exec: (...args) =>
      spawnSync(runtime, ['--root', state, ...manager, 'exec', id, '/usr/bin/faultline', ...args], {
        encoding: 'utf8',
      }),
    pid() {
      const said = execFileSync(runtime, ['--root', state, 'state', id], { encoding: 'utf8' });
      return (JSON.parse(said) as { pid: number }).pid; // of the runtime-spec
    },
    get(port, path) {
      const address = `http://127.0.0.1:${port}${path}`;
      const said = execFileSync('nsenter', ['--net', '--target', String(child.pid), 'curl', '--silent', '--write-out', '\n%{http_code}', address], { encoding: 'utf8' }); // biome-ignore format: one line
      const end = said.lastIndexOf('\n');
      return { status: Number(said.slice(end)), body: said.slice(0, end) };
    },
    ended: new Promise((resolve) => child.once('exit', (code) => resolve(code))),
  };
}
