// Words: title and text of a message by the templates of catalog/messages.json or of the channel, plain text both.

import messages from '#catalog/messages.json' with { type: 'json' };
import type { Severity } from '../../../model/severity.ts';
import type { Notification, What } from '../notification.ts';
import { cutBytes } from './escape.ts';
import { Templates } from './liquid.ts';

export interface Words {
  readonly title: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly colour: string;
}

export interface OwnTemplates {
  readonly title: string | null;
  readonly text: string | null;
}

const LONGEST_TITLE = 600;
const COLOURS: Readonly<Record<Severity, string>> = {
  critical: '#b00020',
  error: '#d9480f',
  warning: '#e8a300',
  info: '#5c7080',
};
const OVER = '#2e7d32';

const TITLES: Readonly<Record<string, string>> = messages.titles;
const TEXTS: Readonly<Record<string, string>> = messages.texts;

/** `longest`: bytes of the text. A template of the user that fails gives way to ours. */
export function wordsFor(own: OwnTemplates, longest: number): (notification: Notification) => Words {
  const templates = new Templates((text) => text);
  const standard = { titles: compiled(TITLES, templates), texts: compiled(TEXTS, templates) };
  const title = parsedOrNull(own.title, templates);
  const text = parsedOrNull(own.text, templates);
  return (notification) => {
    const context = contextOf(notification);
    const { what, severity } = notification;
    const made = (mine: Rendering | null, ours: ReadonlyMap<string, Rendering>) =>
      tried(mine, context) ?? (ours.get(what) ?? ours.get('opened'))?.(context) ?? '';
    const body = cutBytes(made(text, standard.texts).trim(), longest);
    return {
      title: cutBytes(made(title, standard.titles).replace(/\s+/g, ' ').trim(), LONGEST_TITLE),
      text: body,
      lines: body.split('\n').filter((line) => line.trim() !== ''),
      colour: OVERS.has(what) ? OVER : COLOURS[severity],
    };
  };
}

type Rendering = (context: object) => string;

const OVERS: ReadonlySet<What> = new Set(['resolved', 'test']);

/** What a template can name. No secret is in it. */
function contextOf(notification: Notification): object {
  const { incident: _, schema: __, ...rest } = notification;
  return rest;
}

function compiled(texts: Readonly<Record<string, string>>, templates: Templates): ReadonlyMap<string, Rendering> {
  return new Map(Object.entries(texts).map(([what, text]) => [what, templates.parse(text)]));
}

function parsedOrNull(text: string | null, templates: Templates): Rendering | null {
  if (text === null) return null;
  try {
    return templates.parse(text);
  } catch {
    return null; // notify-sink.ts reports it
  }
}

/** Null where it cannot be rendered, or says nothing. */
function tried(render: Rendering | null, context: object): string | null {
  try {
    const text = render?.(context).trim() ?? '';
    return text === '' ? null : text;
  } catch {
    return null;
  }
}
