import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { incident } from '../../incidents/sample.ts';
import { logOf, run } from '../incident-command.ts';

function folder(t: TestContext, name = 'fl-place-'): string {
  const path = mkdtempSync(join(tmpdir(), name));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('a command that a message proposes is about the same log and configuration', async (t) => {
  const log = await logOf(t, incident('7f3c41d2a0b1'));
  const nothing = await run('explain', 'ffff', '--log-directory', log);
  assert.match(nothing.stderr, new RegExp(`faultline incidents --log-directory ${log} lists those that are there`));
  const unknown = await run('explain', 'x', '--log-directory', log);
  assert.ok(unknown.stderr.includes(`as in faultline incidents --log-directory ${log}`), unknown.stderr);
});

test('a path that a shell would take apart is quoted', async (t) => {
  const odd = folder(t, "fl place's ");
  const config = join(odd, 'faultline.yaml');
  writeFileSync(config, `directories: {state: "${odd}/s", log: "${odd}/l", runtime: "${odd}/r"}\n`);
  mkdirSync(join(odd, 'l'));
  const { stderr } = await run('silence', 'end', 'abcd', '--config', config);
  const quoted = `'${config.replaceAll("'", `'\\''`)}'`;
  assert.ok(stderr.includes(`faultline silence list --config ${quoted} has them`), stderr);
});

test('JSON stays as it is, whatever it proposes', async (t) => {
  const log = await logOf(t, incident('7f3c41d2a0b1'));
  const { stdout } = await run('explain', '7f3c', '--format', 'json', '--log-directory', log);
  JSON.parse(stdout);
  assert.ok(!stdout.includes('--log-directory'));
});
