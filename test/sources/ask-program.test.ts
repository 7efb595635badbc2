// Programs of the host that are asked: few rights, a deadline, a bound, and an end with all that they started.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { OwnProcesses } from '../../src/identity/own-processes.ts';
import { askProgram } from '../../src/sources/ask-program.ts';
import { until } from '../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'faultline-ask-'));
after(() => rmSync(folder, { recursive: true }));
let scripts = 0;

function script(text: string): string {
  scripts += 1;
  const path = join(folder, `program-${scripts}`);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Learns the pid of what is started. */
class Known extends OwnProcesses {
  first: number | undefined;
  override add(part: string, pids: () => readonly number[]): () => void {
    [this.first] = pids();
    return super.add(part, pids);
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const ask = (
  text: string,
  words: readonly string[] = [],
  { own, ...more }: { deadlineMs?: number; maxBytes?: number; signal?: AbortSignal; own?: OwnProcesses } = {},
) =>
  askProgram(['ask', String(process.pid), script(text), ...words], {
    signal: new AbortController().signal,
    deadlineMs: 20_000,
    maxBytes: 65_536,
    environment: { PATH: '/usr/bin:/bin', GIVEN: 'yes' },
    ...more,
    ...(own === undefined ? {} : { own: { processes: own, part: 'slurm' } }),
  });

test('its answer, what it complained of and its status come back; its environment is only what it was given', async () => {
  process.env.FAULTLINE_SECRET_OF_TEST = 'secret';
  const { text, complaint, status } = await ask('echo "$1|$2|$GIVEN|$FAULTLINE_SECRET_OF_TEST"; echo no >&2; exit 3', [
    'a b',
    '$HOME',
  ]);
  delete process.env.FAULTLINE_SECRET_OF_TEST;
  assert.deepEqual([text, complaint, status], ['a b|$HOME|yes|\n', 'no\n', 3]);
});

test('it has no capability, gains none, and sees no file of ours open', async () => {
  const { text } = await ask('grep -E "^(CapEff|CapPrm|NoNewPrivs)" /proc/self/status; ls /proc/self/fd | wc -l');
  assert.match(text, /^CapPrm:\s0+\nCapEff:\s0+\nNoNewPrivs:\s1\n/);
});

test('it writes, makes and removes no file', async () => {
  const kept = join(folder, 'kept');
  writeFileSync(kept, 'as it was');
  await ask(
    `rm -f ${kept}; mv ${kept} ${kept}.x; mkdir ${folder}/made; chmod 000 ${kept}; ln -s / ${folder}/link; exit 0`,
  );
  assert.equal(readFileSync(kept, 'utf8'), 'as it was');
  assert.ok(!['made', 'link', 'kept.x'].some((name) => existsSync(join(folder, name))));
});

test('one that takes too long, answers too much, or is not wanted any more is ended with what it started', async () => {
  const own = new Known();
  await assert.rejects(ask('sleep 100 & sleep 100', [], { deadlineMs: 500, own }), /longer than 0.5 s/);
  const group = own.first ?? assert.fail();
  await until(() => !isThere(-group), { what: 'the end of all that it started' });
  await assert.rejects(ask('exec yes', [], { maxBytes: 1000 }), /more than 1000 bytes/);
  const stop = new AbortController();
  const asked = ask('sleep 100', [], { signal: stop.signal });
  stop.abort();
  await assert.rejects(asked, /stopped/);
  await assert.rejects(ask('exit 0', [], { signal: stop.signal }), /stopped/);
});

test('a program that is not there ends with a status, and its process is known as our own', async () => {
  const processes = new OwnProcesses();
  const answer = askProgram(['ask', String(process.pid), join(folder, 'none')], {
    signal: new AbortController().signal,
    deadlineMs: 20_000,
    maxBytes: 100,
    environment: {},
    own: { processes, part: 'slurm' },
  });
  assert.equal((await answer).status, 127);
});
