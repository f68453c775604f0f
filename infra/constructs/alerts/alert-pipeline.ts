import { Construct } from 'constructs';
import type { NotifierFunction, Surroundings } from '../foundation/notifier-function.ts';
import type { Topics } from '../foundation/topics.ts';
import { DirectoryPoller } from '../polling/names-refresher.ts';
import { AlertCollector } from './alert-collector.ts';
import { AlertReleaser } from './alert-releaser.ts';
import { SlackDelivery } from './slack-delivery.ts';

export interface PeopleProps {
  readonly surroundings: Surroundings;
  readonly topics: Topics;
}

/** The way from events to people: collect -> release -> Slack, or the topic `alerts` and so the mailboxes (ADR 7). */
export class People extends Construct {
  readonly functions: readonly NotifierFunction[];

  constructor(scope: Construct, id: string, props: PeopleProps) {
    super(scope, id);
    this.functions = props.surroundings.config.alerts.channels.length === 0 ? [] : this.createWay(props);
  }

  private createWay({ surroundings, topics }: PeopleProps): NotifierFunction[] {
    const { channels } = surroundings.config.alerts;
    const collector = new AlertCollector(this, 'Collect', { surroundings, topics: topics.events });
    const slack = new Map<string, SlackDelivery>();
    for (const channel of channels) {
      if (channel.kind !== 'slack') continue;
      slack.set(channel.name, new SlackDelivery(this, `Slack-${channel.name}`, { surroundings, channel }));
    }
    const releaser = new AlertReleaser(this, 'Release', { surroundings, topics, slack });
    const kinds = [...new Set(channels.flatMap(({ names }) => names))];
    const directory = kinds.length === 0 ? [] : [new DirectoryPoller(this, 'Names', { surroundings, kinds })];
    return [collector, releaser, ...slack.values(), ...directory];
  }
}
