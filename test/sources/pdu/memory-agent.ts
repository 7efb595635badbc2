// An SNMP agent in memory, in the place of a session and its device.

import { oidFollows } from '../../../src/sources/pdu/oid.ts';
import type { PduSession, SnmpReply, SnmpValue } from '../../../src/sources/pdu/session.ts';
import { SnmpError } from '../../../src/sources/pdu/snmp-error.ts';

const PEER = { address: 'pdu:161', version: '2c', user: null } as const;

/** An agent in memory with these objects, of whose answers every so manieth is lost. */
export function memoryAgent(
  objects: Readonly<Record<string, number | string>>,
  loses: () => boolean = () => false,
): PduSession {
  const all = Object.keys(objects).sort((a, b) => (oidFollows(a, b) ? -1 : 1));
  const value = (oid: string): SnmpValue => {
    const found = objects[oid];
    return {
      oid,
      value: typeof found === 'string' ? Buffer.from(found) : (found ?? null),
      counter64: false,
      type: typeof found === 'string' ? 4 : 2,
      end: false,
    };
  };
  const next = (oid: string): SnmpValue => {
    const found = all.find((each) => oidFollows(oid, each));
    return found === undefined ? { oid, value: null, counter64: false, end: true } : value(found);
  };
  const reply = async (values: readonly SnmpValue[]): Promise<SnmpReply> => {
    if (loses()) throw new SnmpError('timeout', PEER);
    return { values, timeMs: 1 };
  };
  return {
    peer: PEER,
    foreign: 0,
    get: (oids) => reply(oids.map(value)),
    getNext: (oids) => reply(oids.map(next)),
    getBulk(oid, repetitions) {
      const values: SnmpValue[] = [];
      for (let at = oid; values.length < repetitions; at = values.at(-1)?.oid ?? '') {
        values.push(next(at));
        if (values.at(-1)?.end) break;
      }
      return reply(values);
    },
    close() {},
  };
}
