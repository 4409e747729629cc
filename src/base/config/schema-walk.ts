/** The keys and settings of a file, read from its schema. */
import type { z } from 'zod/mini';

type Path = readonly PropertyKey[];

/** The schema of the value at a path, or the several ones of a union; empty if no value may be there. */
export function schemasAt(schema: z.core.$ZodType, path: Path): readonly z.core.$ZodTypes[] {
  const here = schema as z.core.$ZodTypes;
  const { def } = here._zod;
  if (def.type === 'optional') return schemasAt(def.innerType, path);
  if (def.type === 'union') return def.options.flatMap((it) => schemasAt(it, path));
  const [step, ...rest] = path;
  if (step === undefined) return [here];
  if (def.type === 'record') return schemasAt(def.valueType, rest);
  if (def.type === 'array') return typeof step === 'number' ? schemasAt(def.element, rest) : [];
  const next = def.type === 'object' && Object.hasOwn(def.shape, step) && def.shape[String(step)];
  return next ? schemasAt(next, rest) : [];
}

/** The keys that the object at a path may have, in the order of the documentation. */
export function keysAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  return schemasAt(schema, path).flatMap(({ _zod: { def } }) =>
    def.type === 'object' ? Object.keys(def.shape) : [],
  );
}
