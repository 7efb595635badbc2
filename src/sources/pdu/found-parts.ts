// Parts and cells that discovery found so far; rows of several tables that name the same component are one part.

import type { Component, ComponentType } from '../../model/component.ts';
import type { PduPart, PlannedCell } from './pdu-plan.ts';

export interface Draft {
  readonly component: Component;
  label: string | null;
  phases: readonly string[];
  branch: string | null;
  ratingA: number | null;
  /** What the device calls it where other rows refer to it. */
  id: string | null;
  /** Ids of what feeds it, until all tables are read. */
  phaseId: string | null;
  branchId: string | null;
}

export class FoundParts {
  readonly cells: PlannedCell[] = [];
  readonly warnings: string[] = [];
  /** A table could not be read. */
  partial = false;
  readonly #name: string;
  readonly #root: Component;
  readonly #parts = new Map<string, Draft>();

  constructor(name: string, root: 'pdu' | 'ups') {
    this.#name = name;
    this.#root = { type: root, id: name };
    this.part(root, '1');
  }

  /** Component types that have cells already. */
  types(): ReadonlySet<ComponentType> {
    return new Set(this.cells.map((cell) => cell.component.type));
  }

  part(type: ComponentType, number: string): Draft {
    const isRoot = type === this.#root.type && number === '1';
    const id = isRoot ? this.#name : `${this.#name}/${number}`;
    const key = `${type}/${id}`;
    const known = this.#parts.get(key);
    if (known) return known;
    const component = isRoot ? this.#root : { type, id, parent: `${this.#root.type}/${this.#name}` };
    const draft: Draft = {
      component, label: null, phases: [], branch: null, ratingA: null, id: null, phaseId: null, branchId: null,
    }; // biome-ignore format: one part
    this.#parts.set(key, draft);
    return draft;
  }

  /** The root first. Ids that rows refer to are numbers of parts by then. */
  all(): PduPart[] {
    const drafts = [...this.#parts.values()];
    const numberOf = (type: ComponentType, id: string | null): string | null => {
      const found = drafts.find((draft) => draft.component.type === type && draft.id !== null && draft.id === id);
      return found === undefined ? null : found.component.id.slice(this.#name.length + 1);
    };
    return drafts.map(({ component, label, phases, branch, ratingA, phaseId, branchId }) => {
      const phase = numberOf('pdu_phase', phaseId);
      return {
        component,
        label,
        ratingA,
        phases: phase === null ? phases : [phase],
        branch: branch ?? numberOf('pdu_branch', branchId),
      };
    });
  }
}
