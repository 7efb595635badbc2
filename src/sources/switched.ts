// Switched: what the sources have in common whose section has `enabled: auto | on | off`.

export type Enabled = 'auto' | 'on' | 'off';
