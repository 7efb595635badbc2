import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { parseSince } from '../../src/commands/common/since.ts';
import { incidentToDocument } from '../../src/model/documents/incident.ts';
import type { Incident } from '../../src/model/incident.ts';
import { folder, openLog, until } from '../incidents/log/folder.ts';
import { incident, smallIncident, T0 } from '../incidents/sample.ts';
import { BrokenPipe, logOf, run, start } from './incident-command.ts';

const MINUTE = 60_000;
const OLD = incident('1111aaaaaaaa', {
  state: 'resolved',
  revision: 2,
  openedMs: T0 - 300 * MINUTE,
  updatedMs: T0 - 240 * MINUTE,
  resolvedMs: T0 - 240 * MINUTE,
});
const LONG = incident('2222aaaaaaaa', { openedMs: T0 - 200 * MINUTE, updatedMs: T0 - 200 * MINUTE });
const NEW = incident('3333aaaaaaaa');

/** As the command prints it: GPU-hours of an open one count up to now. */
function printed(of: Incident): object {
  return { ...incidentToDocument(of, { nowMs: T0 + 107_000 }), acknowledged: null, verdict: null };
}

test('each incident is one line, its newest revision, the youngest last', async (t) => {
  const directory = await logOf(t, NEW, LONG, { ...OLD, revision: 1, state: 'open' }, OLD);
  const { stdout, stderr, status } = await run('incidents', '--log-directory', directory);
  const title = 'voltage sag on pdu-b-rack-14 phase 1';
  assert.equal(
    stdout,
    `1111aa  2026-11-27 09:32:00  resolved  error      93 %  ${title}
2222aa  2026-11-27 11:12:00  open      error      93 %  ${title}
3333aa  2026-11-27 14:32:00  open      error      93 %  ${title}
`,
  );
  assert.match(stderr, /^What to do about 3333aa, the gravest of 2 that are open: check the power feed of /);
  assert.equal(status, 0);
});

test('--json prints one document a line', async (t) => {
  const directory = await logOf(t, OLD, NEW);
  const { stdout } = await run('incidents', '--json', '--log-directory', directory);
  const documents = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  assert.deepEqual(documents, JSON.parse(JSON.stringify([OLD, NEW].map(printed))));
});

test('--since leaves out what was over before, and nothing that is open', async (t) => {
  const directory = await logOf(t, OLD, LONG, NEW);
  const ids = async (since: string): Promise<string[]> => {
    const { stdout } = await run('incidents', '--since', since, '--log-directory', directory);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.slice(0, 6));
  };
  assert.deepEqual(await ids('10m'), ['2222aa', '3333aa']);
  assert.deepEqual(await ids('5h'), ['1111aa', '2222aa', '3333aa']);
  assert.deepEqual(await ids('2026-11-27T10:32:00Z'), ['1111aa', '2222aa', '3333aa']);
  assert.deepEqual(await ids('2026-11-27T10:32:00.001Z'), ['2222aa', '3333aa']);
});

test('a time may be given in several ways, and what is none is refused', async () => {
  assert.equal(parseSince('90s', T0), T0 - 90_000);
  assert.equal(parseSince('10m', T0), T0 - 600_000);
  assert.equal(parseSince('2h', T0), T0 - 7_200_000);
  assert.equal(parseSince('3d', T0), T0 - 259_200_000);
  assert.equal(parseSince('2026-11-27T15:32:00+01:00', 0), T0);
  assert.equal(parseSince('2026-11-27', 0), Date.UTC(2026, 10, 27));
  for (const none of ['', 'yesterday', '10', 'm', '-3d', '1y', '2026-13-01', '1e3s'])
    assert.equal(parseSince(none, T0), null, none);
  const { stderr, status } = await run('incidents', '--since', 'yesterday', '--log-directory', '/nowhere');
  assert.match(stderr, /^FL3123 --since "yesterday" is not a time: write 10m/);
  assert.equal(status, 2);
});

test('an empty log is fine, a missing one is an error, with --json too', async (t) => {
  const there = folder(t);
  const bare = await run('incidents', '--log-directory', there);
  const why = `FL3127 ${there} has no incident log (incidents.jsonl): no daemon has written there. Name the folder that incidents.jsonl lies in\n`;
  assert.deepEqual([bare.stdout, bare.stderr, bare.status], ['', why, 1]);
  assert.equal((await run('report', '--lost', '--log-directory', there)).stderr, why);
  mkdirSync(join(there, 'log'));
  writeFileSync(join(there, 'log', 'incidents.jsonl'), '');
  const above = await run('incidents', '--json', '--log-directory', there);
  assert.match(above.stderr, / no daemon has written there\. That one is in it: --log-directory .*\/log\n$/);
  writeFileSync(join(there, 'incidents.jsonl'), '');
  const empty = await run('incidents', '--log-directory', there);
  assert.match(empty.stderr, new RegExp(`(?:^|\n)no incidents in ${there}\n$`));
  assert.deepEqual([empty.stdout, empty.status], ['', 0]);
  const directory = join(there, 'none');
  for (const more of [[], ['--json'], ['--follow'], ['--fail-on', 'critical'], ['--reliability', '--json']]) {
    const { stdout, stderr, status } = await run('incidents', ...more, '--log-directory', directory);
    assert.match(stderr, /^FL3127 .*\/none does not exist: no daemon has written incidents there\. Start one: .*\n$/);
    assert.deepEqual([stdout, status], ['', 1], more.join());
  }
});

test('--reliability refuses options that it would not follow', async (t) => {
  for (const option of ['--follow', '--unacked', '--open', '--fail-on=error']) {
    const { stderr, status } = await run('incidents', '--reliability', option, '--log-directory', folder(t));
    assert.match(stderr, /^FL1200 --reliability .*leave out --follow, --open, --unacked and --fail-on/);
    assert.equal(status, 2);
  }
});

test('a log that is not a file, or a path that is not a directory, ends with status 1', async (t) => {
  const directory = folder(t);
  mkdirSync(join(directory, 'incidents.jsonl'));
  const first = await run('incidents', '--log-directory', directory);
  assert.match(first.stderr, /^FL3105 .*incidents\.jsonl could not be read/);
  assert.equal(first.status, 1);
  writeFileSync(join(directory, 'file'), '');
  const second = await run('incidents', '--log-directory', join(directory, 'file'));
  assert.match(second.stderr, /^FL3127 .*file is a file, not a directory: name the one that incidents\.jsonl lies in/);
  assert.equal(second.status, 1);
});

test('the log directory comes from the configuration; a wrong one ends with status 2', async (t) => {
  const directory = await logOf(t, NEW);
  const config = join(directory, 'faultline.yaml');
  writeFileSync(config, `directories:\n  log: ${directory}\n`);
  assert.match((await run('incidents', '--config', config)).stdout, /^3333aa /);
  writeFileSync(config, 'directories: 7\n');
  const { stderr, status } = await run('incidents', '--config', config);
  assert.match(stderr, /faultline\.yaml:1:/);
  assert.equal(status, 2);
});

test('a line that cannot be read is named, the rest is shown', async (t) => {
  const directory = await logOf(t, NEW);
  appendFileSync(join(directory, 'incidents.jsonl'), 'garbage\n');
  const { stdout, stderr, status } = await run('incidents', '--log-directory', directory);
  assert.match(stdout, /^3333aa /);
  assert.match(stderr, /^FL3107 .*incidents\.jsonl:7 cannot be read/);
  assert.equal(status, 0);
});

test('--follow shows what is there, then each new revision once, through rotation', async (t) => {
  const directory = await logOf(t, smallIncident(1));
  const { ran, stop, done } = start(['incidents', '--follow', '--json', '--log-directory', directory]);
  const seen = (): string[] =>
    ran.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const { id, revision } = JSON.parse(line);
        return `${id} ${revision}`;
      });
  await until(() => seen().length === 1);
  const { log } = openLog(directory, { maxBytes: 6000, maxFiles: 100, restored: [smallIncident(1)] });
  const expected = [`${smallIncident(1).id} 1`];
  for (let number = 1; number < 20; number += 1) {
    for (const revision of [2, 3]) {
      await log.append(smallIncident(number, revision, revision === 3 ? 'resolved' : 'open'));
      expected.push(`${smallIncident(number).id} ${revision}`);
    }
    const count = expected.length;
    await until(() => seen().length >= count);
  }
  await log.close();
  stop.abort();
  await done;
  assert.deepEqual(seen(), expected);
  assert.equal(ran.status, 0);
});

test('a reader that goes away ends it quietly, also while following', async (t) => {
  const directory = await logOf(t, NEW);
  for (const more of [[], ['--follow']]) {
    const { ran, done } = start(['incidents', ...more, '--log-directory', directory], new BrokenPipe());
    await done;
    assert.doesNotMatch(ran.stderr, /FL\d{4}|EPIPE/);
    assert.equal(ran.status, 0);
  }
});

test('a list ends with what to do about the gravest open incident: the first step, its place and minute, whom to call', async (t) => {
  const grave = incident('4444aaaaaaaa', { severity: 'critical', openedMs: T0 - 100 * MINUTE });
  const said = async (terminal: boolean, ...of: Incident[]): Promise<string> => {
    const directory = await logOf(t, ...of);
    const screen = Object.assign(new PassThrough(), { isTTY: terminal });
    screen.resume();
    const { ran, done } = start(['incidents', '--log-directory', directory], screen);
    await done;
    await until(() => screen.readableLength === 0);
    return ran.stderr.replace(directory, 'DIRECTORY');
  };
  const whole = await said(true, OLD, grave, NEW);
  assert.match(
    whole,
    /^What to do about 4444aa, the gravest of 2 that are open: check the power feed of pdu-b-rack-14 phase 1; first, ask /,
  );
  assert.match(whole, / logged at \d\d:\d\d:\d\d UTC, .* Call the facility/);
  assert.match(whole, /\nWhy, and how sure: faultline explain --log-directory DIRECTORY 4444aa\n$/);
  assert.equal(await said(false, OLD, grave, NEW), whole);
  assert.match(
    await said(true, OLD),
    /^Nothing is open\. The newest: faultline explain --log-directory DIRECTORY 1111aa\n/,
  );
  assert.equal(await said(false, OLD), '');
  assert.match(await said(true), /^no incidents in DIRECTORY/);
  // A trial asks for nothing, and is never put before what is real.
  const trial = incident('5555aaaaaaaa', { severity: 'critical', made: 'injected', openedMs: T0 });
  assert.match(await said(true, trial, NEW), /^What to do about 3333aa: check the power feed/);
  assert.match(await said(true, trial), /^What to do about 5555aa: \[injected\] nothing to do: it is a trial\.\n/);
});
