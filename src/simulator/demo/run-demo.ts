// One demo from start to end: rack, real daemon, story, verdict; whatever happens, nothing is left running.

import { writeFileSync } from 'node:fs';
import { ask } from '../../api/client.ts';
import { type DemoExport, demoConfig } from '../demo-config.ts';
import { Rack } from '../rack/rack.ts';
import type { StartPdu } from '../rack/simulated-pdu.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';
import { RealClock } from '../scenario-clock.ts';
import { DaemonProcess } from './daemon-process.ts';
import { offeredSources } from './readiness.ts';
import { Story } from './story.ts';
import { untilReady, Watch, type Watched } from './watch.ts';
import type { Workplace } from './workplace.ts';

const READY_MS = 60_000;
const STREAM_END_MS = 500;

export interface DemoParts {
  /** The script that this process runs, started again as `run`. */
  readonly entry: string;
  readonly plan: ScenarioPlan;
  readonly place: Workplace;
  readonly library: string;
  readonly startPdu: StartPdu;
  /** Null: nothing leaves this machine's loopback, nor this demo. */
  readonly exported?: DemoExport | null;
  readonly print: (line: string) => void;
  /** Ends the demo early. */
  readonly stop: AbortSignal;
}

export interface DemoResult extends Watched {
  /** Why the run did not come to its end, null when it did. */
  readonly broken: string | null;
  /** What the daemon says of its exports; null where it has none. */
  readonly exports: string | null;
}

export async function runDemo(parts: DemoParts): Promise<DemoResult> {
  const { plan, place, stop } = parts;
  const clock = new RealClock();
  const undo: (() => Promise<void> | void)[] = [() => clock.stop()];
  // The last way out: an exit that nothing awaits still ends the daemon.
  let daemon: DaemonProcess | null = null;
  const lastWay = () => daemon?.kill();
  process.on('exit', lastWay);
  undo.push(() => void process.off('exit', lastWay));
  const trouble = new AbortController();
  const ends = AbortSignal.any([stop, trouble.signal]);
  try {
    const rack = await Rack.start({
      folder: place.rack,
      plan,
      clock,
      library: parts.library,
      startPdu: parts.startPdu,
    });
    undo.push(() => rack.stop());
    writeFileSync(place.config, demoConfig(plan, rack.places, place.folder, parts.exported ?? null), { mode: 0o600 });
    daemon = new DaemonProcess(parts.entry, place.config, place.daemonLog);
    const running = daemon;
    undo.push(() => running.stop());
    let broken: string | null = null;
    const breakOff = (why: string) => {
      broken ??= why;
      trouble.abort();
    };
    void running.ended.then(breakOff);

    const offered = offeredSources(plan);
    const { last, answered } = await untilReady(place.socket, offered, READY_MS, clock, ends);
    if (!answered && !stop.aborted) breakOff(`the daemon did not answer within ${READY_MS / 1000} s`);
    if (broken !== null) return { ...NOTHING, broken: reported(broken, running), exports: null };
    if (stop.aborted) return { ...NOTHING, broken: 'interrupted', exports: null };

    const story = new Story(clock, parts.print);
    const labels = last.ready.map(({ label }) => label).join(' · ');
    story.line(`sources ready: ${labels || 'none'}      (doctor says what your own host has)`);
    for (const { offered: one, why } of last.missing) story.line(`not ready: ${one.label} (${why})`);

    // A stream also ends because the daemon does, which says more.
    const lost = (why: string) => void clock.at(clock.now() + STREAM_END_MS, () => breakOff(why));
    const watch = new Watch(place.socket, plan, clock, story, lost);
    undo.push(() => watch.close());
    watch.begin();
    rack.play();
    await watch.settled(ends);
    story.flush();
    if (stop.aborted) broken ??= 'interrupted';
    const exports = (parts.exported ?? null) === null || stop.aborted ? null : await exportsOf(place.socket);
    return { ...watch.result(), broken: broken === null ? null : reported(broken, running), exports };
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

async function exportsOf(socket: string): Promise<string> {
  const status = await ask('GET', '/v1/status', [socket]).catch(() => null);
  const sinks = typeof status === 'object' && status !== null && 'sinks' in status ? status.sinks : null;
  const found: unknown = Array.isArray(sinks) ? sinks.find((sink) => sink?.sink === 'otlp') : null;
  const detail = typeof found === 'object' && found !== null && 'detail' in found ? found.detail : null;
  return typeof detail === 'string' ? detail : 'the daemon does not say what it sent';
}

function reported(why: string, daemon: DaemonProcess): string {
  const lines = why === 'interrupted' ? '' : daemon.lastLines();
  return lines === '' ? why : `${why}. Its last lines:\n${lines}`;
}

const NOTHING: Watched = {
  events: [],
  incidents: [],
  read: [],
  score: { right: false, expected: [], falseIncidents: [], blamed: [], problems: ['the run did not come to its end'] },
};
