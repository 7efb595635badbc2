// A source that runs, and what it handed over, for tests with real senders.

import type { TestContext } from 'node:test';
import type { EventInput, TextRecord } from '../../../../src/model/record.ts';
import type { Source } from '../../../../src/sources/source.ts';

export const CLOCK = { host: 'node-3', now: Date.now, steady: (wallMs: number) => wallMs };

export function run(t: TestContext, source: Source): { readonly lines: TextRecord[]; readonly events: EventInput[] } {
  t.after(() => source.stop());
  const [lines, events]: [TextRecord[], EventInput[]] = [[], []];
  const failed = (error: unknown): void => {
    throw error;
  };
  source.start({ samples() {}, text: (record) => void lines.push(record), event: (event) => void events.push(event), discovery() {}, failed }, new AbortController().signal); // biome-ignore format: one line
  return { lines, events };
}

/** Where scripts/test-logs-in unpacked what it needs. */
export function toolsFolder(): string {
  const folder = process.env.FAULTLINE_LOGS_IN;
  if (folder === undefined) throw new Error('run scripts/test-logs-in, which gets what this needs');
  return folder;
}
