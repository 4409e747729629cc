/** A text that a person writes to a worker. */
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { act, busy, hindrance, readOnly } from '../base/do.ts';

/** What was written and not sent yet stays while one looks elsewhere, or the list changes under it. */
const drafts = signal<Readonly<Record<string, string>>>({});

interface WriteProps {
  /** Of the field; what was written is kept under it. */
  readonly id: string;
  readonly label: ComponentChildren;
  readonly button: string;
  readonly action: string;
  readonly with: Readonly<Record<string, unknown>>;
  /** What the action calls the text. */
  readonly as?: string;
  /** Closes a field that was opened to write, which has the focus at once. */
  readonly close?: () => void;
  /** Beside the button. */
  readonly children?: ComponentChildren;
}

export function Write(props: WriteProps): JSX.Element {
  const { id, label, button, action, with: more, as = 'text', close, children } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (close !== undefined) field.current?.focus();
  }, []);
  const text = drafts.value[id] ?? '';
  const why = readOnly.value;
  const send = async (event: Event) => {
    event.preventDefault();
    if (text.trim() === '') return;
    if (!(await act(action, { ...more, [as]: text.trim() }))) return;
    drafts.value = { ...drafts.value, [id]: '' };
    close?.();
  };
  return (
    <form class="block" onSubmit={send}>
      <label for={id} class="muted">
        {label}
      </label>
      <textarea
        id={id}
        ref={field}
        rows={3}
        value={text}
        disabled={why !== null}
        title={why ?? undefined}
        onInput={({ currentTarget }) => {
          drafts.value = { ...drafts.value, [id]: currentTarget.value };
        }}
      />
      <div class="act">
        <button
          type="submit"
          class="btn main"
          data-do={action}
          disabled={hindrance.value !== null || busy.value !== null || text.trim() === ''}
          title={hindrance.value ?? undefined}
        >
          {button} <kbd>ctrl ↵</kbd>
        </button>
        {close && (
          <button type="button" class="btn" onClick={close}>
            Close
          </button>
        )}
        {children}
      </div>
    </form>
  );
}
