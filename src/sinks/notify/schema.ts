// The notify section of the schema.

import { choice, duration, item, list, optionalPath, section, size } from '../../config/schema-parts.ts';
import { SEVERITIES } from '../../model/severity.ts';
import { LABELS, REACH } from '../message/receiver.ts';
import { CHANNEL_TYPES } from './channels/definition.ts';

const text = <const X extends string>(description: string, example: X, maxLength = 256) =>
  ({ type: 'string', description, minLength: 1, maxLength, examples: [example] }) as const;

const TIME = { pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', form: 'a time of a day, HH:MM' } as const;
const NAME = {
  pattern: '^[a-z0-9][a-z0-9_-]{0,40}$',
  form: 'a name of lower-case letters, digits, "-" and "_"',
} as const;

const names = <const X extends string>(description: string, example: X, most = 16) =>
  list(description, { type: 'string', minLength: 1, maxLength: 256, examples: [example] } as const, most);

/** A duration without a default. */
const span = <const X extends string>(description: string, example: X, min: string, max: string) => {
  const { default: _, ...rest } = duration(description, example, min, max);
  return { ...rest, examples: [example] } as const;
};

const channel = item(
  {
    name: { type: 'string', description: 'What routes and commands call it.', ...NAME, examples: ['ops'] },
    type: { type: 'string', description: 'What takes the messages.', enum: CHANNEL_TYPES, examples: ['webhook'] },
    url: text('Address, of a webhook or a mail server.', 'https://hooks.example/faultline', 2048),
    secret_url: {
      type: 'string',
      description: 'Address that is a secret, as of Slack, Teams, DingTalk and WeCom, from a variable.',
      minLength: 1,
      maxLength: 4096,
      secret: true,
      instead: `secret_url: \${CHANNEL_URL}, or url_file: <path>`,
      examples: [`\${SLACK_URL}`],
    },
    url_file: optionalPath('File with the address.', '/etc/faultline/slack-url'),
    secret_file: optionalPath(
      'File with the key, token or password of the channel, or with what webhooks are signed with.',
      '/etc/faultline/pagerduty-key',
    ),
    token_file: optionalPath('File with a bearer token for a webhook.', '/etc/faultline/hook-token'),
    user: text('User of the mail server.', 'faultline'),
    to: names('Channel, chat or mail addresses.', '#ops', 32),
    from: text('Mail address of the sender.', 'faultline@example.com'),
    format: choice(
      'Of a webhook: the document alone, in a CloudEvent (1.0, structured), or with the attributes of one as headers (binary).',
      DOCUMENT_FORMATS,
      'json',
    ),
    rate: {
      type: 'integer',
      description: 'Messages a minute; what the receiver allows when left out.',
      minimum: 1,
      maximum: 10_000,
      examples: [20],
    },
    title: text('Liquid template of the title; ours when left out.', '{{ facts.severity }}: {{ facts.title }}', 4096),
    text: text('Liquid template of the text; ours when left out.', '{{ facts.action }}', 16_384),
    ...REACH,
  },
  ['name', 'type'],
);

const route = item(
  {
    to: names('Channels, by name.', 'ops'),
    severity: choice('Least severity.', SEVERITIES, 'error'),
    match: list(
      'Conditions on labels that must all hold.',
      { type: 'string', maxLength: 256, examples: ['kind=~"gpu[.].*"'] } as const,
      8,
    ),
    min_confidence: {
      type: 'integer',
      description: 'Least confidence in percent.',
      minimum: 0,
      maximum: 100,
      default: 0,
    },
    group_by: list(
      'Labels: incidents that have the same of all of them are one conversation. Each by itself when left out.',
      { type: 'string', pattern: '^[a-z][a-z0-9_]{0,62}$', form: 'the name of a label', examples: ['job'] } as const,
      8,
    ),
    repeat: span(
      'Sent again this often while it is open and not acknowledged; never when left out.',
      '4h',
      '10m',
      '30d',
    ),
    quiet_from: { type: 'string', description: 'Quiet hours: held back from then.', ...TIME, examples: ['22:00'] },
    quiet_to: {
      type: 'string',
      description: 'Until then; what is still open is sent at that time.',
      ...TIME,
      examples: ['07:00'],
    },
    quiet_except: choice('From this severity on it is never held back.', SEVERITIES, 'critical'),
    escalate_after: span('Sent to escalate_to where it is open and not acknowledged after this.', '15m', '1m', '7d'),
    escalate_to: names('Channels that are asked next.', 'boss'),
  },
  ['to'],
);

import { DOCUMENT_FORMATS } from './write/document.ts';

export const notify = section(
  'Notifications to people, without an Alertmanager. Off, at no cost, until there is a channel.',
  {
    channels: list('Who takes messages. faultline notify test NAME sends one.', channel, 32),
    routes: list(
      'What goes where: every route that fits counts. Everything from error up to all channels when left out.',
      route,
      64,
    ),
    labels: LABELS,
    runbooks: text(
      'Address under which docs/ is served, for links to runbooks.',
      'https://wiki.example/faultline',
      1024,
    ),
    limit_a_day: {
      type: 'integer',
      description: 'New notifications of each channel in a day; further ones are held back and listed in the digest.',
      minimum: 1,
      maximum: 100_000,
      default: 50,
    },
    digest_at: {
      type: 'string',
      description: 'When what was held back is sent as one message; nothing where nothing was.',
      ...TIME,
      default: '08:00',
    },
    time_zone: text('Zone of all times of a day; UTC when left out.', 'Europe/Berlin', 64),
    max_bytes: size(
      'Kept on disk for each channel while it takes nothing; the oldest go first.',
      '16MiB',
      '1MiB',
      '16GiB',
    ),
    max_age: duration('Messages that waited longer are not sent any more.', '24h', '1h', '30d'),
  },
);
