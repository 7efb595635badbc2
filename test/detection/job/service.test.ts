// An inference server is held against itself at equal load: slow under load is reported, less load is nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Detection } from '../../../src/detection/detection.ts';
import { native } from '../../../src/native.ts';
import { T0 } from '../logged-job.ts';

interface Line {
  readonly running: number;
  /** Tokens per second of each request. */
  readonly each: number;
  readonly cache?: number;
  readonly prompt?: number;
  readonly engine?: number;
}

class Server {
  readonly #core = new (native().Core)({ historySeconds: 600, maxSeries: 64 });
  readonly #detection = new Detection(this.#core, 'node-3');
  readonly reported: string[] = [];
  readonly attributes: Record<string, unknown>[] = [];
  #position = 0;
  #nowMs = T0;

  run(lines: number, line: Line, everyMs = 10_000): this {
    for (let i = 0; i < lines; i += 1) {
      this.#nowMs += everyMs;
      this.vllm({ ...line, each: line.each * (1 + (i % 3) / 100) });
    }
    return this;
  }

  vllm({ running, each, cache = running, prompt = 300, engine = 0 }: Line): this {
    return this.line(
      `INFO 11-27 14:32:00 [loggers.py:127] Engine 00${engine}: Avg prompt throughput: ${prompt.toFixed(1)} tokens/s, Avg generation throughput: ${(running * each).toFixed(1)} tokens/s, Running: ${running} reqs, Waiting: 0 reqs, GPU KV cache usage: ${cache.toFixed(1)}%`,
    );
  }

  after(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  line(text: string): this {
    this.#position += 1;
    const observedMs = this.#nowMs;
    const where = { source: 'job-log', trust: 'tenant', stream: 'log', position: this.#position } as const;
    const record = { ...where, timeMs: null, timeDigits: 3, observedMs, text, attributes: { service: 'chat' } };
    const found = [...this.#detection.text(record), ...this.#detection.edges(this.#core.drain().edges, observedMs)];
    for (const { event } of found) {
      assert.deepEqual(
        [event.kind, event.component?.type, event.component?.id],
        ['service.degraded', 'service', 'chat'],
      );
      assert.equal(event.trust, 'tenant');
      this.reported.push(event.state ?? '');
      this.attributes.push({ ...event.attributes });
    }
    return this;
  }

  close(): void {
    this.#core.close();
  }
}

function server(t: { after(done: () => void): void }): Server {
  const made = new Server();
  t.after(() => made.close());
  return made;
}

test('under equal load, requests that get half the tokens are reported, with both numbers and the load, and the end', (t) => {
  const chat = server(t).run(20, { running: 32, each: 40 }).run(2, { running: 32, each: 18 });
  assert.deepEqual(chat.reported, []);
  chat.run(2, { running: 32, each: 18 });
  assert.deepEqual(chat.reported, ['onset']);
  const { before, after, unit, quantity, running_requests: running } = chat.attributes[0] ?? {};
  assert.deepEqual([Math.round(Number(before)), Math.round(Number(after))], [40, 18]);
  assert.deepEqual([unit, quantity, running], ['1/s', 'tokens per second and request', 32]);
  chat.run(4, { running: 32, each: 40 });
  assert.deepEqual(chat.reported, ['onset', 'clear']);
});

test('a long slowness does not become usual, and the next one is reported too', (t) => {
  const chat = server(t).run(20, { running: 32, each: 40 }).run(200, { running: 32, each: 20 });
  assert.deepEqual(chat.reported, ['onset']);
  chat.run(5, { running: 32, each: 40 }).run(5, { running: 32, each: 20 });
  assert.deepEqual(chat.reported, ['onset', 'clear', 'onset']);
});

test('fewer requests, one that waits for its tokens, and none at all are nothing', (t) => {
  const chat = server(t).run(20, { running: 32, each: 40 });
  chat.run(20, { running: 6, each: 45 }).run(20, { running: 1, each: 3 }).run(20, { running: 0, each: 0 });
  chat.run(20, { running: 32, each: 40 });
  assert.deepEqual(chat.reported, []);
});

test('more requests that share the same throughput are nothing; that get less altogether are reported though such a load is new', (t) => {
  const shared = server(t).run(20, { running: 32, each: 40 }).run(20, { running: 128, each: 10 });
  assert.deepEqual(shared.reported, []);
  const less = server(t).run(20, { running: 32, each: 40 }).run(20, { running: 128, each: 4 });
  assert.deepEqual(less.reported, ['onset']);
});

test('a load that goes up and down all the time is held against nothing', (t) => {
  const chat = server(t).run(20, { running: 32, each: 40 });
  for (let i = 0; i < 10; i += 1) chat.run(1, { running: 32, each: 12 }).run(1, { running: 8, each: 12 });
  assert.deepEqual(chat.reported, []);
});

test('longer contexts and more prompts make tokens slower by right', (t) => {
  const contexts = server(t).run(20, { running: 32, each: 40 }).run(10, { running: 32, each: 20, cache: 80 });
  assert.deepEqual(contexts.reported, []);
  const prompts = server(t).run(20, { running: 32, each: 40 }).run(10, { running: 32, each: 20, prompt: 900 });
  assert.deepEqual(prompts.reported, []);
});

test('a server that starts again is learned again', (t) => {
  const chat = server(t).run(20, { running: 32, each: 40 }).line('vLLM API server version 0.11.0');
  chat.run(20, { running: 32, each: 15 });
  assert.deepEqual(chat.reported, []);
  chat.run(5, { running: 32, each: 6 });
  assert.deepEqual(chat.reported, ['onset']);
});

test('what was reported ends when no load is left', (t) => {
  const chat = server(t).run(20, { running: 32, each: 40 }).run(5, { running: 32, each: 15 });
  chat.run(1, { running: 0, each: 0 }); // vLLM writes one such line and then no more
  assert.deepEqual(chat.reported, ['onset', 'clear']);
});

test('engines of one service have baselines of their own, and one small one does not speak for all', (t) => {
  const chat = server(t);
  const both = (slow: number) => {
    chat.after(10_000).vllm({ running: 60, each: 40, engine: 0 }).vllm({ running: 12, each: slow, engine: 1 });
  };
  for (let i = 0; i < 20; i += 1) both(80);
  for (let i = 0; i < 6; i += 1) both(30);
  assert.deepEqual(chat.reported, []);
});

test('lines that come every second are taken together', (t) => {
  const chat = server(t).run(200, { running: 32, each: 40 }, 1000).run(15, { running: 32, each: 15 }, 1000);
  assert.deepEqual(chat.reported, []);
  chat.run(30, { running: 32, each: 15 }, 1000);
  assert.deepEqual(chat.reported, ['onset']);
});
