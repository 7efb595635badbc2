// Shows what channels would be sent of an incident: title and text, or the whole request without its secrets.

import { loadConfig } from '../../daemon/config.ts';
import { incidentToDocument } from '../../model/documents/incident.ts';
import type { Incident } from '../../model/incident.ts';
import { shownJson } from '../../model/shown-json.ts';
import { factsOf } from '../../sinks/message/facts.ts';
import { channelDefinition } from '../../sinks/notify/channels/definition.ts';
import { NOTIFICATION_SCHEMA, type Notification, WHATS, type What } from '../../sinks/notify/notification.ts';
import type { ChannelConfig, NotifyConfig } from '../../sinks/notify/settings.ts';
import { testNotification } from '../../sinks/notify/test-notification.ts';
import { templateTrouble } from '../../sinks/notify/write/liquid.ts';
import { mailOf } from '../../sinks/notify/write/mail.ts';
import { writerOf } from '../../sinks/notify/write/request.ts';
import { wordsFor } from '../../sinks/notify/write/words.ts';
import type { CommandIo } from '../common/command-io.ts';
import { findIncident } from '../common/find-incident.ts';
import { CommandError, type LogOptions, logDirectoryOf } from '../common/incident-context.ts';
import { madeUpIncident } from './made-up-incident.ts';
import { noChannel } from './no-channel.ts';
import { alertPreview, isAlerted } from './preview-alert.ts';

export interface PreviewOptions extends LogOptions {
  readonly channel?: string;
  readonly what?: string;
  readonly json?: boolean;
}

const HIDDEN = 'REDACTED';
const ALERTS = 'alertmanager';

export async function previewNotifications(
  given: string | undefined,
  options: PreviewOptions,
  io: CommandIo,
): Promise<void> {
  const { notify, alertmanager, host } = await loadConfig(options.config);
  const isMeant = (name: string) => options.channel === undefined || name === options.channel;
  const names = [...(notify?.channels ?? []).map(({ name }) => name), ...(alertmanager === null ? [] : [ALERTS])];
  if (!names.some(isMeant)) throw noChannel(options.channel, names);
  const incident =
    given === undefined
      ? madeUpIncident(host, io.now())
      : await findIncident(given, await logDirectoryOf(options), io, true);
  const what = whatOf(options.what, incident);
  for (const channel of notify?.channels ?? []) {
    if (notify === null || !isMeant(channel.name)) continue;
    warnOfTemplates(channel, io);
    const notification = notificationOf(channel, notify, incident, what, io.now());
    if (options.json === true)
      io.stdout.write(`${shownJson({ channel: channel.name, ...requestOf(channel, notification, io.now()) })}\n`);
    else io.stdout.write(textOf(channel, notification));
  }
  if (alertmanager === null || !isMeant(ALERTS)) return;
  if (isAlerted(what)) io.stdout.write(alertPreview(alertmanager, incident, what, io.now(), options.json === true));
  else io.stderr.write(`Alertmanager is not sent "${what}": it repeats, groups and escalates by its own rules\n`);
}

function whatOf(given: string | undefined, { state }: Incident): What {
  if (given === undefined) return state === 'open' ? 'opened' : 'resolved';
  const what = WHATS.find((each) => each === given);
  if (what === undefined) throw new CommandError(2, `FL3521 "${given}" is not sent. Write one of ${WHATS.join(', ')}`);
  return what;
}

function notificationOf(
  channel: ChannelConfig,
  notify: NotifyConfig,
  incident: Incident,
  what: What,
  nowMs: number,
): Notification {
  const base = testNotification(channel.name, incident.host, nowMs);
  if (what === 'test') return base;
  const whole = channelDefinition(channel.type).document === true;
  return {
    ...base,
    schema: NOTIFICATION_SCHEMA,
    key: `${incident.id}-${channel.name}-${what}`,
    conversation: `${incident.host}/${incident.id}`,
    what,
    severity: incident.severity,
    reason: what === 'revised' ? 'warning → error' : what === 'acknowledged' ? 'by anna' : null,
    facts: factsOf(incident, notify.runbooks),
    digest:
      what === 'digest' || what === 'held'
        ? { count: 3, listed: [], more: 3, limit: notify.limitADay, at: '08:00' }
        : null,
    incident: whole ? incidentToDocument(incident) : null,
  };
}

function textOf(channel: ChannelConfig, notification: Notification): string {
  const { title, text } = wordsFor(channel.templates, channelDefinition(channel.type).longest)(notification);
  return `${channel.name} (${channel.type})\n  ${title}\n${text.replace(/^/gm, '    ')}\n`;
}

/** As it would be sent, with other words in the place of secrets. */
function requestOf(channel: ChannelConfig, notification: Notification, nowMs: number): object {
  const { secret_url: secretUrl, transport } = channelDefinition(channel.type);
  const hidden = {
    ...channel,
    secret: channel.secret === null ? null : HIDDEN,
    token: channel.token === null ? null : HIDDEN,
    url: secretUrl === true ? `${new URL(channel.url).origin}/${HIDDEN}` : channel.url,
  };
  if (transport === 'smtp') return { url: hidden.url, mail: mailOf(hidden)(notification) };
  const { endpoint, headers, body } = writerOf(hidden)(notification, null, nowMs);
  return { url: endpoint, headers, body: JSON.parse(body.toString()) };
}

function warnOfTemplates({ name, templates }: ChannelConfig, io: CommandIo): void {
  for (const [key, text] of Object.entries(templates)) {
    const trouble = text === null ? null : templateTrouble(text);
    if (trouble !== null)
      io.stderr.write(`FL3519 ${key} of channel ${name} is not a Liquid template: ${trouble}. Ours is used\n`);
  }
}
