// Draining a node by Slurm's own programs: counted, done, taken back only while it is our own.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SlurmDrain } from '../../../src/sinks/acting/targets/slurm.ts';
import { actingWith, lost, temporary } from './harness.ts';

/** scontrol and sinfo as files: they keep the state of node n1, and know two more. */
function fakeSlurm(t: TestContext, others = 'n2 idle\\nn3 alloc'): { readonly programs: string; state(): string; set(text: string): void } {
  const programs = temporary(t);
  const file = join(programs, 'node');
  writeFileSync(file, 'State=IDLE');
  const scripts = {
    scontrol: `case "$1" in
show) printf 'NodeName=n1\\n   %s\\n' "$(cat ${file})" ;;
update)
  [ -e ${programs}/forbidden ] && { echo "slurm_update error: Access/permission denied" >&2; exit 1; }
  case "$3" in
  State=DRAIN) printf 'State=IDLE+DRAIN\\n   %s [faultline@2026-11-29T05:00:00]' "$4" > ${file} ;;
  State=RESUME) echo State=IDLE > ${file} ;;
  esac ;;
esac`,
    sinfo: `grep -q DRAIN ${file} && echo 'n1 drain*' || echo 'n1 idle'; printf '${others}\\n'`,
  };
  for (const [name, lines] of Object.entries(scripts)) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  return { programs, state: () => readFileSync(file, 'utf8'), set: (text) => writeFileSync(file, text) };
} // biome-ignore format: signature

const target = (programs: string) => new SlurmDrain({ programs, conf: null, node: 'n1' }, 'node-3', 'gpu.lost 7f3c41');

test('drained with a reason that names the incident, and seen to be', async (t) => {
  const slurm = fakeSlurm(t);
  const drain = target(slurm.programs);
  assert.deepEqual([await drain.isDone(), await drain.count()], [false, { out: [], nodes: 3 }]);
  await drain.act();
  assert.match(slurm.state(), /^State=IDLE\+DRAIN\n {3}Reason=faultline: gpu\.lost 7f3c41 /);
  assert.deepEqual([await drain.isDone(), await drain.count()], [true, { out: ['n1'], nodes: 3 }]);
  await drain.undo();
  assert.equal(slurm.state().trim(), 'State=IDLE');
});

test('a drain of others is not taken back, and what users write never becomes an argument', async (t) => {
  const slurm = fakeSlurm(t);
  slurm.set('State=IDLE+DRAIN\n   Reason=anna is at it [anna@2026-11-29T05:00:00]');
  await assert.rejects(target(slurm.programs).undo(), { type: 'not_ours' });
  const hostile = new SlurmDrain({ programs: slurm.programs, conf: null, node: 'n1' }, 'node-3', 'x"; $(touch /tmp/x) State=RESUME\n');
  assert.doesNotMatch(hostile.words, /[$();\n]|State=RESUME/);
}); // biome-ignore format: one line each

test('Slurm refuses: its own words are in the error', async (t) => {
  const slurm = fakeSlurm(t);
  writeFileSync(join(slurm.programs, 'forbidden'), '');
  await assert.rejects(target(slurm.programs).act(), { type: 'refused', message: /Access\/permission denied/ });
  assert.ok(existsSync(slurm.programs));
});

test('by the sink: the breaker counts what sinfo lists, whoever drained it; then this node is drained', async (t) => {
  const slurm = fakeSlurm(t, 'n2 drng\\nn3 mix');
  const rules = [{ action: 'slurm_drain', kinds: ['gpu.*'], hosts: ['node-3'] }] as const;
  const settings = { programs: slurm.programs, conf: null, node: 'n1' };
  const { sink, audit, pass, reports } = actingWith(t, { rules, slurm: settings });
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual([slurm.state(), audit()], ['State=IDLE', ['refused breaker']]);
  const sinfo = join(slurm.programs, 'sinfo');
  writeFileSync(sinfo, readFileSync(sinfo, 'utf8').replace('drng', 'mix'));
  await pass(70_000);
  assert.deepEqual(audit().slice(1), ['intended', 'done']);
  assert.match(slurm.state(), /DRAIN/);
  assert.deepEqual([reports.at(-1)?.action, reports.at(-1)?.outcome], ['drain', 'succeeded']);
});
