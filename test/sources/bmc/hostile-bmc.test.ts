// Hostile BMCs: bounded memory, bounded requests, an end within the deadline; and what they share is bounded over all.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { test } from 'node:test';
import { countValues } from '../../../src/sources/bmc/decode/bounds.ts';
import { parseBounded } from '../../../src/sources/bmc/decode/json.ts';
import { discoverBmc } from '../../../src/sources/bmc/discover.ts';
import { BodyTurns } from '../../../src/sources/bmc/http/body-turns.ts';
import { RedfishClient } from '../../../src/sources/bmc/http/client.ts';
import { RedfishError } from '../../../src/sources/bmc/http/redfish-error.ts';
import { HOSTILE, hostileBmc } from './hostile-bmc.ts';
import { bmcConfig } from './support.ts';

const MIB = 1024 * 1024;
const MOST_MEMORY = 100 * MIB;

interface Look {
  readonly how: string;
  readonly ms: number;
  /** Null where there was a plan. */
  readonly fault: string | null;
}

async function lookAt(how: string, url: string): Promise<Look> {
  const client = new RedfishClient(bmcConfig(url, { user: null, password: null, timeoutMs: 1000 }), Date.now);
  const started = performance.now();
  const fault = await discoverBmc(client, { gpus: 'whole', logs: true }).then(
    () => null,
    (error: unknown) => (error instanceof RedfishError ? error.fault : String(error)),
  );
  return { how, ms: performance.now() - started, fault };
}

// In its own process, whose memory is only that of the looks.
if (process.env.LOOK_AT !== undefined) {
  const before = process.memoryUsage.rss();
  const looks = await Promise.all(
    JSON.parse(process.env.LOOK_AT).map(([how, url]: string[]) => lookAt(how ?? '', url ?? '')),
  );
  const grewBytes = process.resourceUsage().maxRSS * 1024 - before;
  process.send?.({ grewBytes, looks }, () => process.exit());
} else {
  test('BMCs of every kind of malice at once', async () => {
    const ways = Object.keys(HOSTILE);
    const bmcs = await Promise.all(ways.map(hostileBmc));
    try {
      const child = fork(import.meta.filename, [], {
        env: {
          ...process.env,
          NODE_TEST_CONTEXT: '',
          LOOK_AT: JSON.stringify(ways.map((how, i) => [how, bmcs[i]?.url])),
        },
        execArgv: ['--max-semi-space-size=1'],
      });
      const { grewBytes, looks } = await new Promise<{ grewBytes: number; looks: Look[] }>((resolve, reject) => {
        child.once('message', resolve);
        child.once('exit', (code, signal) => reject(new Error(`ended with ${signal ?? code}`)));
      });
      assert.ok(grewBytes < MOST_MEMORY, `${Math.round(grewBytes / MIB)} MiB`);
      for (const { how, ms, fault } of looks) {
        assert.ok(fault === null || /^[a-z_]+$/.test(fault), `${how}: ${fault}`);
        assert.ok(ms < 20_000, `${how} took ${ms} ms`);
      }
      ways.forEach((how, i) => {
        assert.ok((bmcs[i]?.requests ?? 0) < 1000, `${how} was asked ${bmcs[i]?.requests} times`);
      });
    } finally {
      for (const bmc of bmcs) bmc.close();
    }
  });

  test('values, levels and names are counted before they are parsed', () => {
    assert.deepEqual(countValues('{"a": [1, "b,]:", {}], "c": "\\""}'), { values: 7, beyond: null });
    assert.equal(countValues(`[${'0,'.repeat(20_000)}0]`).beyond, '20000 values');
    assert.equal(countValues('['.repeat(65)).beyond, '64 levels');
    assert.equal(countValues(`{"${'k'.repeat(257)}": 1}`).beyond, '256 characters in a name');
    assert.equal(countValues(`{"k": "${'v'.repeat(9_000)}", "l": "\\\\"}`).beyond, null);
  });

  test('a document that begins inside a text of the one before is counted by itself', () => {
    const nested = `"}{"a":${'['.repeat(1000)}`;
    assert.deepEqual(parseBounded(nested), { body: undefined, values: 999 + 3, beyond: '64 levels' });
    assert.deepEqual(parseBounded('{"error":{"a":1}}{"b":2}').body, { b: 2 });
  });

  test('long texts keep their beginning, without what followed; "__proto__" is a name like others', () => {
    const { body } = parseBounded(`{"a": ["${'x'.repeat(5000)}"], "__proto__": "${'y'.repeat(5000)}"}`);
    assert.deepEqual(Object.entries(body as object), [
      ['a', ['x'.repeat(1024)]],
      ['__proto__', 'y'.repeat(1024)],
    ]);
  });

  test('large bodies share what may wait in memory: one that finds no room continues when another ends', () => {
    const turns = new BodyTurns(MIB);
    const reported: string[] = [];
    const hold = (who: string) =>
      [() => reported.push(`${who} waits`), () => reported.push(`${who} continues`)] as const;
    const [first, second, small] = [turns.body(), turns.body(), turns.body()];
    first.add(MIB, ...hold('first'));
    second.add(MIB / 2, ...hold('second'));
    small.add(60_000, ...hold('small'));
    assert.deepEqual(reported, ['second waits']);
    first.end();
    assert.deepEqual(reported, ['second waits', 'second continues']);
    second.end();
    second.end();
    assert.equal(turns.takenBytes, 0);
  });
}
