// Play an example: the events of a pattern's test go through correlation on a small host, and what incidents come of it is given.

import { Correlator } from '../../correlation/correlator.ts';
import type { ExampleLine } from '../../correlation/patterns/user/read-user-pattern.ts';
import { IncidentBook } from '../../incidents/lifecycle.ts';
import { type Component, componentText, parseComponent } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { Incident } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import { makeEvent } from '../../model/make-event.ts';
import type { EventInput } from '../../model/record.ts';
import type { Link, Relation } from '../../model/topology.ts';

const HOST = 'node-3';
const T0 = Date.UTC(2026, 10, 27, 14, 32, 0);
const LATENESS_MS = 30_000;
const HOLD_MS = 60_000;
const PAUSE_MS = 1000;
const GPUS = ['1b', '29', '45', '5d', '9b', 'ad', 'c1', 'df'].map((bus) => `gpu/0000:${bus}:00.0`);

/** Who sees events of a family. */
const SEEN_BY: Readonly<Record<string, Pick<EventInput, 'trust' | 'source'>>> = {
  power: { trust: 'facility', source: 'pdu' },
  cooling: { trust: 'facility', source: 'pdu' },
  psu: { trust: 'bmc', source: 'bmc' },
  gpu: { trust: 'kernel', source: 'kernel-log' },
  job: { trust: 'tenant', source: 'job-log' },
  net: { trust: 'tenant', source: 'job-log' },
  service: { trust: 'tenant', source: 'otlp-in' },
  process: { trust: 'kernel', source: 'kernel-log' },
  cpu: { trust: 'kernel', source: 'cpu' },
};
const KERNEL = { trust: 'kernel', source: 'kernel-log' } as const;

/** A PDU behind a UPS feeds two supplies of a host with eight GPUs, on which a job of eight ranks runs. */
const LINKS: readonly Link[] = [
  ...GPUS.map((gpu) => link('host/node-3', gpu, 'contains')),
  link('pdu/pdu-b', 'pdu_phase/pdu-b/1', 'contains'),
  link('ups/ups-1', 'pdu/pdu-b', 'feeds'),
  link('pdu_phase/pdu-b/1', 'pdu_branch/pdu-b/1', 'feeds'),
  link('pdu_branch/pdu-b/1', 'pdu_outlet/pdu-b/7', 'feeds'),
  link('pdu_outlet/pdu-b/7', 'psu/node-3/1', 'feeds'),
  link('psu/node-3/1', 'host/node-3', 'feeds'),
  link('psu/node-3/2', 'host/node-3', 'feeds'),
  link('host/node-3', 'cpu/node-3/0', 'contains'),
  link('host/node-3', 'nic/0000:5e:00.0', 'contains'),
  link('host/node-3', 'process/4242', 'contains'),
  ...GPUS.flatMap((gpu, i) => [
    link(gpu, `rank/llama/${i}`, 'runs'),
    link(`rank/llama/${i}`, 'job/llama', 'member_of'),
  ]),
];

const KNOWN = new Set(LINKS.flatMap(({ from, to }) => [componentText(from), componentText(to)]));
const FACILITY = /^(?:pdu|ups|rack|power_shelf|cdu)\//;

/** The last word on what these events are, the one with the most events first. */
export function playExample(lines: readonly ExampleLine[]): Incident[] {
  const correlator = new Correlator({ host: HOST, latenessMs: LATENESS_MS, holdMs: HOLD_MS });
  for (const each of [...LINKS, ...facilityLinks(lines)]) correlator.link(each);
  const last = new Map<string, Explanation>();
  const take = (explanations: readonly Explanation[]): void => {
    for (const explanation of explanations) last.set(explanation.firstEventId, explanation);
  };
  const events = lines.map(eventOf);
  for (const event of events) take(correlator.observe(event));
  take(correlator.advance(Math.max(...events.map(({ timeMs }) => timeMs)) + PAUSE_MS));
  const book = new IncidentBook(HOST, []);
  const incidents = [...last.values()]
    .filter(({ mergedInto }) => mergedInto === null)
    .flatMap((explanation) => book.apply(explanation) ?? []);
  return incidents.sort((a, b) => b.chain.length - a.chain.length || b.confidence - a.confidence);
}

/** What the little host does not have of the site's own facility serves it all the same. */
function facilityLinks(lines: readonly ExampleLine[]): Link[] {
  const named = new Set(lines.map(([, , at]) => at).filter((at) => FACILITY.test(at) && !KNOWN.has(at)));
  return [...named].map((at) => link(at, 'host/node-3', 'feeds'));
}

function eventOf([seconds, kind, at, attributes = {}]: ExampleLine): FaultEvent {
  const timeMs = T0 + seconds * 1000;
  const seen = SEEN_BY[kind.slice(0, kind.indexOf('.'))] ?? KERNEL;
  const { severity } = kindInfo(kind);
  const times = { timeMs, observedMs: timeMs + 50 };
  return makeEvent(HOST, { kind, component: component(at), ...times, ...seen, severity, state: 'onset', attributes });
}

function link(from: string, to: string, relation: Relation): Link {
  return { from: component(from), to: component(to), relation, source: 'configuration' };
}

function component(text: string): Component {
  const found = parseComponent(text);
  if (found === null) throw new Error(`no component: ${text}`); // examples are held to have one
  return found;
}
