// What can go wrong between us and a PDU, with what to do. No text here ever carries a community, a key or a digest.

import { type Afterwards, DeviceError } from '../devices/poll-answer.ts';

export type SnmpFault =
  | 'timeout'
  | 'unknown_user'
  | 'wrong_digest'
  | 'security_level'
  | 'time_window'
  | 'decryption'
  | 'network'
  | 'not_a_pdu'
  | 'bad_reply'
  | 'refused'
  | 'version'
  | 'credentials'
  | 'too_big'
  | 'no_such_name'
  | 'closed';

const CODES: Record<SnmpFault, string> = {
  timeout: 'FL2101',
  unknown_user: 'FL2102',
  wrong_digest: 'FL2103',
  security_level: 'FL2104',
  time_window: 'FL2105',
  decryption: 'FL2106',
  network: 'FL2107',
  not_a_pdu: 'FL2108',
  bad_reply: 'FL2109',
  refused: 'FL2110',
  version: 'FL2111',
  credentials: 'FL2112',
  too_big: 'FL2113',
  no_such_name: 'FL2114',
  closed: 'FL2115',
};

/** Detail of what a device does that answers the discovery of its engine and no request of the user. */
export const DROPPED = 'the requests are dropped';

/** Whom we speak to and how, as far as it may be shown. */
export interface Peer {
  /** host:port */
  readonly address: string;
  readonly version: '1' | '2c' | '3';
  readonly user: string | null;
}

/** What follows from each. Keys and users are read once, at the start: what cannot be used will never be. */
const AFTERWARDS: Record<SnmpFault, Afterwards> = {
  timeout: 'retry',
  unknown_user: 'retry',
  wrong_digest: 'retry',
  security_level: 'retry',
  time_window: 'retry',
  decryption: 'retry',
  network: 'retry',
  not_a_pdu: 'retry',
  bad_reply: 'retry',
  refused: 'retry',
  version: 'retry',
  credentials: 'fatal',
  too_big: 'retry',
  no_such_name: 'retry',
  closed: 'ended',
};

export class SnmpError extends DeviceError {
  readonly fault: SnmpFault;
  readonly code: string;
  readonly remedy: string | null;
  readonly afterwards: Afterwards;
  /** For no_such_name: the OID that the agent named. */
  readonly oid: string | null;

  constructor(fault: SnmpFault, peer: Peer, detail = '', oid: string | null = null) {
    const { text, remedy } = explain(fault, peer, detail);
    super(`${CODES[fault]} ${text}`);
    this.name = 'SnmpError';
    this.fault = fault;
    this.code = CODES[fault];
    this.remedy = remedy;
    this.afterwards = AFTERWARDS[fault];
    this.oid = oid;
  }
}

function explain(fault: SnmpFault, peer: Peer, detail: string): { text: string; remedy: string | null } {
  const at = `${peer.address} (SNMP v${peer.version})`;
  const user = peer.user === null ? 'the user' : `user "${peer.user}"`;
  switch (fault) {
    case 'timeout':
      if (detail === DROPPED) {
        return {
          text: `${at} is there and answers the discovery of its engine, but nothing to the requests of ${user} that could be taken: one of authentication key or protocol, security level, or a context that the device does not give to this user`,
          remedy:
            'Compare level, authentication protocol and key file with the SNMPv3 user profile of the PDU, and give the user the default context.',
        };
      }
      return {
        text:
          peer.version === '3'
            ? `no answer from ${at}${detail}: wrong address or port, a firewall in between, the device is off, or it does not speak SNMPv3`
            : `no answer from ${at}${detail}: wrong address or port, a firewall in between, the device is off, this version is disabled on it, or the community is wrong (an agent does not answer a wrong community)`,
        remedy:
          peer.version === '3'
            ? `Check from this host: snmpget -v3 -l noAuthNoPriv -u anyone ${peer.address} 1.3.6.1.2.1.1.2.0 — "Unknown user name" means that the device is there.`
            : `Check from this host: snmpget -v${peer.version} -c COMMUNITY ${peer.address} 1.3.6.1.2.1.1.2.0`,
      };
    case 'unknown_user':
      return {
        text: `${at} does not know ${user}`,
        remedy: 'Create this SNMPv3 user on the PDU, or correct the user name.',
      };
    case 'wrong_digest':
      return {
        text: `${at} rejects the authentication of ${user}: wrong authentication key or protocol`,
        remedy: 'Compare authentication protocol and key file with the SNMPv3 user profile of the PDU.',
      };
    case 'security_level':
      return {
        text: `${at} does not support this security level for ${user}`,
        remedy: 'Set the level (noAuthNoPriv, authNoPriv, authPriv) to the one of the SNMPv3 user profile of the PDU.',
      };
    case 'time_window':
      return {
        text: `${at} rejects the message as outside its time window: the device restarted and lost its boot counter, or messages are replayed; the session starts again`,
        remedy: null,
      };
    case 'decryption':
      if (detail === DROPPED) {
        return {
          text: `${at} is there and answers the discovery of its engine, but drops the requests of ${user}: one of privacy key or protocol, security level, or a context that the device does not give to this user`,
          remedy:
            'Compare level, privacy protocol and key file with the SNMPv3 user profile of the PDU, and give the user the default context.',
        };
      }
      return {
        text: `${at} or this host could not decrypt a message of ${user}: wrong privacy key or protocol`,
        remedy: 'Compare privacy protocol and key file with the SNMPv3 user profile of the PDU.',
      };
    case 'network':
      return { text: `cannot send to ${at}: ${detail}`, remedy: 'Check the host name and the route to it.' };
    case 'not_a_pdu':
      return {
        text: `${at} answers, but has no PDU tables that the catalogue knows: ${detail}`,
        remedy: `If it is a PDU or UPS, save what is needed to add it, with serials, names and addresses replaced: faultline probe pdu ${peer.address} --walk FILE — one file in catalog/pdu is all that a model takes. Else correct the address.`,
      };
    case 'bad_reply':
      return { text: `${at} sent a reply that is not valid: ${detail}`, remedy: 'Update the firmware of the PDU.' };
    case 'refused':
      return {
        text: `${at} refuses the request: ${detail}`,
        remedy: 'Give the community or user read access to the enterprise tree of the PDU.',
      };
    case 'version':
      return {
        text: `${at} answers in another SNMP version`,
        remedy: 'Set the version to the one that the PDU speaks.',
      };
    case 'credentials':
      return {
        text: `the SNMP credentials for ${at} cannot be used: ${detail}`,
        remedy: 'Correct the user section of this PDU.',
      };
    case 'too_big':
      return { text: `${at} cannot put even one value into a reply`, remedy: null };
    case 'no_such_name':
      return { text: `${at} has no such object`, remedy: null };
    case 'closed':
      return { text: `the session to ${at} was closed`, remedy: null };
  }
}

// Texts of the protocol library for the six usmStats counters (RFC 3414 section 5), by their beginning.
const USM_TEXTS: readonly (readonly [string, SnmpFault])[] = [
  ['Unsupported Security Level', 'security_level'],
  ['Not In Time Window', 'time_window'],
  ['Unknown User Name', 'unknown_user'],
  ['Unknown Engine ID', 'time_window'],
  ['Wrong Digest', 'wrong_digest'],
  ['Decryption Error', 'decryption'],
  ['Authentication digest', 'wrong_digest'],
];

// ResponseInvalidCode of net-snmp 3.29.
const INVALID_CODES: Record<number, SnmpFault | 'community' | 'context'> = {
  4: 'decryption',
  5: 'wrong_digest',
  9: 'version',
  10: 'community',
  11: 'context',
  14: 'time_window',
};

// error-status values (RFC 3416 section 3) that are no failure of the device.
const STATUS_TOO_BIG = 1;
const STATUS_NO_SUCH_NAME = 2;
const STATUS_NAMES: Record<number, string> = {
  5: 'general error',
  6: 'no access',
  13: 'resource unavailable',
  16: 'authorization error',
};

function property(error: object, name: string): unknown {
  return name in error ? (error as Record<string, unknown>)[name] : undefined; // any object may be read by name
}

/** Translates an error of the protocol library; its own text is dropped, for it may quote community or digest. */
export function snmpError(error: unknown, peer: Peer): SnmpError {
  if (error instanceof SnmpError) return error;
  if (typeof error !== 'object' || error === null)
    return new SnmpError('bad_reply', peer, 'the reply could not be read');
  const name = property(error, 'name');
  const message = String(property(error, 'message') ?? '');
  if (name === 'RequestTimedOutError') return new SnmpError('timeout', peer);
  if (name === 'RequestFailedError') {
    const status = Number(property(error, 'status'));
    if (status === STATUS_TOO_BIG) return new SnmpError('too_big', peer);
    const oid = /: \.?([\d.]{1,512})$/.exec(message)?.[1] ?? null;
    if (status === STATUS_NO_SUCH_NAME) return new SnmpError('no_such_name', peer, '', oid);
    return new SnmpError('refused', peer, STATUS_NAMES[status] ?? `error status ${status}`);
  }
  if (name === 'ResponseInvalidError') {
    const usm = USM_TEXTS.find(([text]) => message.startsWith(text));
    if (usm !== undefined) return new SnmpError(usm[1], peer);
    const fault = INVALID_CODES[Number(property(error, 'code'))] ?? 'bad_reply';
    if (fault === 'community')
      return new SnmpError('refused', peer, 'it answers with another community than it was asked with');
    if (fault === 'context')
      return new SnmpError(
        'refused',
        peer,
        'it reports an error that is not of user or key: the context that was asked for is not there, or not for this user',
      );
    return new SnmpError(
      fault,
      peer,
      message.includes('precede') ? 'object identifiers do not increase' : 'it does not match the request',
    );
  }
  const code = property(error, 'code');
  if (typeof code === 'string' && /^E[A-Z_]{2,20}$/.test(code)) {
    return new SnmpError(
      'network',
      peer,
      code === 'ENOTFOUND' || code === 'EAI_AGAIN' ? 'the host name does not resolve' : code,
    );
  }
  return new SnmpError('bad_reply', peer, 'the reply could not be read');
}
