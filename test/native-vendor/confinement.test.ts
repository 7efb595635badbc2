// What the process that loads the vendor's library may do, measured from inside by a library that tries it, and by what the
// kernel says of the process.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { NoticeOf } from '../../src/native.ts';
import { Rack } from './rack.ts';

const root = process.geteuid?.() === 0;

function pathOfOthers(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-secret-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'secret');
  writeFileSync(path, 'secret');
  chmodSync(folder, 0o777);
  chmodSync(path, 0o666);
  return path;
}

/** Of each attempt what came of it, in the words of the library. */
async function outcomes(context: TestContext, attempts: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < attempts.length; from += 32) {
    const some = attempts.slice(from, from + 32);
    const lines = some.map((attempt, index) => [`gpu.${index}.probe`, attempt]);
    const rack = new Rack(context, { control: { devices: some.length, ...Object.fromEntries(lines) } });
    await rack.until('all are reported', () => rack.reported('device').length === some.length);
    for (const { model } of rack.reported('device')) {
      const at = model.lastIndexOf(': ');
      found.set(model.slice(0, at), model.slice(at + 2));
    }
    rack.vendor.stop();
    assert.deepEqual(
      rack.reported('child_exit').map(({ text }) => text),
      [],
    );
  }
  return found;
}

test('the library reaches no other process, no program, no socket and no right', async (context) => {
  const refused = ['socket unix', 'socket inet', 'socket netlink', 'fork', 'execve', 'ptrace', 'process_vm_readv', 'kill parent', 'kill init', 'kill all', 'tgkill parent', "pidfd of parent's file", 'setuid', 'capset', 'dumpable', 'mount', 'unshare', 'bpf', 'perf_event_open', 'keyctl', 'userfaultfd', 'io_uring', 'init_module', 'priority of parent']; // biome-ignore format: a list
  const missing = ['clone3', 'unknown call'];
  const said = await outcomes(context, [...refused, ...missing, 'kill itself']);
  const expected = [
    ...refused.map((attempt) => [attempt, 'Operation not permitted']),
    ...missing.map((attempt) => [attempt, 'Function not implemented']),
    ['kill itself', 'done'],
  ];
  assert.deepEqual([...said].sort(), expected.sort());
});

test('the library reads and writes no file but its own and those of the driver', async (context) => {
  const open = pathOfOthers(context);
  const made = `${open}.new`;
  const said = await outcomes(context, ['parent memory', 'parent environment', 'read /etc/shadow', 'read /etc/passwd', 'read /dev/kmsg', 'read /root', 'read /tmp', 'write /dev/kmsg', 'write /dev/shm/faultline-probe', `read ${open}`, `write ${open}`, `write ${made}`, `remove ${open}`, `folder ${made}`, 'read /proc/self/status', 'read /proc/1/environ', 'read /sys/devices', 'write /dev/null', 'read /usr/lib']); // biome-ignore format: a list
  const may = ['read /proc/self/status', 'read /sys/devices', 'write /dev/null', 'read /usr/lib'];
  const done = [...said].filter(([, outcome]) => outcome === 'done').map(([attempt]) => attempt);
  assert.deepEqual(done.sort(), may.sort());
  assert.equal(said.size, 19);
  for (const [attempt, outcome] of said) {
    if (may.includes(attempt)) continue;
    assert.match(outcome, /^(Permission denied|Operation not permitted|No such file or directory)$/, attempt);
  }
  assert.equal(readFileSync(open, 'utf8'), 'secret');
  assert.ok(!existsSync(made));
});

/** What the kernel says of the child and what the child says of itself. */
async function status(rack: Rack): Promise<{ fields: Map<string, string>; said: NoticeOf<'part_state'> }> {
  await rack.fresh('gpu/0000:1b:00.0#power');
  const said = await rack.until('it says what holds', () => rack.reported('part_state', 'confinement').at(-1));
  const pid = rack.vendor.pid();
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
  const fields = new Map(lines.map((line) => [line.split(':')[0] ?? '', line.split(':')[1]?.trim() ?? '']));
  return { fields, said };
}

test('the child has no capability, takes none, is under a filter and ends with its parent', async (context) => {
  const rack = new Rack(context);
  const { fields, said } = await status(rack);
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) assert.equal(fields.get(set), '0'.repeat(16), set);
  if (root) assert.equal(fields.get('CapBnd'), '0'.repeat(16));
  assert.equal(fields.get('NoNewPrivs'), '1');
  assert.equal(fields.get('Seccomp'), '2');
  assert.match(said.status, /^the child (has given up all rights|could not give up: )/);
  const limits = readFileSync(`/proc/${rack.vendor.pid()}/limits`, 'utf8');
  for (const limit of ['core file size', 'file size']) assert.match(limits, new RegExp(`^Max ${limit} +0 +0 `, 'm'));
  assert.match(limits, /^Max open files +512 +512 /m);
});

test('the child of root is another user where the library lies open, and says why where it does not', async (context) => {
  const rack = new Rack(context, { withLibrary: false });
  await rack.notice('state', 'absent');
  chmodSync(rack.folder, root ? 0o755 : 0o700);
  rack.install();
  const { fields, said } = await status(rack);
  const users = new Set(fields.get('Uid')?.split(/\s+/));
  assert.equal(users.size, 1);
  assert.equal(users.has('0'), false);
  if (root) assert.deepEqual(fields.get('Groups'), '');
  if (root) assert.equal(fields.get('CapBnd'), '0'.repeat(16));
  assert.equal(said.value, said.status === 'the child has given up all rights' ? 0 : 1);

  const closed = new Rack(context);
  const kept = await closed.notice('part_state', 'confinement');
  assert.equal(/it stays root since .* may not be read by others$/.test(kept.status), root);
});
