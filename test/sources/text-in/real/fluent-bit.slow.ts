// A real Fluent Bit follows a file and sends its lines over HTTP and OTLP: each is read once, as the job that its record names.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { WorkView } from '../../../../src/identity/work/work.ts';
import { LogsSource } from '../../../../src/sources/logs-in/logs-source.ts';
import { openDoors } from '../../../../src/sources/otlp-in/doors.ts';
import { OtlpSource } from '../../../../src/sources/otlp-in/otlp-source.ts';
import type { Source } from '../../../../src/sources/source.ts';
import { until } from '../../../until.ts';
import { intakeFor } from '../intake-for.ts';
import { CLOCK, run } from './run-source.ts';

const program = process.env.FLUENT_BIT ?? '';
const LINES = 200;
const NO_WORK: WorkView = { version: 1, works: [], devices: [], conflicts: [] };

/** A source, and its port where it has one. */
type Made = readonly [source: Source, port: () => number | null | undefined];

function shipped(): Made {
  const listen = [{ text: '127.0.0.1:0', host: '127.0.0.1', port: 0 }];
  const source = new LogsSource({ listen, hosts: [], work: [], linesPerSecond: 5000 }, { ...CLOCK, kernel: () => true, view: () => NO_WORK }); // biome-ignore format: one line
  return [source, () => source.ports[0]];
}

function exported(): Made {
  const listen = [{ text: '127.0.0.1:0', host: '127.0.0.1', port: 0 }];
  const MIB = 1_048_576;
  const limits = { maxRequestBytes: 4 * MIB, maxInFlightBytes: 32 * MIB, bytesPerSecond: 16 * MIB, maxServices: 4 };
  const intake = intakeFor('otlp-in', { linesPerSecond: 5000 });
  const doors = openDoors({ ...CLOCK, source: 'otlp-in', mostServices: 4, view: () => NO_WORK, intake, work: [] });
  const settings = { listen, ...limits, hosts: [], work: [], linesPerSecond: 5000 };
  const source = new OtlpSource(settings, { logger: { info() {}, warn() {} }, doors });
  return [source, () => source.addresses[0]?.port];
}

async function sent(t: TestContext, [source, portOf]: Made, output: string): Promise<readonly string[]> {
  const at = mkdtempSync(join(tmpdir(), 'fl-real-'));
  t.after(() => rmSync(at, { recursive: true, force: true }));
  const { lines } = run(t, source);
  const port = await until(portOf, { what: 'the port' });
  const log = join(at, 'train.log');
  const lineOf = (i: number) => `${JSON.stringify({ log: `step ${i} loss 1.5`, job_id: 'llama', rank: 3 })}\n`;
  writeFileSync(log, lineOf(0));
  writeFileSync(join(at, 'parsers'), '[PARSER]\n  Name as_json\n  Format json\n');
  const input = `[INPUT]\n  Name tail\n  Path ${log}\n  Read_from_Head true\n  Refresh_Interval 1\n  Parser as_json\n`;
  const service = `[SERVICE]\n  Flush 0.2\n  Grace 1\n  Log_Level error\n  Parsers_File ${join(at, 'parsers')}\n`;
  const to = `[OUTPUT]\n  Match *\n  Host 127.0.0.1\n  Port ${port}\n${output}`;
  writeFileSync(join(at, 'conf'), `${service}${input}${to}`);
  const shipper = spawn(program, ['-c', join(at, 'conf')], { stdio: ['ignore', 'ignore', 'inherit'] });
  t.after(() => shipper.kill());
  await until(() => lines.length > 0, { what: 'the first line' });
  for (let i = 1; i < LINES; i += 1) appendFileSync(log, lineOf(i));
  await until(() => lines.length >= LINES, { what: 'all lines' });
  assert.ok(
    lines.every(
      ({ attributes, trust }) => attributes.job === 'llama' && attributes.writer_rank === 3 && trust === 'tenant',
    ),
  );
  return lines.map(({ text }) => text);
}

const EXPECTED = Array.from({ length: LINES }, (_, i) => `step ${i} loss 1.5`);

const skip = program === '' && 'there is no FLUENT_BIT';

test('as an array of records', { skip }, async (t) => {
  assert.deepEqual(await sent(t, shipped(), '  Name http\n  URI /v1/logs\n  Format json\n'), EXPECTED);
});

test('as a record a line, compressed', { skip }, async (t) => {
  const output = '  Name http\n  URI /v1/logs\n  Format json_lines\n  Compress gzip\n';
  assert.deepEqual(await sent(t, shipped(), output), EXPECTED);
});

test('as log records of OTLP', { skip }, async (t) => {
  const output = '  Name opentelemetry\n  Logs_uri /v1/logs\n  Logs_body_key $log\n  Logs_body_key_attributes On\n';
  assert.deepEqual(await sent(t, exported(), output), EXPECTED);
});
