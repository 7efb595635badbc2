// Sends a test message to channels, from this process: it needs the configuration and the network, and no daemon.

import { type Config, loadConfig } from '../../daemon/config.ts';
import { plain } from '../../model/plain.ts';
import { shownJson } from '../../model/shown-json.ts';
import { wordingOf as alertWording } from '../../sinks/alertmanager/deliveries.ts';
import { transportOf as alertTransport, testAlerts } from '../../sinks/alertmanager/send-test.ts';
import type { Outcome } from '../../sinks/delivery/send/outcome.ts';
import type { Transport } from '../../sinks/delivery/send/transport.ts';
import type { Wording } from '../../sinks/delivery/trouble.ts';
import { queued } from '../../sinks/notify/channels/queued.ts';
import { Threads } from '../../sinks/notify/channels/threads.ts';
import { placeOf, transportOf, wordingOf } from '../../sinks/notify/deliveries.ts';
import { testNotification } from '../../sinks/notify/test-notification.ts';
import type { CommandIo } from '../common/command-io.ts';
import { version } from '../common/version.ts';
import { noChannel } from './no-channel.ts';

export interface TestOptions {
  readonly config?: string;
  readonly json?: boolean;
}

interface Receiver {
  readonly name: string;
  readonly type: string;
  readonly place: string;
  readonly advice: Wording['advice'];
  readonly send: (nowMs: number) => Promise<Outcome>;
}

export async function sendTest(name: string | undefined, options: TestOptions, io: CommandIo): Promise<void> {
  const config = await loadConfig(options.config);
  const all = await receiversOf(config);
  const chosen = name === undefined ? all : all.filter((one) => one.name === name);
  if (chosen.length === 0)
    throw noChannel(
      name,
      all.map((one) => one.name),
    );
  const results = [];
  for (const { name: channel, type, place, advice, send } of chosen) {
    const outcome = await send(io.now());
    const ok = outcome.is === 'ok';
    const answer = ok ? null : whyOf(outcome);
    const remedy = remedyOf(outcome, advice);
    results.push({ channel, type, address: place, sent: ok, answer, remedy });
    if (options.json !== true)
      io.stdout.write(`${channel} (${type}, ${place}): ${ok ? 'sent' : `not sent: ${plain(answer ?? '')}`}\n`);
    if (options.json !== true && remedy !== null) io.stdout.write(`  ${plain(remedy)}\n`);
    if (!ok) io.status(1);
  }
  if (options.json === true) io.stdout.write(`${shownJson({ schema: 'faultline/notify-test/1', results })}\n`);
}

async function receiversOf({ host, notify, alertmanager }: Config): Promise<readonly Receiver[]> {
  const userAgent = `faultline/${version}`;
  const threads = new Threads(null);
  const channels = (notify?.channels ?? []).map(async (channel): Promise<Receiver> => {
    const transport = await transportOf(channel, { userAgent, now: Date.now, threads });
    const { name, type } = channel;
    const message = (nowMs: number) => queued(testNotification(name, host, nowMs));
    const { advice } = wordingOf(channel);
    return { name, type, place: placeOf(channel), advice, send: (nowMs) => once(transport, message(nowMs), nowMs) };
  });
  return [...(await Promise.all(channels)), ...replicasOf(alertmanager, host, userAgent)];
}

function replicasOf(alertmanager: Config['alertmanager'], host: string, userAgent: string): readonly Receiver[] {
  if (alertmanager === null) return [];
  return alertmanager.endpoints.map((endpoint) => {
    const transport = alertTransport(alertmanager, endpoint, userAgent);
    const send = (nowMs: number) => once(transport, testAlerts(alertmanager, host, nowMs), nowMs);
    const { advice } = alertWording(endpoint);
    return { name: 'alertmanager', type: 'alertmanager', place: endpoint, advice, send };
  });
}

async function once(transport: Transport, bytes: Buffer, timeMs: number): Promise<Outcome> {
  try {
    return await transport.send({ bytes, items: 1, timeMs });
  } finally {
    transport.close();
  }
}

/** What to do about it: by what the receiver answered where its channel knows that, else by the kind of trouble. */
function remedyOf(outcome: Outcome, advice: Wording['advice']): string | null {
  if (outcome.is === 'ok' || outcome.is === 'partial') return null;
  if (outcome.remedy !== undefined) return outcome.remedy;
  return outcome.is === 'fatal'
    ? 'Look at its own log'
    : advice[outcome.is === 'closed' ? 'closed' : outcome.difficulty];
}

function whyOf(outcome: Outcome): string {
  if (outcome.is === 'ok') return '';
  return outcome.is === 'partial' ? `some receivers were refused: ${outcome.message}` : outcome.why;
}
