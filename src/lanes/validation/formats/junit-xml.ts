/** A printed report in JUnit's XML format. Tags are found one by one, on any lines. */
import { type FormatReader, joined, nameList } from './format.ts';

const TAG = /<(testcase|failure|error|\/testcase)\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/g;

export function junitXml(): FormatReader {
  const list = nameList();
  let seen = false;
  let test: string | undefined;

  const onTag = (tag: string | undefined, attributes: string): void => {
    if (tag === 'testcase') {
      seen = true;
      test = attributes.endsWith('/') ? undefined : nameOf(attributes);
      return;
    }
    if (tag !== '/testcase' && test !== undefined) list.add(test);
    // A test may have several failures.
    test = undefined;
  };

  return {
    line(text) {
      if (!text.includes('<')) return;
      for (const [, tag, attributes = ''] of text.matchAll(TAG)) onTag(tag, attributes);
    },
    findings: () => (seen ? list.findings() : undefined),
  };
}

function nameOf(attributes: string): string {
  const owner = attribute(attributes, 'classname') || attribute(attributes, 'file');
  return joined(owner, attribute(attributes, 'name'));
}

function attribute(attributes: string, name: string): string {
  const [, double, single] =
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? [];
  return unescaped(double ?? single ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text
    .replaceAll(/&(lt|gt|quot|apos);/g, (all, name: string) => ENTITIES[name] ?? all)
    .replaceAll('&amp;', '&');
}
