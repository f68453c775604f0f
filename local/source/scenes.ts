/** What the sample company can be made to do now. */
export const SCENES = ['late-change', 'reopen', 'bulk-approve', 'source-outage'] as const;
export type Scene = (typeof SCENES)[number];
