// Rejected: connections that the firewall of a host turned away, as its kernel logged them, for the jobs that could not reach that address and port.

import { placeIn } from '../../incidents/report/meeting-place.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { TextRecord } from '../../model/record.ts';

/** "filter_IN_public_REJECT: IN=bond0 OUT= … SRC=… DST=… … DPT=41234", "[UFW BLOCK] IN=…": of netfilter's log, behind the prefix of its rule. */
const LOGGED =
  /^(?:\[ {0,8}[\d.]{3,24}\] ?)?(?<rule>[^=]{0,64}?):? ?\bIN=\S{0,32} OUT=.{0,200}? DST=(?<to>[0-9a-f.:]{3,45}) .{0,200}? DPT=(?<port>\d{1,5})\b/i;
/** A rule may log what it lets through. */
const AWAY = /reject|drop|block|den(?:y|ied)/i;
/** Hosts that face a network are asked for many ports a day. */
const MOST = 65_536;

interface TurnedAway {
  readonly by: string;
  readonly rule: string;
  readonly line: FaultEvent['evidence'][number];
}

export class Rejected {
  /** The first of each address and port. */
  readonly #first = new Map<string, TurnedAway>();

  take({ source, text, timeMs, observedMs, place }: TextRecord, host: string): void {
    if (source !== 'kernel-log' || !text.includes(' DPT=')) return;
    const { rule = '', to, port } = LOGGED.exec(text)?.groups ?? {};
    if (to === undefined || port === undefined || !AWAY.test(rule)) return;
    const key = `${to} ${port}`;
    if (this.#first.has(key) || this.#first.size >= MOST) return;
    const line = { source, timeMs: timeMs ?? observedMs, text, ...(place === undefined ? {} : { place }) };
    this.#first.set(key, { by: host, rule: rule.replace(/[\s[\]:]+/g, ' ').trim(), line });
  }

  /** Those of jobs that did not meet, with the host that turned them away where one did. */
  namedIn(incidents: readonly Incident[]): Incident[] {
    return incidents.map((one) => {
      const root = one.events.find(({ id }) => id === one.root.eventId);
      if (root?.kind !== 'job.bootstrap_timeout') return one;
      const { host = '', port = '' } = placeIn([root]) ?? {};
      const seen = this.#first.get(`${host} ${port}`);
      if (seen === undefined) return one;
      const attributes = { ...root.attributes, rejected_by: seen.by, rejected_rule: seen.rule };
      const event = { ...root, attributes, evidence: [...root.evidence, seen.line] };
      return {
        ...one,
        events: one.events.map((each) => (each === root ? event : each)),
        evidence: [...one.evidence, seen.line],
      };
    });
  }
}
