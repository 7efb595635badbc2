// Zone: the one that a scan shows its times in.

/** In which the times of a scan are shown. */
export const SCAN_ZONE = 'UTC';
