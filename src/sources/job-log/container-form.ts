// ContainerForm: what a container printed, out of the lines that its runtime wrote of it: CRI's form, or Docker's JSON.

/** 2026-11-28T01:16:50.123456789Z stdout F the line; P: a part, the rest of the line follows. */
const CRI = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) ([FP])(?::[^ ]*)? ?(.*)$/s;
const LONGEST = 65_536;

export class ContainerForm {
  #begun = '';

  /** The rest of a line is in what follows. */
  get begun(): boolean {
    return this.#begun !== '';
  }

  /** The line, null while there is a part of it; what is in neither form is as it is. */
  take(text: string): string | null {
    const cri = CRI.exec(text);
    if (cri !== null) return this.#part(cri[2] ?? '', cri[1] === 'F');
    const printed = text.startsWith('{"log":') ? printedIn(text) : null;
    return printed === null ? text : this.#part(printed.replace(/\n$/, ''), printed.endsWith('\n'));
  }

  #part(text: string, whole: boolean): string | null {
    this.#begun = (this.#begun + text).slice(0, LONGEST);
    if (!whole) return null;
    const line = this.#begun;
    this.#begun = '';
    return line;
  }
}

function printedIn(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'log' in value && typeof value.log === 'string'
      ? value.log
      : null;
  } catch {
    return null;
  }
}
