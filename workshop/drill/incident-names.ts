/** What a drill breaks, in this order. */
export const INCIDENT_NAMES = [
  'source-down',
  'source-throttles',
  'source-refuses',
  'one-date',
  'table-throttles',
  'table-refuses',
  'topic-refuses',
  'slack-down',
  'endpoint-pauses',
  'endpoint-down',
  'endpoint-gone',
  'bus-refuses',
] as const;
export type IncidentName = (typeof INCIDENT_NAMES)[number];
