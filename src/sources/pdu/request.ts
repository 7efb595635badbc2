// Requests of any size over one session: batches that shrink when a reply is too big, v1 agents that miss one object, the GETBULK ladder.

import { oidFollows, oidSuffix } from './oid.ts';
import type { PduSession, SnmpReply, SnmpValue } from './session.ts';
import { SnmpError } from './snmp-error.ts';

/** A value with the time at which it was read. */
export interface Timed {
  readonly oid: string;
  readonly value: unknown;
  readonly counter64: boolean;
  readonly timeMs: number;
}

/** Rows of one column, at most. */
const MOST_ROWS = 1000;
/** Varbinds a request: keeps replies under 1,400 bytes. */
const MOST_VARBINDS = 20;
/** A long table is asked for more at once after so many answers that were full, up to a reply of so many bytes. */
const FULL_ANSWERS = 4;
const MOST_BYTES = 1300;
const MOST_REPETITIONS = 60;
/** Of one request, each with the repetitions of the session, while others are answered. */
const TRIES = 4;
/** Time for one column, at most, whatever an agent does to drag it out. */
const LONGEST_WALK_MS = 30_000;

/** What was learned about one agent; lives as long as its PDU is configured. */
export class SnmpRequests {
  readonly session: PduSession;
  #batch = MOST_VARBINDS;
  /** Repetitions of GETBULK that work: 25, 10, 1, then 0 = GETNEXT. */
  #repetitions: number;
  #answered = 0;
  #lost = 0;
  #patient = false;
  /** A GETBULK with the repetitions in use was answered. */
  #bulkWorks = false;
  /** Answers in a row that were full. */
  #full = 0;
  /** More repetitions, for long tables; 0: this agent does not take them, null: not tried. */
  #wide: number | null = null;

  constructor(session: PduSession) {
    this.session = session;
    this.#repetitions = session.peer.version === '1' ? 0 : 25;
  }

  /**
   * From now on a lost answer is asked for again while others come, as where a device is read for the first time; a poll fails
   * at once instead, so that silence shows.
   */
  set patient(patient: boolean) {
    this.#patient = patient;
    this.#answered = 0;
    this.#lost = 0;
  }

  /** Requests that were answered, and attempts that were not, since then. */
  get counts(): { readonly answered: number; readonly lost: number } {
    return { answered: this.#answered, lost: this.#lost };
  }

  /** Repetitions in use, 0 for GETNEXT. */
  get repetitions(): number {
    return this.#repetitions;
  }

  /** How many more objects the requests for so many have room for; none with v1, where one that is missing fails them all. */
  room(count: number): number {
    if (this.session.peer.version === '1') return 0;
    return (this.#batch - (count % this.#batch)) % this.#batch;
  }

  /** Reads known instances, one entry per OID in order; what the agent lacks or answers under another OID is null. */
  async get(oids: readonly string[]): Promise<Timed[]> {
    return this.#batches(
      oids,
      (batch) => this.#patiently(() => this.session.get(batch)),
      (oid, value) => (value.oid === oid ? value : null),
    );
  }

  /** The first instance at or below each OID, null where there is none. */
  async first(oids: readonly string[]): Promise<(Timed | null)[]> {
    const found = await this.#batches(
      oids,
      (batch) => this.#patiently(() => this.session.getNext(batch)),
      (oid, value) => (!value.end && oidSuffix(oid, value.oid) !== null ? value : null),
    );
    return found.map((value, i) => (value.oid === oids[i] ? null : value));
  }

  /** Index part of every row of a column, in the agent's order. */
  async rows(column: string, most = MOST_ROWS): Promise<string[]> {
    const rows: string[] = [];
    for await (const values of this.below(column, LONGEST_WALK_MS)) {
      for (const { oid } of values) rows.push(oid.slice(column.length + 1));
      if (rows.length >= most) break;
    }
    return rows.slice(0, most);
  }

  /** Every object below `base`, in the agent's order, as its answers bring them. */
  async *below(base: string, longestMs: number): AsyncGenerator<readonly SnmpValue[], void, undefined> {
    let at = base;
    this.#full = 0;
    const inside = `${base}.`;
    const limit = performance.now() + longestMs;
    while (performance.now() < limit) {
      const answer = await this.#after(at);
      const beyond = answer.findIndex(({ end, oid }) => end || !oid.startsWith(inside));
      const values = beyond < 0 ? answer : answer.slice(0, beyond);
      const wrong = values.findIndex(({ oid }, i) => !oidFollows(values[i - 1]?.oid ?? at, oid));
      yield wrong < 0 ? values : values.slice(0, wrong);
      if (wrong >= 0) throw new SnmpError('bad_reply', this.session.peer, 'object identifiers do not increase');
      if (beyond >= 0 || values.length === 0) return;
      at = values.at(-1)?.oid ?? at;
    }
    throw new SnmpError('bad_reply', this.session.peer, `a table took longer than ${longestMs / 1000} s`);
  }

  async #after(oid: string): Promise<readonly SnmpValue[]> {
    const wide = await this.#afterWide(oid);
    if (wide !== null) return wide;
    while (this.#repetitions > 0) {
      try {
        const ask = () => this.session.getBulk(oid, this.#repetitions, this.#repetitions === 1);
        const reply = await (this.#bulkWorks ? this.#patiently(ask) : ask());
        if (reply.values.length > 0) {
          this.#bulkWorks = true;
          this.#noteFull(reply);
          return reply.values;
        }
      } catch (error) {
        if (!(error instanceof SnmpError) || !STEP_DOWN.has(error.fault)) throw error;
      }
      this.#bulkWorks = false;
      this.#repetitions = this.#repetitions > 10 ? 10 : this.#repetitions > 1 ? 1 : 0;
    }
    const values: (SnmpValue | null)[] = [];
    await this.#batches(
      [oid],
      (batch) => this.#patiently(() => this.session.getNext(batch)),
      (_, value) => {
        values.push(value);
        return value;
      },
    );
    return values.filter((value) => value !== null);
  }

  /** With more repetitions than are usual; null where the table is not that long, or the agent does not take them. */
  async #afterWide(oid: string): Promise<readonly SnmpValue[] | null> {
    if (this.#full < FULL_ANSWERS || !this.#wide) return null;
    try {
      const { values } = await this.session.getBulk(oid, this.#wide, false);
      this.#answered += 1;
      // Cut where the agent's own limit is: no less than usual, and taken all the same.
      if (values.length > 0) return values;
    } catch (error) {
      if (!(error instanceof SnmpError) || !STEP_DOWN.has(error.fault)) throw error;
    }
    this.#wide = 0;
    return null;
  }

  #noteFull({ values, bytes = 0 }: SnmpReply): void {
    this.#full = values.length === this.#repetitions ? this.#full + 1 : 0;
    if (this.#full < FULL_ANSWERS || this.#wide !== null || bytes === 0 || this.#repetitions < 25) return;
    const wide = Math.min(MOST_REPETITIONS, Math.floor((MOST_BYTES * values.length) / bytes));
    this.#wide = wide > this.#repetitions ? wide : 0;
  }

  /** A device that answers is there: that an answer is lost now and then gives no reason to give up. */
  async #patiently(send: () => Promise<SnmpReply>): Promise<SnmpReply> {
    for (let tries = 1; ; tries += 1) {
      try {
        const reply = await send();
        this.#answered += 1;
        return reply;
      } catch (error) {
        if (!(error instanceof SnmpError) || error.fault !== 'timeout') throw error;
        this.#lost += 1;
        // The network loses some, the device is not gone: the first answer is waited for twice, later ones more often.
        const gone = this.#answered === 0 ? this.#lost > 1 : this.#lost > 2 * this.#answered + 1;
        if (!this.#patient || tries >= TRIES || gone) throw waitedFor(error, tries, this.session.peer);
      }
    }
  }

  async #batches(
    oids: readonly string[],
    send: (batch: string[]) => Promise<{ values: readonly SnmpValue[]; timeMs: number }>,
    pick: (oid: string, value: SnmpValue) => SnmpValue | null,
  ): Promise<Timed[]> {
    const result = new Map<string, Timed>();
    const missing = (oid: string, timeMs: number) => result.set(oid, { oid, value: null, counter64: false, timeMs });
    let rest = [...oids];
    while (rest.length > 0) {
      const batch = rest.slice(0, this.#batch);
      try {
        const { values, timeMs } = await send(batch);
        batch.forEach((oid, i) => {
          const value = values[i];
          const picked = value === undefined ? null : pick(oid, value);
          if (picked === null) missing(oid, timeMs);
          else result.set(oid, { oid: picked.oid, value: picked.value, counter64: picked.counter64, timeMs });
        });
        rest = rest.slice(batch.length);
      } catch (error) {
        if (!(error instanceof SnmpError)) throw error;
        if (error.fault === 'too_big' && batch.length > 1) {
          this.#batch = Math.max(1, batch.length >> 1);
        } else if (error.fault === 'no_such_name') {
          // SNMPv1 fails the whole request for one object; GETNEXT at the end of the tree does the same.
          const absent = batch.find((oid) => oid === error.oid) ?? batch[0] ?? '';
          missing(absent, 0);
          rest = rest.filter((oid) => oid !== absent);
        } else {
          throw error;
        }
      }
    }
    return oids.map((oid) => result.get(oid) ?? { oid, value: null, counter64: false, timeMs: 0 });
  }
}

/** The time that it really took: each of our tries had all of the session's own. */
function waitedFor(error: SnmpError, tries: number, peer: PduSession['peer']): SnmpError {
  const [whole, count, ms] = / within (\d+) × (\d+) ms/.exec(error.message) ?? [];
  if (tries === 1 || whole === undefined) return error;
  return new SnmpError('timeout', peer, ` within ${tries * Number(count)} × ${ms} ms`);
}

const STEP_DOWN: ReadonlySet<string> = new Set(['timeout', 'refused', 'bad_reply', 'too_big', 'no_such_name']);
