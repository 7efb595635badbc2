// The command line as a whole: help, wrong usage, exit statuses, pipes that close, one line an error.

import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { COMMANDS } from '../../src/commands/registry.ts';
import { installationRoot } from '../../src/native.ts';
import { configFile, faultline, folder } from './run-cli.ts';

const { version } = JSON.parse(readFileSync(join(installationRoot(), 'package.json'), 'utf8'));

describe('help', () => {
  test('names every command on one line, within 100 columns, on standard output', async () => {
    const { status, stdout, stderr } = await faultline(['--help']);
    assert.deepEqual([status, stderr], [0, '']);
    for (const { name } of COMMANDS) assert.ok(stdout.includes(name), name);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line);
  });

  test('of a command tells its options', async () => {
    const { status, stdout } = await faultline(['doctor', '--help']);
    assert.equal(status, 0);
    assert.match(stdout, /Usage: faultline doctor \[options\][\s\S]*--json/);
    assert.equal((await faultline(['help', 'doctor'])).stdout, stdout);
  });

  test('without a command is wrong usage and goes to standard error', async () => {
    const { status, stdout, stderr } = await faultline([]);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^Usage: faultline COMMAND[\s\S]*\n {2}doctor /);
  });

  test('--version prints the version', async () => {
    assert.deepEqual(await faultline(['--version']), { status: 0, stdout: `faultline ${version}\n`, stderr: '' });
  });
});

describe('wrong usage ends with status 2', () => {
  const cases: readonly (readonly [string[], RegExp])[] = [
    [['docter'], /^FL1200 unknown command 'docter'\n\(Did you mean doctor\?\)/],
    [['doctor', '--jsom'], /^FL1200 unknown option '--jsom'\n\(Did you mean --json\?\)/],
    [['frobnicate'], /^FL1200 unknown command 'frobnicate'\. --help lists what there is\n$/],
    [['--verbose'], /^FL1200 unknown option '--verbose'\. There are: --version, --debug, --help\n$/],
    [['scan', '--foo'], /^FL1200 unknown option '--foo'\. There are: --json, [^\n]*--fail-on <severity>, --help\n$/],
    [['config', 'check', '--zap'], /^FL1200 unknown option '--zap'\. There are: --config <file>, --export, --help\n$/],
    [['config', 'chek'], /^FL1200 unknown command 'chek'\n\(Did you mean check\?\)/],
    [['probe'], /Usage: faultline probe/],
    [['record', '--out', 'x', '--for', '0s'], /^FL1200 .*'0s' is invalid. Write a time above 0/],
    [['release-devices', '--for', '10'], /^FL1200 .*'10' is invalid.*10m/],
    [['release-devices', '--for', '48h'], /^FL1200 .*'48h' is invalid/],
    [['config', 'check', '/nonexistent.yaml'], /^\/nonexistent\.yaml: the configuration does not exist.*\[FL1101\]\n$/],
  ];
  for (const [words, expected] of cases) {
    test(words.join(' '), async () => {
      const { status, stdout, stderr } = await faultline(words);
      assert.match(stderr, expected);
      assert.deepEqual([status, stdout], [2, '']);
    });
  }

  for (const { name } of COMMANDS.filter(({ built }) => !built)) {
    test(`${name} is not built yet`, async () => {
      const outcome = await faultline([name, 'x', '--any', '--help']);
      assert.deepEqual(outcome, { status: 2, stdout: '', stderr: `faultline ${name}: not built yet\n` });
    });
  }

  test('probe bmc wants an address', async () => {
    const { status, stderr } = await faultline(['probe', 'bmc', 'https://10.0.0.1/somewhere']);
    assert.equal(status, 2);
    assert.match(stderr, /^FL2321 /);
  });

  test('a wrong configuration, whichever command reads it', async () => {
    const path = configFile('log_level: loud\nhost: a/b\n');
    for (const words of [
      ['config', 'check', path],
      ['doctor', '--config', path],
      ['probe', 'kernel', '--config', path],
    ]) {
      const { status, stdout, stderr } = await faultline(words);
      assert.deepEqual([status, stdout], [2, ''], words.join(' '));
      assert.deepEqual(
        stderr.split('\n').map((line) => line.slice(0, path.length + 6)),
        [`${path}:1:12:`, `${path}:2:7: `, ''],
      );
    }
  });
});

describe('errors', () => {
  const missing = () => configFile(`sources: {gpu: {library: ${join(folder(), 'none.so')}}}`);

  test('are one line with a code and status 1; the stack comes with --debug', async () => {
    const plain = await faultline(['probe', 'gpu', '--config', missing()]);
    assert.deepEqual([plain.status, plain.stdout], [1, '']);
    assert.match(plain.stderr, /^FL1221 [^\n]+\n$/);
    const debug = await faultline(['--debug', 'probe', 'gpu', '--config', missing()]);
    assert.match(debug.stderr, /^FL1221 [^\n]+\nError: FL1221 [\s\S]+\n {4}at /);
    const variable = await faultline(['probe', 'gpu', '--config', missing()], { env: { FAULTLINE_DEBUG: '1' } });
    assert.match(variable.stderr, /\n {4}at /);
  });

  test('an output that takes nothing is reported as the cause', async () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = await faultline(['config', 'print'], { stdout: full });
    closeSync(full);
    assert.deepEqual([status, stderr.slice(0, 49)], [1, 'FL3126 the output could not be written (ENOSPC): ']);
  });

  test('a pipe that closes early ends the command quietly', async () => {
    for (const words of [['config', 'schema'], ['--help'], ['config', 'print']]) {
      const { status, stderr } = await faultline(words, { closeStdout: true });
      assert.deepEqual([status, stderr], [0, ''], words.join(' '));
    }
  });
});
