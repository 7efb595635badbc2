// The head of every kind and of every named pattern: read in half a minute whatever the names, with a deed, a first step, and whom to call.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playExample } from '../../../src/commands/patterns/play-example.ts';
import type { ExampleLine } from '../../../src/correlation/patterns/user/read-user-pattern.ts';
import { catalogueFolder } from '../../../src/helpers/catalogue-folder.ts';
import { MOST_WORDS, wordsIn } from '../../../src/incidents/report/brief.ts';
import { badgesOf, type Head, type HeadInput, headOf, titleOf } from '../../../src/incidents/report/head.ts';
import { renderIncidentText } from '../../../src/incidents/report/text.ts';
import type { Impact, Incident } from '../../../src/model/incident.ts';
import { hasRole, KINDS, type Kind, kindInfo } from '../../../src/model/kind.ts';
import type { Severity } from '../../../src/model/severity.ts';
import type { Whose } from '../../../src/model/whose.ts';
import { incidentOf, LONG, type Names, OF_LOG, placesOf, SHORT } from '../of-kind.ts';
import { T0 } from '../sample.ts';

/** What a deed begins with; `nothing` where none is asked for. */
const VERBS = new Set(['bring', 'check', 'debug', 'drain', 'find', 'free', 'get', 'give', 'have', 'inspect', 'let', 'look', 'make', 'nothing', 'power', 'reboot', 'replace', 'reset', 'restart', 'save', 'see', 'set', 'take', 'update', 'contact', 'compare', 'read', 'stop', 'watch']); // biome-ignore format: one list

interface Case {
  readonly what: string;
  readonly incident: Incident;
}

/** Every kind that makes an incident, on all that it is seen on, by the word of the kernel and of a job. */
function casesOf(names: Names): Case[] {
  return KINDS.flatMap((kind) =>
    placesOf(kind, names).flatMap((component) =>
      (['kernel', 'tenant'] as const).flatMap((trust) => {
        const incident = incidentOf(kind, { component, host: names.host, trust, severity: gravity(kind) });
        return incident === null ? [] : [{ what: `${kind} on ${component?.type} by ${trust}`, incident }];
      }),
    ),
  );
}

/** What is harmless alone is reported where something made it grave. */
function gravity(kind: Kind): Severity {
  const { severity } = kindInfo(kind);
  return severity === 'info' && !hasRole(kind, 'explains') ? 'warning' : severity;
}

/** As `text.ts` prints it. */
function printed(input: HeadInput): string {
  const text = renderIncidentText(input.incident, {
    width: 100,
    colour: false,
    nowMs: input.nowMs,
    timeZone: input.timeZone,
    logged: input.place !== null,
    ...(input.place == null ? {} : { place: input.place }),
    nextTo: input.nextTo ?? [],
    first: input.first,
  });
  const rows = text
    .slice(0, text.indexOf('\n\n'))
    .replace(/\n {2,}/g, ' ')
    .split('\n');
  const end = (label: string): number => rows.findIndex((row) => row.startsWith(`${label} `)) + 1;
  return rows.slice(0, end('Call') || end('Do') || end('To find out')).join(' ');
}

const inputOf = (incident: Incident, more: Partial<HeadInput> = {}): HeadInput => ({
  incident,
  nowMs: incident.updatedMs + 3_700_000,
  timeZone: 'America/Argentina/Buenos_Aires',
  place: null,
  ...more,
});

const stepOf = (head: Head, label: string): string => head.steps.find((row) => row.label === label)?.text ?? '';

test('no head of any kind is longer than half a minute, whatever its host, device and job are called', () => {
  for (const names of [SHORT, LONG, OF_LOG]) {
    const cases = casesOf(names);
    assert.ok(cases.length > 700, String(cases.length));
    const long: string[] = [];
    for (const { what, incident } of cases)
      for (const place of [null, ' --config /etc/faultline/site-east.yaml']) {
        const text = printed(inputOf(incident, { place }));
        if (wordsIn(text) > MOST_WORDS) long.push(`${what} on ${names.host}: ${wordsIn(text)} words\n${text}`);
      }
    assert.deepEqual(long, []);
  }
});

const WHOSE: Whose = {
  job: '8812',
  aliases: [],
  manager: 'slurm',
  name: LONG.job,
  user: 'alice.meier-schmidt',
  account: 'research',
  queue: null,
  attempt: null,
  pods: [],
  ranks: [0, 1, 2, 3, 5],
  by: 'device',
};
const OTHERS: readonly Impact[] = Array.from({ length: 14 }, (_, i) => ({
  component: { type: 'job', id: `evaluation-of-checkpoint-${i}` },
  quantity: 'step_time',
  before: 412.3,
  after: 899.2 + i,
  unit: 'ms',
  text: '',
}));
const NEXT_TO = [
  `GPU power brake asserted on ${LONG.host} gpu 0000:1d:00.0, seen 09:05:01, 1 min 31 s later (2396f7). Its report says what was so when it was written: see whether it was so before`,
];

/** What it took of a job's GPUs. */
const LOST: Impact = {
  ...(OTHERS[0] as Impact),
  component: { type: 'job', id: LONG.job },
  loss: { gpus: 8, share: 1, fromMs: T0, toMs: null, rate: { amount: 2.5, currency: 'EUR' } },
};

test('GPU-hours that are known to be lost are in the head, with a root and without one', () => {
  const lacking = casesOf(LONG).filter(({ incident }) => {
    const lost = { ...incident, impact: [...incident.impact, ...OTHERS, LOST] };
    const { root, effect } = headOf(inputOf(lost));
    return !/≈ \d[\d.]* GPU-hours/.test(`${root} ${effect ?? ''}`.replaceAll('\u00a0', ' '));
  });
  assert.deepEqual(lacking.map(({ what }) => what), []); // biome-ignore format: one line
});

test('nor with jobs of several people, effects on many, an incident next to it, or as a trial', () => {
  const long: string[] = [];
  for (const { what, incident } of casesOf(LONG)) {
    const whose = [WHOSE, { ...WHOSE, job: '8813', name: null }, { ...WHOSE, job: '8814' }, { ...WHOSE, job: '8815' }];
    const busy = { ...incident, whose, impact: [...incident.impact, ...OTHERS, LOST] };
    const trial = { ...incident, whose: [WHOSE], made: 'simulated' as const };
    for (const one of [busy, trial]) {
      const text = printed(inputOf(one, { nextTo: NEXT_TO }));
      if (wordsIn(text) > MOST_WORDS) long.push(`${what}: ${wordsIn(text)} words\n${text}`);
    }
    const { job, behind } = headOf(inputOf(busy, { nextTo: NEXT_TO }));
    assert.ok(job !== null || behind.some(({ label }) => label === 'Jobs'), `${what}: whose it is`);
  }
  assert.deepEqual(long, []);
});

test('what there is no room for is behind whom to call, and every form of a report has the same head', () => {
  for (const { what, incident } of casesOf(LONG).slice(0, 40)) {
    const input = inputOf(incident, { nextTo: NEXT_TO });
    const head = headOf(input);
    const shown = [...head.nextTo, ...head.behind.flatMap(({ label, text }) => (label === 'Next to it' ? [text] : []))];
    assert.deepEqual(shown, NEXT_TO, what);
    const said = [titleOf(input), ...badgesOf(input), head.root, head.does, stepOf(head, 'Now'), stepOf(head, 'Call')];
    const text = printed(input).replaceAll(/\s+/g, ' ');
    for (const part of said)
      assert.ok(text.includes(part.replaceAll(/\s+/g, ' ')), `${what}: "${part}" is not in\n${text}`);
  }
});

test('what to do is a deed, with a first step and whom to call, and nothing is left to be filled in', () => {
  for (const names of [SHORT, OF_LOG])
    for (const { what, incident } of casesOf(names)) {
      const head = headOf(inputOf(incident));
      const [verb = ''] = head.does.split(' ');
      assert.ok(VERBS.has(verb.replace(/,$/, '')), `${what}: "${head.does}"`);
      assert.doesNotMatch(`${head.root} ${head.does}`, /usual for|undefined|null\b|NaN/, what);
      for (const { text } of head.steps)
        assert.doesNotMatch(text, /[%@](?![A-Z\d])|\b(?:DRAIN|SAVE|TIME|BACK|OFF|LINES|SILENT|WINDOW|RESET|DIAGNOSIS|CARD)\b|undefined/, what); // biome-ignore format: one list
      if (/^nothing|^see what the rule of this site/.test(head.does)) continue;
      assert.notEqual(stepOf(head, 'Now'), '', `${what}: Now`);
      assert.notEqual(stepOf(head, 'Call'), '', `${what}: Call`);
    }
});

const patterns = [...catalogueFolder('patterns')] as [
  string,
  { examples: Record<string, { events: ExampleLine[] }> },
][];

test('the same of every named pattern, clear, in part and with noise', () => {
  assert.ok(patterns.length >= 31);
  for (const [id, { examples }] of patterns)
    for (const [name, { events }] of Object.entries(examples))
      for (const incident of playExample(events)) {
        const input = inputOf(incident, { place: '' });
        const text = printed(input);
        assert.ok(wordsIn(text) <= MOST_WORDS, `${id}, ${name}: ${wordsIn(text)} words\n${text}`);
        const [verb = ''] = headOf(input).does.split(' ');
        assert.ok(VERBS.has(verb.replace(/,$/, '')), `${id}, ${name}: "${headOf(input).does}"`);
      }
});
