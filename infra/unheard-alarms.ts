import { Annotations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** Warns at synth and deploy when nobody is notified of alarms. */
export function warnOfUnheardAlarms(stack: IConstruct, { alarms }: NotifierConfig): void {
  if (alarms.email !== undefined || alarms.topicArn !== undefined) return;
  Annotations.of(stack).addWarningV2(
    'workforce-notifier:alarms-unheard',
    'alarms: nobody is notified of them, so nobody hears that polls or deliveries stopped; set alarms.email or alarms.topicArn',
  );
}
