import * as z from 'zod';
import { alertRuleSchema, DEFAULT_ALERT_RULES } from './alert-rule.ts';
import { channelSchema } from './channel.ts';

/** Whom to tell what, in which words. */
export const alertsSchema = z.strictObject({
  /** Slack channels and mailboxes. */
  channels: z.array(channelSchema).default([]),
  /** Left out, those of `DEFAULT_ALERT_RULES`. */
  rules: z.array(alertRuleSchema).prefault([...DEFAULT_ALERT_RULES]),
});
export type Alerts = z.output<typeof alertsSchema>;

/** What the functions for alerts get in their environment: the alerts of the config, and the zones of its connections. */
export const alertingSchema = z.strictObject({
  ...alertsSchema.shape,
  connections: z.array(z.strictObject({ name: z.string(), timeZone: z.string() })),
});
export type Alerting = z.output<typeof alertingSchema>;
