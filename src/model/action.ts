// Action: what a person or a remediator should do about an incident.

export const ACTIONS = [
  'none',
  'restart_app',
  'debug_app',
  'reset_gpu',
  'drain_reset_gpu',
  'reset_nic',
  'reboot_node',
  'power_cycle_node',
  'drain_node',
  'check_power_feed',
  'check_cooling',
  'check_link',
  'check_config',
  'update_software',
  'free_space',
  'inspect_hardware',
  'replace_part',
  'contact_vendor',
] as const;
export type Action = (typeof ACTIONS)[number];
