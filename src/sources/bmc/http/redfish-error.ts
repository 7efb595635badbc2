// What can go wrong between us and a BMC, with what to do. No text here ever carries a password or a token.

import { type Afterwards, DeviceError } from '../../devices/poll-answer.ts';

export type RedfishFault =
  | 'timeout'
  | 'network'
  | 'certificate'
  | 'certificate_changed'
  | 'credentials'
  | 'forbidden'
  | 'not_redfish'
  | 'bad_reply'
  | 'busy'
  | 'server'
  | 'too_large'
  | 'nothing'
  | 'missing'
  | 'no_tls'
  | 'closed';

const CODES: Record<RedfishFault, string> = {
  timeout: 'FL2301',
  network: 'FL2302',
  certificate: 'FL2303',
  certificate_changed: 'FL2314',
  credentials: 'FL2304',
  forbidden: 'FL2305',
  not_redfish: 'FL2306',
  bad_reply: 'FL2307',
  busy: 'FL2308',
  server: 'FL2309',
  too_large: 'FL2310',
  nothing: 'FL2311',
  missing: 'FL2312',
  no_tls: 'FL2313',
  closed: 'FL2302',
};

/** What follows from each: all of them can be put right on the BMC or on the way to it. */
const AFTERWARDS: Record<RedfishFault, Afterwards> = {
  timeout: 'retry',
  network: 'retry',
  certificate: 'retry',
  certificate_changed: 'retry',
  credentials: 'retry',
  forbidden: 'retry',
  not_redfish: 'retry',
  bad_reply: 'retry',
  busy: 'retry',
  server: 'retry',
  too_large: 'retry',
  nothing: 'retry',
  missing: 'retry',
  no_tls: 'retry',
  closed: 'ended',
};

/** Faults of one resource; the others are faults of the whole BMC. */
const OF_RESOURCE: ReadonlySet<RedfishFault> = new Set(['bad_reply', 'server', 'too_large', 'missing', 'forbidden']);

/** Whom we speak to, as far as it may be shown. */
export interface BmcPeer {
  /** URL without user information. */
  readonly url: string;
  readonly user: string | null;
}

export class RedfishError extends DeviceError {
  readonly fault: RedfishFault;
  readonly code: string;
  readonly remedy: string | null;
  readonly afterwards: Afterwards;
  override readonly refused: boolean;
  override readonly retryAfterMs: number;
  /** What it says besides its kind. */
  readonly detail: string;

  constructor(fault: RedfishFault, peer: BmcPeer, detail = '', retryAfterMs = 0) {
    const { text, remedy } = explain(fault, peer, detail);
    super(`${CODES[fault]} ${text}`);
    this.name = 'RedfishError';
    this.fault = fault;
    this.code = CODES[fault];
    this.remedy = remedy;
    this.afterwards = AFTERWARDS[fault];
    this.refused = fault === 'forbidden' || fault === 'credentials';
    this.retryAfterMs = retryAfterMs;
    this.detail = detail;
  }

  /** True when only one resource could not be read and the BMC is well otherwise. */
  get ofResource(): boolean {
    return OF_RESOURCE.has(this.fault);
  }
}

function explain(fault: RedfishFault, peer: BmcPeer, detail: string): { text: string; remedy: string | null } {
  const { url } = peer;
  const user = peer.user === null ? 'a request without a user' : `user "${peer.user}"`;
  switch (fault) {
    case 'timeout':
      return {
        text: `no complete answer from ${url} within ${detail}`,
        remedy: `Check that the BMC is reachable from this host: curl -k ${url}/redfish/v1 — and raise sources.bmc[].timeout where it is only slow.`,
      };
    case 'network':
      return {
        text: `cannot reach ${url}: ${detail}`,
        remedy: 'Check the address in sources.bmc[].url and the route to it.',
      };
    case 'certificate':
      return {
        text: `the certificate of ${url} is not trusted: ${detail}`,
        remedy:
          'Give its certificate or that of its issuer as sources.bmc[].ca_file (--ca-file), or that SHA-256 as sources.bmc[].pin (--pin) once you compared it with what the BMC itself shows; pin: first_use keeps the one that is shown first.',
      };
    case 'certificate_changed':
      return {
        text: `${url} shows another certificate than before: ${detail}; nothing was sent to it`,
        remedy:
          'Find out who replaced it. Where that was on purpose, give the new SHA-256 as sources.bmc[].pin (--pin); with first_use, stop the daemon and remove this BMC from bmc.json in its state folder.',
      };
    case 'credentials':
      return {
        text: `${url} rejects ${user}${detail}: wrong password or user`,
        remedy:
          peer.user === null
            ? 'Give a user with read rights: user and password_file in sources.bmc[] (--user, --password-file).'
            : 'Correct the password file. Tries are spaced out, so that the account is not locked.',
      };
    case 'forbidden':
      return {
        text: `${url} refuses ${user} ${detail}`,
        remedy: 'Give the user the role ReadOnly on the BMC.',
      };
    case 'not_redfish':
      return {
        text: `${url} answers, but not as a Redfish service: ${detail}`,
        remedy: 'Check that the URL is that of a BMC, without a path, and that Redfish is enabled in its settings.',
      };
    case 'bad_reply':
      return { text: `${url} sent an answer that is not valid: ${detail}`, remedy: 'Update the firmware of the BMC.' };
    case 'busy':
      return {
        text: `${url} has no room for another request or session${detail}`,
        remedy: 'End sessions that other tools left open on the BMC; it is asked again later.',
      };
    case 'server':
      return { text: `${url} failed with ${detail}`, remedy: null };
    case 'too_large':
      return { text: `${url} sent an answer beyond what is taken: more than ${detail}`, remedy: null };
    case 'nothing':
      return {
        text: `${url} is a Redfish service without power, fan or temperature data: ${detail}`,
        remedy: 'Check that the user may read the chassis, and that the URL is the BMC of the host.',
      };
    case 'missing':
      return { text: `${url} has no ${detail}`, remedy: null };
    case 'closed':
      return { text: `the session to ${url} was closed`, remedy: null };
    case 'no_tls':
      return {
        text: `${url} does not speak TLS there: ${detail}`,
        remedy: 'Write http:// where the BMC has no TLS, or correct the port.',
      };
  }
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|HOSTNAME_MISMATCH|INVALID_CA|CA_SIGNATURE/;

/** Translates an error of node:http or node:tls; its own text is dropped. */
export function transportError(error: unknown, peer: BmcPeer): RedfishError {
  if (error instanceof RedfishError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code).slice(0, 60) : '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return new RedfishError('certificate', peer, 'it is made out to another name');
  if (CERTIFICATE.test(code)) return new RedfishError('certificate', peer, code.toLowerCase().replaceAll('_', ' '));
  if (/^(EPROTO|ERR_SSL)/.test(code)) return new RedfishError('no_tls', peer, 'the TLS handshake fails');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new RedfishError('network', peer, 'the host name does not resolve');
  }
  if (/^HPE_/.test(code)) return new RedfishError('not_redfish', peer, 'what it sends is not HTTP');
  return new RedfishError('network', peer, /^E[A-Z_]{2,20}$/.test(code) ? code : 'the connection broke');
}
