/** Variables of an environment, handed to whatever needs them: only entry points read `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;
