// Ids of SNMP requests from a source that cannot be guessed: who can guess them can answer in the device's place.

import { randomInt } from 'node:crypto';
import type snmp from 'net-snmp';

const MOST = 2 ** 31 - 1;

/** What the protocol library hands to `send`: a message that is not encoded yet. */
interface Outgoing {
  readonly message: {
    readonly pdu: { id: number };
    /** SNMPv3 only. */
    readonly msgGlobalData?: { msgID: number };
  };
}

/** The library's own ids are 27 bits of Math.random, which a few of them give away. */
export function giveUnguessableIds(session: snmp.Session): void {
  const inside = session as unknown as { send(outgoing: Outgoing, ...more: unknown[]): unknown }; // not in its types
  const send = inside.send.bind(session);
  inside.send = (outgoing, ...more) => {
    outgoing.message.pdu.id = randomInt(1, MOST);
    if (outgoing.message.msgGlobalData) outgoing.message.msgGlobalData.msgID = randomInt(1, MOST);
    return send(outgoing, ...more);
  };
}
