// Our SNMP client and prometheus-snmp-exporter walk the same subtree of the same agent (net-snmp's snmpd), in turns: varbinds a second
// and CPU for each walk.
// usage: SNMP_EXPORTER=/usr/bin/prometheus-snmp-exporter node bench/power-peers.mjs [ROUNDS]

import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SnmpRequests } from '../src/sources/pdu/request.ts';
import { SnmpSession } from '../src/sources/pdu/session.ts';
import { pduConfig } from '../test/sources/pdu/support.ts';
import { cpuMs } from './lib/process-figures.mjs';

const SUBTREE = '1.3.6.1.2.1';
const [given = '20', agentPort] = process.argv.slice(2);
const rounds = Number(given);
if (agentPort !== undefined) await walker(Number(agentPort));
else await measure();

/** The child that is us: one walk for each message. */
async function walker(port) {
  const requests = new SnmpRequests(new SnmpSession(pduConfig(port, { timeoutMs: 2000, retries: 3 }), Date.now));
  process.on('message', async () => {
    const before = process.cpuUsage();
    const startedMs = performance.now();
    let count = 0;
    for await (const values of requests.below(SUBTREE, 60_000)) count += values.length;
    const { user, system } = process.cpuUsage(before);
    process.send({ count, ms: performance.now() - startedMs, cpuMs: (user + system) / 1000 });
  });
  process.send('ready');
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'fl-power-peers-'));
  const children = [];
  try {
    const [snmpPort, httpPort] = [await freePort(), await freePort()];
    writeFileSync(join(folder, 'snmpd.conf'), 'rocommunity public 127.0.0.1\n');
    const agent = spawn(
      '/usr/sbin/snmpd',
      ['-f', '-Lo', '-C', '-c', join(folder, 'snmpd.conf'), `udp:127.0.0.1:${snmpPort}`],
      {
        stdio: 'ignore',
        env: { ...process.env, SNMP_PERSISTENT_DIR: folder },
      },
    );
    children.push(agent);
    writeFileSync(
      join(folder, 'snmp.yml'),
      `peer:\n  walk: [${SUBTREE}]\n  version: 2\n  max_repetitions: 10\n  auth: {community: public}\n  metrics:\n  - {name: sysUpTime, oid: ${SUBTREE}.1.3, type: gauge}\n`,
    );
    const exporter = spawn(
      process.env.SNMP_EXPORTER ?? 'prometheus-snmp-exporter',
      [`--config.file=${join(folder, 'snmp.yml')}`, `--web.listen-address=127.0.0.1:${httpPort}`],
      { stdio: 'ignore' },
    );
    children.push(exporter);
    const ours = fork(import.meta.filename, [given, String(snmpPort)]);
    children.push(ours);
    await once(ours, 'message');
    await sleep(1500);
    const scrape = async () => {
      const before = cpuMs(exporter.pid);
      const startedMs = performance.now();
      const text = await (
        await fetch(`http://127.0.0.1:${httpPort}/snmp?module=peer&target=127.0.0.1:${snmpPort}`)
      ).text();
      const count = Number(/^snmp_scrape_pdus_returned (\S+)/m.exec(text)?.[1]);
      return { count, ms: performance.now() - startedMs, cpuMs: cpuMs(exporter.pid) - before };
    };
    const walk = async () => {
      ours.send('walk');
      return (await once(ours, 'message'))[0];
    };
    // A daemon that polls for days is warm.
    for (let i = 0; i < 6; i += 1) {
      await walk();
      await scrape();
    }
    const all = { ours: [], exporter: [] };
    for (let i = 0; i < rounds; i += 1) {
      all.ours.push(await walk());
      all.exporter.push(await scrape());
    }
    for (const [name, runs] of Object.entries(all)) {
      const sum = (of) => runs.reduce((total, run) => total + run[of], 0);
      console.log(
        `${name}: ${Math.round((1000 * sum('count')) / sum('ms'))} varbinds/s, ${(sum('cpuMs') / rounds).toFixed(1)} ms of CPU a walk of ${Math.round(sum('count') / rounds)} varbinds (${((1000 * sum('cpuMs')) / sum('count')).toFixed(1)} µs each)`,
      );
    }
  } finally {
    await Promise.all(
      children.map((child) => {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        return gone;
      }),
    );
    rmSync(folder, { recursive: true });
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
