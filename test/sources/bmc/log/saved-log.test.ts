// Saved logs of BMCs: entries in every form in which people save them, what they report, and texts that are none.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSavedLog, savedEntries, savedLogEvents } from '../../../../src/sources/bmc/log/saved-log.ts';

const LOST = {
  '@odata.type': '#LogEntry.v1_6_1.LogEntry',
  Id: '811',
  EntryType: 'Oem',
  Created: '2026-11-02T10:00:00-06:00',
  Message: 'The power input for power supply 1 is lost.',
  MessageId: 'IDRAC.2.8.PSU0003',
  MessageArgs: ['1'],
  Severity: 'Critical',
  Links: { Oem: { Related: [{ '@odata.id': '/redfish/v1/Chassis/1' }] } },
};
const BACK = {
  ...LOST,
  Id: '812',
  Created: '2026-11-02T10:05:00-06:00',
  Message: 'The input power for power supply 1 has been restored.',
  MessageId: 'IDRAC.2.8.PSU0019',
  Severity: 'OK',
};
const MODULE = {
  Id: '7',
  Created: '2026-11-02T08:00:00Z',
  EntryType: 'SEL',
  SensorType: 'Memory',
  Message: 'Uncorrectable ECC @DIMMA1(CPU1)',
};
const LOGIN = {
  Id: '9',
  Created: '2026-11-02T08:30:00Z',
  EntryType: 'Oem',
  MessageId: 'USR0030',
  Message: 'Successfully logged in using root, from 10.0.0.7 and REDFISH.',
};

function reported(text: string): string[] {
  const { entries } = savedEntries(text);
  return savedLogEvents(entries, { host: 'gx-1', name: 'sel.json' }).map(
    ({ kind, state, component, timeMs }) =>
      `${new Date(timeMs).toISOString().slice(11, 19)} ${kind} ${state ?? 'seen'} ${component?.type}/${component?.id}`,
  );
}

const WHOLE = ['08:00:00 memory.ue seen dimm/gx-1/DIMMA1', '16:00:00 psu.input_lost seen psu/gx-1/1'];
const ENDED = [...WHOLE, '16:05:00 psu.input_lost clear psu/gx-1/1'];

describe('entries are read', () => {
  for (const [form, text] of [
    ['of a collection', JSON.stringify({ Name: 'Log', Members: [BACK, LOGIN, LOST, MODULE] })],
    ['of a collection over many lines', JSON.stringify({ Members: [BACK, LOST, LOGIN, MODULE] }, null, 2)],
    [
      'of pages one after the other',
      [[BACK], [LOST, MODULE, LOGIN]].map((Members) => JSON.stringify({ Members })).join('\n'),
    ],
    ['of pages in a list', JSON.stringify([{ Members: [BACK, LOST] }, { Members: [MODULE, LOST] }])],
    ['of a list', JSON.stringify([BACK, LOST, LOGIN, MODULE])],
    ['alone, one document each', [BACK, LOST, LOGIN, MODULE].map((entry) => JSON.stringify(entry, null, 4)).join('\n')],
    ['of lines', [BACK, LOST, LOGIN, MODULE].map((entry) => JSON.stringify(entry)).join('\r\n')],
  ] as const) {
    test(form, () => {
      assert.ok(isSavedLog(text));
      assert.deepEqual(reported(text), ENDED);
    });
  }

  test('of events as the service sends them', () => {
    const event = { EventTimestamp: '2026-11-02T09:00:00Z', MessageId: 'PSU0001', Message: 'Power supply 2 failed.' };
    const text = JSON.stringify({ Events: [{ ...event, EventId: '1' }], Context: 'x' });
    assert.ok(isSavedLog(text));
    assert.deepEqual(reported(text), ['09:00:00 psu.failure seen psu/gx-1/2']);
  });

  test('of a text that was cut, as far as they are whole', () => {
    const text = JSON.stringify({ Members: [MODULE, LOST, BACK] });
    assert.deepEqual(reported(text.slice(0, text.indexOf('PSU0019'))), WHOLE);
  });

  test('and a part is called by the link to it where its words have no number', () => {
    const origin = { '@odata.id': '/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/Bay2' };
    const entry = { ...LOST, Message: 'Input lost.', MessageArgs: [], Links: { OriginOfCondition: origin } };
    assert.deepEqual(reported(JSON.stringify(entry)), ['16:00:00 psu.input_lost seen psu/gx-1/Bay2']);
  });
});

test('an end without its beginning, and an entry without a time, report nothing', () => {
  assert.deepEqual(
    reported(JSON.stringify([BACK, { ...LOST, Created: '1970-01-01T00:00:12Z' }, { ...LOST, Created: 'x' }])),
    [],
  );
});

test('other JSON is none', () => {
  for (const text of [
    '{"MESSAGE_ID":"ab","MESSAGE":"Power supply failed","__REALTIME_TIMESTAMP":"1732795200000000"}',
    '{"log":"Power supply 1 failed\\n","stream":"stdout","time":"2026-11-02T08:00:00Z"}',
    '[Mon Nov  2 08:00:00 2026] usb 1-1: "MessageId": "Created":',
    '{"kind":"Event","message":"x","reason":"y","metadata":{"creationTimestamp":"2026-11-02T08:00:00Z"}}',
  ])
    assert.ok(!isSavedLog(text), text);
});

test('deep and broken texts end, with what is whole in them', () => {
  assert.deepEqual(reported(`${'['.repeat(100_000)}${JSON.stringify(LOST)}`), []);
  assert.deepEqual(reported(`${JSON.stringify(MODULE)}}}]]${'{"a":'.repeat(5000)}"`), WHOLE.slice(0, 1));
  assert.deepEqual(reported(`{"Message":"${'\\"'.repeat(50_000)}`), []);
});

const SEL = [
  'Record:      1',
  'Date/Time:   05/01/2026 09:00:00',
  'Source:      system',
  'Severity:    Ok',
  'Description: Log cleared.',
  '-------------------------------------------------------------------------------',
  'Record:      2',
  'Date/Time:   05/01/2026 10:00:00',
  'Source:      system',
  'Severity:    Critical',
  'Description: The power input for power supply 1 is lost.',
  '-------------------------------------------------------------------------------',
];
const LIFECYCLE = [
  'SeqNumber       = 812',
  'Message ID      = PSU0001',
  'Category        = System Health',
  'AgentID         = SEL',
  'Severity        = Critical',
  'Timestamp       = 2026-05-01 11:00:00',
  'Message Arg   1 = 2',
  'Message         = Power supply 2 failed.',
  'FQDD            = PSU.Slot.2',
];
const ILO = [
  'number=7',
  'severity=Critical',
  'date=05/01/2026',
  'time=12:00',
  'description=System Fan Failure (Fan 3)',
];
const XML = [
  '<?xml version="1.0" encoding="UTF-8"?><LCLogEvents xml:lang="en-US">',
  '<Event AgentID="SEL" Category="System Health" Severity="Critical" Timestamp="2026-05-01T13:00:00-0500" Sequence="9">',
  '<FQDD>DIMM.Socket.A1</FQDD><MessageID>MEM0001</MessageID>',
  '<Message>Multi-bit memory errors detected on a memory device at location(s) DIMM_A1.</Message>',
  '</Event></LCLogEvents>',
];

for (const [form, lines, expected] of [
  ['racadm getsel', SEL, '10:00:00 psu.input_lost seen psu/gx-1/1'],
  ['racadm lclog view', LIFECYCLE, '11:00:00 psu.failure seen psu/gx-1/2'],
  ["iLO's command line", ILO, '12:00:00 host.fan_failure seen fan/gx-1/3'],
  ["iDRAC's export", XML, '18:00:00 memory.ue seen dimm/gx-1/DIMM_A1'],
] as const)
  test(`${form} is read as the service would give it`, () => {
    assert.ok(isSavedLog(lines.join('\n')));
    assert.deepEqual(reported(lines.join('\n')), [expected]);
  });

test("a job's log with a record or a number is none", () => {
  assert.ok(!isSavedLog('Record: 12\nloss: 2.31\nlearning rate: 3e-4\n'));
  assert.ok(!isSavedLog('number=7\nepoch=2\n'));
});

test('what someone wrote into another log makes it none', () => {
  const kernel =
    'Nov 29 02:06:39 gx-1 kernel: [  100.000001] NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus.\n';
  assert.ok(!isSavedLog(`Nov 29 02:06:38 gx-1 user[12]: <LCLogEvents>\n${kernel}`));
  assert.ok(!isSavedLog(`Nov 29 02:06:38 gx-1 user[12]: ${XML.join('')}\n${kernel}`));
  assert.deepEqual(reported(`${JSON.stringify(LOST)}\n${kernel.repeat(100)}`), []);
  const collected = '{"time":"2026-11-29T02:06:39Z","hostname":"gx-1","log":"kernel: NVRM: Xid"}\n';
  assert.deepEqual(reported(`${JSON.stringify(LOST)}\n${collected.repeat(10)}`), []);
  assert.deepEqual(
    reported(`${SEL.join('\n')}\n${'NVRM: Xid (PCI 0000 01 00) 79 GPU has fallen off the bus\n'.repeat(100)}`),
    [],
  );
});

test('what is not closed, and blanks, take time in proportion to their length', () => {
  const begins = '<LCLogEvents>';
  for (const make of [
    (size: number) => `${begins}${'<Event x>'.repeat(size / 9)}`,
    (size: number) => `${begins}${'</Event>'.repeat(size / 8)}`,
    (size: number) => `Record: 1\nDate/Time: 05/01/2024 10:00:00\nDescription: a${' '.repeat(size)}x\n`,
    (size: number) =>
      `Record: 1\nDate/Time: 05/01/2024 10:00:00\n${`Message: a${' '.repeat(990)}x\n`.repeat(size / 1000)}`,
  ]) {
    const text = make(4_000_000);
    const before = process.threadCpuUsage().user;
    assert.deepEqual(reported(text), []);
    // In proportion it takes a tenth of a second; each sign times the longest event or field took ten.
    assert.ok(process.threadCpuUsage().user - before < 2_000_000, text.slice(0, 30));
  }
});

/** As OpenBMC's REST service lists its log. */
function listed(...entries: readonly object[]): string {
  const byPath = entries.map((entry, i) => [`/xyz/openbmc_project/logging/entry/${i + 2}`, { Id: i + 2, ...entry }]);
  return JSON.stringify({ data: Object.fromEntries(byPath), message: '200 OK', status: 'ok' }, null, 2);
}

const INPUT = {
  AdditionalData: ['_PID=1310', 'CALLOUT_INVENTORY_PATH=/xyz/openbmc_project/inventory/system/chassis/powersupply1'],
  Message: 'xyz.openbmc_project.Power.Fault.Error.PowerSupplyInputFault',
  Resolved: 0,
  Severity: 'xyz.openbmc_project.Logging.Entry.Level.Error',
  Timestamp: Date.UTC(2026, 10, 2, 9),
  associations: [],
};

describe("OpenBMC's own log is read", () => {
  test('of a list, also one that was cut', () => {
    const fan = { ...INPUT, AdditionalData: [], Message: 'xyz.openbmc_project.Fan.Error.Fault' };
    const text = listed(INPUT, { ...fan, Timestamp: INPUT.Timestamp + 60_000 });
    const expected = ['09:00:00 psu.input_lost seen psu/gx-1/1', '09:01:00 host.fan_failure seen host/gx-1'];
    assert.ok(isSavedLog(text));
    assert.deepEqual([reported(text), reported(text.slice(0, text.indexOf('"message"')))], [expected, expected]);
  });

  test('and of one entry', () => {
    assert.deepEqual(reported(JSON.stringify({ data: { Id: 2, ...INPUT } })), [
      '09:00:00 psu.input_lost seen psu/gx-1/1',
    ]);
  });

  test('of the bare entry, below the command that printed it', () => {
    const text = `[kim@mgmt ~]$ openbmc-events view 2\n${JSON.stringify({ Id: 2, ...INPUT }, null, 4)}\n`;
    assert.ok(isSavedLog(text));
    assert.deepEqual(reported(text), ['09:00:00 psu.input_lost seen psu/gx-1/1']);
  });

  test('what is resolved, for the record or without a time reports nothing', () => {
    const level = 'xyz.openbmc_project.Logging.Entry.Level.Informational';
    const quiet = [{ Resolved: 1 }, { Resolved: true }, { Severity: level }, { Timestamp: 12 }, { Timestamp: 1e300 }];
    for (const change of quiet) assert.deepEqual(reported(listed({ ...INPUT, ...change })), [], JSON.stringify(change));
  });
});

test('a list of events that was cut out of its document, and other lists that were', () => {
  const event = { EventTimestamp: '2026-03-01T10:11:12+01:00', MessageId: 'IDRAC.2.8.TMP0110', Message: 'The system inlet temperature is greater than the upper critical threshold.', OriginOfCondition: {} }; // biome-ignore format: one event
  const cut = (name: string) => `"${name}": [\n  ${JSON.stringify(event, null, 2)}\n ],\n`;
  assert.ok(isSavedLog(cut('Events')));
  const kinds = savedLogEvents(savedEntries(cut('Events')).entries, { host: 'n', name: 'log' }).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['cooling.inlet_overtemp']);
  assert.equal(isSavedLog(cut('samples')), false);
});

describe('a log with an entry a line', () => {
  const kindsIn = (text: string) =>
    savedLogEvents(savedEntries(text).entries, { host: 'n', name: 'log' }).map(({ kind, component, timeMs }) => [
      kind,
      `${component?.type}/${component?.id}`,
      timeMs,
    ]);

  test("iLO's own, in a mail: what is repaired is over", () => {
    const head =
      'Critical,702,20118,0x0002,Machine Environment,0x0017,Hardware,01/30/2021 22:15:04,301: Fan Failure (Fan 5, Location System)';
    const text = `Hi,\n\nsee the entries.\n\n${head} ACTION:See the documentation.\n${head.replace('Critical', 'Repaired').replace('Fan 5', 'Fan 6')}`;
    assert.ok(isSavedLog(text));
    assert.deepEqual(kindsIn(text), [['host.fan_failure', 'fan/n/5', Date.UTC(2021, 0, 30, 22, 15, 4)]]);
  });

  test("an exporter's metrics: when it was is the value", () => {
    const text =
      'idrac_events_log_entry{id="21",log_type="system",message="Power supply redundancy is lost.",severity="Critical"} 1.770990112e+09';
    assert.ok(isSavedLog(text));
    assert.deepEqual(kindsIn(text), [['psu.redundancy_lost', 'host/n', 1_770_990_112_000]]);
    assert.deepEqual(kindsIn(`${text}\n${'something else\n'.repeat(60)}`), []);
  });
});
