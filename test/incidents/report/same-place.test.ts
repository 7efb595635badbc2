// The place in JSON: the host and the target that a program reads are those that Do, Now and Call name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playExample } from '../../../src/commands/patterns/play-example.ts';
import type { ExampleLine } from '../../../src/correlation/patterns/user/read-user-pattern.ts';
import { catalogueFolder } from '../../../src/helpers/catalogue-folder.ts';
import { type AdviceDocument, adviceDocument, placedAction } from '../../../src/incidents/report/advice-document.ts';
import { hostWords } from '../../../src/incidents/report/place.ts';
import type { Attributes } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { KINDS, kindInfo } from '../../../src/model/kind.ts';
import { incidentOf, placesOf, SHORT } from '../of-kind.ts';

/** What the lines of a log may say of the host, besides whose log it is. */
const SAID: readonly Attributes[] = [{}, { named_host: 'nd-42' }, { possible_hosts: 'nd-42, nd-43' }, { possible_hosts: 'nd-42, nd-43 and 6 more' }]; // biome-ignore format: one list
const OWN = ['gx-07', 'log:job.out'];
const NAMED = /\b(?:gx-07|nd-42|nd-43)\b|job\.out/g;

/** As where the root's own line says so. */
const saying = (incident: Incident, said: Attributes): Incident => ({
  ...incident,
  events: incident.events.map((event) =>
    event.id === incident.root.eventId ? { ...event, attributes: { ...event.attributes, ...said } } : event,
  ),
});

const advised = (incident: Incident): AdviceDocument =>
  adviceDocument({ incident, nowMs: incident.updatedMs, timeZone: 'UTC', place: null });

const saidIn = ({ do: does, now, call }: AdviceDocument): Set<string> =>
  new Set([...`${does} ${now ?? ''} ${call ?? ''}`.matchAll(NAMED)].map(([name]) => name));

function wrongIn(incident: Incident): string[] {
  const advice = advised(incident);
  const { target } = placedAction(incident);
  const at = target?.type === 'host' ? target.id : target?.host;
  const said = saidIn(advice);
  const known = new Set(advice.hosts);
  return [
    ...[...said].filter((name) => name !== 'job.out' && !known.has(name)).map((name) => `the text names ${name}`),
    ...(said.has('job.out') && known.size > 0 ? ['the text says that no line names the host'] : []),
    ...(advice.host !== null && at !== undefined && at !== advice.host ? [`the target is on ${at}`] : []),
    ...(advice.host !== null && hostWords(incident) !== advice.host ? [`the steps are on ${hostWords(incident)}`] : []),
    ...(advice.hosts.length > 1 && advice.host !== null ? ['one of several is chosen'] : []),
  ].map((wrong) => `${wrong}, the advice ${JSON.stringify(advice)}`);
}

test('host and target of every kind are those that the text names, whichever host its lines name', () => {
  const wrong: string[] = [];
  let count = 0;
  for (const host of OWN)
    for (const kind of KINDS)
      for (const component of placesOf(kind, { ...SHORT, host }))
        for (const trust of ['kernel', 'tenant'] as const) {
          const severity = kindInfo(kind).severity === 'info' ? 'warning' : kindInfo(kind).severity;
          const incident = incidentOf(kind, { component, host, trust, severity });
          if (incident === null) continue;
          for (const attributes of SAID) {
            count += 1;
            const what = `${kind} on ${component?.type} of ${host} by ${trust}, ${JSON.stringify(attributes)}`;
            wrong.push(...wrongIn(saying(incident, attributes)).map((each) => `${what}: ${each}`));
          }
        }
  assert.ok(count > 5_000, String(count));
  assert.deepEqual(wrong, []);
});

test('and so are those of every named pattern', () => {
  const patterns = [...catalogueFolder('patterns')] as [string, { examples: Record<string, { events: ExampleLine[] }> }][]; // biome-ignore format: one list
  for (const [id, { examples }] of patterns)
    for (const [name, { events }] of Object.entries(examples))
      for (const incident of playExample(events)) {
        const { host } = advised(incident);
        const { target } = placedAction(incident);
        const at = target?.type === 'host' ? target.id : target?.host;
        assert.ok(host === null || at === undefined || at === host, `${id}, ${name}: ${at}, ${host}`);
      }
});
