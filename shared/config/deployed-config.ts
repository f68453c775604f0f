import type { NotifierConfig } from './schema/notifier-config.ts';

/** What a function reads: the config, and where `npm start` runs it, what stands in for chats. */
export type DeployedConfig = NotifierConfig & {
  /** Addresses by the names of channels. */
  readonly chats?: Readonly<Record<string, string>>;
};
