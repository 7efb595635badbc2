// Deliveries of the Alertmanager sink: one for each replica, so that one that is down holds up no other.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { redactUrls } from '../../model/redact.ts';
import { Delivery, type DeliveryCommon } from '../delivery/delivery.ts';
import { HttpTransport } from '../delivery/send/http-transport.ts';
import { ofIncident } from '../delivery/send/of-incident.ts';
import type { Message } from '../delivery/spool/frame.ts';
import type { Wording } from '../delivery/trouble.ts';
import type { Alert, PostableAlert } from './alert.ts';
import type { AlertBook } from './alert-book.ts';
import type { AlertmanagerConfig } from './settings.ts';

/** What waits in the queue; without alerts: all that are open. */
export interface Queued {
  readonly alerts: readonly Alert[] | null;
}

/** A receiver that answers 500 for an hour and more is waited for; what it never takes is given up after two hours. */
const TRIES = 256;

interface Options extends DeliveryCommon {
  readonly directory: string;
  readonly userAgent: string;
  readonly book: AlertBook;
}

export function deliveriesOf(config: AlertmanagerConfig, options: Options): ReadonlyMap<string, Delivery> {
  return new Map(
    config.endpoints.map((endpoint) => {
      const { host } = new URL(endpoint);
      const folder = createHash('sha256').update(endpoint).digest('hex').slice(0, 12);
      return [
        config.endpoints.length === 1 ? '' : host,
        deliveryOf(endpoint, join(options.directory, folder), config, options),
      ];
    }),
  );
}

function deliveryOf(endpoint: string, directory: string, config: AlertmanagerConfig, options: Options): Delivery {
  const { book, userAgent, now } = options;
  const { reach, headers, caps } = config;
  return new Delivery({
    ...options,
    directory,
    caps,
    mode: 'eager',
    transport: ofIncident(
      new HttpTransport({
        target: { endpoint, tls: endpoint.startsWith('https:'), headers, compression: 'none', ...reach },
        contentType: 'application/json',
        userAgent,
        tries: TRIES,
        requestOf: async ({ bytes }) => {
          const alerts = alertsIn(bytes, book, now());
          if (alerts.length === 0) return { is: 'ok' };
          return { endpoint, headers: {}, body: Buffer.from(JSON.stringify(alerts)) };
        },
      }),
      incidentIn,
    ),
    wording: wordingOf(redactUrls(endpoint)),
  });
}

/** All that are open are sent again for no single one. */
function incidentIn({ bytes }: Message): string | null {
  const ids = new Set(queuedIn(bytes).alerts?.map(({ labels }) => labels.incident));
  const [id] = ids;
  return ids.size === 1 && id !== undefined ? id : null;
}

function queuedIn(bytes: Uint8Array): Queued {
  return JSON.parse(Buffer.from(bytes).toString()); // written by this sink, and checked by its frame
}

function alertsIn(bytes: Uint8Array, book: AlertBook, nowMs: number): readonly PostableAlert[] {
  const { alerts } = queuedIn(bytes);
  return alerts === null ? book.all(nowMs) : book.asNow(alerts, nowMs);
}

export function messageOf(alerts: readonly Alert[] | null): Buffer {
  const queued: Queued = { alerts };
  return Buffer.from(JSON.stringify(queued));
}

export function wordingOf(endpoint: string): Wording {
  return {
    what: 'alerts',
    message: 'request',
    receiver: 'Alertmanager',
    endpoint,
    capsSetting: 'alertmanager.max_bytes and max_age',
    codes: {
      unreachable: 'FL3501',
      certificate: 'FL3502',
      closed: 'FL3503',
      refused: 'FL3504',
      partial: 'FL3504',
      disk: 'FL3505',
      dropped: 'FL3506',
      works: 'FL3507',
      damaged: 'FL3508',
    },
    advice: {
      unreachable: 'Check that Alertmanager runs and that alertmanager.urls is right',
      deadline: 'It does not answer in time: look at its load, or raise alertmanager.timeout',
      busy: 'It asks to wait: look at its load',
      failing: "Look at Alertmanager's own log",
      certificate: 'Check alertmanager.ca_file, certificate_file and key_file, and the names in its certificate',
      closed: 'Check user, password_file and token_file, and that the URL ends where /api/v2/alerts begins',
    },
    fields: {},
  };
}
