// A recording gives back what was emitted, in order; a damaged one says so and gives back the rest.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EventInput, SampleBatch, TextRecord } from '../../../src/model/record.ts';
import type { RecordingHeader } from '../../../src/sources/recording/format.ts';
import { type Playable, playRecording } from '../../../src/sources/recording/player.ts';
import { Recorder } from '../../../src/sources/recording/recorder.ts';

const folder = mkdtempSync(join(tmpdir(), 'recording '));
after(() => rmSync(folder, { recursive: true }));

const HEADER: RecordingHeader = {
  schema: 'faultline/recording/1',
  host: 'node-3',
  version: '0.1.0',
  started_ms: 1_000,
  lateness_ms: 10_000,
  hold_ms: 60_000,
  links: [],
};
const SAMPLES: SampleBatch = { source: 'pdu', trust: 'facility', keys: ['pdu_phase/b/1#voltage'], timesMs: [1_001.25], values: [121.4] }; // biome-ignore format: one thing
const TEXT: TextRecord = { source: 'kernel-log', trust: 'kernel', stream: '/dev/kmsg', position: 7, timeMs: 1_002, timeDigits: 6, observedMs: 1_003, text: 'NVRM: \u0000 "x"\n', attributes: {} }; // biome-ignore format: one thing
const EVENT: EventInput = { kind: 'gpu.lost', component: { type: 'gpu', id: '0000:1b:00.0' }, timeMs: 1_004, observedMs: 1_004, trust: 'driver', source: 'gpu' }; // biome-ignore format: one thing

function listener(): { line: Playable; heard: unknown[] } {
  const heard: unknown[] = [];
  const take = (what: string) => (value: unknown) => void heard.push([what, value]);
  const line = { samples: take('samples'), background: take('background'), text: take('text'), event: take('event'), discovery: take('discovery'), work: take('work'), advance: () => {} }; // biome-ignore format: one thing
  return { line, heard };
}

async function record(name: string, maxBytes = 1_000_000): Promise<string> {
  const path = join(folder, name);
  const recorder = await Recorder.create(path, HEADER, maxBytes);
  recorder.samples(SAMPLES, 1_010);
  recorder.text(TEXT, 1_011);
  recorder.event(EVENT, 1_012);
  await recorder.close(1_013);
  return path;
}

test('what was emitted comes back, in order and unchanged', async () => {
  const { line, heard } = listener();
  const clock: number[] = [];
  const played = await playRecording(await record('whole'), () => line, (now) => clock.push(now)); // biome-ignore format: one call
  assert.deepEqual(heard, [['samples', SAMPLES], ['text', TEXT], ['event', EVENT]]); // biome-ignore format: one list
  assert.deepEqual(clock, [1_010, 1_011, 1_012, 1_013]);
  assert.equal(played.entries, 3);
  assert.equal(played.complete, true);
  assert.deepEqual(played.header, HEADER);
});

test('a recording cut at any byte gives back its whole lines and says that it breaks off', async () => {
  const whole = readFileSync(await record('to-cut'));
  const headerEnd = whole.indexOf('\n') + 1;
  for (let cut = headerEnd; cut < whole.length - 1; cut += 7) {
    const path = join(folder, 'cut');
    writeFileSync(path, whole.subarray(0, cut));
    const { line, heard } = listener();
    const played = await playRecording(path, () => line, () => {}); // biome-ignore format: one call
    assert.equal(played.complete, false, `cut at ${cut}`);
    assert.ok(heard.length <= 3);
    assert.ok(played.skipped <= 1);
  }
});

test('entries that are no entries are skipped and counted', async () => {
  const path = await record('garbage');
  appendFileSync(path, '{"at":"soon"}\nnull\n\u0000\n{"at":1014,"unheard_of":1}\n');
  const { line, heard } = listener();
  const played = await playRecording(path, () => line, () => {}); // biome-ignore format: one call
  assert.equal(heard.length, 3);
  assert.equal(played.skipped, 4);
});

test('past the byte cap entries are lost, counted, and the recording still ends well', async () => {
  const path = await record('small', 700);
  const { line } = listener();
  const played = await playRecording(path, () => line, () => {}); // biome-ignore format: one call
  assert.ok(readFileSync(path).length <= 700);
  assert.ok(played.lost > 0);
  assert.equal(played.entries + played.lost, 3);
  assert.equal(played.complete, true);
});

test('the byte cap counts bytes, not characters', async () => {
  const path = join(folder, 'wide');
  const recorder = await Recorder.create(path, HEADER, 4096);
  for (let i = 0; i < 20; i += 1) recorder.text({ ...TEXT, text: '€'.repeat(100) }, 1_000 + i);
  await recorder.close(2_000);
  assert.ok(readFileSync(path).length <= 4096, `${readFileSync(path).length} bytes`);
  assert.ok(recorder.state().lost > 0);
});

test('a file that is not a recording is refused by name', async () => {
  const path = join(folder, 'notes.txt');
  writeFileSync(path, 'dear diary\n');
  await assert.rejects(playRecording(path, () => listener().line, () => {}), /FL1301 .*notes\.txt is not a recording/); // biome-ignore format: one call
});

test('a recording with nothing but its header has no length, and a header that lacks something is refused', async () => {
  const path = join(folder, 'header');
  writeFileSync(path, `${JSON.stringify(HEADER)}\n`);
  const { firstMs, lastMs, complete } = await playRecording(path, () => listener().line, () => {}); // biome-ignore format: one call
  assert.deepEqual([firstMs, lastMs, complete], [HEADER.started_ms, HEADER.started_ms, false]);
  for (const missing of ['host', 'links', 'started_ms', 'hold_ms']) {
    writeFileSync(path, `${JSON.stringify({ ...HEADER, [missing]: undefined })}\n`);
    await assert.rejects(playRecording(path, () => listener().line, () => {}), /FL1301 .*its header lacks/); // biome-ignore format: one call
  }
  writeFileSync(path, 'null\n');
  await assert.rejects(playRecording(path, () => listener().line, () => {}), /FL1301 .*its first line/); // biome-ignore format: one call
});

test('a symbolic link is not followed when a recording is made', async () => {
  const target = join(folder, 'precious');
  writeFileSync(target, 'keep me');
  const link = join(folder, 'link');
  symlinkSync(target, link);
  await assert.rejects(Recorder.create(link, HEADER, 1_000), /FL1303 .*ELOOP/);
  assert.equal(readFileSync(target, 'utf8'), 'keep me');
});

test('what is not a recording is not written over, an earlier recording is', async () => {
  const precious = join(folder, 'precious.txt');
  writeFileSync(precious, 'keep me');
  await assert.rejects(
    Recorder.create(precious, HEADER, 1_000),
    /FL1303 .*precious\.txt cannot be written.*not a recording/,
  );
  assert.equal(readFileSync(precious, 'utf8'), 'keep me');
  await record('again');
  const path = await record('again');
  assert.equal((await playRecording(path, () => listener().line, () => {})).entries, 3); // biome-ignore format: one call
});

test('what is not a regular file is neither written nor read, and holds nothing up', async () => {
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  for (const path of [fifo, folder, '/dev/zero', join(folder, 'nowhere', 'file')]) {
    await assert.rejects(playRecording(path, () => listener().line, () => {}), /FL1302 the recording/); // biome-ignore format: one call
  }
  for (const path of [fifo, folder, '/dev/null', join(folder, 'nowhere', 'file')]) {
    await assert.rejects(Recorder.create(path, HEADER, 1_000), /FL1303 the recording/);
  }
});

test('advice about a file that is not a recording never names that file as the one to write', async () => {
  const path = join(folder, 'passwd');
  writeFileSync(path, 'root:x:0:0\n');
  await assert.rejects(playRecording(path, () => listener().line, () => {}), /--out FILE$/); // biome-ignore format: one call
});

test('the recording of the run before is kept with the new one', async () => {
  const path = await record('again');
  const before = readFileSync(path, 'utf8');
  await record('again');
  assert.equal(readFileSync(`${path}.1`, 'utf8'), before);
  assert.equal(readFileSync(path, 'utf8'), before);
});
