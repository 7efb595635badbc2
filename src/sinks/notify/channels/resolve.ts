// A channel as written → as it is in force: what its type needs is there, what it does not take is refused, secrets are read.

import type { Findings } from '../../../config/findings.ts';
import type { FromSchema } from '../../../config/schema-parts.ts';
import { httpUrl, reachOf, refuseSecret, secretIn } from '../../message/receiver.ts';
import type { notify } from '../schema.ts';
import type { ChannelConfig } from '../settings.ts';
import { type ChannelDefinition, channelDefinition, type Given } from './definition.ts';

type RawChannel = FromSchema<typeof notify>['channels'][number];

interface Place {
  readonly pointer: string;
  readonly findings: Findings;
  readonly absolute: (path: string) => string;
}

/** How each is written, with an example. */
const KEYS: Readonly<Record<Given, readonly [keys: readonly (keyof RawChannel)[], example: string]>> = {
  url: [['url', 'secret_url', 'url_file'], 'url_file: /etc/faultline/channel-url'],
  secret: [['secret_file'], 'secret_file: /etc/faultline/channel-secret'],
  token: [['token_file'], 'token_file: /etc/faultline/channel-token'],
  to: [['to'], 'to: ["#ops"]'],
  from: [['from'], 'from: faultline@example.com'],
  user: [['user'], 'user: faultline'],
  format: [['format'], 'format: cloudevents'],
};

/** Null where something that it cannot do without is missing or wrong, which is reported. */
export function resolveChannel(raw: RawChannel, place: Place): ChannelConfig | null {
  const definition = channelDefinition(raw.type);
  const complete = hasWhatItNeeds(raw, definition, place);
  const url = urlOf(raw, definition, place);
  const secret = secretIn(raw.secret_file, 'secret_file', place);
  const token = secretIn(raw.token_file, 'token_file', place);
  const reach = reachOf(raw, place);
  if (definition.transport !== 'smtp' && raw.to.length > 1)
    place.findings.problem('FL1106', `${place.pointer}/to`, 'takes one receiver. Make a channel for each');
  if (!complete || url === null) return null;
  return {
    name: raw.name,
    type: raw.type,
    url,
    secret,
    token,
    user: raw.user ?? null,
    to: raw.to,
    from: raw.from ?? null,
    format: raw.format,
    rate: raw.rate ?? definition.rate,
    templates: { title: raw.title ?? null, text: raw.text ?? null },
    reach,
  };
}

function given(raw: RawChannel, what: Given): boolean {
  return KEYS[what][0].some((key) => {
    const value = raw[key];
    return value !== undefined && value !== 'json' && !(Array.isArray(value) && value.length === 0);
  });
}

function hasWhatItNeeds(raw: RawChannel, { needs, takes = [], url }: ChannelDefinition, place: Place): boolean {
  const allowed: readonly Given[] = [...needs, ...takes, ...(url === undefined ? [] : (['url'] as const))];
  for (const what of Object.keys(KEYS) as Given[]) {
    // the keys of that table
    if (!given(raw, what) || allowed.includes(what)) continue;
    place.findings.problem(
      'FL1106',
      place.pointer,
      `has ${KEYS[what][0].join(' or ')}, which ${raw.type} does not take. Remove it`,
    );
  }
  const missing = needs.filter((what) => !given(raw, what));
  for (const what of missing)
    place.findings.problem(
      'FL1106',
      place.pointer,
      `is of type ${raw.type} and needs ${KEYS[what][0].join(' or ')}. Write: ${KEYS[what][1]}`,
    );
  return missing.length === 0;
}

function urlOf(raw: RawChannel, definition: ChannelDefinition, place: Place): string | null {
  const { pointer, findings } = place;
  const keys = (['url', 'secret_url', 'url_file'] as const).filter((key) => raw[key] !== undefined);
  if (keys.length > 1) findings.problem('FL1110', pointer, `has ${keys.join(' and ')}. Remove one`);
  if (raw.url !== undefined && definition.secret_url === true) {
    const instead = `secret_url: \${CHANNEL_URL}, or url_file: <path>`;
    findings.problem(
      'FL1109',
      `${pointer}/url`,
      `of ${raw.type} is a secret and must not be written out. Write: ${instead}`,
    );
    return null;
  }
  const text = raw.url ?? raw.secret_url ?? secretIn(raw.url_file, 'url_file', place) ?? definition.url;
  if (text === undefined) return null;
  const smtp = definition.transport === 'smtp';
  const url = httpUrl(text, smtp ? ['smtp:', 'smtps:'] : undefined);
  const [key = 'url'] = keys;
  if (url === null) {
    findings.problem(
      'FL1106',
      `${pointer}/${key}`,
      smtp ? 'must be a URL. Write: url: smtp://mail:587' : 'must be a URL. Write: https://…',
    );
    return null;
  }
  if (raw.url !== undefined) refuseSecret(text, `${pointer}/url`, findings, 'user and secret_file');
  return url.username === '' && url.password === '' ? text.replace(/\/+$/, '') : null;
}
