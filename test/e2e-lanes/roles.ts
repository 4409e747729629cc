/** Who speaks for the model: a role for each agent of the story, known by what it is asked first. */
import type { Answer, Asked, Turn } from '../e2e/model.ts';

/** What is said next; it may look at what was shown, wait, and act on the world before. */
export type Line = Turn | ((shown: string) => Turn | Promise<Turn>);

export interface Role {
  readonly name: string;
  /** Whether the first words of a session are for this role. */
  readonly isAsked: (prompt: string) => boolean;
  /** In order, over all sessions that the role has; beyond the last it has nothing more to do. */
  readonly lines: readonly Line[];
}

export interface RoleAnswers {
  readonly answer: Answer;
  /** What the role was newly shown before each of its lines, in order. */
  shown(role: string): readonly string[];
  /** The sessions that it had, in order. */
  sessions(role: string): readonly string[];
  /** How often an agent has asked to sum its conversation up. */
  compactions(): number;
  /** What was asked that no role answers. */
  readonly strangers: readonly string[];
}

const SUMMARY = '<summary>\nThe coordinator has started lanes and waits for them.\n</summary>';

export function answersOf(roles: readonly Role[]): RoleAnswers {
  const parts = new Map(roles.map((role) => [role.name, partOf(role)]));
  const bySession = new Map<string, Part>();
  const strangers: string[] = [];
  let compactions = 0;

  return {
    strangers,
    compactions: () => compactions,
    shown: (role) => parts.get(role)?.shown ?? [],
    sessions: (role) =>
      [...bySession].flatMap(([id, part]) => (part === parts.get(role) ? [id] : [])),
    answer: async (asked) => {
      if (asked.compacting) {
        compactions += 1;
        return { say: SUMMARY };
      }
      const role = roles.find(({ isAsked }) => isAsked(asked.shown));
      const part = bySession.get(asked.session) ?? (role && parts.get(role.name));
      if (part === undefined) {
        strangers.push(asked.shown);
        return { say: 'Nobody has written a part for this.' };
      }
      bySession.set(asked.session, part);
      return part.answer(asked);
    },
  };
}

type Part = ReturnType<typeof partOf>;

function partOf({ lines }: Role) {
  const shown: string[] = [];
  const answers = new Map<string, Promise<Turn>>();

  async function next(asked: Asked): Promise<Turn> {
    const line = lines[shown.length] ?? { say: 'There is nothing more to do.' };
    shown.push(asked.shown);
    return typeof line === 'function' ? line(asked.shown) : line;
  }

  return {
    shown,
    /** A client repeats a request now and then; the same conversation gets the same answer. */
    answer: (asked: Asked): Promise<Turn> => {
      const known = answers.get(asked.conversation);
      const answer = known ?? next(asked);
      answers.set(asked.conversation, answer);
      return answer;
    },
  };
}
