// Cards that are gone: how long they must be, and what the bus says about why.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BusView, PresenceWatch } from '../../../src/sources/nic/presence-watch.ts';

const RDMA = { rdma: true, management: false };
const PLAIN = { rdma: false, management: false };
const NIC = '0000:1b:00.0';

/** The reading at which the card counts as lost, and how severe that is; null when 20 readings do not suffice. */
function lostAt(bus: BusView, role = RDMA): [number, string] | null {
  const watch = new PresenceWatch();
  watch.seen(NIC, role, 0);
  for (let read = 1; read <= 20; read += 1) {
    const edge = watch.gone(NIC, bus, read * 5000);
    if (edge !== null) {
      assert.deepEqual(edge.interval, { earliestMs: 0, latestMs: 5000 }, 'gone since the first reading without it');
      return [read, edge.severity];
    }
  }
  return null;
}

test('gone from the bus: lost at the third reading', () => {
  assert.deepEqual(lostAt({ onBus: false, driver: null }), [3, 'critical']);
  assert.deepEqual(lostAt({ onBus: false, driver: null }, { rdma: false, management: true }), [3, 'error']);
});

test('still on the bus: a driver that reloads has a minute', () => {
  assert.deepEqual(lostAt({ onBus: true, driver: null }), [12, 'critical']);
  assert.deepEqual(lostAt({ onBus: true, driver: 'mlx5_core' }), [12, 'error']);
});

test('given to a virtual machine or a container: noted only', () => {
  assert.deepEqual(lostAt({ onBus: true, driver: 'vfio-pci' }), [12, 'info']);
  assert.deepEqual(lostAt({ onBus: true, driver: 'ice' }, PLAIN), [12, 'info']);
});

test('one that is back in time was never lost; one that was lost and is back is reported once', () => {
  const watch = new PresenceWatch();
  const bus = { onBus: false, driver: null };
  watch.seen(NIC, RDMA, 0);
  watch.gone(NIC, bus, 5000);
  watch.gone(NIC, bus, 10_000);
  assert.equal(watch.seen(NIC, RDMA, 15_000), null);
  for (let read = 4; read <= 9; read += 1) watch.gone(NIC, bus, read * 5000);
  assert.deepEqual(watch.seen(NIC, RDMA, 50_000)?.interval, { earliestMs: 15_000, latestMs: 50_000 });
  assert.equal(watch.seen(NIC, RDMA, 55_000), null);
  assert.equal(watch.gone('0000:29:00.0', bus, 0), null, 'never seen, never lost');
});
