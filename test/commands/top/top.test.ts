// The live view: what it shows in 80×24 and wide, as plain text in a pipe, and in a real terminal with its keys (tmux).

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startApi } from '../../../src/api/api-server.ts';
import { sectionsOf } from '../../../src/commands/top/sections.ts';
import { look, type Seen } from '../../../src/commands/top/seen.ts';
import { viewOf } from '../../../src/commands/top/view.ts';
import { safeText } from '../../../src/model/safe-text.ts';
import { temporaryFolder } from '../../api/helpers.ts';
import { PROGRAM } from '../../program.ts';
import { until } from '../../until.ts';
import { faultline } from '../run-cli.ts';
import { TopBackend } from './world.ts';

async function daemon(t: TestContext): Promise<{ backend: TopBackend; config: string; socket: string }> {
  const backend = new TopBackend();
  const folder = temporaryFolder();
  const runtime = join(folder, 'run');
  mkdirSync(runtime, { recursive: true });
  const api = await startApi(backend, runtime);
  t.after(() => api.close());
  const config = join(folder, 'faultline.yaml');
  writeFileSync(config, `directories:\n  runtime: ${runtime}\n`);
  return { backend, config, socket: api.path };
}

const seenOf = async (t: TestContext): Promise<Seen> => await look([(await daemon(t)).socket]);

test('it fits 80×24 and wide, whatever is in it, and says which keys there are', async (t) => {
  const seen = await seenOf(t);
  for (const [width, height] of [
    [80, 24],
    [200, 60],
    [40, 10],
    [20, 5],
  ] as const) {
    for (const only of [null, 'i', 'g', 'f', 'j', 's']) {
      const lines = viewOf('head', sectionsOf(seen, Date.now()), 'q end', {
        width,
        height,
        colour: false,
        only,
        skip: 0,
      });
      assert.ok(lines.length <= height, `${width}×${height}: ${lines.length} lines`);
      assert.equal(lines.at(-1), 'q end');
      for (const line of lines) {
        assert.ok(line.length <= width, `${width}: ${line}`);
        assert.equal(safeText(line), line);
      }
    }
  }
});

test('one section alone has all lines, and scrolls', async (t) => {
  const seen = await seenOf(t);
  const view = (skip: number) =>
    viewOf('head', sectionsOf(seen, Date.now()), 'q end', {
      width: 80,
      height: 8,
      colour: false,
      only: 'g',
      skip,
    }).join('\n');
  assert.match(view(0), /GPUs \[g\]: 1 to 4 of 8\n.*\ngpu 0 .*\ngpu 1 /);
  assert.match(view(5), /GPUs \[g\]: 6 to 8 of 8\n.*\ngpu 5 /);
});

test('in a pipe it is one look as plain text', async (t) => {
  const { config } = await daemon(t);
  const { stdout, stderr, status } = await faultline(['top', '--config', config]);
  assert.deepEqual([stderr, status], ['', 0]);
  assert.equal(safeText(stdout.replaceAll('\n', '')), stdout.replaceAll('\n', ''));
  assert.match(stdout, /^faultline top · node-3 · .* · daemon up 3 h 10 min · 2 open\nOpen incidents\n/);
  assert.match(stdout, /^7f3c41 {2}error +93 % {2}\d.*? +voltage sag on pdu-b-rack-14 phase 1: 121\.4 → 108\.2 V$/m);
  assert.match(stdout, /^gpu 0 +240 \/ 400 W +1,095 MHz +61 °C +98 % +power brake +llama-70b$/m);
  // What is in an open incident comes before the other feeds.
  assert.match(
    stdout,
    /^feed .*incident$\npdu-b phase 1 +121\.4 V +12\.5 A +7f3c41$\npdu-a phase 1 +121\.4 V +12\.5 A$/m,
  );
  assert.match(stdout, /^llama-70b +alice +8 +45000 +897 ms +412 ms +×2\.18$/m);
  assert.match(stdout, /^by-its-log +300 ms +300 ms +×1\.00$/m);
  assert.match(stdout, /^Sources: 2 work, 1 do not$/m);
});

test('without a daemon it says how to start one', async () => {
  const config = join(temporaryFolder(), 'faultline.yaml');
  writeFileSync(config, `directories:\n  runtime: ${join(temporaryFolder(), 'none')}\n`);
  const { stderr, status } = await faultline(['top', '--config', config]);
  assert.match(stderr, /^FL1203 /);
  assert.equal(status, 1);
});

const hasTmux = spawnSync('tmux', ['-V']).error === undefined;
test('in a terminal of another locale and one that reads wide letters no line moves the others', {
  skip: hasTmux ? false : 'needs tmux: apt-get install tmux',
}, async (t) => {
  const { backend, config } = await daemon(t);
  const [first] = backend.known;
  assert.ok(first);
  backend.known = [{ ...first, id: 'aaaaaaaaaaaa', title: '電圧低下'.repeat(40) }, ...backend.known];
  const socket = join(temporaryFolder(), 'tmux');
  const tmux = (...words: string[]): string =>
    spawnSync('tmux', ['-S', socket, ...words], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } })
      .stdout;
  t.after(() => tmux('kill-server'));
  for (const [name, locale] of [
    ['ascii', 'C'],
    ['wide', 'C.UTF-8'],
  ] as const) {
    const command = `TERM=screen LC_ALL=${locale} ${process.execPath} ${PROGRAM} top --interval 500ms --config ${config}; cat`;
    tmux('-f', '/dev/null', 'new-session', '-d', '-s', name, '-x', '80', '-y', '24', command);
    let text = '';
    await until(
      () => {
        text = tmux('capture-pane', '-p', '-t', name);
        return /^q end {2}p hold/m.test(text);
      },
      { what: name, seen: () => text },
    );
    const lines = text.replace(/\n$/, '').split('\n');
    assert.match(lines[0] ?? '', /^faultline top /, text);
    assert.match(lines.at(-1) ?? '', /^q end {2}p hold/, text);
    assert.match(lines[1] ?? '', /^Open incidents/, text);
  }
});

test('in a real terminal: keys, size, and the screen left as it was', {
  skip: hasTmux ? false : 'needs tmux: apt-get install tmux',
}, async (t) => {
  const { backend, config } = await daemon(t);
  const socket = join(temporaryFolder(), 'tmux');
  const tmux = (...words: string[]): string =>
    spawnSync('tmux', ['-S', socket, ...words], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } })
      .stdout;
  t.after(() => tmux('kill-server'));
  const shown = (): string => tmux('capture-pane', '-p', '-t', 'top');
  const shows = async (wanted: RegExp): Promise<void> => {
    let text = '';
    await until(
      () => {
        text = shown();
        return wanted.test(text);
      },
      { what: String(wanted), seen: () => text },
    );
  };
  const command = `${process.execPath} ${PROGRAM} top --interval 500ms --config ${config}; echo "ended with $?"; cat`;
  tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'top', '-x', '80', '-y', '24', command);
  await shows(/^q end {2}p hold/m);
  const lines = shown().replace(/\n$/, '').split('\n');
  assert.equal(lines.length, 24);
  assert.match(lines[0] ?? '', /^faultline top · node-3/);
  assert.match(shown(), /^gpu 0 +240 \/ 400 W/m);
  tmux('send-keys', '-t', 'top', 'g');
  await shows(/^gpu 7 +247 \/ 400 W/m);
  assert.doesNotMatch(shown(), /Open incidents/);
  tmux('send-keys', '-t', 'top', 'Down');
  await shows(/GPUs \[g\]: 2 to 8 of 8/);
  backend.slowed = false;
  await shows(/98 % +llama-70b|98 % +$/m);
  tmux('send-keys', '-t', 'top', 'a');
  await shows(/Open incidents/);
  tmux('send-keys', '-t', 'top', 'p');
  await shows(/held still/);
  tmux('resize-window', '-t', 'top', '-x', '160', '-y', '50');
  await shows(/^pdu-b phase 1 +121\.4 V/m);
  await shows(/^faultline top · node-3/);
  await shows(/^21ab09 .{100,}$/m);
  tmux('send-keys', '-t', 'top', 'q');
  await shows(/^ended with 0$/m);
  assert.doesNotMatch(shown(), /Open incidents/);
});
