/** By which the hook program knows that a plugin of an agent has started it, and no settings. */
export const PLUGIN_FLAG = '--plugin';
