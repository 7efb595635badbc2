// Lines of known drivers and file systems in words that no row has: reported by what the words of a fault are anywhere, by
// catalog/kernel-fault-words.json. Weaker than a row: which kind it is follows from who says it and from those words alone.

import catalog from '#catalog/kernel-fault-words.json' with { type: 'json' };
import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import { gpuAt, hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';
import { diskOf } from './storage-line.ts';

type Place = 'nic' | 'gpu' | 'disk' | 'pcie' | 'host';

interface Speaker {
  readonly place: Place;
  /** Kernel modules, before a PCI address. */
  readonly drivers: readonly string[];
  /** Other ways in which its lines begin; the first group is the device. */
  readonly heads: readonly string[];
  /** By the class of the words. */
  readonly kinds: Readonly<Record<string, Kind>>;
}

interface Class {
  readonly name: string;
  /** Any of them is enough. */
  readonly forms: readonly string[];
  readonly severity: Severity;
}

// Held against kinds and severities by test/detection/text/kernel-unlisted.test.ts.
export const SPEAKERS = Object.values(catalog.speakers as Readonly<Record<string, Speaker>>);
/** Of which every line that is reported here has one. */
export const UNLISTED_WORDS: readonly string[] = [
  ...SPEAKERS.flatMap(({ drivers }) => drivers.map((driver) => `${driver} 000`)),
  ...catalog.words,
];

/** Hosts have few PCI domains: the words of these lines need more than a driver's name. */
const DEVICE_HEAD =
  /^([\w-]{1,32}) (000[0-9a-f]:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?: \(unnamed net_device\)(?: \(\w{1,20}\))?| ([^\s:/]{1,15}))?: /;
const BY_DRIVER = new Map(SPEAKERS.flatMap((speaker) => speaker.drivers.map((driver) => [driver, speaker] as const)));
const HEADS = SPEAKERS.flatMap((speaker) => speaker.heads.map((head) => ({ speaker, head: new RegExp(`^${head}`) })));
const CLASSES = (catalog.classes as readonly Class[]).map((row) => ({ ...row, form: formOf(row.forms) }));
/** What a program asked for and did not get, settings, and what is over. */
const HARMLESS = formOf(catalog.harmless);
/** A kernel's own levels: 5 is a note, 6 is printed on an ordinary day. */
const MOST_LEVEL = 4;
const MAX_LINE = 300;
/** What a driver quotes, and names of processes, files and labels, may be a user's words: they come behind its own. */
const QUOTED = /["'`<]|\bcomm\b|\bprocess\b|\b(?:name|path|label|opts)\b|\s\/|\brenamed\b|\bmount(?:ed|ing)\b/i;
const MOST_WORDS = 120;
/** Drives without a medium report errors all day; what a loop device holds is an image that a user may have made. */
const REMOVABLE = /^(?:sr|fd|loop|zram|ram)\d/;

/** `level`: of the record, null where the stream has none. */
export function unlistedLine(text: string, level: number | null, context: KernelContext): Finding | null {
  if (text.length > MAX_LINE || (level !== null && level > MOST_LEVEL)) return null;
  const said = speakerOf(text);
  if (said === null) return null;
  if (said.name !== undefined && REMOVABLE.test(said.name)) return null;
  const after = text.slice(said.head, said.head + MOST_WORDS);
  const words = after.slice(0, QUOTED.exec(after)?.index ?? after.length).trimEnd();
  const known = HARMLESS.test(words)
    ? undefined
    : CLASSES.find(({ name, form }) => name in said.speaker.kinds && form.test(words));
  const kind = known === undefined ? undefined : said.speaker.kinds[known.name];
  if (known === undefined || kind === undefined) return null;
  return {
    kind,
    component: placed(said, context),
    severity: known.severity,
    attributes: { words: known.name, message: evidenceText(words) },
  };
}

function formOf(forms: readonly string[]): RegExp {
  const named: Readonly<Record<string, string | undefined>> = catalog.named;
  return new RegExp(
    forms.join('|').replace(/\{([a-z]+)\}/g, (text, name: string) => named[name] ?? text),
    'i',
  );
}

interface Said {
  readonly speaker: Speaker;
  /** Length of what is before the words. */
  readonly head: number;
  readonly address: string | undefined;
  readonly name: string | undefined;
}

function speakerOf(text: string): Said | null {
  const [begun, driver = '', address, name] = DEVICE_HEAD.exec(text) ?? [];
  const speaker = BY_DRIVER.get(driver);
  if (begun !== undefined && speaker !== undefined) return { speaker, head: begun.length, address, name };
  for (const { speaker: other, head } of HEADS) {
    const found = head.exec(text);
    if (found !== null) return { speaker: other, head: found[0].length, address: undefined, name: found[1] };
  }
  return null;
}

function placed({ speaker: { place }, address, name }: Said, context: KernelContext): Component | null {
  if (place === 'disk') return diskOf(name, context) ?? hostOf(context);
  if (place === 'gpu') return address === undefined ? null : gpuAt(address, context);
  if (place === 'host') return hostOf(context);
  const id = canonicalPciAddress(address ?? name ?? '');
  if (place === 'pcie') return id === null ? hostOf(context) : { type: 'pcie', id, host: context.host };
  const { host } = context;
  if (id === null) return name === undefined ? hostOf(context) : { type: 'nic', id: evidenceText(name), host };
  return { type: 'nic', id, host, ...(name === undefined ? {} : { aliases: [evidenceText(name)] }) };
}
