import type { JSX } from 'preact';
import { Head } from '../parts/layout.tsx';
import type { ViewProps } from './props.ts';

export function Health({ name }: ViewProps): JSX.Element {
  return <Head title={name ?? 'Health'} />;
}
