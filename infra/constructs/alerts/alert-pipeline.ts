import { Construct } from 'constructs';
import { partsPrefixOf } from '#infra/settings.ts';
import { type ChatKind, isChat } from '#shared/config/schema/chat-kind.ts';
import { createLog, type NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import type { Topics } from '../foundation/topics.ts';
import { NamesRefresher } from '../polling/names-refresher.ts';
import { AlertCollector } from './alert-collector.ts';
import { AlertReleaser } from './alert-releaser.ts';
import { ChatDelivery } from './chat-delivery.ts';

/** Beginnings of the ids of constructs, by kind of channel. */
const CONSTRUCTS: Readonly<Record<ChatKind, string>> = { slack: 'Slack', teams: 'Teams' };

export interface AlertPipelineProps {
  readonly context: StackContext;
  readonly topics: Topics;
}

/** The way from events to people: collect -> release -> Slack or Teams, or the topic `alerts` and so the mailboxes (ADR 7). */
export class AlertPipeline extends Construct {
  readonly functions: readonly NotifierFunction[];

  constructor(scope: Construct, id: string, props: AlertPipelineProps) {
    super(scope, id);
    this.functions = props.context.config.alerts.channels.length === 0 ? [] : this.createFunctions(props);
  }

  private createFunctions({ context, topics }: AlertPipelineProps): NotifierFunction[] {
    const { channels } = context.config.alerts;
    const collector = new AlertCollector(this, 'Collect', { context, topics: topics.events });
    const chats = this.createChats(context);
    const releaser = new AlertReleaser(this, 'Release', { context, topics, chats });
    const kinds = [...new Set(channels.flatMap(({ names }) => names))];
    const { deadLetters } = releaser;
    const directory =
      kinds.length === 0 ? [] : [new NamesRefresher(this, 'Names', { context, kinds, deadLetters })];
    return [collector, releaser, ...chats.values(), ...directory];
  }

  /** By the names of their channels. Their functions write one log. */
  private createChats(context: StackContext): ReadonlyMap<string, ChatDelivery> {
    const channels = context.config.alerts.channels.filter(isChat);
    if (channels.length === 0) return new Map();
    const log = createLog(new Construct(this, 'Chats'), `${partsPrefixOf(this)}-chats`, context);
    const chats = channels.map((channel): [string, ChatDelivery] => {
      const id = `${CONSTRUCTS[channel.kind]}-${channel.name}`;
      return [channel.name, new ChatDelivery(this, id, { context, channel, log })];
    });
    return new Map(chats);
  }
}
