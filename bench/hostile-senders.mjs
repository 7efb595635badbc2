// Hostile senders of OTLP, each way in turn against a daemon: what they are answered, and what the daemon's memory and CPU make of it.
// Next to them a sender of another user (where this runs as root, else of the same) sends a good request every 100 ms.
// usage: node bench/hostile-senders.mjs [SECONDS] [CONNECTIONS] [WAY]      (default 5, 16, each; needs `npm run build`)

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

const [seconds = 5, connections = 16] = process.argv.slice(2, 4).map(Number);
const only = process.argv[4] ?? '';
const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const PROTO = { 'content-type': 'application/x-protobuf' };
const span =
  '{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","kind":2,"startTimeUnixNano":"1","endTimeUnixNano":"2"}';
const spans = (count) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${Array(count).fill(span).join(',')}]}]}]}`;
/** Name → headers and body; a number is that many MiB of zeros, never all in memory here. */
const WAYS = {
  'a body of 256 MiB': [PROTO, 256],
  '64 MiB of zeros in 64 KiB of gzip': [{ ...PROTO, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(64 * MIB))],
  '4 MiB of random bytes': [
    PROTO,
    Buffer.from(Array.from({ length: 4 * MIB - 1024 }, (_, i) => (i * 7919 + (i >> 8)) & 255)),
  ],
  '4 MiB of empty messages, two bytes each': [PROTO, Buffer.alloc(4 * MIB - 1024, Buffer.from([0x0a, 0x00]))],
  'JSON nested 100,000 deep': [JSON_TYPE, Buffer.from(`{"resourceSpans":${'['.repeat(100_000)}`)],
  '300,000 keys in one object of JSON': [
    JSON_TYPE,
    Buffer.from(`{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":1`).join(',')}}`),
  ],
  'a name of 3 MiB for the service': [
    JSON_TYPE,
    Buffer.from(
      `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"${'x'.repeat(3 * MIB)}"}}]}}]}`,
    ),
  ],
  'spans of 1970, 20,000 in a request': [JSON_TYPE, Buffer.from(spans(20_000))],
  'a request that never ends': [PROTO, null],
};

function figures(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return { rss: Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024, cpu: (Number(stat[11]) + Number(stat[12])) / 100 };
}

/** Status, or what became of the connection. */
function send(port, [headers, body]) {
  return new Promise((resolve) => {
    const asked = request(
      { host: '127.0.0.1', port, path: '/v1/traces', method: 'POST', headers, agent: false },
      (answer) => {
        answer.resume();
        answer.once('close', () => resolve(String(answer.statusCode)));
      },
    );
    asked.once('error', (error) => resolve(error.code ?? error.message));
    asked.setTimeout(12_000, () => {
      asked.destroy();
      resolve('no answer yet');
    });
    if (body === null) asked.write('x');
    else if (typeof body !== 'number') asked.end(body);
    else {
      const part = Buffer.alloc(MIB);
      let left = body;
      const more = () => {
        while (left > 0 && !asked.destroyed) {
          left -= 1;
          if (!asked.write(part)) return void asked.once('drain', more);
        }
        asked.end();
      };
      more();
    }
  });
}

/** In a process of its own, so that its times are none of ours: prints status and milliseconds of each request. */
const GOOD = `
  const { request } = require('node:http');
  const [port, body] = process.argv.slice(1);
  let sent = 0;
  setInterval(() => {
    console.log('sent', sent += 1);
    const began = performance.now();
    const done = (what) => console.log(what, (performance.now() - began).toFixed(0));
    const options = { host: '127.0.0.1', port, path: '/v1/traces', method: 'POST', headers: { 'content-type': 'application/json' }, agent: false };
    request(options, (answer) => { answer.resume(); answer.once('end', () => done(answer.statusCode)); })
      .on('error', (error) => done(error.code)).end(body);
  }, 100);`;

function goodSender(port, body) {
  const user = process.getuid() === 0 ? { uid: 65534, gid: 65534, cwd: '/' } : {};
  const child = spawn(process.execPath, ['-e', GOOD, String(port), body], {
    ...user,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (part) => {
    text += part;
  });
  return () => {
    child.kill('SIGKILL');
    const sent = text.match(/^sent/gm)?.length ?? 0;
    const rows = text
      .trim()
      .split('\n')
      .map((row) => row.split(' '))
      .filter(([what]) => what !== 'sent');
    const ms = rows.map(([, each]) => Number(each)).sort((a, b) => a - b);
    const taken = rows.filter(([status]) => status === '200').length;
    const others = [...new Set(rows.map(([status]) => status))].filter((status) => status !== '200');
    return `${taken} of ${sent} good requests next to them taken, ${sent - rows.length} not answered yet${others.length > 0 ? ` (else ${others.join(', ')})` : ''}, median ${ms[ms.length >> 1]} ms, longest ${ms.at(-1)} ms`;
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const folder = mkdtempSync(join(tmpdir(), 'fl-senders-'));
const port = await freePort();
const directories = `{state: "${folder}/state", log: "${folder}/log", runtime: "${folder}/run"}`;
const config = join(folder, 'faultline.yaml');
writeFileSync(
  config,
  `directories: ${directories}\nsources: {kernel_log: {path: "${folder}/kmsg"}, otlp_in: {listen: ["127.0.0.1:${port}"]}}\n`,
);
writeFileSync(join(folder, 'kmsg'), '');
const daemon = spawn(process.execPath, [join(import.meta.dirname, '../dist/faultline.js'), 'run', '--config', config], {
  stdio: 'ignore',
});
try {
  const small = [JSON_TYPE, Buffer.from(spans(1))];
  while ((await send(port, small)) !== '200') await sleep(200);
  await sleep(2000);
  console.log(`before: ${figures(daemon.pid).rss.toFixed(0)} MiB RSS`);
  for (const [name, way] of Object.entries(WAYS)) {
    if (!name.includes(only)) continue;
    const before = figures(daemon.pid);
    const answers = new Map();
    let most = 0;
    const began = performance.now();
    const end = began + seconds * 1000;
    const sender = async () => {
      while (performance.now() < end) {
        const answer = await send(port, way);
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    };
    const watch = setInterval(() => {
      most = Math.max(most, figures(daemon.pid).rss);
    }, 50);
    const good = goodSender(port, small[1].toString());
    await Promise.all(Array.from({ length: connections }, sender));
    clearInterval(watch);
    const said = good();
    const { cpu } = figures(daemon.pid);
    const list = [...answers].sort((a, b) => b[1] - a[1]).map(([answer, count]) => `${count} × ${answer}`);
    console.log(
      `${name}: ${list.join(', ')}; at most ${most.toFixed(0)} MiB RSS, ${(cpu - before.cpu).toFixed(1)} s of CPU in ${((performance.now() - began) / 1000).toFixed(1)} s; ${said}`,
    );
  }
  await sleep(10_000);
  console.log(`ten seconds later: ${figures(daemon.pid).rss.toFixed(0)} MiB RSS`);
} finally {
  daemon.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
