import { Annotations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findUnheardFollowUps } from '#shared/config/schema/unheard-follow-ups.ts';

/** Warns at synth and deploy of filters by which a receiver pays hours that have changed since. */
export function warnOfUnheardFollowUps(stack: IConstruct, config: NotifierConfig): void {
  for (const { path, says, mend } of findUnheardFollowUps(config)) {
    Annotations.of(stack).addWarningV2(
      `workforce-notifier:unheard-follow-ups:${path}`,
      `${path}: ${says}; ${mend} (docs/paying.md)`,
    );
  }
}
