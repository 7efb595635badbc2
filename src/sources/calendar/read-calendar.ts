// Reads an iCalendar file: which of its entries are about this host, and when, repeats and exceptions included.

import ICAL from 'ical.js';
import { errorText } from '../../helpers/error-text.ts';
import type { DeclaredPlan } from '../declared-plans.ts';
import type { CalendarFile } from './settings.ts';
import { wallMs } from './zone.ts';

const MOST_ENTRIES = 2000;
/** Repeats of one entry that are gone through: a daily one of twenty years has 7,300. */
const MOST_REPEATS = 20_000;
const MOST_PLANS = 256;
const MOST_TEXT = 200;
/** Entries that ended this long ago are left out, and those that begin this much later wait for a later look. */
const BACK_MS = 86_400_000;
const MOVED_MS = 60 * 86_400_000;
export const AHEAD_MS = 14 * 86_400_000;
const PLACES = ['location', 'resources', 'categories', 'x-faultline-hosts'] as const;

export interface CalendarPlace {
  readonly host: string;
  readonly nowMs: number;
  /** Epoch ms on the steady clock of what the wall clock showed. */
  readonly steady: (wallMs: number) => number;
}

export interface CalendarRead {
  readonly plans: readonly DeclaredPlan[];
  /** Entries that name no host that this one is; a misspelt name is among them. */
  readonly elsewhere: number;
  /** What was passed over and why, in words. */
  readonly doubts: readonly string[];
}

/** Throws an Error with what is wrong where it is not a calendar. */
export function readCalendar(text: string, { applies }: Pick<CalendarFile, 'applies'>, place: CalendarPlace): CalendarRead {
  const root = new ICAL.Component(ICAL.parse(text));
  if (root.name !== 'vcalendar') throw new Error('it is not an iCalendar file: it does not begin with BEGIN:VCALENDAR');
  const all = root.getAllSubcomponents('vevent').slice(0, MOST_ENTRIES);
  const plans: DeclaredPlan[] = [];
  const doubts: string[] = [];
  let elsewhere = 0;
  for (const master of all) {
    if (master.hasProperty('recurrence-id') || isCancelled(master)) continue;
    if (applies === 'named' && !namesHost(master, place.host)) {
      elsewhere += 1;
      continue;
    }
    const uid = textOf(master, 'uid') ?? '';
    const others = all.filter((other) => other.hasProperty('recurrence-id') && textOf(other, 'uid') === uid);
    try {
      plans.push(...plansOf(master, others, place));
    } catch (error) {
      doubts.push(`${textOf(master, 'summary') ?? uid}: ${errorText(error)}`.slice(0, MOST_TEXT));
    }
  }
  return { plans: plans.slice(0, MOST_PLANS), elsewhere, doubts };
} // biome-ignore format: signature

function plansOf(master: ICAL.Component, others: readonly ICAL.Component[], { host, nowMs, steady }: CalendarPlace): DeclaredPlan[] {
  const event = new ICAL.Event(master, { exceptions: [...others] });
  const plans: DeclaredPlan[] = [];
  const take = (item: ICAL.Event, start: ICAL.Time, end: ICAL.Time): boolean => {
    const fromMs = msOf(start, zoneOf(item.component, 'dtstart'));
    const untilMs = msOf(end, zoneOf(item.component, 'dtend') ?? zoneOf(item.component, 'dtstart'));
    if (fromMs > nowMs + AHEAD_MS) return false;
    if (untilMs < nowMs - BACK_MS || untilMs <= fromMs || isCancelled(item.component)) return true;
    const { by, note } = whoAndWhy(item.component);
    plans.push({ key: `${item.uid} ${fromMs}`, component: { type: 'host', id: host }, by, note, fromMs: steady(fromMs), untilMs: steady(untilMs) }); // biome-ignore format: one record
    return true;
  };
  if (!event.isRecurring()) {
    take(event, event.startDate, event.endDate);
    return plans;
  }
  const times = event.iterator();
  for (let i = 0; i < MOST_REPEATS; i += 1) {
    const next = times.next() as ICAL.Time | undefined; // nothing more, at the end
    if (next == null) return plans;
    // An exception moves a repeat by less than that.
    if (next.toUnixTime() * 1000 < nowMs - MOVED_MS) continue;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    if (!take(item, startDate, endDate)) return plans;
  }
  throw new Error(`it repeats more than ${MOST_REPEATS} times before today: give it a later begin`);
} // biome-ignore format: signature

/** A zone that the calendar names and does not describe. */
function zoneOf(component: ICAL.Component, name: string): string | null {
  const zone = component.getFirstProperty(name)?.getFirstParameter('tzid');
  return typeof zone === 'string' && zone !== '' ? zone : null;
}

/** A time without a zone is that of the host; a day is from midnight to midnight there. */
function msOf(time: ICAL.Time, zone: string | null): number {
  const isDescribed = time.zone !== null && time.zone !== undefined && time.zone.tzid !== 'floating';
  if (isDescribed) return time.toUnixTime() * 1000;
  const own = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const ms = wallMs(time, own);
  if (ms === null) throw new Error(`its time zone ${own} is not known here`);
  return ms;
}

function isCancelled(component: ICAL.Component): boolean {
  return textOf(component, 'status')?.toUpperCase() === 'CANCELLED';
}

function textOf(component: ICAL.Component, name: string): string | null {
  const value = component.getFirstPropertyValue(name);
  return value === null || value === undefined ? null : String(value).replaceAll(/[\p{C}\s]+/gu, ' ').trim() || null; // biome-ignore format: one chain
}

function namesHost(component: ICAL.Component, host: string): boolean {
  const own = host.toLowerCase();
  return PLACES.some((name) =>
    component
      .getAllProperties(name)
      .flatMap((property) =>
        property.getValues().flatMap((value) =>
          String(value)
            .toLowerCase()
            .split(/[\s,;]+/),
        ),
      )
      .slice(0, MOST_ENTRIES)
      .some((pattern) => pattern !== '' && pattern !== '*' && fits(pattern, own)),
  );
}

/** `node-*` and the like; short and long names of a host are the same. */
function fits(pattern: string, host: string): boolean {
  const names = [host, host.split('.', 1)[0] ?? host];
  if (!pattern.includes('*')) return names.includes(pattern);
  const parts = pattern.slice(0, MOST_TEXT).split('*').map((part) => part.replaceAll(/[^\w.-]/g, '\\$&')); // biome-ignore format: one chain
  const form = new RegExp(`^${parts.join('[\\w.-]*?')}$`);
  return parts.length <= 4 && names.some((name) => form.test(name));
}

function whoAndWhy(component: ICAL.Component): { readonly by: string; readonly note: string | null } {
  const organizer = component.getFirstProperty('organizer');
  const name = organizer?.getFirstParameter('cn') ?? textOf(component, 'organizer')?.replace(/^mailto:/i, '');
  const by = name === undefined || name === '' ? 'a calendar' : name.slice(0, 64);
  return { by, note: textOf(component, 'summary')?.slice(0, MOST_TEXT) ?? null };
}
