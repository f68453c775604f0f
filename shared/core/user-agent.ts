/** That of package.json, as a test compares: to import that file would put all of it into every function. */
const VERSION = '1.0.0-alpha.1';

/** Who asks, for whoever is asked: in every request that leaves the machine. Firewalls refuse those without a name. */
export const USER_AGENT = `workforce-change-notifier/${VERSION} (+https://www.npmjs.com/package/workforce-change-notifier)`;
