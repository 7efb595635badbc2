// Topology out of what devices really answer: load steps of two hosts, read over SNMP and Redfish, pair outlets with supplies; and what
// is written of parts that a device does not have is reported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TopologyProposals } from '../../src/daemon/topology-proposals.ts';
import type { Component } from '../../src/model/component.ts';
import type { Emit } from '../../src/model/record.ts';
import type { Link } from '../../src/model/topology.ts';
import { SimulatedBmc } from '../../src/simulator/bmc/simulated-bmc.ts';
import { SimulatedPdu } from '../../src/simulator/pdu-agent/simulated-pdu.ts';
import { Bmc } from '../../src/sources/bmc/bmc.ts';
import type { Device } from '../../src/sources/devices/poller.ts';
import { Pdu } from '../../src/sources/pdu/pdu.ts';

const VOLTS = 230;
const [LIGHT, HEAVY] = [800, 2400];
/** Looks in which a PDU has read all of its outlets. */
const LOOKS = 15;
/** Between two steps, of one host or another: longer than a step may be shown late. */
const APART_MS = 120_000;

test('steps of two hosts pair each outlet with its supply, with odds; a wrong plug is doubted, a missing part reported', async (t) => {
  const pdu = await SimulatedPdu.start({ model: { outlets: 4, banks: 2, voltageV: VOLTS } });
  const bmcs = [await SimulatedBmc.start({ supplies: 1 }), await SimulatedBmc.start({ supplies: 1 })];
  const hosts = ['node-1', 'node-2'];
  const topology = new TopologyProposals();
  let nowMs = 1_700_000_000_000;
  const deps = { now: () => nowMs };
  const emit: Emit = {
    samples: (batch) => topology.take(batch),
    discovery: (discovery) => topology.discovered(discovery),
    event: () => undefined,
  } as Partial<Emit> as Emit; // a look emits nothing else
  const snmp = { name: 'pdu-a', host: '127.0.0.1', port: pdu.port, version: '2c', community: 'public', user: null, intervalMs: 2000, timeoutMs: 5000, retries: 1 } as const; // biome-ignore format: one line
  const own = new Pdu(snmp, deps);
  const redfish = bmcs.map(({ url }, i) => new Bmc({ host: hosts[i] ?? '', url, user: 'faultline', password: 'simulated', ca: null, insecure: true, intervalMs: 10_000, timeoutMs: 10_000 }, deps)); // biome-ignore format: one line
  t.after(async () => {
    await Promise.all([own, ...redfish].map((device) => device.close()));
    await Promise.all([pdu, ...bmcs].map((device) => device.close()));
  });
  const { signal } = new AbortController();
  const look = async (device: Device): Promise<void> =>
    device.look({ emit, signal, startedMs: nowMs, nextDue: performance.now() + 60_000, answered: () => undefined });

  const watts = [LIGHT, LIGHT];
  for (let step = 0; step < 12; step += 1) {
    const host = step % 2;
    watts[host] = watts[host] === LIGHT ? HEAVY : LIGHT;
    bmcs.forEach(({ state }, i) => {
      state.hostWatts = watts[i] ?? 0;
      // Host 1 is on outlet 2, host 2 on outlet 3; no configuration says so.
      pdu.setOutletCurrent(i + 2, (watts[i] ?? 0) / VOLTS);
    });
    for (let i = 0; i < LOOKS; i += 1) await look(own);
    for (const bmc of redfish) await look(bmc);
    nowMs += APART_MS;
  }

  const feeds = (outlet: number, to: Component): Link => ({
    from: { type: 'pdu_outlet', id: `pdu-a/${outlet}` },
    to,
    relation: 'feeds',
    source: 'configuration',
  });
  const supply = (host: string, slot = 1): Component => ({ type: 'psu', id: `${host}/${slot}` });
  const found = topology.health([])[0];
  assert.equal(found?.status, 'works');
  assert.equal(found?.notes?.length, 2, found?.notes?.join('\n'));
  for (const [i, host] of hosts.entries()) {
    const line = found?.notes?.find((note) => note.startsWith(`pdu_outlet/pdu-a/${i + 2} may feed psu/${host}/1`));
    const [, shown, of, odds] = /: (\d+) of (\d+) steps .* odds (\d+) to 1/.exec(line ?? '') ?? [];
    assert.ok(Number(shown) >= 4 && Number(shown) <= Number(of) && Number(odds) >= 20, line);
  }

  const wrong = topology.health([feeds(3, supply('node-1')), feeds(3, supply('node-2'))])[0];
  assert.equal(wrong?.status, 'partial');
  assert.match(
    wrong?.notes?.join('\n') ?? '',
    /^pdu_outlet\/pdu-a\/3 is written to feed psu\/node-1\/1, and shows 0 of /,
  );

  const stale = topology.health([feeds(9, supply('node-1', 2)), feeds(2, supply('node-7'))])[0];
  const notes = stale?.notes?.filter((note) => note.includes('has none of that name')) ?? [];
  assert.deepEqual(notes, [
    'pdu_outlet/pdu-a/9 is written, and pdu-a has none of that name: it has 1, 2, 3, 4',
    'psu/node-1/2 is written, and node-1 has none of that name: it has 1',
  ]);
  assert.equal(stale?.status, 'partial');
});
