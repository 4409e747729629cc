import { styleText } from 'node:util';

/** A step did not have the outcome that it announces. */
export class StepFailure extends Error {}

type Style = Parameters<typeof styleText>[0];

/** Prints the steps; in colours only if the terminal supports them. */
export class Narrator {
  readonly #out: NodeJS.WriteStream;
  #step = 0;
  #title = 'setting up the demo project';

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  heading(title: string): void {
    this.#step += 1;
    this.#title = title;
    this.#line('');
    this.#line(this.#styled('bold', `${this.#step}. ${title}`));
  }

  command(line: string): void {
    this.#line(this.#styled('cyan', `   $ ${line}`));
  }

  output(text: string): void {
    const lines = text.trimEnd().split('\n');
    for (const line of lines) this.#line(`     ${this.#styled('dim', line)}`);
  }

  /** A message of lanehold to the agent. */
  toAgent(text: string): void {
    for (const line of text.trimEnd().split('\n'))
      this.#line(`   ${this.#styled('yellow', '|')} ${line}`);
  }

  fact(text: string): void {
    this.#line(`   ${this.#styled('green', '=')} ${text}`);
  }

  closing(text: string): void {
    this.#line('');
    this.#line(this.#styled('bold', text));
  }

  failed(what: string): void {
    this.#line('');
    const where = this.#step === 0 ? this.#title : `step ${this.#step} (${this.#title})`;
    this.#line(`${this.#styled('red', 'The tour stopped')} at ${where}: ${what}`);
  }

  #styled(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#out });
  }

  #line(text: string): void {
    this.#out.write(`${text}\n`);
  }
}
