// A full, failing or hanging disk: requests go out from memory, bounded and counted, and the disk is taken up again.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nodeFiles, type SpoolFiles } from '../../../src/sinks/delivery/spool/spool-files.ts';
import { smallIncident } from '../../incidents/sample.ts';
import { Collector } from '../otlp/collector.ts';
import { otlpConfig, reports, startSink, stateDirectory, until } from '../otlp/harness.ts';

const made: Collector[] = [];
after(() => {
  for (const one of made) one.kill();
});

async function collector(): Promise<Collector> {
  const one = await Collector.grpc();
  made.push(one);
  return one;
}

/** Node's files, but writing goes as `write` says. */
function files(
  write: (begun: () => Promise<{ bytesWritten: number }>) => Promise<{ bytesWritten: number }>,
): SpoolFiles {
  return {
    ...nodeFiles,
    async open(path, mode) {
      const handle = await nodeFiles.open(path, mode);
      return {
        write: (bytes, offset, length, position) => write(() => handle.write(bytes, offset, length, position)),
        read: (buffer, offset, length, position) => handle.read(buffer, offset, length, position),
        datasync: () => handle.datasync(),
        stat: () => handle.stat(),
        close: () => handle.close(),
      };
    },
  };
}

test('a full disk is reported once; everything is sent from memory, and from disk again when there is room', async () => {
  const server = await collector();
  const state = { full: true };
  const { logger, codes } = reports();
  const full = files((begun) =>
    state.full ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) : begun(),
  );
  const config = { ...otlpConfig(server.port), metrics: null, traces: null };
  const sink = await startSink(config, stateDirectory(), logger, { files: full });
  for (let number = 0; number < 5; number += 1) sink.incident(smallIncident(number));
  await until(
    () => server.logs.length >= 5,
    () => server.logs.length,
  );
  assert.deepEqual(codes, ['FL3206']);
  state.full = false;
  await until(
    () => {
      sink.incident(smallIncident(server.asked + 10));
      return codes.includes('FL3208');
    },
    () => codes,
  );
  await sink.stop();
  const seen = new Set(server.logs.map((record) => record.attributes['faultline.incident.id']));
  for (let number = 0; number < 5; number += 1) assert.ok(seen.has(smallIncident(number).id));
});

test('a hanging disk holds up nothing: requests go out from memory and stop comes back', async () => {
  const server = await collector();
  const { logger, codes } = reports();
  const hanging = files(() => new Promise(() => {}));
  const config = { ...otlpConfig(server.port), metrics: null, traces: null };
  const sink = await startSink(config, stateDirectory(), logger, { files: hanging, diskDeadlineMs: 30 });
  for (let number = 0; number < 5; number += 1) sink.incident(smallIncident(number));
  await until(
    () => server.logs.length >= 5,
    () => server.logs.length,
  );
  assert.deepEqual(codes, ['FL3206']);
  await sink.stop();
});

test('neither disk nor collector: memory stays under its cap, the oldest go and are counted', async () => {
  const { logger, codes } = reports();
  const probe = await collector();
  probe.kill();
  const directory = stateDirectory();
  mkdirSync(join(directory, 'spool'), { recursive: true });
  writeFileSync(join(directory, 'spool', 'otlp'), 'in the way');
  const config = { ...otlpConfig(probe.port), metrics: null, traces: null };
  const sink = await startSink(config, directory, logger);
  const text = 'x'.repeat(1000);
  for (let number = 0; number < 2500; number += 1) {
    const incident = smallIncident(number);
    sink.incident({ ...incident, confidenceParts: [{ code: 'root_seen', why: text.repeat(3), delta: 0.1 }] });
    if (number % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await until(
    () => (sink.counters().logs?.droppedItems ?? 0) > 0,
    () => sink.counters(),
  );
  assert.ok((sink.counters().logs?.memoryBytes ?? 0) <= 4 * 1024 * 1024 + 2_000_000);
  assert.ok(codes.includes('FL3206') && codes.includes('FL3207'));
  await sink.stop();
});

test('stopped with a dead collector, the next run sends what the first one had', async () => {
  const probe = await collector();
  probe.kill();
  const directory = stateDirectory();
  const first = await startSink(otlpConfig(probe.port), directory, reports().logger);
  first.series([
    { key: 'gpu/0000:1b:00.0#power', count: 1, min: 1, max: 1, mean: 1, last: 1, lastTimeMs: 1_800_000_000_000 },
  ]);
  for (let number = 0; number < 5; number += 1) first.incident(smallIncident(number, 1, 'resolved'));
  await first.stop();
  assert.ok(readdirSync(join(directory, 'spool', 'otlp', 'logs')).length > 1);
  const server = await Collector.grpc();
  made.push(server);
  const second = await startSink(otlpConfig(server.port), directory, reports().logger);
  await until(
    () =>
      server.logs.length === 5 &&
      server.spans.length >= 10 &&
      server.points.some(({ metric }) => metric === 'hw.power'),
    () => [server.logs.length, server.spans.length],
  );
  await second.stop();
});
