// The SNMPv3 user of a configuration in the protocol library's numbers.

import snmp from 'net-snmp';
import { installDesPrivacy } from './des-privacy.ts';
import type { SnmpUser } from './settings.ts';
import { type Peer, SnmpError } from './snmp-error.ts';

/** RFC 3414 section 11.2: a passphrase has at least eight characters. */
const SHORTEST_KEY = 8;

/** Throws SnmpError `credentials` where a level lacks what it needs. */
export function snmpUser(user: SnmpUser | null, peer: Peer): snmp.User {
  if (user === null) throw new SnmpError('credentials', peer, 'SNMP v3 needs a user');
  const result: snmp.User = { name: user.name, level: snmp.SecurityLevel[user.level] };
  if (user.level === 'noAuthNoPriv') return result;
  result.authProtocol = snmp.AuthProtocols[user.authProtocol ?? 'sha256'];
  result.authKey = key(user.authKey, 'authentication', user.level, peer);
  if (user.level === 'authNoPriv') return result;
  result.privProtocol = snmp.PrivProtocols[user.privProtocol ?? 'aes'];
  if (user.privProtocol === 'des') installDesPrivacy();
  result.privKey = key(user.privKey, 'privacy', user.level, peer);
  return result;
}

function key(value: string | null, what: string, level: string, peer: Peer): string {
  if (value === null || value === '')
    throw new SnmpError('credentials', peer, `level ${level} needs a key for ${what}`);
  if (value.length < SHORTEST_KEY) {
    throw new SnmpError('credentials', peer, `the key for ${what} is shorter than ${SHORTEST_KEY} characters`);
  }
  return value;
}
