/** Reads hooks in the form that most agents have: in groups, each with a matcher. */
import { isJsonObject, type JsonObject, objectOr, parsedObject } from '../../base/text/json.ts';

export interface GroupedHook {
  readonly event: string;
  readonly group: JsonObject;
  readonly handler: JsonObject;
  /** The index of the group among those of its event, and of the handler in the group. */
  readonly at: readonly [number, number];
}

/** All hooks in `{"hooks": {"<event>": [{"hooks": [handler]}]}}`, in their order. */
export function groupedHooks(text: string): readonly GroupedHook[] {
  return Object.entries(objectOr(parsedObject(text)?.hooks) ?? {}).flatMap(([event, groups]) =>
    objectsIn(groups).flatMap((group, groupAt) =>
      objectsIn(group.hooks).map((handler, at) => ({ event, group, handler, at: [groupAt, at] })),
    ),
  );
}

const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
