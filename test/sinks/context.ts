// What a sink is made with, for tests: a folder for its state, a clock, and the lines that it logs.

import { NOTHING_SAID } from '../../src/model/note.ts';
import type { SinkContext } from '../../src/sinks/define-sink.ts';
import { LabelBook } from '../../src/sinks/work/label-book.ts';
import { T0 } from '../incidents/sample.ts';

export interface Logged {
  readonly code: string;
  readonly text: string;
}

export interface TestContext extends SinkContext {
  readonly logged: Logged[];
}

export function sinkContext(stateDirectory: string, more: Partial<SinkContext> = {}): TestContext {
  const logged: Logged[] = [];
  const log = (fields: unknown, text?: string) => {
    logged.push({ code: String((fields as { code?: string }).code), text: text ?? '' }); // every line has a code
  };
  return {
    host: 'node-3',
    version: '1.2.3',
    simulated: false,
    shadow: false,
    stateDirectory,
    logDirectory: stateDirectory,
    acted: () => {},
    releaseDevices: () => false,
    logger: { info: log, warn: log },
    now: () => T0,
    restored: [],
    known: [],
    loggedAfter: async () => [],
    silenced: () => null,
    said: () => NOTHING_SAID,
    labels: new LabelBook(),
    selfMetrics: () => Promise.reject(new Error('not wanted here')),
    ...more,
    logged,
  };
}
