/** A text as a part of a regular expression that matches it as it is. */
export const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
