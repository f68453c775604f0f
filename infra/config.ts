// biome-ignore-all lint/performance/noBarrelFile: an entry of the package.
/** What a `notifier.config.ts` imports. */
export {
  defineNotifierConfig,
  type NotifierConfig,
  type NotifierConfigInput,
} from '#shared/config/schema/notifier-config.ts';
export { PAYING_EVENT_TYPES } from '#shared/config/schema/unheard-follow-ups.ts';
