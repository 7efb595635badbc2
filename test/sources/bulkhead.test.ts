// A throw stays where it happened: no process ends, no device is blamed, the source continues, and it is said.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { EventInput } from '../../src/model/record.ts';
import { SimulatedBmc } from '../../src/simulator/bmc/simulated-bmc.ts';
import { SimulatedPdu } from '../../src/simulator/pdu-agent/simulated-pdu.ts';
import { BmcSource } from '../../src/sources/bmc/bmc-source.ts';
import { Bulkhead } from '../../src/sources/bulkhead.ts';
import { PolledSource } from '../../src/sources/files/polled-source.ts';
import { SmallFiles } from '../../src/sources/files/small-files.ts';
import { PduSource } from '../../src/sources/pdu/pdu-source.ts';
import type { Source, SourceHealth } from '../../src/sources/source.ts';
import { bmcConfig } from './bmc/support.ts';
import { pduConfig, Recorder, until } from './pdu/support.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Seen {
  readonly bulkhead: Bulkhead;
  readonly events: EventInput[];
  readonly logged: string[];
}

function bulkhead(clock = { nowMs: 1_000_000 }): Seen {
  const events: EventInput[] = [];
  const logged: string[] = [];
  return {
    events,
    logged,
    bulkhead: new Bulkhead({
      host: 'node-3',
      now: () => clock.nowMs,
      log: (fields, text) => logged.push(`${text} ${JSON.stringify(fields)}`),
      event: (event) => events.push(event),
    }),
  };
}

/** A line of which one part is broken. */
class BrokenLine extends Recorder {
  override samples(): void {
    throw new TypeError('the detector is broken');
  }
}

function run(source: Source): void {
  source.start(new BrokenLine(), new AbortController().signal);
  closing.push(() => source.stop());
}

test('what a PDU said and the line could not take is not the fault of the PDU', async () => {
  const pdu = await SimulatedPdu.start({ model: { outlets: 2 } });
  closing.push(() => pdu.close());
  const seen = bulkhead();
  const source = seen.bulkhead.source(new PduSource([pduConfig(pdu.port)], { now: Date.now }));
  run(source);
  await until(() => seen.bulkhead.failures('pdu') > 5);
  const [health] = source.health();
  assert.equal(health?.status, 'works');
  assert.match(health?.notes?.join('\n') ?? '', /FL2610 \d+ readings .* the detector is broken/);
  assert.deepEqual(
    seen.events.map(({ kind, component, attributes }) => [kind, component?.id, attributes?.failed_source]),
    [['agent.source_failed', 'node-3', 'pdu']],
  );
  assert.match(seen.logged[0] ?? '', /FL2610 pdu: a mistake of Faultline: the detector is broken .*bulkhead\.test\.ts/);
  const own = source.counts?.().find((one) => one.source === 'pdu/own');
  assert.ok((own?.failures ?? 0) > 5);
});

test('the same of a BMC', async () => {
  const bmc = await SimulatedBmc.start({});
  closing.push(() => bmc.close());
  const seen = bulkhead();
  const source = seen.bulkhead.source(new BmcSource([bmcConfig(bmc.url)], { now: Date.now }));
  run(source);
  await until(() => seen.bulkhead.failures('bmc') > 3);
  await until(() => source.health()[0]?.status === 'works');
  assert.deepEqual(
    seen.events.map(({ kind, attributes }) => [kind, attributes?.failed_source]),
    [['agent.source_failed', 'bmc']],
  );
});

class Stumbling extends PolledSource {
  rounds = 0;
  constructor() {
    super('stumbling', 5, new SmallFiles({ stuck: 0 }));
  }
  protected override async round(): Promise<void> {
    this.rounds += 1;
    throw new RangeError(`round ${this.rounds}`);
  }
  protected override lookedHealth(): SourceHealth {
    throw new Error('no health either');
  }
}

test('a round that throws is tried again, and a source that cannot say how it is has failed', async () => {
  const clock = { nowMs: 1_000_000 };
  const seen = bulkhead(clock);
  const inner = new Stumbling();
  const source = seen.bulkhead.source(inner);
  run(source);
  await until(() => inner.rounds > 3);
  assert.deepEqual(source.health()[0]?.status, 'failed');
  assert.equal(seen.events.length, 1, 'one event in five minutes');
  assert.equal(seen.events[0]?.attributes?.error, 'round 1');
  clock.nowMs += 301_000;
  await until(() => seen.events.length === 2);
});

test('where even the event of it cannot be taken, the log has it and nothing is thrown', () => {
  const logged: string[] = [];
  const broken = new Bulkhead({
    host: 'node-3',
    now: () => 0,
    log: (_fields, text) => logged.push(text),
    event: () => {
      throw new Error('the correlator is broken');
    },
  });
  broken.run('detection', () => {
    throw new Error('first');
  });
  assert.match(logged.join('\n'), /FL2610 detection: a mistake of Faultline: first/);
  assert.match(logged.join('\n'), /not reported as an event: Error: the correlator is broken/);
  assert.equal(broken.failures('detection'), 1);
});
