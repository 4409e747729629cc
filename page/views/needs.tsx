import type { JSX } from 'preact';
import { Head } from '../parts/layout.tsx';
import type { ViewProps } from './props.ts';

export function Needs({ name }: ViewProps): JSX.Element {
  return <Head title={name ?? 'Needs'} />;
}
