// The webhook sink: one POST for each revision of an incident, with an idempotency key, at least once.

import { join } from 'node:path';
import type { Incident } from '../../../../src/model/incident.ts';
import type { SinkContext } from '../../../../src/sinks/define-sink.ts';
import { Delivery, type DeliveryCommon } from '../../../../src/sinks/delivery/delivery.ts';
import { DeliverySet } from '../../../../src/sinks/delivery/delivery-set.ts';
import { catchUp } from '../../../../src/sinks/delivery/journal/catch-up.ts';
import { SentMarks } from '../../../../src/sinks/delivery/journal/sent-marks.ts';
import { HttpTransport } from '../../../../src/sinks/delivery/send/http-transport.ts';
import { DiskLane } from '../../../../src/sinks/delivery/spool/disk-lane.ts';
import { messageId } from '../../../../src/sinks/delivery/spool/frame.ts';
import type { Wording } from '../../../../src/sinks/delivery/trouble.ts';
import type { Sink } from '../../../../src/sinks/sink.ts';

export interface WebhookOptions extends Partial<DeliveryCommon> {
  readonly timeoutMs?: number;
  readonly caps?: { readonly maxBytes: number; readonly maxAgeMs: number };
}

export interface WebhookSink extends Sink {
  readonly delivery: Delivery;
}

const PLAIN = {
  tls: false,
  caFile: null,
  keyFile: null,
  certificateFile: null,
  headers: {},
  compression: 'none',
} as const;

export async function createWebhookSink(
  url: string,
  context: SinkContext,
  { timeoutMs = 1_000, caps = { maxBytes: 1 << 24, maxAgeMs: 86_400_000 }, ...more }: WebhookOptions = {},
): Promise<WebhookSink> {
  const { stateDirectory, known, loggedAfter, logger, now } = context;
  const directory = join(stateDirectory, 'spool', 'webhook');
  const lane = new DiskLane();
  const { journal, unsent } = await catchUp({ path: join(directory, 'sent'), lane, known, loggedAfter });
  const delivery = new Delivery({
    directory: join(directory, 'incidents'),
    caps,
    mode: 'eager',
    lane,
    logger,
    now,
    transport: new HttpTransport({
      target: { endpoint: url, timeoutMs, ...PLAIN },
      contentType: 'application/json',
      userAgent: `faultline/${context.version}`,
      headersOf: (message) => ({ 'idempotency-key': messageId(message) }),
    }),
    wording: wordingOf(url),
    ...more,
  });
  const set = new DeliverySet('webhook', new Map([['', delivery]]));
  const marks = new SentMarks(journal, () => delivery.flushed());
  const send = (incident: Incident) => {
    const { id, revision, state, updatedMs } = incident;
    delivery.push(Buffer.from(JSON.stringify({ id, revision, state })), 1, updatedMs);
    marks.handedOver(incident);
    void marks.write();
  };
  return {
    name: 'webhook',
    delivery,
    start() {
      set.start();
      for (const entry of unsent) if ('incident' in entry) send(entry.incident);
    },
    event() {},
    incident: send,
    health: () => set.health(),
    counts: () => set.counts(),
    stop: () => set.stop(Promise.resolve(), () => marks.write()),
  };
}

function wordingOf(endpoint: string): Wording {
  const code = (number: number) => `FL99${String(number).padStart(2, '0')}`;
  return {
    what: 'notifications',
    message: 'message',
    receiver: 'the webhook',
    endpoint,
    capsSetting: 'webhook.spool',
    codes: {
      unreachable: code(1),
      certificate: code(2),
      closed: code(3),
      refused: code(4),
      partial: code(5),
      disk: code(6),
      dropped: code(7),
      works: code(8),
      damaged: code(9),
    },
    advice: {
      unreachable: 'Check the address',
      deadline: 'It is slow',
      busy: 'It is busy',
      failing: 'Look at its log',
      certificate: 'Check the certificate',
      closed: 'Check the token',
    },
    fields: {},
  };
}
