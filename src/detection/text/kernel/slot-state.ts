// What the kernel log has said of one slot so far.

export interface SlotState {
  /** When its power-off was ordered, ms. */
  orderedMs?: number;
  /** When its button was pressed, whatever for, ms. */
  pressedMs?: number;
  /** Reported as down, and not as up since. */
  down?: boolean;
}
