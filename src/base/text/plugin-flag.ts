/** A plugin of an agent passes this to the hook program; hooks in settings do not. */
export const PLUGIN_FLAG = '--plugin';
