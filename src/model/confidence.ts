// Confidence parts: each has a stable code that programs select by, and a sentence for people whose wording may change.

/** Every code with what it means; docs/reference/confidence.md is generated from it. */
export const CONFIDENCE_CODES = {
  root_seen: 'the root cause itself was seen: the prior of its kind',
  no_cause_seen: 'only a symptom was seen: the share of its most likely cause',
  path_configured: 'the path from the root to what followed is configured',
  path_assumed: 'the path from the root is configured in part, the rest is assumed',
  path_unmapped: 'it is not configured which hosts the root feeds',
  order_seen: 'what followed began after its cause',
  order_mostly_seen: 'most of what followed began after its cause',
  order_reversed: 'most consequences were seen before their cause',
  order_unknown: 'the clocks leave the order of root and consequence open',
  common_cause: 'one cause explains what began at several places',
  hidden_cause: 'several places reacted together and no reading shows why',
  own_error: 'the class and words of the exception that is the root are those of an error of the program itself',
  root_from_tenant: 'only a user of the host could have written the root; not written any more, `tenant_only` says it',
  sources_agree: 'independent sources fit together',
  device_unknown: 'the source does not name the device',
  other_end: 'the other end of the link reports the same at once',
  no_rival: 'nothing else was seen that could explain it',
  rival_cause: 'something else could be the cause behind the root',
  rival_in_part: 'something else could explain a part of it',
  link_strength: 'how surely such an effect comes from such a cause',
  lag_fit: 'how well the time between cause and effect fits',
  evidence_against: 'what is known of the two that speaks against it',
  rival_effect: 'something else could have brought the effect about',
  base_rate: 'how frequent the competing causes are elsewhere',
  calibration: 'how often such a sum was right at first contact, by what followed from the root',
  tenant_only: 'a user of the host could have written all of it: held at 60 %',
  as_logged: 'only the form of a saved log says which daemon wrote it: held at 70 %',
  by_words: 'no rule knows the line: what it is about follows from its words alone: held at 50 %',
  sources_failed: 'sources of this host did not answer',
  never_certain: 'held at 99 %',
  never_impossible: 'held at 1 %',
} as const;

export type ConfidenceCode = keyof typeof CONFIDENCE_CODES;

export interface ConfidencePart {
  /** Null in what a release wrote that knew no codes, or codes that this one does not know. */
  readonly code: ConfidenceCode | null;
  /** One line for people: what speaks for or against. */
  readonly why: string;
  /** Share of certainty added or taken, -1 to 1; all parts add up to the confidence. */
  readonly delta: number;
}

export function isConfidenceCode(word: unknown): word is ConfidenceCode {
  return typeof word === 'string' && Object.hasOwn(CONFIDENCE_CODES, word);
}
