/** The part of the driver that is used here: one client, one statement at a time. */
declare module 'pg' {
  class Client {
    constructor(options: object);
    connect(): Promise<unknown>;
    query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: unknown[] }>;
    end(): Promise<void>;
    on(event: 'error', listener: (error: Error) => void): this;
    readonly connection: { readonly stream: { destroy(): void } };
  }
  const driver: { readonly Client: typeof Client };
  export = driver;
}
