// Inference servers that have more requests than they serve: by what they measured, and by the requests that they refuse.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ServerLoads } from '../../../src/commands/scan/server-loads.ts';
import { entriesOf, FRAMEWORKS } from '../../../src/detection/text/job/framework.ts';
import { parseOverloadLine } from '../../../src/detection/text/service/overload-line.ts';
import { scan } from './scan-here.ts';

const FROM_MS = Date.parse('2026-11-27T07:10:00Z');

function stamp(seconds: number): string {
  return new Date(FROM_MS + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Lines of SGLang, every five seconds one, with these queues. */
function sglang(queues: readonly number[], usage = 0.99): (readonly [seconds: number, line: string])[] {
  return queues.map((queue, i) => [
    i * 5,
    `[${stamp(i * 5)} TP0] Decode batch, #running-req: 48, #token: 201000, token usage: ${usage}, cuda graph: True, gen throughput (token/s): ${queue > 10 ? '910.40' : '1820.70'}, #queue-req: ${queue}, `,
  ]);
}

function sentences(lines: readonly (readonly [seconds: number, line: string])[]): string[] {
  const loads = new ServerLoads();
  for (const [seconds, line] of lines) loads.take('/logs/chat.log', FROM_MS + seconds * 1000, line);
  return loads.sentences;
}

test('a queue that grows for longer than a minute is said with what was measured', () => {
  const [said = '', ...more] = sentences(sglang([0, 2, ...Array.from({ length: 14 }, (_, i) => 20 + 10 * i)]));
  assert.equal(more.length, 0);
  assert.match(said, /^chat\.log: SGLang had more requests than it serves: 150 requests waited at 07:11:15 UTC \(48 ran; 2 waited at 07:10:05\); its KV cache was 99\.0 % full; 910 tokens\/s \(1821 before\)\. Do: send it less, .*--mem-fraction-static.*Call: who runs this SGLang$/); // biome-ignore format: one text
});

test('with room in the cache it is how many may run', () => {
  const [said = ''] = sentences(sglang(Array.from({ length: 20 }, () => 60), 0.41)); // biome-ignore format: one series
  assert.match(said, /its KV cache was 41 % full; .*else a higher --max-running-requests/);
});

test('one that drained says until when', () => {
  const [said = ''] = sentences(sglang([...Array.from({ length: 16 }, (_, i) => 20 + 5 * i), 60, 20, 0]));
  assert.match(said, /than it serves, until 07:11:30 UTC: 95 requests waited/);
});

test('a burst that drains, a batch that is worked off, and a short queue are quiet', () => {
  assert.deepEqual(sentences(sglang([0, 0, 150, 120, 90, 60, 30, 10, 0, 0, 0, 0, 0, 0, 0, 0])), []);
  assert.deepEqual(
    sentences(
      sglang(
        Array.from({ length: 120 }, (_, i) => 600 - 5 * i),
        0.8,
      ),
    ),
    [],
  );
  assert.deepEqual(sentences(sglang(Array.from({ length: 40 }, (_, i) => i % 3))), []);
});

const TGI = (seconds: number) =>
  `${stamp(seconds).replace(' ', 'T')}.112233Z ERROR chat_completions{best_of=1}:generate_stream: text_generation_router::infer: router/src/infer/mod.rs:88: no permits available`;

test('refused requests are counted, a few are not worth a word', () => {
  const many = Array.from({ length: 12 }, (_, i) => [i * 4, TGI(i * 4)] as const);
  assert.deepEqual(sentences(many.slice(0, 3)), []);
  const [said = ''] = sentences(many);
  assert.match(
    said,
    /^chat\.log: TGI had more requests than it serves: 12 requests were refused from 07:10:00 to 07:10:44\. /,
  );
  const slowly = Array.from({ length: 12 }, (_, i) => [i * 40, TGI(i * 40)] as const);
  assert.deepEqual(sentences(slowly), []);
});

test('where only a count is printed, a line speaks for all since the last one', () => {
  const line = (total: number) =>
    `WARNING 11-27 07:10:00 scheduler.py:1483] Sequence group chat-7e63 is preempted by PreemptionMode.SWAP mode because there is not enough KV cache space. total_num_cumulative_preemption=${total}`;
  const [said = ''] = sentences([
    [0, line(51)],
    [20, line(101)],
  ]);
  assert.match(said, /: 51 requests had to make room for others from 07:10:00 to 07:10:20\./);
});

test('each line of the catalogue is read as what it is', () => {
  const all = FRAMEWORKS.flatMap(([server, { overload }]) => (overload?.lines ?? []).map((line) => ({ server, line })));
  assert.ok(all.length > 5);
  for (const { server, line } of all) {
    const read = parseOverloadLine(line.example);
    assert.deepEqual([read?.server, read?.means], [server, line.means], line.example);
    assert.ok(line.example.includes(line.words), line.example);
  }
  for (const { example } of entriesOf('faults')) assert.equal(parseOverloadLine(example), null, example);
});

async function scanned(t: TestContext, text: string): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), 'faultline-loads-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(join(path, 'serve.log'), text);
  const { stdout, status, stderr } = await scan([join(path, 'serve.log')]);
  assert.equal(status, 0, stderr);
  return stdout;
}

test('a scan says it at its end, also of a log whose other lines it passes over', async (t) => {
  const noise = `${'INFO: 10.0.0.9:4121 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'.repeat(2000)}`;
  const dropped = Array.from(
    { length: 9 },
    (_, i) =>
      `(ProxyActor pid=811) WARNING ${stamp(i)},140 proxy 10.0.0.4 9c1f / router.py:96 - Request dropped due to backpressure (num_queued_requests=64, max_queued_requests=64).\n`,
  ).join('');
  assert.match(
    await scanned(t, noise + dropped + noise),
    /^No incident: .*\nTo be looked at: serve\.log: Ray Serve had more requests than it serves: 9 requests were refused/m,
  );
});
