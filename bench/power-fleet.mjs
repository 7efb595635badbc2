// Many PDUs and BMCs of which a third hang: how regularly the others are read, and what the process takes; then a thousand connections
// that the BMC closes, and as many sessions of SNMP, and what is open afterwards.
// It ends with status 1 where one that answers is not read, is read at less than half its pace, a socket is left, or memory grows on.
// usage: node bench/power-fleet.mjs [SECONDS] [PDUS] [BMCS]

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SimulatedBmc } from '../src/simulator/bmc/simulated-bmc.ts';
import { SimulatedPdu } from '../src/simulator/pdu-agent/simulated-pdu.ts';
import { BmcSource } from '../src/sources/bmc/bmc-source.ts';
import { Transport } from '../src/sources/bmc/http/transport.ts';
import { PduSource } from '../src/sources/pdu/pdu-source.ts';
import { SnmpSession } from '../src/sources/pdu/session.ts';
import { bmcConfig } from '../test/sources/bmc/support.ts';
import { pduConfig } from '../test/sources/pdu/support.ts';

const PDU_MS = 5000;
const BMC_MS = 10_000;
const RECONNECTS = 1000;
/** Of the gaps between two reads of one that answers, 99 in 100 are under so many intervals; the load of the machine is in it. */
const WIDEST_GAP = 2;
const MOST_RSS_MIB = 400;
const [seconds = '60', pdus = '200', bmcs = '200', part] = process.argv.slice(2);
if (part === 'devices') await devices();
else await measure();

async function devices() {
  const hangs = (i) => i % 3 === 0;
  const allPdus = await Promise.all(
    Array.from({ length: Number(pdus) }, () => SimulatedPdu.start({ model: { outlets: 8 } })),
  );
  const allBmcs = await Promise.all(Array.from({ length: Number(bmcs) }, () => SimulatedBmc.start({ plain: true })));
  for (const [i, pdu] of allPdus.entries()) if (hangs(i)) await pdu.close();
  for (const [i, bmc] of allBmcs.entries()) bmc.faults.silent = hangs(i);
  process.send({ pdus: allPdus.map(({ port }) => port), bmcs: allBmcs.map(({ url }) => url) });
  process.on('message', () => process.exit(0));
}

async function measure() {
  const child = fork(import.meta.filename, [seconds, pdus, bmcs, 'devices']);
  const [made] = await once(child, 'message');
  const now = () => performance.timeOrigin + performance.now();
  const times = { pdu: new Map(), bmc: new Map() };
  const emit = {
    samples({ source, keys }) {
      const device = keys[0].split(/[/#]/)[1];
      const key = source === 'pdu' ? 'pdu_phase' : 'psu';
      if (!keys.some((one) => one.startsWith(key))) return;
      const list = times[source].get(device) ?? [];
      list.push(performance.now());
      times[source].set(device, list);
    },
    text() {},
    event() {},
    discovery() {},
  };
  const abort = new AbortController();
  const sources = [
    new PduSource(
      made.pdus.map((port, i) => pduConfig(port, { name: `p${i}`, intervalMs: PDU_MS, timeoutMs: 1000, retries: 1 })),
      { now },
    ),
    new BmcSource(
      made.bmcs.map((url, i) => bmcConfig(url, { host: `n${i}`, intervalMs: BMC_MS, timeoutMs: 10_000 })),
      { now },
    ),
  ];
  const cpu = process.cpuUsage();
  for (const source of sources) source.start(emit, abort.signal);
  let most = 0;
  for (const end = performance.now() + Number(seconds) * 1000; performance.now() < end; await sleep(500))
    most = Math.max(most, rss());
  const { user, system } = process.cpuUsage(cpu);
  for (const [what, intervalMs] of [
    ['pdu', PDU_MS],
    ['bmc', BMC_MS],
  ]) {
    const gaps = [...times[what].values()]
      .flatMap((list) => list.slice(2).map((time, i) => time - list[i + 1]))
      .sort((a, b) => a - b);
    const at = (q) =>
      ((gaps[Math.min(gaps.length - 1, Math.floor(q * gaps.length))] ?? Number.NaN) / intervalMs).toFixed(2);
    const answering = Number(what === 'pdu' ? pdus : bmcs) - Math.ceil(Number(what === 'pdu' ? pdus : bmcs) / 3);
    hold(times[what].size === answering, `${what}: ${times[what].size} of the ${answering} that answer were read`);
    hold(Number(at(0.99)) < WIDEST_GAP, `${what}: one gap in a hundred is ${at(0.99)} intervals`);
    console.log(
      `${what}: ${times[what].size} of ${what === 'pdu' ? pdus : bmcs} answer; gap over interval: median ${at(0.5)}, 90 % ${at(0.9)}, 99 % ${at(0.99)}, most ${at(1)} (${gaps.length} gaps)`,
    );
  }
  console.log(
    `RSS at most ${most} MiB, CPU ${((user + system) / 1e4 / Number(seconds)).toFixed(0)} % of a core, ${sockets()} sockets`,
  );
  await Promise.all(sources.map((source) => source.stop()));
  child.send('end');
  console.log(`after the stop: ${sockets()} sockets`);
  hold(sockets() === 0, `${sockets()} sockets are left after the stop`);
  hold(most < MOST_RSS_MIB, `${most} MiB resident`);
  await reconnects();
}

async function reconnects() {
  const bmc = await SimulatedBmc.start({ plain: true });
  const pdu = await SimulatedPdu.start();
  const before = sockets();
  const transport = new Transport(bmcConfig(bmc.url), Date.now);
  for (let i = 0; i < RECONNECTS; i += 1)
    await transport.send({ method: 'GET', path: '/redfish/v1', headers: { Connection: 'close' } });
  transport.close();
  for (let i = 0; i < RECONNECTS; i += 1) {
    const session = new SnmpSession(pduConfig(pdu.port, { timeoutMs: 2000 }), Date.now);
    await session.get(['1.3.6.1.2.1.1.3.0']);
    session.close();
  }
  await sleep(100);
  const left = sockets() - before;
  console.log(`${RECONNECTS} connections to a BMC and as many to a PDU: ${left} sockets more than before`);
  hold(left === 0, `${left} sockets are left of ${RECONNECTS} connections`);
  await bmc.close();
  await pdu.close();
}

function hold(so, what) {
  if (so) return;
  console.error(`not as it should be: ${what}`);
  process.exitCode = 1;
}

function rss() {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024);
}

function sockets() {
  return process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|TLSSocket|UDPWrap|UDP/.test(name)).length;
}
