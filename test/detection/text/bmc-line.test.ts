// Lines that a BMC sends to a syslog server: by the key of the message, else by its text; of the part that it names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programFindings } from '../../../src/detection/text/programs/program-rows.ts';
import { scannedLogs } from '../../commands/scan/scanned.ts';

const HEAD = 'Severity: Critical, Category: System Health, MessageID: ';

/** Without the head, then kind, component, state. */
const LINES: readonly (readonly [string, string, string, string])[] = [
  ['PSU0003, Message: The power input for power supply 1 is lost.', 'psu.input_lost', 'psu/bmc-7/1', 'onset'],
  ['PSU0019, Message: The power input for power supply 1 has been restored.', 'psu.input_lost', 'psu/bmc-7/1', 'clear'],
  ['PSU0001, Message: Power supply 2 failed.', 'psu.failure', 'psu/bmc-7/2', 'onset'],
  ['MEM0001, Message: Multi-bit memory errors detected on a memory device at location(s) DIMM_A3.', 'memory.ue', 'dimm/bmc-7/DIMM_A3', 'onset'],
  ['FAN0001, Message: Fan 3A has failed.', 'host.fan_failure', 'fan/bmc-7/3A', 'onset'],
  ['RDU0012, Message: The power supplies are not redundant.', 'psu.redundancy_lost', 'host/bmc-7', 'onset'],
  ['PCI1318, Message: A fatal error was detected on a component at bus 59 device 0 function 0.', 'pcie.uncorrected_fatal', 'host/bmc-7', 'onset'],
  // A key that no row has, with the words of one.
  ['XYZ9, Message: The power input for power supply 2 is lost.', 'psu.input_lost', 'psu/bmc-7/2', 'onset'],
]; // biome-ignore format: one line each

for (const [said, kind, component, state] of LINES)
  test(`${said}`, () => {
    for (const relay of ['', 'idrac: ', 'root[812]: ']) {
      const [found] = programFindings(`${relay}${HEAD}${said}`, 'bmc-7') ?? [];
      assert.equal(found?.kind, kind);
      assert.equal(`${found?.component?.type}/${found?.component?.id}`, component);
      assert.equal(found?.state, state);
    }
    assert.equal(programFindings(`the user wrote "${HEAD}${said}"`, 'bmc-7'), null);
  });

test('logins, settings and texts without a meaning are passed over', () => {
  for (const line of [
    'Severity: Informational, Category: Audit, MessageID: USR0030, Message: Successfully logged in using root, from 10.0.0.9 and GUI.',
    'Severity: Warning, Category: Configuration, MessageID: SYS1003, Message: System CPU Resetting.',
    'Severity: Critical, MessageID: PSU0003, Message: The power input for power supply 1 is lost.',
  ])
    assert.equal(programFindings(line, 'bmc-7'), null, line);
});

test('a file of several BMCs: each line is of its own', async (t) => {
  const text = await scannedLogs(t, {
    'bmcs.log': [
      `Nov 30 12:04:11 bmc-7 ${HEAD}PSU0001, Message: Power supply 2 failed.`,
      `Nov 30 12:04:12 bmc-8 ${HEAD}MEM0001, Message: Multi-bit memory errors detected on a memory device at location(s) DIMM_A3.`,
      'Nov 30 12:05:12 bmc-9 Severity: Informational, Category: Audit, MessageID: USR0030, Message: Successfully logged in using root, from 10.0.0.9 and GUI.',
    ],
  });
  assert.match(text, /power supply failed on bmc-7 psu 2/);
  assert.match(text, /uncorrected memory error on bmc-8 dimm DIMM_A3/);
  assert.equal(text.match(/^INCIDENT/gm)?.length, 2, text);
});

test("Lenovo's XCC by the words of its messages", () => {
  const of = (line: string) => (programFindings(line, 'bmc-7') ?? []).map(({ kind, state }) => [kind, state]);
  for (const colon of [': ', ' : '])
    assert.deepEqual(
      of(`FQXSFMA0002M${colon}An uncorrectable memory error has been detected on DIMM 4 at address 0x1a2b3c.`),
      [['memory.ue', 'onset']],
    );
  assert.deepEqual(of('xcc: FQXSPPW0063M: Power Supply 1 has lost input.'), [['psu.input_lost', 'onset']]);
  assert.deepEqual(of('FQXSPSE4000I: The certificate authority has detected a certificate error.'), []);
  assert.deepEqual(of('see "FQXSFMA0002M: An uncorrectable memory error has been detected on DIMM 4"'), []);
});
