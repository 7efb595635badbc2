// Deliver: the queue of the NVSentinel sink, one for the one connector of this node.

import { readSecret } from '../../config/secret.ts';
import { Delivery, type DeliveryCommon } from '../delivery/delivery.ts';
import { type GrpcRequest, GrpcTransport } from '../delivery/send/grpc/grpc-transport.ts';
import { ofIncident } from '../delivery/send/of-incident.ts';
import { type Outcome, retry } from '../delivery/send/outcome.ts';
import type { Message } from '../delivery/spool/frame.ts';
import type { Wording } from '../delivery/trouble.ts';
import type { CheckBook, Queued } from './check-book.ts';
import { encodeHealthEvents, PATH } from './encode.ts';
import type { NvsentinelConfig } from './settings.ts';

interface Options extends DeliveryCommon {
  readonly directory: string;
  readonly userAgent: string;
  readonly book: CheckBook;
}

export function deliveryTo(config: NvsentinelConfig, options: Options): Delivery {
  const { socket, tokenFile, timeoutMs, caps } = config;
  const { book, userAgent } = options;
  const requestOf = async (message: Message): Promise<GrpcRequest | Outcome> => {
    const event = book.asNow(queuedIn(message));
    if (event === null) return { is: 'ok' };
    const token = tokenFile === null ? null : readSecret(tokenFile);
    if (token !== null && 'error' in token) return retry('certificate', `nvsentinel.token_file ${token.error}`);
    // The kubelet renews it: what it was at the start is no longer valid an hour later.
    return {
      body: encodeHealthEvents([event]),
      headers: token === null ? {} : { authorization: `Bearer ${token.value}` },
    };
  };
  return new Delivery({
    ...options,
    caps,
    mode: 'eager',
    transport: ofIncident(
      new GrpcTransport({
        target: {
          endpoint: `unix://${socket}`,
          tls: false,
          headers: {},
          timeoutMs,
          compression: 'none',
          caFile: null,
          certificateFile: null,
          keyFile: null,
        },
        path: PATH,
        userAgent,
        requestOf,
      }),
      (message) => queuedIn(message).incident,
    ),
    wording: wordingOf(socket),
  });
}

export function messageOf(queued: Queued): Buffer {
  return Buffer.from(JSON.stringify(queued));
}

function queuedIn({ bytes }: Message): Queued {
  return JSON.parse(Buffer.from(bytes).toString()) as Queued; // written by this sink, and checked by its frame
}

function wordingOf(socket: string): Wording {
  return {
    what: 'health events',
    message: 'event',
    receiver: "NVSentinel's platform connector",
    endpoint: socket,
    capsSetting: 'nvsentinel.max_bytes and max_age',
    codes: {
      unreachable: 'FL3541',
      certificate: 'FL3542',
      closed: 'FL3543',
      refused: 'FL3544',
      partial: 'FL3544',
      disk: 'FL3545',
      dropped: 'FL3546',
      works: 'FL3547',
      damaged: 'FL3545',
    },
    advice: {
      unreachable:
        'Check nvsentinel.socket, that the platform connector runs on this node, and that this user may write to the socket',
      deadline: 'It does not answer in time: look at its load, or raise nvsentinel.timeout',
      busy: 'It takes no more at present: look at its own log',
      failing: 'Look at its own log',
      certificate: 'Check nvsentinel.token_file',
      closed: 'Check nvsentinel.token_file and node_name: without a token it takes events about its own node only',
    },
    fields: {},
  };
}
