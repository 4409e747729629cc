/**
 * What programs print, since a command may run it: text of files and input, decoded text, names of
 * folders. Other output is unknown, and is marked if it comes from the network.
 */
import { basename } from 'node:path';
import { words } from '../../base/text/options.ts';
import { byName } from '../by-name.ts';
import type { Argv, Frame, Handler, Output } from '../reader.ts';
import { fileTexts, pathsOf, write } from '../shell/redirect.ts';
import {
  concatenated,
  FROM_NETWORK,
  isFromNetwork,
  isKnown,
  UNKNOWN,
  wordText,
} from '../shell/unknown.ts';
import { NAME_PRINTERS } from './find.ts';

export function outputOf(name: string, argv: Argv, frame: Frame): Output {
  const printed = PRINTERS.get(name)?.(argv, frame);
  if (printed) return printed;
  if (FETCHERS.has(name)) return [FROM_NETWORK];
  if (isShellSetUp(name, argv)) return [''];
  return [frame.stdin().some(isFromNetwork) ? FROM_NETWORK : UNKNOWN];
}

const FETCHERS = words(
  'aria2c http fetch nc ncat netcat lynx iwr irm Invoke-WebRequest Invoke-RestMethod',
);

const PRINTERS = byName<Handler>({
  'cat tac head sort uniq pv': filesOrInput,
  tail: (argv, frame) => (argv.includes('-f') ? undefined : filesOrInput(argv, frame)),
  tee: (argv, frame) => {
    const names = argv.slice(1).filter((it) => !it.startsWith('-'));
    const append = argv.includes('-a') || argv.includes('--append');
    const texts = frame.stdin();
    write(names, () => texts, append, frame);
    return texts;
  },
  sponge: (argv, frame) => {
    const texts = frame.stdin();
    write(argv.slice(1), () => texts, false, frame);
    return [''];
  },
  'cp mv ln install': copyFile,
  ...NAME_PRINTERS,
  'base64 gbase64': decoded,
  'curl wget': fetched,
  mktemp: (argv) => [argv.includes('-d') ? `${UNKNOWN}\n` : `/tmp/${UNKNOWN}\n`],
});

function filesOrInput(argv: Argv, frame: Frame): Output {
  if (!frame.outputIsUsed) return [UNKNOWN];
  const names = argv.slice(1).filter((it) => it === '-' || !/^[-+]/.test(it));
  const files = names.filter((it) => !/^\d+$/.test(it));
  if (files.length === 0) return frame.stdin();
  return files
    .slice(0, 20)
    .map((it) => (it === '-' ? frame.stdin() : (fileTexts(it, frame) ?? [UNKNOWN])))
    .reduce<Output>(concatenated, ['']);
}

function copyFile(argv: Argv, frame: Frame): Output {
  const names = argv.filter(
    (it, at) => at > 0 && !/^-/.test(it) && !/^-[mog]$/.test(argv[at - 1] ?? ''),
  );
  const to = names.at(-1) ?? '';
  for (const from of names.slice(0, -1)) {
    const written = pathsOf(from, frame).map(frame.reader.written).find(Boolean);
    // A source that is not text is most likely a program, which now has another name.
    const isProgram = isKnown(from) && from.startsWith('/');
    const unread = [isProgram ? `exec ${wordText(from)} "$@"\n` : UNKNOWN];
    // The last name is that of the copy, or of the folder that receives it.
    const copies = [...(names.length === 2 ? [to] : []), `${to}/${basename(from)}`];
    // The target of a link is relative to the folder of the link.
    const sources = argv[0] === 'ln' ? [from, `${to}/../${from}`] : [from];
    // A file that is copied onto itself would be read for ever.
    const isSource = (path: string) => sources.some((it) => pathsOf(it, frame).includes(path));
    const targets = copies.filter((it) => !pathsOf(it, frame).some(isSource));
    const texts = () => sources.map((it) => fileTexts(it, frame)).find(Boolean) ?? unread;
    write(targets, () => written ?? texts(), false, frame);
  }
  return [''];
}

function decoded(argv: Argv, frame: Frame): Output | undefined {
  if (!argv.some((it) => /^(-[a-zA-Z]*[dD][a-zA-Z]*|--decode)$/.test(it))) return undefined;
  const name = argv.slice(1).find((it) => !it.startsWith('-'));
  const texts = name === undefined ? frame.stdin() : (fileTexts(name, frame) ?? [UNKNOWN]);
  return texts.map(fromBase64);
}

function fromBase64(text: string): string {
  if (!isKnown(text)) return isFromNetwork(text) ? FROM_NETWORK : UNKNOWN;
  const compact = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return UNKNOWN;
  return Buffer.from(compact, 'base64').toString('utf8');
}

function fetched(argv: Argv, frame: Frame): Output {
  const fill = (name: string): void => write([name], () => [FROM_NETWORK], false, frame);
  for (const [at, word] of argv.entries()) {
    const next = argv[at + 1];
    if (/^-[a-zA-Z]*[oO]$/.test(word) || word === '--output' || word === '--output-document') {
      if (next !== undefined && next !== '-') fill(next);
    } else if (word.startsWith('--output=')) fill(word.slice('--output='.length));
    // `curl -O URL` and plain `wget URL` name the file after the last part of the address.
    if (at > 0 && !word.startsWith('-') && word.includes('/')) fill(basename(word));
  }
  return [FROM_NETWORK];
}

/** By convention these words print what a shell has to run to be set up: `eval "$(brew shellenv)"`. */
const SETS_UP =
  /^(--?\w*completions?(-script)?(-\w+)?|\w*-?completions?|shellenv|shell-?init|shell-hook|shell\.\w+|init|virtualenv-init|sh-shell|env|hook|activate|export-credentials|(docker|podman|hook)-env|-Mlocal::lib)$/;

/** Words that mean the same for one program alone; a program without a word prints nothing else. */
const SETS_UP_ALONE = words(
  'ssh-agent gpg-agent keychain dircolors resize lesspipe lessfile locale tset register-python-argcomplete',
);
const SETS_UP_BY = words(
  'direnv:export volta:setup mamba:shell micromamba:shell opam:config luarocks:path thefuck:--alias fzf:--bash fzf:--zsh op:signin vault:print sheldon:source navi:widget hub:alias envman:load',
);

const isShellSetUp = (name: string, argv: Argv): boolean =>
  SETS_UP_ALONE.has(name) || argv.some((it) => SETS_UP.test(it) || SETS_UP_BY.has(`${name}:${it}`));
