// Plans: what the lines of a host say of its shutdowns, its starts and of ports that the operator took down, held against its ports that went down.

import type { PlannedLine } from '../../detection/text/planned-line.ts';
import type { EventInput } from '../../model/record.ts';
import { logOf } from './found-events.ts';
import { shortOf } from './one-fault/groups.ts';

/** Of one log; more shutdowns than these are of no log that anyone reads at once. */
const MOST = 4096;
/** A shutdown stops what uses the network before the network, and is over in two minutes (systemd's DefaultTimeoutStopSec is 90 s). */
const SHUTDOWN_MS = 120_000;
/** A GPU server takes a quarter of an hour to start, with its memory to be trained. */
const START_MS = 3_600_000;
/** A driver that starts says "Link down" of each port, and has trained its link within so long. */
const BRING_UP_MS = 120_000;
/** A command takes its port down at once. */
const BY_HAND_MS = 5000;

interface Said extends PlannedLine {
  readonly timeMs: number;
  readonly log: string;
}

export class Plans {
  readonly #of = new Map<string, Said[]>();

  /** `host`: as the events of the same line are found. */
  take(host: string, timeMs: number, line: PlannedLine, log: string): void {
    const said = this.#of.get(host) ?? [];
    if (said.length < MOST) said.push({ ...line, timeMs, log });
    this.#of.set(host, said);
  }

  /** When lines of each host say that it was shut down or restarted on purpose, by its short name. */
  restarts(
    hosts: readonly { readonly name: string; readonly foundAs: readonly string[] }[],
  ): ReadonlyMap<string, readonly number[]> {
    const all = new Map<string, readonly number[]>();
    for (const { name, foundAs } of hosts) {
      const own = foundAs.flatMap((label) => this.#of.get(label) ?? []);
      const times = own.flatMap(({ what, timeMs }) => (what === 'shutdown' || what === 'halt' ? [timeMs] : []));
      if (times.length > 0) all.set(shortOf(name), times);
    }
    return all;
  }

  /**
   * The events of one host, of whose ports those that went down with a shutdown, or by an operator's command, say so in `planned`. Where only a
   * program says it they are warnings, for anyone on the host can write its words. They are no incident where the kernel itself says it:
   * that it goes down, or that it was started after it and the port came up again.
   */
  heldTo(names: readonly string[], events: readonly EventInput[]): readonly EventInput[] {
    const said = names.flatMap((name) => this.#of.get(name) ?? []);
    if (said.length === 0) return events;
    return events.map((event) => {
      if (isOfSwitch(event)) return withAdmin(event, said);
      return isDown(event) ? withPlan(event, said, events) : event;
    });
  }
}

function isOfSwitch({ kind, state, attributes }: EventInput): boolean {
  return kind === 'nic.port_down' && state !== 'clear' && attributes?.side === 'switch';
}

/** The log that says that the port went down says that its admin took it down: whoever wrote the one wrote the other. */
function withAdmin(event: EventInput, said: readonly Said[]): EventInput {
  const log = logOf(event);
  const by = said.find(
    ({ what, port, timeMs, log: own }) =>
      what === 'port' && own === log && port === event.component?.id && Math.abs(timeMs - event.timeMs) <= BY_HAND_MS,
  );
  return by === undefined ? event : planned(event, 'command', by.program, true);
}

/** In the kernel's own words. */
function isDown({ kind, component, source, state, trust }: EventInput): boolean {
  return kind === 'nic.port_down' && component?.type === 'nic' && source === 'kernel-log' && state !== 'clear' && trust !== 'tenant'; // biome-ignore format: one condition
}

function withPlan(event: EventInput, said: readonly Said[], events: readonly EventInput[]): EventInput {
  const names = [event.component?.id, ...(event.component?.aliases ?? [])];
  const byHand = said.find(
    ({ what, port, timeMs }) =>
      what === 'port' && port !== null && Math.abs(timeMs - event.timeMs) <= BY_HAND_MS && names.some((name) => isPort(name, port)), // biome-ignore format: one condition
  );
  if (byHand !== undefined) return planned(event, 'command', byHand.program, false);
  const start = said.find(({ what, timeMs }) => what === 'boot' && isSoonAfter(event.timeMs, timeMs));
  if (start !== undefined && events.some((other) => isEndOf(other, event) && isSoonAfter(other.timeMs, event.timeMs)))
    return planned(event, 'start', start.program, true);
  const near = (one: Said): boolean => Math.abs(one.timeMs - event.timeMs) <= SHUTDOWN_MS;
  const halt = said.find((one) => one.what === 'halt' && near(one) && one.timeMs >= event.timeMs);
  if (halt !== undefined && !hasPanic(events, event.timeMs)) return planned(event, 'shutdown', halt.program, true);
  const shutdown = said.find((one) => one.what === 'shutdown' && near(one));
  if (shutdown === undefined || hasPanic(events, event.timeMs)) return event;
  const boot = said.find(({ what, timeMs }) => what === 'boot' && timeMs >= shutdown.timeMs && timeMs - shutdown.timeMs <= START_MS); // biome-ignore format: one condition
  const isBack = boot !== undefined && events.some((other) => isEndOf(other, event) && other.timeMs >= boot.timeMs);
  return planned(event, 'shutdown', shutdown.program, isBack);
}

/** "ens6f1" is the connection that NetworkManager has of "ens6f1np1". */
function isPort(name: string | undefined, port: string): boolean {
  return name !== undefined && (name === port || name.replace(/np\d+$/, '') === port);
}

function isEndOf(other: EventInput, { component }: EventInput): boolean {
  return other.kind === 'nic.port_down' && other.state === 'clear' && other.component?.id === component?.id;
}

function isSoonAfter(ms: number, sinceMs: number): boolean {
  return ms >= sinceMs && ms - sinceMs <= BRING_UP_MS;
}

/** A kernel that panics goes down as well. */
function hasPanic(events: readonly EventInput[], ms: number): boolean {
  return events.some(({ kind, timeMs }) => kind === 'host.panic' && Math.abs(timeMs - ms) <= SHUTDOWN_MS);
}

function planned(
  event: EventInput,
  by: 'shutdown' | 'start' | 'command',
  program: string,
  isSure: boolean,
): EventInput {
  const attributes = { ...event.attributes, planned: by, planned_by: program };
  return { ...event, severity: isSure ? 'info' : 'warning', attributes };
}
