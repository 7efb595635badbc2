// GPU states: readings that stand for words, in words, and the table of what each GPU can report.

import { reasonNames } from '../../detection/rules/clock-reasons.ts';
import type { ReadingsDocument } from '../../model/documents/readings.ts';
import type { DeviceState, Reading } from '../../model/reading.ts';

/** Name of the states that make up the capability table, before the group. */
export const CAPABILITY = 'capability.';

const OFF_ON = ['off', 'on'];
const NO_YES = ['no', 'yes'];

/** Words by number (nvml.h); a number without a word is printed as it is. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  ecc_mode: OFF_ON,
  mig_mode: OFF_ON,
  power_smoothing: OFF_ON,
  ecc_sram_threshold: ['kept', 'passed'],
  remap_pending: NO_YES,
  remap_failed: NO_YES,
  bank_remap_pending: NO_YES,
  retired_pages_pending: NO_YES,
  reset_required: NO_YES,
  drain_reset_required: NO_YES,
  recovery_action: [
    'none', 'reset', 'reboot node', 'drain peer-to-peer', 'drain and reset', 'recover IMEX domain', 'reset of the bus',
    'reboot system',
  ], // biome-ignore format: by number
  fabric_state: ['none', 'not started', 'in progress', 'completed'],
  nvlink_state: ['down', 'up', 'asleep'],
};
const MASKS: readonly string[] = ['clock_event_reasons', 'fabric_health'];

export function isState({ quantity }: Reading): boolean {
  return MASKS.includes(quantity) || quantity === 'performance_state' || Object.hasOwn(WORDS, quantity);
}

/** The reading as a state; none where it has no value. */
export function stateOf(reading: Reading): DeviceState[] {
  const { component, quantity, value } = reading;
  if (value === null || !isState(reading)) return [];
  return [{ component, name: quantity, value: wordOf(quantity, value) }];
}

function wordOf(quantity: string, value: number): string {
  if (quantity === 'performance_state') return `P${value}`;
  if (!MASKS.includes(quantity)) return WORDS[quantity]?.[value] ?? String(value);
  const names = quantity === 'clock_event_reasons' ? reasonNames(value) : [];
  return `0x${value.toString(16)}${names.length > 0 ? ` (${names.join(', ')})` : ''}`;
}

/** What the probe prints for people: the capability table comes last, one line a group, GPUs that are equal together. */
export function withoutCapabilities(document: ReadingsDocument): ReadingsDocument {
  return { ...document, states: document.states.filter(({ name }) => !name.startsWith(CAPABILITY)) };
}

export function capabilityTable({ states }: ReadingsDocument): string {
  const capabilities = states.filter(({ name }) => name.startsWith(CAPABILITY));
  const gpus = new Set(capabilities.map(({ component }) => component)).size;
  const groups = [...new Set(capabilities.map(({ name }) => name))];
  const width = Math.max(0, ...groups.map((name) => name.length - CAPABILITY.length));
  const lines = groups.map((name) => {
    const byText = new Map<string, string[]>();
    for (const { component, value } of capabilities.filter((state) => state.name === name))
      byText.set(value, [...(byText.get(value) ?? []), component.slice('gpu/'.length)]);
    const said = [...byText].map(([text, on]) => (on.length === gpus ? text : `${text} (${on.join(', ')})`));
    return `  ${name.slice(CAPABILITY.length).padEnd(width)}  ${said.join('; ')}`;
  });
  return lines.length === 0
    ? ''
    : `\nwhat ${gpus === 1 ? 'the GPU' : `${gpus} GPUs`} can report\n${lines.join('\n')}\n`;
}
