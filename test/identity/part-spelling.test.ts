// Part spelling: the names that EDAC, firmware, SMBIOS and BMC have for one part are one, and those of two parts are two.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PartSpelling } from '../../src/identity/part-spelling.ts';
import { componentText, parseComponent } from '../../src/model/component.ts';

function part(text: string) {
  const component = parseComponent(text, 'n');
  assert.ok(component !== null, text);
  return component;
}

/** Under how many names these are known. */
function parts(...texts: string[]): number {
  const spelling = new PartSpelling();
  return new Set(texts.map((text) => componentText(spelling.resolve(part(text))))).size;
}

test('one part in many spellings is one', () => {
  const same: readonly (readonly string[])[] = [
    ['dimm/n/CPU1 DIMM_D1', 'dimm/n/MC0 CPU1 DIMM_D1', 'dimm/n/CPU1_DIMM_D1', 'dimm/n/CPU1-DIMMD1'],
    ['dimm/n/P1-DIMMB1', 'dimm/n/P1 DIMM_B1', 'dimm/n/P1_DIMMB1'],
    ['dimm/n/DIMM.Socket.A1', 'dimm/n/DIMM A1', 'dimm/n/DIMM_A1', 'dimm/n/dimma1'],
    ['dimm/n/PROC 1 DIMM 8', 'dimm/n/proc1dimm8', 'dimm/n/Processor 1 DIMM 8', 'dimm/n/CPU1 DIMM 8'],
    ['dimm/n/P1-DIMMC1', 'dimm/n/CPU1 DIMM_C1', 'dimm/n/MC2 CPU1_DIMM_C1', 'dimm/n/CPU1_C1'],
    ['dimm/n/A3', 'dimm/n/DIMM.Socket.A3', 'dimm/n/MC0 DIMM_A3'],
    ['psu/n/1', 'psu/n/PSU1', 'psu/n/PS1 Status', 'psu/n/PSU.Slot.1', 'psu/n/Power Supply 1'],
    ['fan/n/FAN1', 'fan/n/Fan 1', 'fan/n/1'],
  ];
  for (const texts of same) {
    assert.equal(parts(...texts), 1, texts.join(', '));
    assert.equal(parts(...texts.toReversed()), 1, texts.join(', '));
  }
});

test('two parts are never one', () => {
  const different: readonly (readonly string[])[] = [
    ['dimm/n/P1-DIMM1-2', 'dimm/n/P1-DIMM12', 'dimm/n/P1-DIMM1 21'],
    ['dimm/n/CPU1 DIMM 2', 'dimm/n/CPU12', 'dimm/n/CPU1 DIMM 12', 'dimm/n/CPU2 DIMM 2', 'dimm/n/P0-DIMM2'],
    ['dimm/n/MC0 DIMM_A1', 'dimm/n/MC1 DIMM_A1'],
    ['dimm/n/MC0 CPU_SrcID#0_MC#0_Chan#1_DIMM#0', 'dimm/n/MC1 CPU_SrcID#0_MC#1_Chan#1_DIMM#0', 'dimm/n/CPU1 DIMM_B1'],
    ['dimm/n/MC0 any memory', 'dimm/n/MC1 any memory', 'dimm/n/MC0'],
    ['dimm/n/A1', 'dimm/n/A2', 'dimm/n/B1', 'dimm/m/A1'],
    ['psu/n/1', 'psu/n/2', 'psu/n/11', 'fan/n/1', 'dimm/n/1'],
    ['fan/n/FAN1A', 'fan/n/FAN1B'],
    ['gpu/0000:1b:00.0', 'gpu/0000:1b:00.1'],
  ];
  for (const texts of different) assert.equal(parts(...texts), texts.length, texts.join(', '));
});

test('a part keeps the name by which it was known first', () => {
  const spelling = new PartSpelling();
  spelling.resolve(part('dimm/n/CPU1 DIMM_D1'));
  assert.equal(spelling.resolve(part('dimm/n/MC0 CPU1 DIMM_D1')).id, 'n/CPU1 DIMM_D1');
});
