// Scanned: what a scan finds in one text, as kinds and places without the host, which a carrier may not keep.

import { FoundEvents } from '../../../../src/commands/scan/found-events.ts';
import { Reading } from '../../../../src/commands/scan/reading.ts';
import { Readings } from '../../../../src/commands/scan/readings.ts';
import { Steps } from '../../../../src/commands/scan/steps.ts';
import { wantedOf } from '../../../../src/commands/scan/wanted.ts';
import type { EventInput } from '../../../../src/model/record.ts';

const SAVED_MS = Date.UTC(2026, 10, 28, 12);

async function* once(text: string): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(text);
}

/** The events of one text after the other. */
export function scanner(): (text: string) => Promise<readonly EventInput[]> {
  const found = new FoundEvents();
  let events: EventInput[] = [];
  found.add = (_host, event) => void events.push(event);
  const reading = new Reading({ found, steps: new Steps(), readings: new Readings(), wanted: wantedOf({}, SAVED_MS) });
  return async (text) => {
    events = [];
    await reading.read({ name: '/logs/paste.txt', savedMs: SAVED_MS, bytes: once(`${text}\n`) });
    return events;
  };
}

export function kindsOf(events: readonly EventInput[]): string {
  return [...new Set(events.map(({ kind }) => kind))].sort().join(' ');
}
