// Encode: a message by the definition in catalog/nvsentinel.json as protobuf (proto3: what has its default is left out).

import catalogue from '#catalog/nvsentinel.json' with { type: 'json' };
import { bytesField, varintField } from '../../helpers/proto-fields.ts';
import type { HealthEvent } from './health-event.ts';

type FieldDefinition = readonly [number: number, type: string, many?: string];
const MESSAGES = catalogue.messages as unknown as Readonly<Record<string, Readonly<Record<string, FieldDefinition>>>>; // held to this form by a test
const ENUMS: Readonly<Record<string, Readonly<Record<string, number>>>> = catalogue.enums;

export const PATH = catalogue.path;

export function encodeHealthEvents(events: readonly HealthEvent[]): Buffer {
  return message('HealthEvents', { version: catalogue.protocol, events });
}

function message(type: string, value: object): Buffer {
  const parts = Object.entries(MESSAGES[type] ?? {}).flatMap(([name, [number, holds, many]]) => {
    const content: unknown = Reflect.get(value, name);
    if (many === 'repeated') return (content as readonly unknown[]).map((each) => field(number, holds, each, true)); // as defined
    if (many === 'map') return Object.entries(content as object).map((entry) => mapEntry(number, entry));
    return [field(number, holds, content, false)];
  });
  return Buffer.concat(parts);
}

function mapEntry(number: number, [key, value]: readonly [string, unknown]): Buffer {
  return bytesField(number, Buffer.concat([field(1, 'string', key, false), field(2, 'string', value, false)]));
}

/** `always`: an element of a list is there though it has its default. */
function field(number: number, type: string, value: unknown, always: boolean): Buffer {
  if (type === 'string') return value === '' && !always ? NONE : bytesField(number, String(value).toWellFormed());
  if (type in MESSAGES) return bytesField(number, message(type, value as object));
  const known = ENUMS[type];
  const whole = known === undefined ? Number(value) : known[String(value)];
  if (whole === undefined) throw new Error(`${type} has no ${String(value)}`);
  return whole === 0 && !always ? NONE : varintField(number, whole);
}

const NONE = Buffer.alloc(0);
