// The demo sees nothing of the machine it runs on and sends nothing anywhere: traps all around it, and every file it opens.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { installationRoot } from '../../src/native.ts';
import { PROGRAM } from '../program.ts';
import { Collector } from '../sinks/otlp/collector.ts';
import { readLogs, readMetrics, readTraces } from '../sinks/otlp/otlp-proto.ts';

const folder = mkdtempSync(join(tmpdir(), 'faultline-demo-alone-'));
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
const trace = join(folder, 'trace');
const traceable = spawnSync('strace', ['-f', '--seccomp-bpf', '-qq', '-e', 'trace=none', 'true']).status === 0;
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const scenario = join(folder, 'short.yaml');
writeFileSync(
  scenario,
  `name: short
title: A GPU is lost, with everything around it that a rack has
duration: 3s
vary: { gpu: { gpu_of: node-1, usual: 0 } }
world:
  hosts: [{ name: node-1, gpus: { count: 1 }, cpus: { packages: 1 }, bmc: { supplies: 2, fans: 2, limit: 6000 } }]
  pdus: [{ name: pdu-a, phases: 1, outlets: 2, voltage: 120 }]
  jobs: [{ id: llama, step_time_ms: 200, ranks: [0], world_size: 1 }]
timeline: [{ id: lost, at: 500ms, gpu_lost: { gpu: "\${gpu}" } }]
truth: { incidents: [{ root: { kind: gpu.lost, component: "gpu/\${gpu}" }, cause: lost, within: 10s, chain: [gpu.lost] }] }
`,
);

/** A server that nothing may connect to: how often something did. */
async function trap(): Promise<{ port: number; visits: () => number }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { port: address.port, visits: () => visits };
}

function demo(words: string[], environment: NodeJS.ProcessEnv, before: string[] = []) {
  const [command = process.execPath, ...rest] = [...before, process.execPath, PROGRAM, 'demo', '--scenario', scenario, ...words]; // biome-ignore format: one command line
  const child = spawn(command, rest, { env: { ...process.env, TMPDIR: temporary, ...environment } });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise<{ status: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (status) => resolve({ status, out, err })),
  );
}

test('traps in the environment and in the folder for temporary files stay untouched, and the answer is right', async () => {
  const collector = await trap();
  const proxy = await trap();
  const own = ['state', 'log', 'run', 'home', 'dumps'].map((name) => join(folder, name));
  const [state, log, run, home, dumps] = own;
  for (const path of own) mkdirSync(path);
  // Dumps of a stopped job, where PyTorch puts them: two ranks at different places.
  for (const place of [temporary, dumps ?? '']) {
    for (const rank of [0, 1]) writeFileSync(join(place, `nccl_trace_rank_${rank}`), `not a dump of rank ${rank}`);
  }
  const loaded = join(folder, 'loaded');
  const preload = join(folder, 'preload.cjs');
  writeFileSync(
    preload,
    `require('node:fs').appendFileSync(${JSON.stringify(loaded)}, process.argv.join(' ') + '\\n');`,
  );
  const configured = join(folder, 'faultline.yaml');
  writeFileSync(configured, 'host: not-this-one\n');
  const strace = ['strace', '-f', '--seccomp-bpf', '-y', '-qq', '-s', '4096', '-e', 'trace=%file,connect', '-o', trace];
  const traps = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `http://127.0.0.1:${collector.port}/v1/logs`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production',
    ...Object.fromEntries(
      ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => [
        name,
        `http://127.0.0.1:${proxy.port}`,
      ]),
    ),
    NODE_USE_ENV_PROXY: '1',
    TORCH_NCCL_DEBUG_INFO_TEMP_FILE: join(dumps ?? '', 'nccl_trace_rank_'),
    FAULTLINE_CONFIG: configured,
    FAULTLINE_FAKE_NVML: join(folder, 'another.control'),
    NODE_OPTIONS: `--require ${preload}`,
    STATE_DIRECTORY: state,
    LOGS_DIRECTORY: log,
    RUNTIME_DIRECTORY: run,
    XDG_STATE_HOME: state,
    XDG_RUNTIME_DIR: run,
    HOME: home,
  };
  const { status, out, err } = await demo(['--json'], traps, traceable ? strace : []);
  assert.equal(status, 0, err + out);
  assert.equal(collector.visits(), 0);
  assert.equal(proxy.visits(), 0);
  // The demo itself is the user's program; its daemon is not.
  const programs = readFileSync(loaded, 'utf8');
  assert.match(programs, / demo /);
  assert.doesNotMatch(programs, / run --config /);
  for (const path of [state, log, run, home]) assert.deepEqual(readdirSync(path ?? ''), []);
  const { events, incidents } = JSON.parse(out);
  assert.ok(incidents.every(({ simulated, title }: { simulated: boolean; title: string }) => simulated && title.startsWith('[simulated] '))); // biome-ignore format: one condition
  assert.ok(events.every(({ host, source }: { host: string; source: string }) => host === 'node-1' && source !== 'flight-recorder')); // biome-ignore format: one condition
});

test('the endpoint that is asked for gets all that the demo tells, marked as simulated; the command says so', async () => {
  const collector = await Collector.grpc();
  const { status, out, err } = await demo(['--export', `http://127.0.0.1:${collector.port}`], {});
  collector.kill();
  assert.equal(status, 0, err + out);
  assert.match(err, new RegExp(`exported as simulated to http://127.0.0.1:${collector.port}: .*logs: `));
  const read = { metrics: readMetrics, logs: readLogs, traces: readTraces };
  for (const signal of ['metrics', 'logs', 'traces'] as const) {
    const requests = collector.taken.filter((taken) => taken.signal === signal);
    assert.ok(requests.length > 0, signal);
    for (const { bytes } of requests) {
      const { resource } = read[signal](bytes);
      assert.equal(resource['faultline.simulated'], true, signal);
      assert.equal('host.id' in resource, false);
    }
  }
  const incidents = collector.logs.filter(({ eventName }) => eventName.startsWith('faultline.incident.'));
  assert.ok(incidents.length > 0);
  for (const { body } of incidents) assert.match(String(body), /^\[simulated\] /);
});

test('an endpoint that cannot be one is refused before anything is started', async () => {
  const { status, err } = await demo(['--export', 'localhost:4317'], {});
  assert.equal(status, 2);
  assert.match(err, /^FL5113 /);
});

/** What every program on Linux opens for itself: its libraries, its random numbers, how large it may become. */
const OF_ANY_PROGRAM: readonly RegExp[] = [
  /^\/(usr\/)?lib(64|32)?\//,
  /^\/etc\/(ld\.so\.|ssl\/|localtime)/,
  /^\/usr\/(share\/(zoneinfo|locale)|local\/(lib|ssl))\//,
  /^\/dev\/(null|urandom|random|shm\/?)$/,
  /^\/proc\/self(\/|$)/,
  /^\/proc\/\d+\/task$/, // its own and its children's threads
  // Whether the mark of a daemon's life is from before the host started.
  /^\/proc\/sys\/kernel\/random\/boot_id$/,
  // The vendor child: which device files there are that it may keep, and which user it can be in place of root.
  /^\/(dev|etc\/passwd)$/,
  /^\/proc\/(meminfo|version_signature|sys\/vm\/overcommit_memory|sys\/kernel\/pid_max|filesystems)$/,
  /^\/sys\/(fs\/cgroup\/|devices\/system\/(cpu|node)(\/|$)|kernel\/mm\/transparent_hugepage\/)/,
];

/** Paths that calls of the traced processes name, each with its process and whether the call only looks at a name. */
function named(trace: string): { pid: string; path: string; looks: boolean }[] {
  return trace.split('\n').flatMap((line) => {
    const [, pid = '', call = '', rest = ''] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    const path = /(?:AT_FDCWD(?:<[^>]*>)?|\d+<([^>]*)>)?(?:, )?"((?:[^"\\]|\\.)*)"/.exec(rest);
    if (call === '' || call === 'connect' || call === 'bind' || path === null || path[2] === '') return [];
    // To step to a place, or to name it in a rule of what may be reached, reads nothing of it.
    if (/\bO_PATH\b/.test(rest)) return [];
    const name = path[2] ?? '';
    const whole = name.startsWith('/') ? name : join(path[1] ?? '/unknown', name);
    return [
      { pid, path: whole, looks: /^(l?stat|statx|newfstatat|readlink|readlinkat|access|faccessat2?)$/.test(call) },
    ];
  });
}

test('the daemon of the demo opened its own folder, its own program and what any program opens; nothing else', {
  skip: traceable ? false : 'no strace here, or it may not trace',
}, () => {
  const text = readFileSync(trace, 'utf8');
  const [started = '', demoFolder = ''] = /^.*"run", "--config", "([^"]*)\/faultline\.yaml"/m.exec(text) ?? [];
  assert.ok(demoFolder.startsWith(temporary));
  const from = text.indexOf(started);
  const others = othersBefore(text, from);
  const programs = [installationRoot(), join(process.execPath, '..', '..'), demoFolder];
  const foreign = named(text.slice(from)).filter(({ pid, path, looks }) => {
    if (others.has(pid) || OF_ANY_PROGRAM.some((pattern) => pattern.test(path))) return false;
    if (programs.some((one) => path === one || path.startsWith(`${one}/`))) return false;
    // Whether the path has the command that texts propose.
    if (looks && path.endsWith('/bin/faultline')) return false;
    // To find where a folder really is, its parents' names are looked at.
    return !(looks && programs.some((one) => one.startsWith(path === '/' ? path : `${path}/`)));
  });
  assert.deepEqual(foreign, []);
  const places = [...text.slice(from).matchAll(/connect\(.*?(?:sun_path="([^"]*)"|inet_addr\("([^"]*)"\))/g)];
  assert.ok(places.length > 0);
  for (const [, socket, address] of places) {
    assert.ok(address === '127.0.0.1' || socket?.startsWith(`${demoFolder}/`), `${socket ?? address}`);
  }
});

/** Threads that were there before this point of the trace: the demo's, but for the process that became the daemon. */
function othersBefore(text: string, before: number): Set<string> {
  const daemon = /^(\d+) /.exec(text.slice(before))?.[1] ?? '';
  const threads = new Set([...text.slice(0, before).matchAll(/^(\d+) /gm)].map(([, pid = '']) => pid));
  threads.delete(daemon);
  return threads;
}

test('its last lines say how to look again, and at logs of your own', async () => {
  const { status, out, err } = await demo([], {});
  assert.equal(status, 0, err + out);
  assert.match(out, /\nto look again: .+ explain \w{6} --log-directory .+\nlogs of your own: .+ scan FILE\n$/);
});
