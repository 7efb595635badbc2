// Notices: what native code reports besides samples, edges and kernel records, as one table of names and typed fields.

import { errorText } from '../helpers/error-text.ts';

/** A field that only some notices have; null is what the device does not give. */
type Detail = string | number | readonly number[] | null;

/** A notice as the addon hands it over: what all have, and details by the names of the table below. */
export interface RawNotice {
  readonly type: string;
  /** Epoch ms on the steady clock. */
  readonly timeMs: number;
  /** Component text or empty. */
  readonly component: string;
  readonly name: string;
  readonly text: string;
  readonly value: number;
  readonly traceparent?: string;
  readonly details?: Readonly<Record<string, Detail>>;
}

/** `key`: its own name in the table. */
type Field<T> = (raw: RawNotice, key: string) => T;

/** The component that the notice is about. */
const component: Field<string> = (raw) => {
  if (raw.component === '') throw new TypeError('its component is missing');
  return raw.component;
};
/** Likewise; null where the reader does not know which one it is. */
const componentOrNull: Field<string | null> = (raw) => (raw.component === '' ? null : raw.component);
const name: Field<string> = (raw) => raw.name;
const text: Field<string> = (raw) => raw.text;
const value: Field<number> = (raw) => {
  if (!Number.isFinite(raw.value)) throw new TypeError('its value is not a number');
  return raw.value;
};
const traceparent: Field<string | null> = (raw) => raw.traceparent ?? null;

/** A text of the details; empty where the device does not give it. */
const detail: Field<string> = ({ details }, key) => {
  const found = details?.[key];
  if (typeof found !== 'string') throw new TypeError(`its ${key} is not a text`);
  return found;
};
const numberDetail: Field<number> = ({ details }, key) => {
  const found = details?.[key];
  if (typeof found !== 'number') throw new TypeError(`its ${key} is not a number`);
  return found;
};
const numberOrNull: Field<number | null> = (raw, key) => (raw.details?.[key] === null ? null : numberDetail(raw, key));

const oneOf =
  <const T extends string>(...names: readonly T[]): Field<T> =>
  (raw) => {
    const found = names.find((each) => each === raw.name);
    if (found === undefined) throw new TypeError(`its name is not one of ${names.join(', ')}`);
    return found;
  };

/** Bounds of what a damaged vendor child can make the daemon keep. */
const MOST_GROUPS = 64;
const LONGEST_GROUP_TEXT = 160;
const MOST_PIDS = 256;
const MOST_INSTANCES = 128;

const groups: Field<ReadonlyMap<string, string>> = ({ details }) =>
  new Map(
    Object.entries(details ?? {})
      .slice(0, MOST_GROUPS)
      .map(([group, status]) => [group, String(status).slice(0, LONGEST_GROUP_TEXT)]),
  );

const pids: Field<readonly number[]> = ({ details }, key) => {
  const found = details?.[key];
  if (!Array.isArray(found)) throw new TypeError('it is not a list of process ids');
  return [...new Set(found.slice(0, MOST_PIDS).map(Number))];
};

/** A list as long as that of the pids, in its order: a number beyond those of instances where a process is on none. */
const instances: Field<ReadonlyMap<number, readonly number[]>> = ({ details }, key) => {
  const [on, of] = [details?.[key], details?.pids];
  const found = new Map<number, number[]>();
  if (!Array.isArray(on) || !Array.isArray(of)) return found;
  for (const [at, pid] of of.slice(0, MOST_PIDS).map(Number).entries()) {
    const instance = Number(on[at]);
    if (instance < MOST_INSTANCES) found.set(pid, [...(found.get(pid) ?? []), instance]);
  }
  return found;
};

/** Name of every notice → its fields besides `name` and `timeMs`. A new notice is a row here and its emission in native code. */
const NOTICES = {
  // The vendor child and its supervisor.
  device: {
    component,
    index: numberDetail,
    uuid: detail,
    model: detail,
    serial: detail,
    driver: detail,
    minor: numberOrNull,
    /** Slot on the baseboard. */
    module: numberOrNull,
    numaNode: numberOrNull,
    /** As the vendor library numbers it. */
    architecture: numberOrNull,
  },
  device_gone: { component, reason: text },
  /** Group of readings → "works", or why it does not. */
  capabilities: { component, groups },
  gpu_instance: {
    component,
    presence: oneOf('there', 'gone'),
    gpuInstance: numberDetail,
    computeInstance: numberDetail,
    uuid: detail,
    profile: detail,
  },
  /**
   * Compute processes on a GPU, as many pids as fit, each once; `count`: how many there are. `instances`: pid → numbers of the MIG
   * instances that it is on.
   */
  processes: { component, pids, instances, count: value },
  /** State of the vendor child: running (`value`: how many devices), absent, failed, released, stopped, throttled, ... */
  state: { state: name, reason: text, value, traceparent },
  /** State of one part of the child: calibration, confinement, event sets. */
  part_state: { part: name, status: text, value },
  xid: { component: componentOrNull, xid: value, text },
  gpu_event: { component: componentOrNull, event: name, value, text },
  gpu_reset: { component, how: oneOf('after_loss', 'counter_restarted', 'while_released'), text },
  device_lost: { component: componentOrNull, call: name, returnCode: value, text },
  call_stalled: { component: componentOrNull, call: name, stalledMs: value, text },
  /** `how`: exited, corrupt, or the name of a signal. */
  child_exit: { how: name, status: value, text },
  // Readers of the kernel.
  /** `lost`: 0 where the number is not known. */
  kernel_overrun: { lost: value, text },
  kernel_state: { state: name, reason: text },
  rapl_state: { state: name, reason: text },
  /** The end of a watch of files: `path` is not what it was. */
  files_changed: { watch: name, path: text },
  // The core.
  counter_reset: { component: componentOrNull, quantity: name, value },
  clock_jump: { what: oneOf('step', 'suspend'), byMs: value, previousMs: numberDetail },
  queue_overflow: { dropped: value, text },
  series_limit: { key: name, series: value, text },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Field<unknown>>>>>;

type Table = typeof NOTICES;
type ListedName = keyof Table;
type FieldsOf<Name extends ListedName> = {
  readonly [Key in keyof Table[Name]]: Table[Name][Key] extends Field<infer T> ? T : never;
};

/** Names of the notices in the table. */
export const NOTICE_NAMES = Object.keys(NOTICES) as readonly ListedName[]; // its keys are these

/** A notice that was refused: the reader gets none of it, the daemon's log says so. */
interface Malformed {
  readonly name: 'malformed';
  readonly timeMs: number;
  /** What it calls itself. */
  readonly of: string;
  readonly reason: string;
}

export type NoticeName = ListedName | 'malformed';
export type NoticeOf<Name extends NoticeName> = Name extends ListedName
  ? { readonly name: Name; readonly timeMs: number } & FieldsOf<Name>
  : Malformed;
/** Narrow it by `name`. */
export type Notice = { [Name in NoticeName]: NoticeOf<Name> }[NoticeName];

/** Those of one name, in order. */
export function noticesOf<Name extends NoticeName>(notices: readonly Notice[], name: Name): NoticeOf<Name>[] {
  return notices.filter((notice): notice is Notice & NoticeOf<Name> => notice.name === name);
}

const LONGEST_NAME = 64;

/** Never throws: what does not fit the table comes back as `malformed`. */
export function parseNotice(raw: RawNotice): Notice {
  const fields: Readonly<Record<string, Field<unknown>>> | undefined = Object.hasOwn(NOTICES, raw.type)
    ? NOTICES[raw.type as ListedName] // it is one: the table has it
    : undefined;
  try {
    if (fields === undefined) throw new TypeError('no notice has this name');
    const notice: Record<string, unknown> = { name: raw.type, timeMs: raw.timeMs };
    for (const [key, read] of Object.entries(fields)) notice[key] = read(raw, key);
    return notice as unknown as Notice; // field by field as the table says
  } catch (error) {
    const reason = errorText(error);
    return { name: 'malformed', timeMs: raw.timeMs, of: String(raw.type).slice(0, LONGEST_NAME), reason };
  }
}
