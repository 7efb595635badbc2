// Shell commands in sentences: whatever the width, no line of a report breaks one, so that it can be copied as it is.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fit } from '../../../src/commands/terminal/fit-width.ts';
import { COMMAND_SPACE, piecesOf, tieCommands } from '../../../src/incidents/report/shell-commands.ts';
import { renderIncidentText } from '../../../src/incidents/report/text.ts';
import { ACTIONS } from '../../../src/model/action.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { gpu, incident, PHASE, T0 } from '../sample.ts';

const WIDTHS = [40, 60, 79, 80, 100, 120];

/** The commands of a text that is one line. */
function commandsOf(text: string): string[] {
  return tieCommands(text)
    .split(' ')
    .filter((word) => word.includes(COMMAND_SPACE))
    .map((word) => word.replaceAll(COMMAND_SPACE, ' '));
}

const IS: readonly (readonly [text: string, commands: readonly string[]])[] = [
  ['then, on gx-1: sudo systemctl reboot', ['sudo systemctl reboot']],
  ['gone with: rm -r /tmp/a · and more', ['rm -r /tmp/a']],
  ['to look again: node dist/faultline.js explain aac75c --log-directory /tmp/a', ['node dist/faultline.js explain aac75c --log-directory /tmp/a']], // biome-ignore format: one case
  ['scontrol update nodename=gx-1 state=drain reason="faultline ab12"; once it is idle, reset it (NVIDIA: sudo nvidia-smi --gpu-reset -i 0000:1b:00.0)', ['scontrol update nodename=gx-1 state=drain reason="faultline ab12";', 'sudo nvidia-smi --gpu-reset -i 0000:1b:00.0)']], // biome-ignore format: one case
  ['Start it: systemctl start faultline, or faultline run', ['systemctl start faultline,', 'faultline run']],
  ['journalctl -k | grep -E "Xid|AER" > xid.txt, and send it', ['journalctl -k | grep -E "Xid|AER" > xid.txt,']],
  ['the less is said, the node is better: rm is gone and sudo; grep for it', []],
  ['uid 1000 (getent passwd 1000), which runs', ['(getent passwd 1000),']],
  ['that runs (sudo lsof +D /dev/shm) its owner', ['(sudo lsof +D /dev/shm)']],
  ['on gx-1, see what is full (df -h) and whose (sudo repquota -a)', ['(df -h)', '(sudo repquota -a)']],
  ['on gx-1, ps -eo pid,user,rss,args --sort=-rss | head, and df -h', ['ps -eo pid,user,rss,args --sort=-rss | head,', 'df -h']], // biome-ignore format: one case
  ["see sudo dmesg -T | grep -A20 'blocked for more than' names it", ["sudo dmesg -T | grep -A20 'blocked for more than'"]], // biome-ignore format: one case
  ["the driver's own nvidia-smi -q -d PERFORMANCE,TEMPERATURE), and", ['nvidia-smi -q -d PERFORMANCE,TEMPERATURE),']],
  ['quota -s (Lustre: lfs quota -h -u USER PATH; GPFS: mmlsquota) says', ['quota -s', 'lfs quota -h -u USER PATH;']],
  ['it (ipmitool -I lanplus -H BMC -U USER -f PASSFILE chassis power cycle)', ['(ipmitool -I lanplus -H BMC -U USER -f PASSFILE chassis power cycle)']], // biome-ignore format: one case
  ['there, systemctl status kubelet containerd, then', ['systemctl status kubelet containerd,']],
  ['first (ping -c 3 gx-1; ssh gx-1 uptime) and look', ['(ping -c 3 gx-1;', 'ssh gx-1 uptime)']],
  ['kubectl describe pod and its events say why', ['kubectl describe pod']],
  ['nothing of a shell is in here', []],
];

for (const [text, commands] of IS)
  test(`the commands in: ${text}`, () => {
    assert.deepEqual(commandsOf(text), commands);
  });

/** Of a report, whose sentences may be on several lines. */
function holdsWhole(narrow: string, wide: string): number {
  const commands = wide.split('\n').flatMap(commandsOf);
  const lines = narrow.split('\n');
  for (const command of commands)
    assert.ok(
      lines.some((line) => line.includes(command)),
      `${command} in\n${narrow}`,
    );
  return commands.length;
}

test('each action, at any width, on a GPU and on a host', () => {
  const whose = [{ job: '991', aliases: [], manager: 'slurm', name: 'llama', user: 'alice', account: null, queue: null, attempt: null, pods: [], ranks: [], by: 'device' }] as const; // biome-ignore format: one record
  const targets = [gpu(0), { type: 'host', id: 'node-3' } as const, PHASE];
  const options = {
    colour: false,
    nowMs: T0 + 107_000,
    timeZone: 'UTC',
    place: ' --log-directory /tmp/a/long/path/of/a/log',
  };
  let held = 0;
  for (const kind of ACTIONS)
    for (const target of targets)
      for (const rootKnown of [true, false]) {
        const why = 'No root cause yet. To find out: faultline fr --trigger PATH, then py-spy dump --pid 4711';
        const one: Incident = incident('7f3c41d2a0b1', { action: { kind, target, why }, rootKnown, whose });
        const wide = renderIncidentText(one, { ...options, width: 10_000 });
        for (const width of WIDTHS) held += holdsWhole(renderIncidentText(one, { ...options, width }), wide);
      }
  assert.ok(held > 200, String(held));
});

test('a label of a narrow report keeps its text next to it, where a word needs the whole line', () => {
  const lines = renderIncidentText(incident('7f3c41d2a0b1'), { colour: false, nowMs: T0, timeZone: 'UTC', width: 40 });
  const alone = lines
    .split('\n')
    .filter((line) => /^(?:Do|Now|Call|Effect|Root cause|Sure because|Not|Evidence)$/.test(line));
  assert.deepEqual(alone, []);
});

test('what any command prints: each advice of the catalogues, at any width of a terminal', () => {
  const catalog = join(import.meta.dirname, '../../../catalog');
  const files = ['errors.json', ...readdirSync(join(catalog, 'patterns')).map((name) => join('patterns', name))];
  const texts = files.flatMap((name) => textsOf(JSON.parse(readFileSync(join(catalog, name), 'utf8'))));
  const withCommands = texts.filter((text) => commandsOf(text).length > 0);
  assert.ok(withCommands.length > 20, String(withCommands.length));
  for (const text of withCommands)
    for (const width of WIDTHS)
      for (const line of [text, `  key   works   ${text}`]) holdsWhole(fit(line, width), line);
});

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value.replaceAll('\n', ' ')];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsOf) : [];
}

test('signs without end that a log has are no work to tie', () => {
  const startMs = performance.now();
  for (const sign of ['.', '!', '`']) tieCommands(`dmesg ${sign.repeat(65_536)}x`);
  assert.ok(performance.now() - startMs < 1000);
});

test('pieces of a sentence are the sentence again, and a command has none of its signs', () => {
  for (const [text, commands] of IS) {
    const pieces = piecesOf(text);
    assert.equal(pieces.map((piece) => piece.text).join(''), text);
    const typed = pieces.filter(({ isCommand }) => isCommand).map((piece) => piece.text);
    assert.deepEqual(typed, commands.map((command) => command.replace(/^\(|[,;)]+$/g, ''))); // biome-ignore format: one call
  }
});
