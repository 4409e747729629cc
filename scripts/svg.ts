/** Pictures of text that follow the reader's colour scheme. */

const MOST_BYTES = 12_000;
export const WIDTH = 720;
export const COLUMN = 7.5;
export const LINE = 20;

const COLOURS = `svg{--bg:#fcfcfa;--sunk:#f4f4f0;--line:#d9d9d1;--edge:#85877d;--ink:#1b1c19;--ink2:#4c4e47;--ink3:#66685f;--need:#7d4e00;--wall:#f2ae1c;--bad:#ad2714;--good:#00664f;--open:#00785d}
@media(prefers-color-scheme:dark){svg{--bg:#131412;--sunk:#1b1c1a;--line:#3a3c37;--edge:#7b7e74;--ink:#ecede6;--ink2:#bcbeb4;--ink3:#979a8f;--need:#f4bd4f;--bad:#ff9782;--good:#5fcfae;--open:#45b896}}`;
export const MONO =
  'ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace';
export const SANS =
  'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif';

export function svg(picture: {
  readonly height: number;
  readonly label: string;
  readonly style: string;
  readonly parts: readonly string[];
}): string {
  const { height, label, style, parts } = picture;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${label}">
<style>${COLOURS}${style}</style>
<rect x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="8" fill="var(--bg)" stroke="var(--line)"/>
${parts.join('\n')}
</svg>
`;
  if (Buffer.byteLength(text) > MOST_BYTES) throw new Error(`larger than ${MOST_BYTES} bytes`);
  return text;
}

export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
