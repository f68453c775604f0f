/** Events that somebody waits for alike. The names are those of the setting `objectives`. */
export const FRESHNESS_CLASSES = ['clockings', 'approvals', 'processing', 'changes', 'pay-periods'] as const;
export type FreshnessClass = (typeof FRESHNESS_CLASSES)[number];
