// Changes of the requests that a traced service reports of itself; accuracy runs only.

export interface RequestChanges {
  /** Against what is usual of a service of `world.traced`; what is left out stays usual. */
  readonly requests?: {
    readonly service: string;
    /** Requests take so many times as long: all, or a share of them. */
    readonly slower?: number;
    readonly share?: number;
    /** Share of them that fails. */
    readonly failing?: number;
    /** So many times as many come; 0: none, and nothing is sent. */
    readonly rate?: number;
  };
}

export const REQUEST_NAMES = ['requests'] as const satisfies readonly (keyof RequestChanges)[];
