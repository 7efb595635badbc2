import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadIncidents } from '../../../src/incidents/log/load.ts';
import { recover } from '../../../src/incidents/log/recover.ts';
import { folder, lines, names } from './folder.ts';

const PROGRAM = join(import.meta.dirname, 'append-for-ever.ts');

/** Runs the writer until it has said `count` lines, kills it mid-work, and gives what it had said. */
async function writeAndKill(directory: string, first: number, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [PROGRAM, directory, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.split('\n').length > count) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL');
  return said.split('\n').slice(0, -1);
}

test('kill -9 in the middle of writing, again and again, loses nothing that was said to be on disk', async (t) => {
  const directory = folder(t);
  const said = new Map<string, number>();
  for (let round = 0; round < 8; round += 1) {
    for (const line of await writeAndKill(directory, round * 100_000, 5 + round * 23)) {
      const [id = '', revision, state] = line.split(' ');
      assert.equal(state, 'written', line);
      said.set(id, Number(revision));
    }
    const { warnings } = await recover(directory);
    for (const warning of warnings) assert.match(warning, /^FL3106 /);
    const { incidents } = await loadIncidents(directory, { limit: 1_000_000, withEvents: () => true });
    const found = new Map(incidents.map((incident) => [incident.id, incident]));
    for (const [id, revision] of said) {
      const incident = found.get(id);
      assert.ok(incident !== undefined && incident.revision >= revision, `round ${round}: ${id} ${revision}`);
      assert.equal(incident.events.length, 1, `round ${round}: the event of ${id}`);
    }
  }
  for (const name of names(directory).filter((each) => !each.includes('torn'))) {
    assert.ok(lines(join(directory, name)).length > 0);
    assert.equal(readFileSync(join(directory, name)).at(-1), 10);
  }
});
