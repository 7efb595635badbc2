// Guides: lines of faults that a document quotes are samples; those that a person pasted into an issue are of a host that has them.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isGuide } from '../../../src/commands/scan/guide-text.ts';
import { installationRoot } from '../../../src/native.ts';
import { scannedLogs } from './scanned.ts';

const LOST = "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";
const DATED = `Nov 20 03:10:44 gx-7 kernel: [ 8123.512000] ${LOST}`;
const RUNBOOK = [
  '# GPU incident runbook',
  '',
  'When you see one of these in `dmesg`, follow the section below.',
  '',
  '```',
  LOST,
  'mlx5_core 0000:5e:00.0: health recovery flow aborted, PCI reads still not working',
  '```',
  '',
  '| Symptom | Action |',
  '|---|---|',
  '| Xid 79 | drain, power cycle, RMA if again |',
  '| `Kernel panic - not syncing` | collect vmcore |',
];

test('a runbook makes no incident, and the end of the text says what was left out', async (t) => {
  const text = await scannedLogs(t, { 'RUNBOOK.md': RUNBOOK });
  assert.match(text, /^No incident: /m);
  assert.match(text, /Samples: RUNBOOK\.md is a guide: what it quotes of faults \(2\)/);
  const document = JSON.parse(await scannedLogs(t, { 'RUNBOOK.md': RUNBOOK }, '--json'));
  assert.deepEqual([document.events.length, document.inputs[0].samples], [0, 2]);
});

test('a log next to a runbook is read as ever', async (t) => {
  const text = await scannedLogs(t, { 'RUNBOOK.md': RUNBOOK, 'kern-gx-7.log': [DATED, `${DATED} again`] });
  assert.match(text, /GPU fell off the bus on gx-7 gpu/);
  assert.doesNotMatch(text, /RUNBOOK\.md[^\n]*GPU fell/);
});

const GUIDES: Readonly<Record<string, readonly string[]>> = {
  'a page of reStructuredText': [
    'Fault guide',
    '===========',
    '',
    'If a GPU is lost, its kernel log has such a line::',
    '',
    `    ${LOST}`,
    '',
    'Drain the node and cycle its power, then open a case with the vendor.',
  ],
  'a page of HTML': [
    '<html><body><h1>Troubleshooting GPUs</h1>',
    '<p>When you see one of these in the log of a node, drain it and call the vendor.</p>',
    '<pre>',
    LOST,
    '</pre></body></html>',
  ],
  'a page of a wiki': ['h1. Known errors of GPUs', '', 'The node is to be drained in this case:', '', '{noformat}', LOST, '{noformat}'], // biome-ignore format: one page
  'a mail to all users': [
    'From: support@hpc.example.org',
    'Subject: what to do with lost GPUs',
    '',
    'Dear all, if you see one of these lines in your job, tell us the node and the job:',
    '',
    `    ${LOST}`,
  ],
};
for (const [what, lines] of Object.entries(GUIDES))
  test(`${what} is a guide`, async (t) => {
    assert.match(await scannedLogs(t, { 'page.txt': lines }), /No incident/);
  });

const REPORTS: Readonly<Record<string, readonly string[]>> = {
  'a log in fences': ['```', LOST, '```'],
  'an issue by its template': [
    '### Describe the bug',
    'After some hours of training one of the GPUs is not there any more, and the job waits for it.',
    '### Steps to reproduce',
    'It is not clear what starts it, and it comes on each of the nodes with this driver.',
    '### Relevant log output',
    '```',
    LOST,
    '```',
  ],
  'an issue in own words': [
    '## GPU lost',
    'We see this on one of our nodes after some hours, and the job then waits for it without an end.',
    'It came with the new driver, and with the one before it was not there on any of the nodes.',
    '```',
    LOST,
    '```',
  ],
  'a report on an incident': [
    '# Incident of 2026-11-20',
    'The job of the vision group ended in the night, as one of the GPUs of its node was lost.',
    '',
    '```',
    DATED,
    '```',
  ],
  'a mail that asks for help': ['Subject: node gone', '', 'Can you look at the node, it has this in its log:', '', `    ${DATED}`], // biome-ignore format: one mail
};
for (const [what, lines] of Object.entries(REPORTS))
  test(`${what} is read`, async (t) => {
    assert.match(await scannedLogs(t, { 'issue.md': lines }), /GPU fell off the bus/);
  });

test('our own runbooks are guides', () => {
  const folder = join(installationRoot(), 'docs', 'runbooks');
  for (const name of readdirSync(folder))
    assert.ok(isGuide(`docs/runbooks/${name}`, readFileSync(join(folder, name), 'utf8')), name);
});

test('reports of tools that head their parts are none, whatever they are called', () => {
  const errors = ['## Summary: 3 nodes checked, 1 bad nodes found', '##          8 ports checked, 1 ports have errors beyond threshold', '## Thresholds:', 'GUID 0x1 port 3: [SymbolErrorCounter == 65535] and it is one of the ports of the switch that are bad']; // biome-ignore format: one report
  const smart = ['=== START OF READ SMART DATA SECTION ===', 'SMART overall-health self-assessment test result: FAILED!', 'If Selective self-test is pending on power-up, resume after 0 minute delay.', '  5 Reallocated_Sector_Ct 0x0033 001 001 005 Pre-fail Always FAILING_NOW 2000']; // biome-ignore format: one report
  for (const [name, lines] of [
    ['ibqueryerrors.txt', errors],
    ['docs/smartctl.txt', smart],
    ['guide-errors.txt', errors],
  ] as const)
    assert.equal(isGuide(name, lines.join('\n')), false, name);
});
