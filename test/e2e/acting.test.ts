// The whole daemon acts: a GPU that is lost, the node drained in Slurm by it, the stage in the log, and the record.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DaemonUnderTest, type Json } from './daemon-under-test.ts';

/** scontrol and sinfo of a cluster of two nodes, in files. */
function putSlurm(folder: string): string {
  const state = join(folder, 'slurm-state');
  mkdirSync(folder, { recursive: true });
  writeFileSync(state, 'State=IDLE');
  const scripts = {
    scontrol: `case "$1" in show) printf 'NodeName=node-3\\n   %s\\n' "$(cat "${state}")" ;; update) printf 'State=IDLE+DRAIN\\n   %s [root@2026-11-29T05:00:00]' "$4" > "${state}" ;; esac`,
    sinfo: `grep -q DRAIN "${state}" && echo 'node-3 drain' || echo 'node-3 idle'; echo 'node-4 idle'`,
  };
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return state;
}

test('drained once the root has settled, recorded, a stage; stopped, nothing more is done', async (t) => {
  const daemon = new DaemonUnderTest({ gpus: 2 });
  t.after(() => daemon.close());
  const programs = join(daemon.folder, 'programs');
  const state = putSlurm(programs);
  const config = join(daemon.folder, 'faultline.yaml');
  const acting = `correlation: {lateness: 1s, hold: 1s}\nacting:\n  mode: on\n  settle: 1s\n  breaker: {max_share: 1}\n  slurm: {programs: "${programs}"}\n  rules: [{action: slurm_drain, kinds: [gpu.*], hosts: [node-3]}]\n`;
  writeFileSync(config, readFileSync(config, 'utf8') + acting);
  await daemon.start();
  daemon.kernel('NVRM: Xid (PCI:0000:1b:00): 79, pid=4001, name=python, GPU has fallen off the bus.');
  const stagesOf = (incident: Json) =>
    (incident.stages ?? []) as { stage: string; outcome: string; by: string | null }[]; // contracts' incident
  const acted = await daemon.until('the incident has what was done', () =>
    daemon.logged('incident').find((incident) => stagesOf(incident).some(({ stage }) => stage === 'quarantined')),
  );
  assert.match(readFileSync(state, 'utf8'), new RegExp(`Reason=faultline: gpu\\.lost ${String(acted.id).slice(0, 6)}`));
  const of = stagesOf(acted).find(({ stage }) => stage === 'quarantined');
  assert.deepEqual([of?.outcome, of?.by], ['succeeded', 'faultline']);
  const steps = readFileSync(join(daemon.log, 'acting.jsonl'), 'utf8').trimEnd().split('\n');
  assert.deepEqual(steps.map((line) => (JSON.parse(line) as { step: string }).step), ['intended', 'done']); // biome-ignore format: one line
  const status = (await daemon.status()) ?? {};
  const sink = (status.sinks as Json[]).find((each) => each.sink === 'acting');
  assert.match(String(sink?.detail), /^on, 1 rules; 1 done, 0 refused, 0 failed/);
  writeFileSync(join(daemon.folder, 'state', 'acting.stop'), '');
  const stopped = (await daemon.status()) ?? {};
  assert.match(JSON.stringify(stopped.sinks), /stopped by .*acting\.stop/);
});
