// Deliveries of the notify sink: one queue for each channel, so that one that is down holds up no other.

import { join } from 'node:path';
import { redactUrls } from '../../model/redact.ts';
import { Delivery, type DeliveryCommon } from '../delivery/delivery.ts';
import { ofIncident } from '../delivery/send/of-incident.ts';
import type { Transport } from '../delivery/send/transport.ts';
import type { Message } from '../delivery/spool/frame.ts';
import type { Wording } from '../delivery/trouble.ts';
import { channelDefinition } from './channels/definition.ts';
import { type ChannelSurroundings, httpChannel } from './channels/http.ts';
import { notificationIn } from './channels/queued.ts';
import type { History } from './history.ts';
import type { ChannelConfig, NotifyConfig } from './settings.ts';

export interface DeliveriesOptions extends DeliveryCommon, ChannelSurroundings {
  readonly directory: string;
  /** Sees what becomes of each. */
  readonly history: History;
}

export async function deliveriesOf(
  { channels, caps }: NotifyConfig,
  options: DeliveriesOptions,
): Promise<ReadonlyMap<string, Delivery>> {
  const { directory, userAgent: _, threads: __, history, ...common } = options;
  const made = channels.map(async (channel) => {
    const delivery = new Delivery({
      ...common,
      directory: join(directory, channel.name),
      caps,
      mode: 'eager',
      transport: ofIncident(history.watching(await transportOf(channel, options)), incidentIn),
      wording: wordingOf(channel),
    });
    return [channel.name, delivery] as const;
  });
  return new Map(await Promise.all(made));
}

function incidentIn(message: Message): string | null {
  return notificationIn(message).facts?.id ?? null;
}

export async function transportOf(channel: ChannelConfig, surroundings: ChannelSurroundings): Promise<Transport> {
  if (channelDefinition(channel.type).transport !== 'smtp') return httpChannel(channel, surroundings);
  const { SmtpChannel } = await import('./channels/smtp.ts');
  return new SmtpChannel(channel);
}

/** Of a secret address only the host is shown. */
export function placeOf({ url, type }: ChannelConfig): string {
  return channelDefinition(type).secret_url === true ? new URL(url).host : redactUrls(url);
}

export function wordingOf(channel: ChannelConfig): Wording {
  return {
    what: 'notifications',
    message: 'message',
    receiver: `channel ${channel.name} (${channel.type})`,
    endpoint: placeOf(channel),
    capsSetting: 'notify.max_bytes and max_age',
    codes: {
      unreachable: 'FL3511',
      certificate: 'FL3512',
      closed: 'FL3513',
      refused: 'FL3514',
      partial: 'FL3514',
      disk: 'FL3515',
      dropped: 'FL3516',
      works: 'FL3517',
      damaged: 'FL3515',
    },
    advice: {
      unreachable: `Check the address of channel ${channel.name}, its proxy, and that this host may reach it`,
      deadline: 'It does not answer in time: look at its load, or raise the timeout of the channel',
      busy: 'It asks to wait: it takes fewer messages; lower the rate of the channel',
      failing: 'Look at the service’s own status',
      certificate: 'Check ca_file, certificate_file and key_file of the channel, and the names in its certificate',
      closed: `Check the secret, the address and the receiver of channel ${channel.name}: faultline notify test ${channel.name}`,
    },
    fields: { channel: channel.name },
  };
}
