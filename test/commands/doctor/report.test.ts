// What doctor concludes from the health of the sources.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctorReport, doctorText } from '../../../src/commands/doctor/report.ts';
import type { SourceHealth, SourceStatus } from '../../../src/sources/source.ts';

const health = (source: string, status: SourceStatus, remedy: string | null = `fix ${source}`): SourceHealth => ({
  source,
  status,
  detail: `${source} detail`,
  remedy: status === 'works' ? null : remedy,
});
const judge = (sources: readonly SourceHealth[], required: readonly string[] = []) =>
  doctorReport('node-3', 'built-in defaults', sources, required);

test('one working source and no failed one is good', () => {
  assert.equal(
    judge([health('gpu', 'works'), health('cpu', 'absent'), health('kernel-log', 'no_permission')]).status,
    0,
  );
  assert.equal(judge([health('gpu', 'works'), health('pdu', 'failed')]).status, 1);
  assert.equal(judge([health('gpu', 'absent'), health('cpu', 'off', null)]).status, 1);
  assert.equal(judge([]).status, 1);
});

test('what is set to on and absent has failed', () => {
  const report = judge([health('cpu', 'works'), health('gpu', 'absent')], ['gpu']);
  assert.equal(report.status, 1);
  assert.equal(report.sources[1]?.status, 'failed');
});

test('what is worth doing first: what failed, then a missing right, then what is not here', () => {
  const all = [health('a', 'absent'), health('b', 'no_permission'), health('c', 'failed'), health('d', 'works')];
  assert.equal(judge(all).first, 'c: fix c');
  assert.equal(judge(all.filter(({ source }) => source !== 'c')).first, 'b: fix b');
  assert.equal(judge([health('d', 'works'), health('e', 'off', null)]).first, null);
});

test('one line a source, the line that fixes it below, nothing that steers a terminal', () => {
  const evil: SourceHealth = { source: 'gpu', status: 'works', detail: 'GPU \u001b[2Jname\n\u202eevil', remedy: null };
  const text = doctorText(judge([evil, health('kernel-log', 'no_permission')]));
  assert.equal(
    text,
    [
      'faultline doctor · node-3 · built-in defaults',
      '',
      '  gpu         works      GPU \\x1b[2Jname \\u{202e}evil',
      '  kernel-log  no rights  kernel-log detail',
      '                         → fix kernel-log',
      '',
      '1 of 2 sources work. Worth doing first → kernel-log: fix kernel-log',
      '',
    ].join('\n'),
  );
});

test('shadow mode is said: of the daemon that runs, else of the configuration', () => {
  const gpu = [health('gpu', 'works')];
  const none = doctorReport('node-3', 'a.yaml', gpu, [], null, null, { shadow: true });
  assert.match(doctorText(none), /^shadow {2}incidents are kept on this host, nothing is sent \(shadow: true\)$/m);
  assert.equal(none.shadow, true);
  assert.doesNotMatch(doctorText(judge(gpu)), /^shadow/m);
});
