import { composeMessages } from '#shared/alerts/digest/digest.ts';
import { buildMail } from '#shared/alerts/layout/mail.ts';
import { alertSamples } from './alert-samples.ts';

/** The mail that a channel `payroll-office` gets of the sample events, by these alerts of a config. */
export function renderMailOf(settings: unknown): string {
  const alerts = alertSamples(settings);
  const [composed] = composeMessages(alerts.map(({ alert }) => alert));
  if (composed === undefined || composed.message === null) throw new Error('the sample digest is empty');
  const { subject, body } = buildMail(composed.message, {
    channel: 'payroll-office',
    stackName: 'workforce-notifier',
  });
  return `\`\`\`text\nSubject: ${subject}\n\n${body.trimEnd()}\n\`\`\``;
}
