/** The part of the driver that is used here. */
declare module 'pg' {
  class Client {
    constructor(options: object);
    connect(): Promise<unknown>;
    query(sql: string, values: readonly unknown[]): Promise<{ readonly rows: unknown[] }>;
    end(): Promise<void>;
    on(event: 'error', listener: () => void): this;
    readonly connection: { readonly stream: { destroy(): void } };
  }
  const driver: { readonly Client: typeof Client };
  export = driver;
}
